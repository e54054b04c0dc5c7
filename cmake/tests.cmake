# What takes time when a test runs is in the libraries; the test itself is compiled once and run once.
set(LOOPSCOPE_TEST_OPTIMISATION $<$<CONFIG:Release>:-O0>)
option(LOOPSCOPE_BENCHMARKS "Build the programs of tests/benchmarks" ON)

if(LOOPSCOPE_SANITIZE)
    set(LOOPSCOPE_TEST_OPTIMISATION -O0)
endif()

# loopscope_moc(<target> a.cpp ...)
#
# Makes the file a.moc for every source that includes one. CMake's own AUTOMOC starts two processes and compiles a file
# more for each of hundreds of programs, which is as much as compiling the smaller ones.
function(loopscope_moc target)
    foreach(source IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
        cmake_path(GET source STEM stem)
        file(STRINGS ${path} found REGEX "^#include \"${stem}[.]moc\"$" LIMIT_COUNT 1)
        if(found)
            set(made ${CMAKE_CURRENT_BINARY_DIR}/moc/${stem}.moc)
            file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/moc)
            add_custom_command(OUTPUT ${made} COMMAND Qt6::moc -o ${made} ${path} DEPENDS ${path} VERBATIM)
            target_sources(${target} PRIVATE ${made})
            target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/moc)
        endif()
    endforeach()
endfunction()

# loopscope_add_test(NAME n SOURCES a.cpp ... [LIBS loopscope_x ...] [LABELS slow ...] [DATA file ...]
#                    [PROGRAMS loopscope-worker ...] [TIMEOUT seconds] [OWN_PROGRAM])
#
# Registers the Qt Test class of the first source with ctest, and adds the sources to the program of its folder (<folder>_tests),
# which runs it by the name of that source (tests/test_program.h); the headers that a folder's tests share take longer to read than
# a test takes to compile. A test class may stand in its .cpp, which then ends with `#include "<file>.moc"`. OWN_PROGRAM, and a main of
# its own, make a program of that name of it instead. The sources see LOOPSCOPE_SOURCE_DIR, the root of the checkout. DATA are files
# (relative to the folder of the CMakeLists.txt) without which the test fails instead of running. PROGRAMS are built before the test
# and found in LOOPSCOPE_BIN_DIR, which only folders with such tests see.
# A folder sets LOOPSCOPE_TEST_HEADERS to the target whose precompiled header its tests share, and LOOPSCOPE_TEST_MAIN to what runs
# their classes.
# Labels in use: `peers` = runs programs of other systems where they are installed (packaging/test-peers); `slow` = more than a few seconds, left out by .ci/sanitized; `long` = minutes, left out by packaging/test too.
function(loopscope_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 test "OWN_PROGRAM" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS;DATA;PROGRAMS")
    if(test_UNPARSED_ARGUMENTS OR NOT test_NAME OR NOT test_SOURCES)
        message(FATAL_ERROR
            "loopscope_add_test(${test_NAME}): needs NAME and SOURCES, does not know '${test_UNPARSED_ARGUMENTS}'")
    endif()
    list(GET test_SOURCES 0 first)
    cmake_path(GET first STEM class)
    cmake_path(ABSOLUTE_PATH first OUTPUT_VARIABLE path)
    file(STRINGS ${path} mains REGEX "^int main\\(" LIMIT_COUNT 1)
    if(mains)
        set(command ${test_NAME})
        loopscope_test_program(${test_NAME} SOURCES ${test_SOURCES}
            LIBS ${test_LIBS} loopscope_own_program loopscope_own_turns PROGRAMS ${test_PROGRAMS})
    elseif(test_OWN_PROGRAM)
        set(command ${test_NAME} ${class})
        loopscope_test_program(${test_NAME} SOURCES ${test_SOURCES}
            LIBS ${test_LIBS} ${LOOPSCOPE_TEST_MAIN} PROGRAMS ${test_PROGRAMS})
    else()
        loopscope_folder_program(program)
        set(command ${program} ${class})
        foreach(each IN ITEMS SOURCES LIBS PROGRAMS)
            set_property(DIRECTORY APPEND PROPERTY LOOPSCOPE_TEST_${each} ${test_${each}})
        endforeach()
    endif()
    get_property(known DIRECTORY PROPERTY LOOPSCOPE_TEST_TARGETS)
    if(NOT known)
        cmake_language(DEFER CALL loopscope_finish_tests)
    endif()
    list(GET command 0 target)
    set_property(DIRECTORY APPEND PROPERTY LOOPSCOPE_TEST_TARGETS ${target})

    list(TRANSFORM test_DATA PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    if(NOT test_TIMEOUT)
        set(test_TIMEOUT 300)
    endif()
    loopscope_register_test(${test_NAME} "${test_TIMEOUT}" "${test_LABELS}" "" ${command})
    set_tests_properties(${test_NAME} PROPERTIES REQUIRED_FILES "${test_DATA}")
    set_property(DIRECTORY PROPERTY LOOPSCOPE_COMMAND_OF_${test_NAME} ${command})
    # Programs of ours measure: only one test that starts them runs at a time, beside others that compute. With sanitizers
    # nothing that is timed counts.
    if(test_PROGRAMS AND NOT LOOPSCOPE_SANITIZE)
        # They come first, or the last minutes would be theirs alone: a new build knows no times of earlier runs.
        set_tests_properties(${test_NAME} PROPERTIES RESOURCE_LOCK machine COST 100)
    elseif("slow" IN_LIST test_LABELS)
        set_tests_properties(${test_NAME} PROPERTIES COST 10)
    endif()
endfunction()

# loopscope_add_long_test(<name> OF <test> [FUNCTIONS f ...] TIMEOUT seconds)
#
# The same test once more, with LOOPSCOPE_LONG_TESTS set and labelled `long`.
function(loopscope_add_long_test name)
    cmake_parse_arguments(PARSE_ARGV 1 long "" "OF;TIMEOUT" "FUNCTIONS")
    get_property(command DIRECTORY PROPERTY LOOPSCOPE_COMMAND_OF_${long_OF})
    loopscope_register_test(${name} "${long_TIMEOUT}" long LOOPSCOPE_LONG_TESTS=1 ${command} ${long_FUNCTIONS})
endfunction()

# loopscope_register_test(<name> <seconds> <labels> <environment> <command>...)
function(loopscope_register_test name timeout labels environment)
    add_test(NAME ${name} COMMAND ${ARGN})
    # One function may take as long as all: Qt Test's own limit counts the rows of a table as one.
    math(EXPR functionTimeout "${timeout} * 1000")
    # No test depends on a GPU of this machine; those that need a driver bring their own.
    list(APPEND environment QT_QPA_PLATFORM=offscreen QTEST_FUNCTION_TIMEOUT=${functionTimeout}
        LOOPSCOPE_CUDA_DRIVER=${CMAKE_BINARY_DIR}/tests/no_driver)
    if(LOOPSCOPE_SANITIZE MATCHES "address")
        # Libraries that are not built for it share containers with ours, and do not mark what is unused in them.
        list(APPEND environment ASAN_OPTIONS=detect_container_overflow=0)
    endif()
    if(LOOPSCOPE_SANITIZE MATCHES "undefined")
        list(APPEND environment UBSAN_OPTIONS=print_stacktrace=1)
    endif()
    if(LOOPSCOPE_SANITIZE MATCHES "thread")
        # XGBoost, LLVM and Qt are not built for it either: what they synchronise inside is theirs. Tests fork, to have a
        # second process, beside the thread with which Qt Test watches them.
        list(APPEND environment
            "TSAN_OPTIONS=ignore_noninstrumented_modules=1:die_after_fork=0:suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
    endif()
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" LABELS "${labels}" TIMEOUT ${timeout})
endfunction()

# loopscope_test_program(<name> SOURCES ... LIBS ... PROGRAMS ...)
function(loopscope_test_program name)
    cmake_parse_arguments(PARSE_ARGV 1 program "" "" "SOURCES;LIBS;PROGRAMS")
    add_executable(${name} ${program_SOURCES})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    loopscope_moc(${name} ${program_SOURCES})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${name} PRIVATE LOOPSCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PRIVATE ${program_LIBS} loopscope_base Qt6::Core Qt6::Test)
    target_compile_options(${name} PRIVATE ${LOOPSCOPE_TEST_OPTIMISATION})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Of a source that another includes, GCC takes classes with members of unnamed namespaces for a header's.
        target_compile_options(${name} PRIVATE -Wno-subobject-linkage)
    endif()
    if(LOOPSCOPE_TEST_HEADERS)
        target_precompile_headers(${name} REUSE_FROM ${LOOPSCOPE_TEST_HEADERS})
    endif()
    if(program_PROGRAMS)
        add_dependencies(${name} ${program_PROGRAMS})
        target_compile_definitions(${name} PRIVATE LOOPSCOPE_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    endif()
endfunction()

# The name of the program of this folder, which is made once all of its tests are known.
function(loopscope_folder_program result)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE folder)
    string(REPLACE "/" "_" folder ${folder})
    set(${result} ${folder}_tests PARENT_SCOPE)
endfunction()

# At the end of a folder: its program, and the target `tests-<folder>` of all that its tests run.
function(loopscope_finish_tests)
    get_property(sources DIRECTORY PROPERTY LOOPSCOPE_TEST_SOURCES)
    loopscope_folder_program(program)
    if(sources)
        get_property(libs DIRECTORY PROPERTY LOOPSCOPE_TEST_LIBS)
        get_property(programs DIRECTORY PROPERTY LOOPSCOPE_TEST_PROGRAMS)
        foreach(list IN ITEMS sources libs programs)
            list(REMOVE_DUPLICATES ${list})
        endforeach()
        loopscope_test_program(${program} SOURCES ${sources} LIBS ${libs} ${LOOPSCOPE_TEST_MAIN} PROGRAMS ${programs})
    endif()
    get_property(targets DIRECTORY PROPERTY LOOPSCOPE_TEST_TARGETS)
    list(REMOVE_DUPLICATES targets)
    string(REGEX REPLACE "_tests$" "" folder ${program})
    add_custom_target(tests-${folder} DEPENDS ${targets})
endfunction()
