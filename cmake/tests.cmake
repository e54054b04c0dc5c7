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
#                    [PROGRAMS loopscope-worker ...] [TIMEOUT seconds])
#
# Makes one Qt Test program and registers it with ctest. A test class may stand in its .cpp, which then ends with
# `#include "<file>.moc"`. The sources see LOOPSCOPE_SOURCE_DIR, the root of the checkout. DATA are files (relative to
# the folder of the CMakeLists.txt) without which the test fails instead of running. PROGRAMS are built before the test and
# found in LOOPSCOPE_BIN_DIR, which only such tests see.
# A folder sets LOOPSCOPE_TEST_HEADERS to the target whose precompiled header its tests share: Qt's headers take longer to
# read than a test takes to compile.
# Labels in use: `peers` = runs programs of other systems where they are installed (packaging/test-peers); `slow` = more than a few seconds, left out by .ci/sanitized; `long` = minutes, left out by packaging/test too.
function(loopscope_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS;DATA;PROGRAMS")
    if(test_UNPARSED_ARGUMENTS OR NOT test_NAME OR NOT test_SOURCES)
        message(FATAL_ERROR
            "loopscope_add_test(${test_NAME}): needs NAME and SOURCES, does not know '${test_UNPARSED_ARGUMENTS}'")
    endif()
    add_executable(${test_NAME} ${test_SOURCES})
    set_target_properties(${test_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    loopscope_moc(${test_NAME} ${test_SOURCES})
    target_compile_definitions(${test_NAME} PRIVATE LOOPSCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${test_NAME} PRIVATE loopscope_own_turns loopscope_base ${test_LIBS} Qt6::Core Qt6::Test)
    target_compile_options(${test_NAME} PRIVATE ${LOOPSCOPE_TEST_OPTIMISATION})
    if(LOOPSCOPE_TEST_HEADERS)
        target_precompile_headers(${test_NAME} REUSE_FROM ${LOOPSCOPE_TEST_HEADERS})
    endif()
    if(test_PROGRAMS)
        add_dependencies(${test_NAME} ${test_PROGRAMS})
        target_compile_definitions(${test_NAME} PRIVATE LOOPSCOPE_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    endif()

    add_test(NAME ${test_NAME} COMMAND ${test_NAME})
    list(TRANSFORM test_DATA PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    if(NOT test_TIMEOUT)
        set(test_TIMEOUT 300)
    endif()
    # One function may take as long as all: Qt Test's own limit counts the rows of a table as one.
    math(EXPR functionTimeout "${test_TIMEOUT} * 1000")
    # No test depends on a GPU of this machine; those that need a driver bring their own.
    set(environment QT_QPA_PLATFORM=offscreen QTEST_FUNCTION_TIMEOUT=${functionTimeout}
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
    set_tests_properties(${test_NAME} PROPERTIES
        ENVIRONMENT "${environment}"
        LABELS "${test_LABELS}"
        REQUIRED_FILES "${test_DATA}"
        TIMEOUT ${test_TIMEOUT})
    # Programs of ours measure: only one test that starts them runs at a time, beside others that compute. With sanitizers
    # nothing that is timed counts.
    if(test_PROGRAMS AND NOT LOOPSCOPE_SANITIZE)
        set_tests_properties(${test_NAME} PROPERTIES RESOURCE_LOCK machine)
    endif()
endfunction()
