#include "expr/dtype.h"

#include <array>
#include <cstddef>

namespace loopscope {

namespace {
struct Row {
    std::string_view name;
    DTypeClass cls;
    int bytes;
};
constexpr std::array<Row, 9> kRows = {{{"bool", DTypeClass::UInt, 1},
                                       {"int8", DTypeClass::Int, 1},
                                       {"uint8", DTypeClass::UInt, 1},
                                       {"int32", DTypeClass::Int, 4},
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

std::optional<DType> dtypeFromName(std::string_view name) {
    for (size_t i = 0; i < kRows.size(); ++i)
        if (kRows[i].name == name) return static_cast<DType>(i);
    return std::nullopt;
}

} // namespace loopscope
