#pragma once
// A dispatch table as JSON: what `net dispatch --json` prints and `--out` keeps.

#include "deploy/dispatch/dispatch_table.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace loopscope {

nlohmann::ordered_json tableJson(const DispatchTable &table);

/// Throws Error (path, what is wrong) for what is no such table, and for versions that are not known.
DispatchTable readDispatchTable(const std::string &path);
void writeDispatchTable(const DispatchTable &table, const std::string &path);

} // namespace loopscope
