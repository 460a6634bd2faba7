# Packages of what is installed: `cpack -G DEB` makes the tool, the library and what one builds against it with, as Debian
# splits them (configure with -DCMAKE_INSTALL_PREFIX=/usr); `cpack -G TGZ` one archive that runs from any folder.
set(CPACK_PACKAGE_NAME occutune)
set(CPACK_PACKAGE_VENDOR "the occutune authors")
set(CPACK_PACKAGE_CONTACT "the occutune authors <occutune@localhost.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 1) # the same bytes every time

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/tuner/library)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME occutune)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "nvidia-cuda-toolkit")
set(CPACK_DEBIAN_TOOL_DESCRIPTION "${PROJECT_DESCRIPTION}: the command line
 Finds the fastest configuration of a CUDA kernel, by prediction from its machine code and by measuring.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME liboccutune${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "occutune (= ${PROJECT_VERSION})") # for what it tunes and compiles itself
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "${PROJECT_DESCRIPTION}: the C library
 Chooses the configuration of a tuned kernel, and compiles and launches it.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME liboccutune-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} (= ${PROJECT_VERSION}), occutune (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${PROJECT_DESCRIPTION}: header and CMake package of the C library
 What programs are built against liboccutune with.")
include(CPack)

cpack_add_component_group(tool)
cpack_add_component_group(library)
cpack_add_component_group(development)
cpack_add_component(runtime GROUP tool)
cpack_add_component(documents GROUP tool)
cpack_add_component(library GROUP library)
cpack_add_component(development GROUP development)
