#pragma once
// A picture of how the best time of a task fell in several logs, as SVG that stands in an HTML page: classes `log0`,
// `log1`, ... carry the colours, so that a page can be light or dark.

#include "records/logs/log_diff.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

enum class ChartAxis : uint8_t { Trials, Time };

/// Empty when there is nothing to draw: no log has a valid record, or none has timestamps. Times on a logarithmic axis;
/// below them a strip for each log that shows where trials failed.
std::string curveChart(const std::vector<std::optional<DiffSide>> &sides, ChartAxis axis);

/// "1.23 ms", "45.6 us".
std::string shortTime(double seconds);

} // namespace loopscope
