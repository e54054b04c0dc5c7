# The libraries Loopscope stands on, by their Debian 12 packages. Nothing is downloaded.

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(PNG REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Qt6 REQUIRED COMPONENTS Core Test Widgets Svg PrintSupport Network)
find_package(QCustomPlotQt6 REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)

find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19)
add_library(loopscope_llvm INTERFACE)
target_include_directories(loopscope_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(loopscopeLlvmDefinitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(loopscope_llvm INTERFACE ${loopscopeLlvmDefinitions})
target_link_libraries(loopscope_llvm INTERFACE LLVM)

find_path(XGBOOST_INCLUDE_DIR xgboost/c_api.h REQUIRED)
find_library(XGBOOST_LIBRARY xgboost REQUIRED)
add_library(loopscope_xgboost INTERFACE)
target_include_directories(loopscope_xgboost SYSTEM INTERFACE ${XGBOOST_INCLUDE_DIR})
target_link_libraries(loopscope_xgboost INTERFACE ${XGBOOST_LIBRARY})

# Messages of the ONNX format; its headers need to be told which ones, and in which namespace they are.
find_package(Protobuf REQUIRED)
find_path(ONNX_INCLUDE_DIR onnx/onnx_pb.h REQUIRED)
find_library(ONNX_PROTO_LIBRARY onnx_proto REQUIRED)
add_library(loopscope_onnx_proto INTERFACE)
target_include_directories(loopscope_onnx_proto SYSTEM INTERFACE ${ONNX_INCLUDE_DIR})
target_compile_definitions(loopscope_onnx_proto INTERFACE ONNX_ML=1 ONNX_NAMESPACE=onnx)
target_link_libraries(loopscope_onnx_proto INTERFACE ${ONNX_PROTO_LIBRARY} protobuf::libprotobuf)

find_path(QSCINTILLA_INCLUDE_DIR Qsci/qsciscintilla.h REQUIRED
    HINTS ${Qt6Core_INCLUDE_DIRS} PATH_SUFFIXES x86_64-linux-gnu/qt6 ${CMAKE_LIBRARY_ARCHITECTURE}/qt6 qt6)
find_library(QSCINTILLA_LIBRARY qscintilla2_qt6 REQUIRED)
add_library(loopscope_qscintilla INTERFACE)
target_include_directories(loopscope_qscintilla SYSTEM INTERFACE ${QSCINTILLA_INCLUDE_DIR})
target_link_libraries(loopscope_qscintilla INTERFACE ${QSCINTILLA_LIBRARY})
