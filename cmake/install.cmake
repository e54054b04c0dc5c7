# What an installed Loopscope consists of: `cmake --install build/release --prefix /usr/local`. The window finds its
# samples in <prefix>/share/loopscope/samples and its worker beside itself.
include(GNUInstallDirs)

install(TARGETS loopscope loopscope-cli loopscope-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY samples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/loopscope/samples)
set(id org.loopscope.Loopscope)
install(FILES resources/${id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES resources/${id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES resources/${id}.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES resources/${id}.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)

set(texts ${CMAKE_BINARY_DIR}/share)
install(FILES ${texts}/loopscope-cli.1 ${texts}/loopscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${texts}/loopscope-cli.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME loopscope-cli)
install(FILES ${texts}/_loopscope-cli DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${texts}/loopscope-cli.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY resources/guide resources/screenshots DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# The Debian package that packaging/package makes of it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME loopscope)
set(CPACK_PACKAGE_CONTACT "The Loopscope authors <nobody@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find, understand and ship fast loop schedules of tensor programs")
set(CPACK_PACKAGE_DESCRIPTION "Searches schedules for operators, image pipelines and networks on this machine, checks and times every candidate,
shows why one is fast, and exports it as C, CUDA, LLVM IR, Python or a library. A window, loopscope, and a command line that can do the same,
loopscope-cli.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is not linked: the program that lays graphs out, icons, the plugin that draws them, and a font with digits of one width.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "graphviz, libqt6svg6, qt6-qpa-plugins, fonts-dejavu-core, shared-mime-info, hicolor-icon-theme")
# Exported libraries are compiled and loaded; kernels are compared with the others where they are there.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libdnnl2, libopenblas0-pthread, libblis4-pthread, slurm-client")
include(CPack)
