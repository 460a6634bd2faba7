# Every dependency of the project, declared in this one place.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C) # base/queue: the threads that compile
find_package(ZLIB REQUIRED)                # compressed recordings
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.12) # base/json
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash>=0.8) # base/key
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4>=1.9)       # base/repeats
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)                  # unit tests only

# The headers cuda.h and nvrtc.h are needed to build gpu/; the libraries themselves are loaded at run time.
if(SKBUILD) # building a Python package: pip has fetched the headers, as Python packages too
  find_package(Python REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import nvidia; print(';'.join(p + '/cu13/include' for p in nvidia.__path__))"
                  OUTPUT_VARIABLE CUDA_PACKAGES OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
find_path(CUDA_HEADERS cuda.h
          HINTS ${CUDA_PACKAGES} ${CMAKE_BINARY_DIR}/cuda/include $ENV{CUDA_HOME}/include /usr/local/cuda/include
          DOC "directory of cuda.h and nvrtc.h")
if(NOT CUDA_HEADERS)
  message(FATAL_ERROR "cuda.h was not found: install a CUDA toolkit, or run ./quickstart, which fetches the headers")
endif()

# The charting library of the page that `occutune report` writes: D3 5, BSD 3-Clause (Debian: node-d3). It is put beside the
# program as it is; without it everything else works.
find_file(D3_SCRIPT d3.min.js PATHS /usr/share/nodejs/d3/dist /usr/share/javascript/d3 DOC "D3 5, minified" NO_CMAKE_FIND_ROOT_PATH)
if(D3_SCRIPT)
  file(STRINGS ${D3_SCRIPT} first LIMIT_COUNT 1)
  if(NOT first MATCHES "v5\\.")
    message(STATUS "${D3_SCRIPT} is not D3 5: ${first}")
    set(D3_SCRIPT D3_SCRIPT-NOTFOUND CACHE FILEPATH "D3 5, minified" FORCE)
  endif()
endif()
if(NOT D3_SCRIPT)
  message(STATUS "D3 5 was not found (Debian: node-d3): `occutune report` will say so and write no page")
endif()
