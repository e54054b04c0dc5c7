# loopscope_add_module(<name> SOURCES a.cpp ... [DEPENDS expr te ...] [LIBRARIES fmt::fmt ...]
#                    [PUBLIC_LIBRARIES ...])
#
# Makes the static library loopscope_<name> of one module of core/. DEPENDS names the modules its files include;
# LIBRARIES are needed by its sources only, PUBLIC_LIBRARIES by its headers too.
#
# No precompiled header: it would save half a second a file, but with one GCC 12 warns about code of its own library on
# which it is otherwise silent, and a compiler cache no longer finds one build folder's objects for another.
function(loopscope_add_module name)
    cmake_parse_arguments(PARSE_ARGV 1 module "" "" "SOURCES;DEPENDS;LIBRARIES;PUBLIC_LIBRARIES")
    if(module_UNPARSED_ARGUMENTS OR NOT module_SOURCES)
        message(FATAL_ERROR "loopscope_add_module(${name}): needs SOURCES, does not know '${module_UNPARSED_ARGUMENTS}'")
    endif()
    list(TRANSFORM module_DEPENDS PREPEND loopscope_)
    add_library(loopscope_${name} STATIC ${module_SOURCES})
    target_link_libraries(loopscope_${name}
        PUBLIC loopscope_base ${module_DEPENDS} ${module_PUBLIC_LIBRARIES}
        PRIVATE ${module_LIBRARIES})
endfunction()

# loopscope_add_program(<name> SOURCES main.cpp ... [LIBS loopscope_search ...])
#
# Makes the program <build>/bin/<name>.
function(loopscope_add_program name)
    cmake_parse_arguments(PARSE_ARGV 1 program "" "" "SOURCES;LIBS")
    if(program_UNPARSED_ARGUMENTS OR NOT program_SOURCES)
        message(FATAL_ERROR
            "loopscope_add_program(${name}): needs SOURCES, does not know '${program_UNPARSED_ARGUMENTS}'")
    endif()
    add_executable(${name} ${program_SOURCES})
    target_link_libraries(${name} PRIVATE loopscope_base ${program_LIBS})
endfunction()

# loopscope_texts(<module>)
#
# What the module writes into exported programs and pages stands as files in its folder texts/: of check_begin.c its sources have
# kCheckBegin, from <MODULE_texts.h>.
function(loopscope_texts module)
    file(GLOB files CONFIGURE_DEPENDS texts/*)
    set(header "#pragma once\n\nnamespace loopscope {\n")
    foreach(file IN LISTS files)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        cmake_path(GET file STEM stem)
        set(name k)
        string(REPLACE "_" ";" words ${stem})
        foreach(word IN LISTS words)
            string(SUBSTRING ${word} 0 1 first)
            string(SUBSTRING ${word} 1 -1 rest)
            string(TOUPPER ${first} first)
            string(APPEND name ${first}${rest})
        endforeach()
        file(READ ${file} text)
        string(APPEND header "constexpr char ${name}[] = R\"text(${text})text\";\n")
    endforeach()
    string(APPEND header "} // namespace loopscope\n")
    set(path ${CMAKE_CURRENT_BINARY_DIR}/texts/${module}_texts.h)
    set(before "")
    if(EXISTS ${path})
        file(READ ${path} before)
    endif()
    if(NOT before STREQUAL header)
        file(WRITE ${path} "${header}")
    endif()
    target_include_directories(loopscope_${module} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/texts)
endfunction()

# loopscope_moc_headers(<target>)
#
# Compiles with the target what moc makes of the headers of this folder, as one source. CMake's own AUTOMOC compiles it by itself
# and starts two processes more for each target, which was a fifth of what the three programs cost. (A header that gets its
# first Q_OBJECT is seen when CMake is run again.)
function(loopscope_moc_headers target)
    file(GLOB headers CONFIGURE_DEPENDS *.h)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/moc)
    file(MAKE_DIRECTORY ${folder})
    set(all "")
    set(made "")
    foreach(header IN LISTS headers)
        file(STRINGS ${header} found REGEX "^ *Q_(OBJECT|GADGET|NAMESPACE)" LIMIT_COUNT 1)
        if(found)
            cmake_path(GET header STEM stem)
            add_custom_command(OUTPUT ${folder}/moc_${stem}.cpp COMMAND Qt6::moc -o ${folder}/moc_${stem}.cpp ${header}
                DEPENDS ${header} VERBATIM)
            list(APPEND made ${folder}/moc_${stem}.cpp)
            string(APPEND all "#include \"moc_${stem}.cpp\"\n")
        endif()
    endforeach()
    if(made)
        file(CONFIGURE OUTPUT ${folder}/mocs.cpp CONTENT "${all}" @ONLY)
        set_source_files_properties(${made} PROPERTIES HEADER_FILE_ONLY ON)
        target_sources(${target} PRIVATE ${folder}/mocs.cpp ${made})
    endif()
endfunction()

# loopscope_add_view(<name> SOURCES a.cpp ... [MODULES search record ...] [VIEWS session plot ...] [LIBRARIES Qt6::Svg ...])
#
# Makes the static library loopscope_views_<name> of one folder of views/. MODULES are modules of core/, VIEWS other folders of
# views/ that its files include; LIBRARIES are needed beside Qt Widgets. All share one precompiled header: the headers of
# Qt Widgets take longer to read than a view takes to compile.
function(loopscope_add_view name)
    cmake_parse_arguments(PARSE_ARGV 1 view "" "" "SOURCES;MODULES;VIEWS;LIBRARIES")
    if(view_UNPARSED_ARGUMENTS OR NOT view_SOURCES)
        message(FATAL_ERROR "loopscope_add_view(${name}): needs SOURCES, does not know '${view_UNPARSED_ARGUMENTS}'")
    endif()
    list(TRANSFORM view_MODULES PREPEND loopscope_)
    list(TRANSFORM view_VIEWS PREPEND loopscope_views_)
    add_library(loopscope_views_${name} STATIC ${view_SOURCES})
    loopscope_moc_headers(loopscope_views_${name})
    target_link_libraries(loopscope_views_${name} PUBLIC loopscope_qt ${view_MODULES} ${view_VIEWS} ${view_LIBRARIES})
    target_precompile_headers(loopscope_views_${name} REUSE_FROM loopscope_views_precompiled)
endfunction()
