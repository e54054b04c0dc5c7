# Builds @STEM@ against a build of Loopscope:
#
#     cmake -B build -DCMAKE_BUILD_TYPE=Release -DLoopscope_DIR=FOLDER_OF_LOOPSCOPE/build/release
#     cmake --build build && build/@STEM@
cmake_minimum_required(VERSION 3.25)
project(@STEM@ LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
find_package(Loopscope REQUIRED)
add_executable(@STEM@ @STEM@.cpp)
target_link_libraries(@STEM@ PRIVATE Loopscope::core)
