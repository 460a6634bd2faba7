# A module is a folder that other folders include as "folder/header.h". It shows the headers of its API, and only to the
# targets that link it: an include of a private header, or against the layering, does not build (tests/privacy).
# The library of the module tuner/strategy is occ_tuner_strategy.
#
#   module(NAME model/emulate
#          SOURCES ...      its own
#          API emulate.h    what others may include
#          PUBLIC base ...  modules that these headers include
#          PRIVATE ...      modules that only its sources include
#          LIBRARIES m)     what else it links
#
# Tests and further libraries of the same folder link occ_model_emulate_inside, which shows all its headers.
function(module)
  cmake_parse_arguments(M "" NAME "SOURCES;API;PUBLIC;PRIVATE;LIBRARIES" ${ARGN})
  string(REPLACE / _ target occ_${M_NAME})
  add_library(${target} STATIC ${M_SOURCES})
  foreach(scope PUBLIC PRIVATE)
    list(TRANSFORM M_${scope} REPLACE / _)
    list(TRANSFORM M_${scope} PREPEND occ_)
  endforeach()

  set(shown ${CMAKE_BINARY_DIR}/modules/${target}/api)
  file(REMOVE_RECURSE ${shown})
  file(MAKE_DIRECTORY ${shown}/${M_NAME})
  foreach(header ${M_API})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${header} ${shown}/${M_NAME}/${header} SYMBOLIC)
  endforeach()
  set(whole ${CMAKE_BINARY_DIR}/modules/${target}/whole)
  cmake_path(GET M_NAME PARENT_PATH parent)
  file(MAKE_DIRECTORY ${whole}/${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${whole}/${M_NAME} SYMBOLIC)

  target_include_directories(${target} PUBLIC ${shown} PRIVATE ${whole})
  target_link_libraries(${target} PUBLIC ${M_PUBLIC} PRIVATE ${M_PRIVATE} ${M_LIBRARIES})
  strict(${target})
  add_library(${target}_inside INTERFACE)
  target_include_directories(${target}_inside INTERFACE ${whole})
  target_link_libraries(${target}_inside INTERFACE ${target} ${M_PRIVATE})
endfunction()

# table_files(VARIABLE TABLE.def): the source files of a table, whose rows end in the name of their file: ROW(..., NAME).
# A new implementation of an interface is a file and a row.
function(table_files out table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^[A-Z]+\\(")
  list(TRANSFORM rows REPLACE "^[A-Z]+\\(([^)]*[, ])?([a-z0-9_]+)\\).*" "\\2.c")
  list(REMOVE_DUPLICATES rows)
  set(${out} ${rows} PARENT_SCOPE)
endfunction()

# modules(occ_model occ_model_device ...): several at once under one name, and their insides.
function(modules name)
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE ${ARGN})
  list(TRANSFORM ARGN APPEND _inside OUTPUT_VARIABLE insides)
  add_library(${name}_inside INTERFACE)
  target_link_libraries(${name}_inside INTERFACE ${insides})
endfunction()

# 200 programs of tests, each linked with most of the modules: gold takes half of the time.
if(OCCUTUNE_SANITIZE)
  include(CheckLinkerFlag)
  check_linker_flag(C -fuse-ld=gold LINKS_WITH_GOLD)
endif()

# Warnings and sanitizers, the same for every target.
function(strict target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
                         -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wno-format-nonliteral)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  if(OCCUTUNE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(OCCUTUNE_SANITIZE) # whose checks make gcc see null pointers, unset values and cut texts that are not there
    target_compile_options(${target} PRIVATE "$<$<C_COMPILER_ID:GNU>:-Wno-format-truncation;-Wno-maybe-uninitialized>")
    # Lines but no variables, and little optimized, for builds in half of the time. Where tests spend theirs, a little more.
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    if(folder MATCHES "^(base|launch|space|model|tuner/(strategy|journal))(/|$)")
      target_compile_options(${target} PRIVATE -O1)
    else()
      target_compile_options(${target} PRIVATE -O0)
    endif()
    target_compile_options(${target} PUBLIC -g1 -fsanitize=${OCCUTUNE_SANITIZE} -fno-omit-frame-pointer
                           -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${OCCUTUNE_SANITIZE} $<$<BOOL:${LINKS_WITH_GOLD}>:-fuse-ld=gold>)
  endif()
endfunction()
