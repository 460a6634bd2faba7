# What is installed: programs, the library with its header, man page, README and its like, completions, CMake package, .pc file, device profiles,
# kernel library, the page's parts. The folder may be moved as a whole. Components: `runtime`, what the programs need, and
# `library`, of which the Python package consists; `documents`; `development`, what others build against the library with.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS occutune EXPORT occutune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(TARGETS occutune-worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/occutune COMPONENT runtime)
install(TARGETS occutune_library EXPORT occutune
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
        PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${CMAKE_BINARY_DIR}/documents/occutune.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT documents)
install(FILES ${CMAKE_BINARY_DIR}/documents/occutune.bash RENAME occutune
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT documents)
install(FILES ${CMAKE_BINARY_DIR}/documents/_occutune DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT documents)
install(FILES README.md CHANGES.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(DIRECTORY kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/occutune COMPONENT runtime)
install(DIRECTORY gpu/standard DESTINATION ${CMAKE_INSTALL_DATADIR}/occutune COMPONENT runtime)
install(DIRECTORY model/device/profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/occutune COMPONENT runtime)
get_property(assets GLOBAL PROPERTY OCCUTUNE_PAGE_ASSETS)
install(FILES ${assets} DESTINATION ${CMAKE_INSTALL_DATADIR}/occutune/report COMPONENT runtime)
if(D3_SCRIPT)
  install(FILES ${D3_SCRIPT} DESTINATION ${CMAKE_INSTALL_DATADIR}/occutune/report COMPONENT runtime)
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/occutune)
install(EXPORT occutune NAMESPACE occutune:: FILE occutune-targets.cmake DESTINATION ${package} COMPONENT development)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/occutune-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/occutune-config.cmake ${CMAKE_BINARY_DIR}/occutune-config-version.cmake DESTINATION ${package} COMPONENT development)

# From the .pc file's folder back to the prefix.
set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PC_PREFIX /${pkgconfig} /)
configure_file(cmake/occutune.pc.in ${CMAKE_BINARY_DIR}/occutune.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/occutune.pc DESTINATION ${pkgconfig} COMPONENT development)

add_custom_target(installed DEPENDS occutune occutune-worker occutune_library documents)
include(cmake/package.cmake)
