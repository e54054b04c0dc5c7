#pragma once
// Which records of a log are as good as the best, and which are nearly one another, as text and as JSON.

#include "records/logs/close_records.h"
#include "records/logs/near_duplicates.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace loopscope {

/// "3 other schedules are within noise of it: records 4, 7, 9"; empty when there is no other.
std::string closeText(const CloseToBest &close);
nlohmann::ordered_json closeJson(const LogDocument &log, const CloseToBest &close);

/// A line each; empty without any.
std::string nearText(const LogDocument &log, const FoundDuplicates &found);
nlohmann::ordered_json nearJson(const LogDocument &log, const FoundDuplicates &found);

} // namespace loopscope
