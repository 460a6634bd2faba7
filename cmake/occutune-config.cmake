# find_package(occutune): the library occutune::occutune, the program occutune::program, and occutune_header().
include(${CMAKE_CURRENT_LIST_DIR}/occutune-targets.cmake)

#   occutune_header(TARGET target OUTPUT scale.h DECISIONS decision.json...)
#   occutune_header(TARGET target OUTPUT scale.h SPEC spec.json [OPTIONS option...])
#
# Makes a header for `target` at build time and puts its folder in the target's include path. OUTPUT is below the current
# binary directory. From decisions: `occutune header`. From a spec: `occutune tune` first, with the options given, on the GPU
# of the building machine or from the recordings beside the spec; where neither is there the build fails and says so. It
# tunes again when the spec or its kernel's source changes, and resumes what was begun.
function(occutune_header)
  cmake_parse_arguments(H "" "TARGET;OUTPUT;SPEC" "DECISIONS;OPTIONS" ${ARGN})
  if(H_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "occutune_header: ${H_UNPARSED_ARGUMENTS} is not understood")
  endif()
  if(NOT H_TARGET OR NOT H_OUTPUT)
    message(FATAL_ERROR "occutune_header: TARGET and OUTPUT are needed")
  endif()
  if((H_SPEC AND H_DECISIONS) OR NOT (H_SPEC OR H_DECISIONS))
    message(FATAL_ERROR "occutune_header: say either SPEC or DECISIONS")
  endif()
  cmake_path(ABSOLUTE_PATH H_OUTPUT BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE)
  cmake_path(GET H_OUTPUT PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  if(H_SPEC)
    _occutune_tune(H_DECISIONS ${H_SPEC} ${H_OUTPUT}.tune "${H_OPTIONS}")
  endif()
  set(decisions)
  foreach(decision IN LISTS H_DECISIONS)
    cmake_path(ABSOLUTE_PATH decision BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND decisions ${decision})
  endforeach()
  add_custom_command(OUTPUT ${H_OUTPUT}
                     COMMAND occutune::program header ${decisions} --output=${H_OUTPUT}
                     DEPENDS ${decisions} VERBATIM)
  target_sources(${H_TARGET} PRIVATE ${H_OUTPUT})
  target_include_directories(${H_TARGET} PRIVATE ${folder})
endfunction()

# The rule that tunes a spec in `folder`; sets `out` to the decision it will write.
function(_occutune_tune out spec folder options)
  cmake_path(ABSOLUTE_PATH spec BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  cmake_path(GET spec PARENT_PATH directory)
  file(READ ${spec} text)
  string(JSON source GET "${text}" kernel file)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${folder}/decision.json
                     COMMAND occutune::program tune ${spec} --quiet --output=decision.json ${options}
                     DEPENDS ${spec} ${directory}/${source}
                     WORKING_DIRECTORY ${folder} VERBATIM)
  set(${out} ${folder}/decision.json PARENT_SCOPE)
endfunction()
