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
