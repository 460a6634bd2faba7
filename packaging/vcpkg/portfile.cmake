# vcpkg's port, as an overlay of a checkout: vcpkg install occutune --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
vcpkg_find_cuda(OUT_CUDA_TOOLKIT_ROOT cuda_toolkit_root)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DOCCUTUNE_TESTS=OFF
        "-DCUDA_HEADERS=${cuda_toolkit_root}/include"
        "-DOCCUTUNE_CUDA_HOME=${cuda_toolkit_root}"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME occutune CONFIG_PATH lib/cmake/occutune)
vcpkg_copy_tools(TOOL_NAMES occutune AUTO_CLEAN)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
