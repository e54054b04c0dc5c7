#include "views/session/selection.h"

namespace loopscope {

namespace {
constexpr size_t kHistory = 200;
}

QString scheduleName(const ScheduleRef &ref) {
    switch (ref.kind) {
    case ScheduleRef::Kind::Naive:
        return QStringLiteral("naive schedule");
    case ScheduleRef::Kind::Sketch:
        return QStringLiteral("sketch %1").arg(ref.number);
    case ScheduleRef::Kind::Trial:
        return QStringLiteral("trial %1").arg(ref.number + 1);
    case ScheduleRef::Kind::Edited:
        return QStringLiteral("edited schedule %1").arg(ref.number + 1);
    }
    return {};
}

void Selection::set(Selected selected) {
    if (selected == m_now) return;
    const Selected before = m_now;
    Selected withoutTrials = selected;
    withoutTrials.trials = before.trials;
    m_now = std::move(selected);
    if (withoutTrials == before) {
        m_history[m_at] = m_now; // brushing is no place to come back to
    } else {
        m_history.resize(m_at + 1);
        m_history.push_back(m_now);
        if (m_history.size() > kHistory) m_history.erase(m_history.begin());
        m_at = m_history.size() - 1;
        Q_EMIT historyChanged();
    }
    Q_EMIT changed(m_now, before);
}

void Selection::selectSchedule(const ScheduleRef &schedule) {
    Selected next = m_now;
    if (next.schedule == schedule) return;
    next.schedule = schedule;
    next.step = -1;
    next.node = -1;
    set(std::move(next));
}

void Selection::replaceSchedule(const ScheduleRef &schedule) {
    if (m_now.schedule == schedule) return;
    const Selected before = m_now;
    m_now.schedule = schedule;
    m_now.step = -1;
    m_now.node = -1;
    m_history[m_at] = m_now;
    Q_EMIT changed(m_now, before);
}

void Selection::selectStage(const QString &stage) { selectIterator(stage, {}); }

void Selection::selectIterator(const QString &stage, const QString &iterator) {
    Selected next = m_now;
    if (next.stage == stage && next.iterator == iterator) return;
    next.stage = stage;
    next.iterator = iterator;
    next.node = -1;
    next.step = -1;
    set(std::move(next));
}

void Selection::selectStep(int step) {
    Selected next = m_now;
    next.step = step;
    set(std::move(next));
}

void Selection::selectNode(int node, const QString &stage, const QString &iterator) {
    Selected next = m_now;
    next.node = node;
    next.stage = stage;
    next.iterator = iterator;
    next.step = -1;
    set(std::move(next));
}

void Selection::selectTrials(std::vector<int> trials) {
    Selected next = m_now;
    next.trials = std::move(trials);
    set(std::move(next));
}

void Selection::clear() {
    Selected next;
    next.schedule = m_now.schedule;
    set(std::move(next));
}

void Selection::go(size_t at) {
    m_at = at;
    const Selected before = m_now;
    m_now = m_history[at];
    Q_EMIT historyChanged();
    if (!(m_now == before)) Q_EMIT changed(m_now, before);
}

void Selection::back() {
    if (canGoBack()) go(m_at - 1);
}

void Selection::forward() {
    if (canGoForward()) go(m_at + 1);
}

void Selection::reset(Selected start) {
    const Selected before = m_now;
    m_now = std::move(start);
    m_history = {m_now};
    m_at = 0;
    Q_EMIT historyChanged();
    if (!(m_now == before)) Q_EMIT changed(m_now, before);
}

} // namespace loopscope
