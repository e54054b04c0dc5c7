#include "log_lines.h"

#include <fmt/format.h>

namespace loopscope {

std::string logLine(const LineOptions &o) {
    std::string task = fmt::format(R"("[\"matmul\", {}, 64, 64]", "llvm -keys=cpu -num-cores=4")", 64 + o.task);
    if (o.elements >= 3) task += ", [4, 64, 64, 0, 0, 0, 0, 0]";
    if (o.elements >= 4) task += R"(, "")";
    if (o.elements >= 5) task += ", 1";
    if (o.elements >= 6) task += ", []";
    std::string times = o.times.empty() ? fmt::format("{:.6g}", 1e-6 * o.number) : o.times;
    if (o.error != 0) times = "1e+10";
    return fmt::format(R"({{"i": [[{}], [[], [["SP", 2, 0, 64, [{}, 1, 8], 1], ["RE", 2, [0, 2, 1, 3]], )"
                       R"(["AN", 2, {}, 3], ["PR", 2, 0, "auto_unroll_max_step${}"]]]], )"
                       R"("r": [[{}], {}, 0.93, {}], "v": "v0.{}"}})",
                       task, o.number, o.structure, 16 << (o.number % 4), times, o.error, 1700000000 + o.number,
                       o.elements);
}

} // namespace loopscope
