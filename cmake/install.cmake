# What is installed: programs, the library with its header, man page, CMake package, .pc file, device profiles, kernel library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS occutune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS occutune-worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/occutune)
install(TARGETS occutune_library EXPORT occutune
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES tuner/occutune.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/occutune)
install(DIRECTORY devices DESTINATION ${CMAKE_INSTALL_DATADIR}/occutune OPTIONAL)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/occutune)
install(EXPORT occutune NAMESPACE occutune:: FILE occutune-config.cmake DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/occutune-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/occutune-config-version.cmake DESTINATION ${package})

configure_file(cmake/occutune.pc.in ${CMAKE_BINARY_DIR}/occutune.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/occutune.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
