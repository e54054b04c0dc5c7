#pragma once
// Numbers and bytes as `.net` text writes them, so that every bit comes back.

#include "language/tensor/host_tensor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// The shortest text that is read as the same number; always with a point, an exponent, "inf", "nan" or "bits(0x...)".
std::string netNumber(double value);
/// One element, as `netNumber` or as an integer, "true" or "false"; nothing for a bool that is neither 0 nor 1.
std::optional<std::string> netElement(const HostTensor &tensor, int64_t i);

/// RFC 4648, padded.
std::string base64Of(std::span<const std::byte> bytes);
std::optional<std::vector<std::byte>> fromBase64(std::string_view text);

} // namespace loopscope
