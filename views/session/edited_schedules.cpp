#include "views/session/edited_schedules.h"

#include "schedule/script/schedule_script.h"
#include "schedule/step_fields.h"
#include "search/moves/offered_moves.h"
#include "views/session/schedule_steps.h"
#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopscope {

namespace {

using Kind = ScheduleRef::Kind;

EditNode *nodeOf(TaskState *state, int number) {
    if (state == nullptr || number < 0 || static_cast<size_t>(number) >= state->edited.size()) return nullptr;
    EditNode &node = state->edited[static_cast<size_t>(number)];
    return node.dropped ? nullptr : &node;
}

bool sameSteps(const EditedSteps &a, const EditedSteps &b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
        if (!(a.step(i) == b.step(i)) || a.refused(i).has_value() != b.refused(i).has_value()) return false;
    return true;
}

/// A step that follows others counts them among those that apply; the list counts the refused, too.
Step inList(const EditedSteps &steps, Step step) {
    std::vector<StepId> applied;
    for (size_t i = 0; i < steps.size(); ++i)
        if (!steps.refused(i)) applied.emplace_back(i);
    visitSources(step, [&](StepId &source) { source = applied[source.index()]; });
    return step;
}

} // namespace

EditedSchedules::EditedSchedules(DocumentStore &store, Selection &selection) : m_store(store), m_selection(selection) {
    connect(&m_selection, &Selection::changed, this, &EditedSchedules::follow);
}

std::optional<EditedSteps> EditedSchedules::stepsOf(const ScheduleRef &ref) const {
    const TaskState *state = shown();
    return state != nullptr ? editableSteps(*state, ref) : std::nullopt;
}

const EditNode *EditedSchedules::node(int number) const { return nodeOf(shown(), number); }

std::vector<int> EditedSchedules::children(int number) const {
    std::vector<int> list;
    const TaskState *state = shown();
    if (state == nullptr) return list;
    for (size_t i = 0; i < state->edited.size(); ++i)
        if (!state->edited[i].dropped && state->edited[i].parent == number) list.push_back(static_cast<int>(i));
    return list;
}

int EditedSchedules::add(TaskState &state, EditNode node) {
    node.made = QDateTime::currentDateTime();
    state.edited.push_back(std::move(node));
    return static_cast<int>(state.edited.size()) - 1;
}

int EditedSchedules::rootOf(const ScheduleRef &from) {
    TaskState *state = shown();
    auto steps = stepsOf(from);
    if (!steps) return -1;
    if (from.kind == Kind::Edited) return from.number;
    for (const int root : children(-1)) {
        const EditNode &node = state->edited[static_cast<size_t>(root)];
        if (node.origin == from && sameSteps(node.steps, *steps)) return root;
    }
    EditNode node{std::move(*steps)};
    node.origin = from;
    node.did = scheduleName(from);
    const int number = add(*state, std::move(node));
    Q_EMIT nodesChanged();
    return number;
}

int EditedSchedules::begin(const ScheduleRef &from) {
    const int number = rootOf(from);
    if (number >= 0) select(number);
    return number;
}

int EditedSchedules::edit(const ScheduleRef &from, EditedSteps steps, const QString &did) {
    const int parent = begin(from);
    if (parent < 0) return -1;
    TaskState *state = shown();
    if (sameSteps(state->edited[static_cast<size_t>(parent)].steps, steps)) return parent;
    int number = -1;
    for (const int child : children(parent))
        if (sameSteps(state->edited[static_cast<size_t>(child)].steps, steps)) number = child;
    if (number < 0) {
        EditNode node{std::move(steps)};
        node.parent = parent;
        node.did = did;
        number = add(*state, std::move(node));
        Q_EMIT nodesChanged();
    }
    select(number);
    return number;
}

QString EditedSchedules::apply(const ScheduleRef &from, const Step &step) {
    auto steps = stepsOf(from);
    if (!steps) return tr("There is no %1 any more.").arg(scheduleName(from));
    if (const auto made = makeMove(steps->state(), step); !made) return qt(made.why());
    const QString did = qt(scriptLine(steps->state(), step)); // it may name what is not there while it is not legal
    steps->insert(steps->size(), inList(*steps, step));
    edit(from, std::move(*steps), did);
    return {};
}

/// What was written a moment ago, and nobody has looked at since.
bool EditedSchedules::fleeting(int number, int parent) const {
    const EditNode *last = node(number);
    return last != nullptr && last->parent == parent && children(number).empty() && last->name.isEmpty() &&
           last->note.isEmpty() && !last->pinned && last->measured.seconds == 0 && last->measured.failure.isEmpty();
}

int EditedSchedules::write(const WrittenScript &script) {
    const int parent = rootOf(script.from);
    if (parent < 0) return -1;
    TaskState &state = *shown();
    state.draft.reset();
    const auto makes = [&](int number) {
        return state.edited[static_cast<size_t>(number)].steps.state().steps() == script.steps;
    };
    int number = makes(parent) ? parent : -1;
    for (const int child : children(parent))
        if (number < 0 && makes(child)) number = child;
    if (number < 0) {
        EditNode made{EditedSteps(state.task->dag, script.steps)};
        made.parent = parent;
        made.did = script.did;
        number = add(state, std::move(made));
    }
    state.edited[static_cast<size_t>(number)].script = script.text;
    const bool replaced = script.last != number && fleeting(script.last, parent);
    if (replaced) {
        EditNode &last = state.edited[static_cast<size_t>(script.last)];
        last.dropped = true;
        last.steps = EditedSteps(state.task->dag); // nobody will ask for it
    }
    Q_EMIT nodesChanged();
    Q_EMIT draftChanged();
    if (replaced && m_selection.now().schedule == ScheduleRef{Kind::Edited, script.last})
        m_selection.replaceSchedule({Kind::Edited, number});
    else
        select(number);
    return number;
}

void EditedSchedules::keepDraft(const ScheduleRef &of, const QString &text) {
    TaskState *state = shown();
    if (state == nullptr) return;
    state->draft = ScriptDraft{of, text};
    Q_EMIT draftChanged();
}

int EditedSchedules::selectedNode() const {
    const ScheduleRef &ref = m_selection.now().schedule;
    return ref.kind == Kind::Edited && node(ref.number) != nullptr ? ref.number : -1;
}

void EditedSchedules::select(int number) { m_selection.selectSchedule({Kind::Edited, number}); }

/// Whoever comes back to an ancestor finds the way to the node seen last.
void EditedSchedules::follow() {
    for (int at = selectedNode(); at >= 0;) {
        const int parent = node(at)->parent;
        if (EditNode *above = nodeOf(shown(), parent)) above->seenLast = at;
        at = parent;
    }
}

bool EditedSchedules::canUndo() const {
    const int at = selectedNode();
    return at >= 0 && node(at)->parent >= 0;
}

bool EditedSchedules::canRedo() const {
    const int at = selectedNode();
    return at >= 0 && (node(node(at)->seenLast) != nullptr || !children(at).empty());
}

void EditedSchedules::undo() {
    if (canUndo()) select(node(selectedNode())->parent);
}

void EditedSchedules::redo() {
    if (!canRedo()) return;
    const int at = selectedNode();
    const int last = node(at)->seenLast;
    select(node(last) != nullptr ? last : children(at).back());
}

void EditedSchedules::rename(int number, const QString &name) {
    EditNode *node = nodeOf(shown(), number);
    if (node == nullptr || node->name == name.trimmed()) return;
    node->name = name.trimmed();
    Q_EMIT nodesChanged();
}

void EditedSchedules::setNote(int number, const QString &note) {
    EditNode *node = nodeOf(shown(), number);
    if (node == nullptr || node->note == note) return;
    node->note = note;
    Q_EMIT nodesChanged();
}

void EditedSchedules::setPinned(int number, bool pinned) {
    EditNode *node = nodeOf(shown(), number);
    if (node == nullptr || node->pinned == pinned) return;
    node->pinned = pinned;
    Q_EMIT nodesChanged();
}

void EditedSchedules::drop(int number) {
    EditNode *node = nodeOf(shown(), number);
    if (node == nullptr) return;
    const int parent = node->parent;
    std::vector<EditNode> &nodes = shown()->edited;
    node->dropped = true;
    for (EditNode &other : nodes) // parents come before their children
        if (other.parent >= 0 && nodes[static_cast<size_t>(other.parent)].dropped) other.dropped = true;
    const ScheduleRef &at = m_selection.now().schedule;
    if (at.kind == Kind::Edited && selectedNode() < 0) {
        if (parent >= 0)
            select(parent);
        else
            m_selection.selectSchedule({Kind::Naive, 0});
    }
    Q_EMIT nodesChanged();
}

void EditedSchedules::setPredictions(int taskId, const std::vector<std::pair<int, double>> &ofNaive) {
    bool changed = false;
    for (const auto &[number, ratio] : ofNaive) {
        EditNode *node = nodeOf(m_store.task(taskId), number);
        if (node == nullptr || node->predicted == ratio || (std::isnan(node->predicted) && std::isnan(ratio))) continue;
        node->predicted = ratio;
        changed = true;
    }
    if (changed) tell(taskId);
}

void EditedSchedules::setMeasured(int taskId, int number, const EditMeasurement &measured) {
    EditNode *node = nodeOf(m_store.task(taskId), number);
    if (node == nullptr) return;
    node->measured = measured;
    tell(taskId);
}

void EditedSchedules::restore(TaskState &state, std::vector<EditNode> nodes) {
    state.edited = std::move(nodes);
    tell(state.taskId);
}

void EditedSchedules::tell(int taskId) {
    if (shown() != nullptr && shown()->taskId == taskId) Q_EMIT nodesChanged();
}

} // namespace loopscope
