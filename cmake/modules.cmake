# A module is a folder that other folders include as "folder/header.h". Each module is seen through its own include directory,
# so a target finds only the modules it was linked with: an include against the layering does not build.
# The library of the module tuner/search is occ_tuner_search.
#
#   module(NAME base SOURCES err.c json.c MODULES ... LIBRARIES ...)
function(module)
  cmake_parse_arguments(M "" NAME "SOURCES;MODULES;LIBRARIES" ${ARGN})
  string(REPLACE / _ target occ_${M_NAME})
  set(view ${CMAKE_BINARY_DIR}/modules/${target})
  cmake_path(GET M_NAME PARENT_PATH parent)
  file(MAKE_DIRECTORY ${view}/${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${view}/${M_NAME} SYMBOLIC)
  add_library(${target} STATIC ${M_SOURCES})
  target_include_directories(${target} PUBLIC ${view})
  list(TRANSFORM M_MODULES REPLACE / _)
  list(TRANSFORM M_MODULES PREPEND occ_)
  target_link_libraries(${target} PUBLIC ${M_MODULES} PRIVATE ${M_LIBRARIES})
  strict(${target})
endfunction()

# Warnings and sanitizers, the same for every target.
function(strict target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
                         -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wno-format-nonliteral)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  if(OCCUTUNE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(OCCUTUNE_SANITIZE) # whose checks make gcc see null pointers and cut texts that are not there
    target_compile_options(${target} PRIVATE $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)
    target_compile_options(${target} PUBLIC -fsanitize=${OCCUTUNE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${OCCUTUNE_SANITIZE})
  endif()
endfunction()
