#include "codegen/c/c_dialect.h"

#include "codegen/c/c_expr.h"
#include "codegen/c/reserved_names.h"

#include <cmath>
#include <fmt/format.h>

namespace loopscope {

namespace {

const std::map<std::string, std::string> &helpersOfC() {
    static const std::map<std::string, std::string> table = {
        {"floordiv", "static inline int64_t floordiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) "
                     "!= (b < 0)); }"},
        {"floormod",
         "static inline int64_t floormod(int64_t a, int64_t b) { return a - (a / b - (a % b != 0 && (a % b < 0) != (b "
         "< 0))) * b; }"},
        {"safe_div", "static inline int64_t safe_div(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? "
                     "(int64_t)(0 - (uint64_t)a) : a / b; }"},
        {"safe_mod", "static inline int64_t safe_mod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }"},
        {"safe_floordiv",
         "static inline int64_t safe_floordiv(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? (int64_t)(0 - "
         "(uint64_t)a) : a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }"},
        {"safe_floormod",
         "static inline int64_t safe_floormod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a - (a / b - (a "
         "% b != 0 && (a % b < 0) != (b < 0))) * b; }"},
        {"min_int", "static inline int64_t min_int(int64_t a, int64_t b) { return a < b ? a : b; }"},
        {"max_int", "static inline int64_t max_int(int64_t a, int64_t b) { return a > b ? a : b; }"},
        {"min_float", "static inline float min_float(float a, float b) { return a != a ? a : a < b ? a : b; }"},
        {"max_float", "static inline float max_float(float a, float b) { return a != a ? a : a > b ? a : b; }"},
        {"min_double", "static inline double min_double(double a, double b) { return a != a ? a : a < b ? a : b; }"},
        {"max_double", "static inline double max_double(double a, double b) { return a != a ? a : a > b ? a : b; }"},
        {"from_bfloat16", "static inline float from_bfloat16(uint16_t bits) { uint32_t wide = (uint32_t)bits << 16; "
                          "float value; memcpy(&value, &wide, 4); return value; }"},
        {"to_bfloat16",
         "static inline uint16_t to_bfloat16(float value) { uint32_t bits; memcpy(&bits, &value, 4); if (value != "
         "value) return (uint16_t)(bits >> 16 | 64); return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); }"},
    };
    return table;
}

class PlainC final : public CDialect {
  public:
    [[nodiscard]] std::string_view typeName(DType type) const override { return cTypeName(type); }
    [[nodiscard]] std::string_view storageName(DType type) const override { return cStorageName(type); }
    [[nodiscard]] std::string_view unsignedName(int bits) const override {
        return bits == 64 ? "uint64_t" : bits == 16 ? "uint16_t" : bits == 8 ? "uint8_t" : "uint32_t";
    }
    [[nodiscard]] std::string_view minInt64() const override { return "INT64_MIN"; }
    [[nodiscard]] std::string specialFloat(double value, bool) const override {
        if (std::isnan(value)) return "NAN";
        return value > 0 ? "INFINITY" : "(-INFINITY)";
    }
    [[nodiscard]] bool hasFloat16() const override { return true; }
    [[nodiscard]] bool narrowIntegers() const override { return false; }
    [[nodiscard]] std::string_view tableQualifiers() const override { return "static const"; }
    [[nodiscard]] bool reserves(std::string_view name) const override { return isReservedInC(name); }
    [[nodiscard]] const std::map<std::string, std::string> &helpers() const override { return helpersOfC(); }
    [[nodiscard]] std::string call(Expr e, std::span<const std::string> args) const override {
        if (e->intrinsic != Intrinsic::Popcount) return {};
        const int bits = dtypeBytes(e->arg(0)->dtype) * 8;
        return fmt::format("__builtin_popcount{}(({})({}))", bits == 64 ? "ll" : "", unsignedName(bits), args[0]);
    }
};

} // namespace

const CDialect &cDialect() {
    static const PlainC dialect;
    return dialect;
}

} // namespace loopscope
