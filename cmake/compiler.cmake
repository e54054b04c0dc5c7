# How every file is compiled: warnings, sanitizers, compiler cache.

add_compile_options(-Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlapping and endless copies in `"text" + std::string` that are not there (GCC bug 105651).
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # std::stable_sort of libstdc++ 12 uses what the library itself declares deprecated.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()

set(LOOPSCOPE_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them; empty for none")
if(LOOPSCOPE_SANITIZE)
    add_compile_options(-fsanitize=${LOOPSCOPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${LOOPSCOPE_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # The sanitizers' extra code paths make GCC see uninitialised values that cannot be read.
        add_compile_options(-Wno-maybe-uninitialized)
    endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A tenth of the time goes to collecting garbage that half a gigabyte has room for. (clang-tidy and clangd, which read what
    # the preset `debug` compiles, do not know the option.)
    add_compile_options($<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:--param=ggc-min-heapsize=524288>)
endif()

find_program(LOOPSCOPE_CCACHE ccache)
if(LOOPSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Paths of the checkout are hashed relative to the build folder, so that several checkouts share their objects.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
        ${LOOPSCOPE_CCACHE})
endif()

# More than a hundred programs, most of them tests, are linked with the same libraries: mold takes a tenth of the time of GNU ld.
find_program(LOOPSCOPE_MOLD mold)
if(LOOPSCOPE_MOLD AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_link_options(-fuse-ld=mold)
endif()
