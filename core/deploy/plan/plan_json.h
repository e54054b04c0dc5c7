#pragma once
// The members of a plan's JSON. What is large (machine code, constants) stands in a file of bytes; the JSON says where.

#include "base/json_text.h"
#include "deploy/plan/execution_plan.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

namespace loopscope {

/// Puts bytes into the other file and says where.
using StoreBytes = std::function<size_t(std::span<const std::byte>)>;
nlohmann::ordered_json planJson(const ExecutionPlan &plan, const StoreBytes &store);

/// Throws Error for members that are missing or not what they should be.
ExecutionPlan planFromJson(const JsonPart &json, const std::shared_ptr<const MappedFile> &data);

} // namespace loopscope
