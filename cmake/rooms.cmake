# loopscope_add_room(<name> SOURCES a.cpp ... [DEPENDS expr te ...] [LIBRARIES fmt::fmt ...]
#                    [PUBLIC_LIBRARIES ...])
#
# Makes the static library loopscope_<name> of one room of core/. DEPENDS names the rooms its files include;
# LIBRARIES are needed by its sources only, PUBLIC_LIBRARIES by its headers too.
#
# No precompiled header: it would save half a second a file, but with one GCC 12 warns about code of its own library on
# which it is otherwise silent, and a compiler cache no longer finds one build folder's objects for another.
function(loopscope_add_room name)
    cmake_parse_arguments(PARSE_ARGV 1 room "" "" "SOURCES;DEPENDS;LIBRARIES;PUBLIC_LIBRARIES")
    if(room_UNPARSED_ARGUMENTS OR NOT room_SOURCES)
        message(FATAL_ERROR "loopscope_add_room(${name}): needs SOURCES, does not know '${room_UNPARSED_ARGUMENTS}'")
    endif()
    list(TRANSFORM room_DEPENDS PREPEND loopscope_)
    add_library(loopscope_${name} STATIC ${room_SOURCES})
    target_link_libraries(loopscope_${name}
        PUBLIC loopscope_base ${room_DEPENDS} ${room_PUBLIC_LIBRARIES}
        PRIVATE ${room_LIBRARIES})
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

# loopscope_add_view(<name> SOURCES a.cpp ... [ROOMS search record ...] [VIEWS session plot ...] [LIBRARIES Qt6::Svg ...])
#
# Makes the static library loopscope_views_<name> of one folder of views/. ROOMS are rooms of core/, VIEWS other folders of
# views/ that its files include; LIBRARIES are needed beside Qt Widgets. All share one precompiled header: the headers of
# Qt Widgets take longer to read than a view takes to compile.
function(loopscope_add_view name)
    cmake_parse_arguments(PARSE_ARGV 1 view "" "" "SOURCES;ROOMS;VIEWS;LIBRARIES")
    if(view_UNPARSED_ARGUMENTS OR NOT view_SOURCES)
        message(FATAL_ERROR "loopscope_add_view(${name}): needs SOURCES, does not know '${view_UNPARSED_ARGUMENTS}'")
    endif()
    list(TRANSFORM view_ROOMS PREPEND loopscope_)
    list(TRANSFORM view_VIEWS PREPEND loopscope_views_)
    add_library(loopscope_views_${name} STATIC ${view_SOURCES})
    set_target_properties(loopscope_views_${name} PROPERTIES AUTOMOC ON)
    target_link_libraries(loopscope_views_${name} PUBLIC loopscope_qt ${view_ROOMS} ${view_VIEWS} ${view_LIBRARIES})
    target_precompile_headers(loopscope_views_${name} REUSE_FROM loopscope_views_precompiled)
endfunction()
