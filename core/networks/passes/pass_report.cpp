#include "networks/passes/pass_report.h"

#include "networks/passes/fact.h"

#include <fmt/format.h>

namespace loopscope {

std::string factName(Fact fact) { return fact == Fact::Types ? "types" : "canonical"; }

std::string PassReport::text() const {
    std::string text;
    for (const PassRow &row : rows) {
        const std::string name = std::string(2 * row.depth, ' ') + row.name;
        if (row.state == PassState::Skipped || row.state == PassState::Refused) {
            text +=
                fmt::format("{:<24}{}: {}\n", name, row.state == PassState::Skipped ? "skipped" : "refused", row.why);
            continue;
        }
        text += fmt::format("{:<24}{:>9.3f} ms", name, row.seconds * 1e3);
        if (row.state == PassState::Changed)
            text += fmt::format("  nodes {} -> {}  constants {} -> {} bytes", row.nodesBefore, row.nodesAfter,
                                row.bytesBefore, row.bytesAfter);
        else
            text += "  changed nothing";
        text += '\n';
    }
    return text;
}

} // namespace loopscope
