#include "language/expr/dtype.h"

#include <array>
#include <cstddef>

namespace loopscope {

namespace {
struct Row {
    std::string_view name;
    DTypeClass cls;
    int bytes;
};
constexpr std::array<Row, 12> kRows = {{{"bool", DTypeClass::UInt, 1},
                                        {"int8", DTypeClass::Int, 1},
                                        {"uint8", DTypeClass::UInt, 1},
                                        {"int16", DTypeClass::Int, 2},
                                        {"uint16", DTypeClass::UInt, 2},
                                        {"int32", DTypeClass::Int, 4},
                                        {"uint32", DTypeClass::UInt, 4},
                                        {"int64", DTypeClass::Int, 8},
                                        {"float16", DTypeClass::Float, 2},
                                        {"bfloat16", DTypeClass::BFloat, 2},
                                        {"float32", DTypeClass::Float, 4},
                                        {"float64", DTypeClass::Float, 8}}};
const Row &row(DType type) { return kRows[static_cast<size_t>(type)]; }
} // namespace

std::string_view dtypeName(DType type) { return row(type).name; }
DTypeClass dtypeClass(DType type) { return row(type).cls; }
int dtypeBytes(DType type) { return row(type).bytes; }

int64_t wrapToType(int64_t value, DType type) {
    if (type == DType::Bool) return value != 0;
    const int unused = 64 - 8 * dtypeBytes(type);
    const uint64_t high = static_cast<uint64_t>(value) << unused;
    return isUnsigned(type) ? static_cast<int64_t>(high >> unused) : static_cast<int64_t>(high) >> unused;
}

std::optional<DType> dtypeFromName(std::string_view name) {
    for (size_t i = 0; i < kRows.size(); ++i)
        if (kRows[i].name == name) return static_cast<DType>(i);
    return std::nullopt;
}

} // namespace loopscope
