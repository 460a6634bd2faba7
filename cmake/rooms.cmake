# A room is a folder of the house that other folders include as "room/header.h". Each room is seen through its own
# include directory, so a target finds only the rooms it was linked with: an include against the layering does not build.
# The library of the room tuner/search is occ_tuner_search.
#
#   room(NAME base SOURCES err.c json.c ROOMS ... LIBRARIES ...)
function(room)
  cmake_parse_arguments(R "" NAME "SOURCES;ROOMS;LIBRARIES" ${ARGN})
  string(REPLACE / _ target occ_${R_NAME})
  set(view ${CMAKE_BINARY_DIR}/rooms/${target})
  cmake_path(GET R_NAME PARENT_PATH parent)
  file(MAKE_DIRECTORY ${view}/${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${view}/${R_NAME} SYMBOLIC)
  add_library(${target} STATIC ${R_SOURCES})
  target_include_directories(${target} PUBLIC ${view})
  list(TRANSFORM R_ROOMS REPLACE / _)
  list(TRANSFORM R_ROOMS PREPEND occ_)
  target_link_libraries(${target} PUBLIC ${R_ROOMS} PRIVATE ${R_LIBRARIES})
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
