#pragma once
// Element types of tensors and scalar expressions.

#include <cstdint>
#include <optional>
#include <string_view>

namespace loopscope {

enum class DType : uint8_t {
    Bool,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    Float16,
    BFloat16,
    Float32,
    Float64
};

/// Class of a type as Ansor's FLOP count and features distinguish them.
enum class DTypeClass : uint8_t { Int, UInt, Float, BFloat };

std::string_view dtypeName(DType type); // "float32", "bool", ...
std::optional<DType> dtypeFromName(std::string_view name);
DTypeClass dtypeClass(DType type); // bool and unsigned integers are UInt
int dtypeBytes(DType type);        // bool: 1

inline bool isFloat(DType type) { return type >= DType::Float16; }
inline bool isInteger(DType type) { return !isFloat(type) && type != DType::Bool; }
inline bool isUnsigned(DType type) { return dtypeClass(type) == DTypeClass::UInt; } // no negative values: bool, too

/// The value of an integer type or bool that has the same low bits; of bool: whether there are any.
int64_t wrapToType(int64_t value, DType type);

} // namespace loopscope
