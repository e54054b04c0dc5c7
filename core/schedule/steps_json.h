#pragma once
// Step lists as in Ansor's v0.6 records, spacing included.

#include "schedule/step.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace loopscope {

/// `[["SP", 2, 0, 64, [4, 1, 8], 1], ...]`; open lengths print as null.
std::string stepsText(const Steps &steps);
/// A string as TVM's JSON writer has it: quotes, backslashes, \n, \r and \t escaped, all else, UTF-8 included, as it
/// is.
std::string jsonString(std::string_view text);
std::string stepText(const Step &step);
/// Throws Error (step number, what is wrong, what the tag takes). Accepts null lengths.
Steps stepsFromJson(const nlohmann::json &array);
Step stepFromJson(const nlohmann::json &array, size_t number);

} // namespace loopscope
