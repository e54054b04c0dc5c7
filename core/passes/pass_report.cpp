#include "passes/pass_report.h"

#include "passes/fact.h"

#include <fmt/format.h>

namespace loopscope {

std::string factName(Fact fact) { return fact == Fact::Types ? "types" : "canonical"; }

std::vector<PassEvent> PassReport::storyOf(std::string_view node) const {
    std::vector<PassEvent> story;
    std::string name(node);
    // Events are in order, so what happened to the successor stands further down.
    for (const PassEvent &event : events) {
        if (event.node != name) continue;
        story.push_back(event);
        if (event.into.empty()) break;
        name = event.into;
    }
    return story;
}

std::string PassReport::storyText(std::string_view node) const {
    const std::vector<PassEvent> story = storyOf(node);
    if (story.empty()) return fmt::format("'{}': no pass touched it\n", node);
    std::string text;
    for (const PassEvent &event : story) {
        text += fmt::format("{}: '{}': {}", event.pass, event.node, event.sentence);
        if (!event.into.empty() && event.into != event.node) text += fmt::format("; '{}' stands for it", event.into);
        text += '\n';
    }
    return text;
}

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
