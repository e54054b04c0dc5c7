#pragma once
// The C convention by which kernels and networks of different origin call one another: every argument is 8 bytes with a
// code of what they are. The numbers are those of TVM's runtime before tvm_ffi, so that what either builds the
// other can call. A C++ exception never leaves such a function.

#include "networks/packed/dl_tensor.h"

#include <cstdint>
#include <string>
#include <variant>

namespace loopscope {

enum class PackedCode : int {
    Int = 0,
    Float = 2,
    Pointer = 3,
    Null = 4,
    DataType = 5,
    Device = 6,
    Tensor = 7, // a DlTensor
    Object = 8, // from here on things of the caller's runtime, which has to be ours to understand them
    Module = 9,
    Function = 10,
    String = 11, // ends with a zero
    Bytes = 12,
    Array = 13, // of the caller's runtime; its handle points at a DlTensor
    Bool = 15,
};

union PackedValue {
    PackedValue() : integer(0) {}
    int64_t integer;
    double number;
    void *pointer;
    const char *text;
    DlDataType dtype;
    DlDevice device;
};
static_assert(sizeof(PackedValue) == 8);

/// Returns 0, or something else when it failed. `result` and `resultCode` are its to fill; a text it returns lives
/// until the thread calls it again. `resource` is what the function was handed out with.
using PackedFunctionPointer = int (*)(PackedValue *arguments, int *codes, int count, PackedValue *result,
                                      int *resultCode, void *resource);
/// Why the last call on this thread failed.
using PackedErrorPointer = const char *(*)();

/// The same as a value of C++. A tensor is not owned.
using PackedArgument =
    std::variant<std::monostate, int64_t, double, bool, std::string, DlTensor *, void *, DlDataType, DlDevice>;

} // namespace loopscope
