#include "story.h"

#include <fmt/format.h>

namespace loopscope::test {

std::vector<PassEvent> storyOf(const PassReport &report, std::string_view node) {
    std::vector<PassEvent> story;
    std::string name(node);
    // Events are in order, so what happened to the successor stands further down.
    for (const PassEvent &event : report.events) {
        if (event.node != name) continue;
        story.push_back(event);
        if (event.into.empty()) break;
        name = event.into;
    }
    return story;
}

std::string storyText(const PassReport &report, std::string_view node) {
    const std::vector<PassEvent> story = storyOf(report, node);
    if (story.empty()) return fmt::format("'{}': no pass touched it\n", node);
    std::string text;
    for (const PassEvent &event : story) {
        text += fmt::format("{}: '{}': {}", event.pass, event.node, event.sentence);
        if (!event.into.empty() && event.into != event.node) text += fmt::format("; '{}' stands for it", event.into);
        text += '\n';
    }
    return text;
}

} // namespace loopscope::test
