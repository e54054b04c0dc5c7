#pragma once
// Element types of tensors and scalar expressions.

#include <cstdint>
#include <optional>
#include <string_view>

namespace loopscope {

enum class DType : uint8_t { Bool, Int8, UInt8, Int32, Int64, Float16, BFloat16, Float32, Float64 };

/// Class of a type as Ansor's FLOP count and features distinguish them.
enum class DTypeClass : uint8_t { Int, UInt, Float, BFloat };

std::string_view dtypeName(DType type); // "float32", "bool", ...
std::optional<DType> dtypeFromName(std::string_view name);
DTypeClass dtypeClass(DType type); // bool and uint8 are UInt
int dtypeBytes(DType type);        // bool: 1

inline bool isFloat(DType type) { return type >= DType::Float16; }
inline bool isInteger(DType type) { return !isFloat(type) && type != DType::Bool; }

} // namespace loopscope
