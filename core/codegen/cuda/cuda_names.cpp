// Keywords of C++ up to C++23 that C has not, what CUDA predefines in every text, and its mathematical functions, which
// a launcher of the same name would be taken for another declaration of.

#include "codegen/cuda/cuda_names.h"

#include "codegen/c/reserved_names.h"

#include <algorithm>
#include <array>
#include <set>

namespace loopscope {

namespace {

const std::set<std::string_view> &wordsOfCuda() {
    static const std::set<std::string_view> words = {
        // C++
        "and", "and_eq", "bitand", "bitor", "catch", "char16_t", "char32_t", "char8_t", "class", "co_await",
        "co_return", "co_yield", "compl", "concept", "const_cast", "consteval", "constinit", "decltype", "delete",
        "dynamic_cast", "explicit", "export", "friend", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
        "operator", "or", "or_eq", "private", "protected", "public", "reinterpret_cast", "requires", "static_cast",
        "std", "template", "this", "throw", "try", "typeid", "typename", "using", "virtual", "wchar_t", "xor", "xor_eq",
        // predefined
        "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "dim3", "cudaError_t", "cudaStream_t", "half",
        "half2", "nv_bfloat16", "nv_bfloat162", "assert", "printf", "clock", "clock64", "CUDART_VERSION",
        // functions
        "min", "max", "umin", "umax", "llmin", "llmax", "ullmin", "ullmax", "rsqrt", "rsqrtf", "rcbrt", "rcbrtf",
        "sinpi", "sinpif", "cospi", "cospif", "sincospi", "sincospif", "sincos", "sincosf", "erfinv", "erfinvf",
        "erfcinv", "erfcinvf", "erfcx", "erfcxf", "normcdf", "normcdff", "normcdfinv", "normcdfinvf", "norm", "normf",
        "rnorm", "rnormf", "norm3d", "norm3df", "rnorm3d", "rnorm3df", "norm4d", "norm4df", "rnorm4d", "rnorm4df",
        "rhypot", "rhypotf", "fdividef", "saturate", "mulhi", "mul24", "umul24", "mul64hi", "cyl_bessel_i0",
        "cyl_bessel_i0f", "cyl_bessel_i1", "cyl_bessel_i1f", "float_as_int", "int_as_float", "float2int", "int2float",
        // of the text itself
        "shared_memory", "stream", "status", "float16_bits", "bfloat16_bits"};
    return words;
}

/// `float4`, `ulonglong2` and what makes them, `make_float4`.
bool isVectorType(std::string_view name) {
    if (name.starts_with("make_")) name.remove_prefix(5);
    if (name.empty() || name.back() < '1' || name.back() > '4') return false;
    name.remove_suffix(1);
    if (name.starts_with('u')) name.remove_prefix(1);
    constexpr std::array<std::string_view, 7> kScalars = {"char",     "short", "int",   "long",
                                                          "longlong", "float", "double"};
    return std::ranges::find(kScalars, name) != kScalars.end();
}

} // namespace

bool isReservedInCuda(std::string_view name) {
    return isReservedInC(name) || wordsOfCuda().contains(name) || isVectorType(name);
}

} // namespace loopscope
