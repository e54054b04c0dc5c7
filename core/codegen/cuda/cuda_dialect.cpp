#include "codegen/cuda/cuda_dialect.h"

#include "codegen/cuda/cuda_names.h"

#include <cmath>
#include <fmt/format.h>

namespace loopscope {

namespace {

const std::map<std::string, std::string> &helpersOfCuda() {
    static const std::map<std::string, std::string> table = {
        {"floordiv", "static __device__ inline int floordiv(int a, int b) { return a / b - (a % b != 0 && (a % b < 0) "
                     "!= (b < 0)); }"},
        {"floordiv_wide", "static __device__ inline long long floordiv_wide(long long a, long long b) { return a / b - "
                          "(a % b != 0 && (a % b < 0) != (b < 0)); }"},
        {"floormod", "static __device__ inline int floormod(int a, int b) { return a - (a / b - (a % b != 0 && (a % b "
                     "< 0) != (b < 0))) * b; }"},
        {"floormod_wide", "static __device__ inline long long floormod_wide(long long a, long long b) { return a - (a "
                          "/ b - (a % b != 0 && (a % b < 0) != (b < 0))) * b; }"},
        {"safe_div", "static __device__ inline int safe_div(int a, int b) { return b == 0 ? 0 : b == -1 ? (int)(0 - "
                     "(unsigned int)a) : a / b; }"},
        {"safe_mod", "static __device__ inline int safe_mod(int a, int b) { return b == 0 || b == -1 ? 0 : a % b; }"},
        {"safe_floordiv", "static __device__ inline int safe_floordiv(int a, int b) { return b == 0 ? 0 : b == -1 ? "
                          "(int)(0 - (unsigned int)a) : a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }"},
        {"safe_floormod", "static __device__ inline int safe_floormod(int a, int b) { return b == 0 || b == -1 ? 0 : a "
                          "- (a / b - (a % b != 0 && (a % b < 0) != (b < 0))) * b; }"},
        {"safe_div_wide", "static __device__ inline long long safe_div_wide(long long a, long long b) { return b == 0 "
                          "? 0 : b == -1 ? (long long)(0 - (unsigned long long)a) : a / b; }"},
        {"safe_mod_wide", "static __device__ inline long long safe_mod_wide(long long a, long long b) { return b == 0 "
                          "|| b == -1 ? 0 : a % b; }"},
        {"safe_floordiv_wide",
         "static __device__ inline long long safe_floordiv_wide(long long a, long long b) { return b == 0 ? 0 : b == "
         "-1 ? (long long)(0 - (unsigned long long)a) : a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }"},
        {"safe_floormod_wide",
         "static __device__ inline long long safe_floormod_wide(long long a, long long b) { return b == 0 || b == -1 ? "
         "0 : a - (a / b - (a % b != 0 && (a % b < 0) != (b < 0))) * b; }"},
        {"min_int", "static __device__ inline int min_int(int a, int b) { return a < b ? a : b; }"},
        {"max_int", "static __device__ inline int max_int(int a, int b) { return a > b ? a : b; }"},
        {"min_int_wide",
         "static __device__ inline long long min_int_wide(long long a, long long b) { return a < b ? a : b; }"},
        {"max_int_wide",
         "static __device__ inline long long max_int_wide(long long a, long long b) { return a > b ? a : b; }"},
        {"min_float",
         "static __device__ inline float min_float(float a, float b) {\n#if __CUDA_ARCH__ >= 800\n    float "
         "value; asm(\"min.NaN.f32 %0, %1, %2;\" : \"=f\"(value) : \"f\"(a), \"f\"(b)); return "
         "value;\n#else\n    return a != a ? a : a < b ? a : b;\n#endif\n}"},
        {"max_float",
         "static __device__ inline float max_float(float a, float b) {\n#if __CUDA_ARCH__ >= 800\n    float "
         "value; asm(\"max.NaN.f32 %0, %1, %2;\" : \"=f\"(value) : \"f\"(a), \"f\"(b)); return "
         "value;\n#else\n    return a != a ? a : a > b ? a : b;\n#endif\n}"},
        {"min_double",
         "static __device__ inline double min_double(double a, double b) { return a != a ? a : a < b ? a : b; }"},
        {"max_double",
         "static __device__ inline double max_double(double a, double b) { return a != a ? a : a > b ? a : b; }"},
        {"from_float16", "static __device__ inline float from_float16(unsigned short bits) { float value; "
                         "asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(value) : \"h\"(bits)); return value; }"},
        {"to_float16", "static __device__ inline unsigned short to_float16(float value) { unsigned short bits; "
                       "asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(value)); return bits; }"},
        {"from_bfloat16", "static __device__ inline float from_bfloat16(unsigned short bits) { return "
                          "__uint_as_float((unsigned int)bits << 16); }"},
        {"to_bfloat16", "static __device__ inline unsigned short to_bfloat16(float value) { const unsigned int bits = "
                        "__float_as_uint(value); if (value != value) return (unsigned short)(bits >> 16 | 64); return "
                        "(unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); }"},
    };
    return table;
}

std::string_view cudaTypeName(DType type) {
    switch (type) {
    case DType::Bool:
        return "bool";
    case DType::Int8:
        return "signed char";
    case DType::UInt8:
        return "unsigned char";
    case DType::Int16:
        return "short";
    case DType::UInt16:
        return "unsigned short";
    case DType::UInt32:
        return "unsigned int";
    case DType::Int32:
        return "int";
    case DType::Int64:
        return "long long";
    case DType::Float64:
        return "double";
    default:
        return "float";
    }
}

class Cuda final : public CDialect {
  public:
    [[nodiscard]] std::string_view typeName(DType type) const override { return cudaTypeName(type); }
    [[nodiscard]] std::string_view storageName(DType type) const override {
        return type == DType::Float16 || type == DType::BFloat16 ? "unsigned short" : cudaTypeName(type);
    }
    [[nodiscard]] std::string_view unsignedName(int bits) const override {
        return bits == 64   ? "unsigned long long"
               : bits == 16 ? "unsigned short"
               : bits == 8  ? "unsigned char"
                            : "unsigned int";
    }
    [[nodiscard]] std::string_view minInt64() const override { return "(-9223372036854775807LL - 1)"; }
    [[nodiscard]] std::string specialFloat(double value, bool isDouble) const override {
        if (isDouble)
            return std::isnan(value) ? "__longlong_as_double(0x7ff8000000000000LL)"
                   : value > 0       ? "__longlong_as_double(0x7ff0000000000000LL)"
                                     : "(-__longlong_as_double(0x7ff0000000000000LL))";
        return std::isnan(value) ? "__int_as_float(0x7fc00000)"
               : value > 0       ? "__int_as_float(0x7f800000)"
                                 : "(-__int_as_float(0x7f800000))";
    }
    [[nodiscard]] bool hasFloat16() const override { return false; }
    [[nodiscard]] bool narrowIntegers() const override { return true; }
    [[nodiscard]] std::string_view tableQualifiers() const override { return "static __device__ const"; }
    [[nodiscard]] bool reserves(std::string_view name) const override { return isReservedInCuda(name); }
    [[nodiscard]] const std::map<std::string, std::string> &helpers() const override { return helpersOfCuda(); }
    [[nodiscard]] std::string call(Expr e, std::span<const std::string> args) const override {
        const std::string suffix = e->dtype == DType::Float64 ? "" : "f";
        switch (e->intrinsic) {
        case Intrinsic::Rsqrt:
            return "rsqrt" + suffix + "(" + args[0] + ")";
        case Intrinsic::Exp10:
            return "exp10" + suffix + "(" + args[0] + ")";
        case Intrinsic::Popcount: {
            const DType type = e->arg(0)->dtype;
            if (type == DType::Int64) return "__popcll((unsigned long long)(" + args[0] + "))";
            return fmt::format("__popc(({})({}))", unsignedName(dtypeBytes(type) * 8), args[0]);
        }
        case Intrinsic::ShuffleXor: {
            // Between registers of 32 or 64 bits.
            const bool narrow = dtypeBytes(e->dtype) < 4 && !isFloat(e->dtype);
            const std::string handed =
                fmt::format("__shfl_xor_sync(0xffffffffu, {}{}, {})", narrow ? "(int)" : "", args[0], args[1]);
            return narrow ? fmt::format("({})({})", typeName(e->dtype), handed) : handed;
        }
        default:
            return {};
        }
    }
};

} // namespace

const CDialect &cudaDialect() {
    static const Cuda dialect;
    return dialect;
}

} // namespace loopscope
