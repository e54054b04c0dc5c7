#include "views/memory_layout/applied_layouts.h"

namespace loopscope {

void AppliedLayouts::add(int document, const QString &before, const QString &after) {
    History &history = m_histories[document];
    history.steps.resize(history.done);
    history.steps.push_back({before, after});
    history.done = history.steps.size();
}

std::optional<QString> AppliedLayouts::back(int document, const QString &text) {
    History &history = m_histories[document];
    if (history.done == 0 || history.steps[history.done - 1].after != text) return std::nullopt;
    return history.steps[--history.done].before;
}

std::optional<QString> AppliedLayouts::forward(int document, const QString &text) {
    History &history = m_histories[document];
    if (history.done == history.steps.size() || history.steps[history.done].before != text) return std::nullopt;
    return history.steps[history.done++].after;
}

} // namespace loopscope
