#include "views/session/edits_json.h"

#include "base/json_text.h"
#include "schedule/steps_json.h"
#include "views/session/session_json.h"
#include "views/session/text.h"

#include <cmath>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

using Kind = ScheduleRef::Kind;

QJsonArray namesToJson(const std::vector<EditedSteps::Name> &names) {
    QJsonArray array;
    for (const auto &name : names) array.append(QJsonArray{qt(name.text), name.occurrence});
    return array;
}

std::vector<EditedSteps::Name> namesFromJson(const QJsonArray &array) {
    std::vector<EditedSteps::Name> names;
    for (const auto &name : array)
        names.push_back({std8(name.toArray().at(0).toString()), std::max(-1, name.toArray().at(1).toInt(-1))});
    return names;
}

QJsonObject meaningToJson(const EditedSteps::Meaning &meaning) {
    QJsonArray sources;
    for (const int source : meaning.sources) sources.append(source);
    return {{jsonKey("stages"), namesToJson(meaning.stages)},
            {jsonKey("loops"), namesToJson(meaning.loops)},
            {jsonKey("sources"), sources}};
}

EditedSteps::Meaning meaningFromJson(const QJsonObject &json) {
    EditedSteps::Meaning meaning{
        namesFromJson(json[jsonKey("stages")].toArray()), namesFromJson(json[jsonKey("loops")].toArray()), {}};
    constexpr int kMost = 1 << 20;
    for (const auto &source : json[jsonKey("sources")].toArray())
        meaning.sources.push_back(std::clamp(source.toInt(-1), EditedSteps::kGone, kMost));
    return meaning;
}

/// None when they are damaged.
std::optional<EditedSteps> editedStepsFrom(const DagPtr &dag, const QJsonObject &json) {
    Steps steps;
    try {
        steps = stepsFromJson(parseJson(std8(json[jsonKey("steps")].toString()), "", "the steps"));
    } catch (const std::exception &) {
        return std::nullopt;
    }
    const QJsonArray meant = json[jsonKey("meant")].toArray();
    if (meant.isEmpty()) return EditedSteps(dag, steps);
    if (static_cast<size_t>(meant.size()) != steps.size()) return std::nullopt;
    EditedSteps edited(dag);
    for (size_t i = 0; i < steps.size(); ++i)
        if (!edited.append(steps[i], meaningFromJson(meant.at(static_cast<qsizetype>(i)).toObject())))
            return std::nullopt;
    return edited;
}

/// Numbers in the file, by node: -1 for a dropped one.
std::vector<int> savedNumbers(const TaskState &state) {
    std::vector<int> numbers;
    numbers.reserve(state.edited.size());
    int next = 0;
    for (const EditNode &node : state.edited) numbers.push_back(node.dropped ? -1 : next++);
    return numbers;
}

SavedEdit savedEdit(const TaskState &state, const EditNode &node, const std::vector<int> &numbers) {
    const auto numberOf = [&](int number) {
        return number >= 0 && static_cast<size_t>(number) < numbers.size() ? numbers[static_cast<size_t>(number)] : -1;
    };
    SavedEdit saved;
    saved.steps.reserve(node.steps.size());
    for (size_t i = 0; i < node.steps.size(); ++i) saved.steps.push_back(node.steps.step(i));
    if (node.steps.legalPrefix() < node.steps.size()) // what the refused ones mean is not in their numbers
        for (size_t i = 0; i < node.steps.size(); ++i) saved.meant.push_back(node.steps.meaning(i));
    QJsonObject &json = saved.facts;
    json = {{jsonKey("parent"), numberOf(node.parent)},
            {jsonKey("did"), node.did},
            {jsonKey("made"), node.made.toString(Qt::ISODateWithMs)}};
    if (node.parent < 0)
        json[jsonKey("origin")] = QJsonArray{static_cast<int>(node.origin.kind), savedRef(state, node.origin).number};
    if (!node.name.isEmpty()) json[jsonKey("name")] = node.name;
    if (!node.note.isEmpty()) json[jsonKey("note")] = node.note;
    if (node.pinned) json[jsonKey("pinned")] = true;
    if (!node.script.isEmpty()) json[jsonKey("script")] = node.script;
    if (std::isfinite(node.predicted)) json[jsonKey("predicted")] = node.predicted;
    if (node.measured.seconds > 0) json[jsonKey("seconds")] = node.measured.seconds;
    if (!node.measured.failure.isEmpty()) json[jsonKey("failure")] = node.measured.failure;
    const int trial = node.measured.trial;
    if (trial >= 0 && static_cast<size_t>(trial) < state.trials.size())
        json[jsonKey("trial")] = state.trials[static_cast<size_t>(trial)].recordName();
    if (const int seen = numberOf(node.seenLast); seen >= 0) json[jsonKey("seen_last")] = seen;
    return saved;
}

} // namespace

ScheduleRef savedRef(const TaskState &state, const ScheduleRef &ref) {
    if (ref.kind != Kind::Edited) return ref;
    if (!state.has(ref)) return {};
    const auto begin = state.edited.begin();
    const auto before = std::count_if(begin, begin + ref.number, [](const EditNode &node) { return !node.dropped; });
    return {Kind::Edited, static_cast<int>(before)};
}

std::vector<SavedEdit> savedEdits(const TaskState &state) {
    const std::vector<int> numbers = savedNumbers(state);
    std::vector<SavedEdit> edits;
    edits.reserve(state.edited.size());
    for (const EditNode &node : state.edited)
        if (!node.dropped) edits.push_back(savedEdit(state, node, numbers));
    return edits;
}

QJsonArray editsToJson(const std::vector<SavedEdit> &edits) {
    QJsonArray array;
    for (const SavedEdit &edit : edits) {
        QJsonObject json = edit.facts;
        json[jsonKey("steps")] = qt(stepsText(edit.steps));
        if (!edit.meant.empty()) {
            QJsonArray meant;
            for (const EditedSteps::Meaning &meaning : edit.meant) meant.append(meaningToJson(meaning));
            json[jsonKey("meant")] = meant;
        }
        array.append(json);
    }
    return array;
}

ScheduleRef ReadEdits::ref(const ScheduleRef &saved) const {
    if (saved.kind != Kind::Edited) return saved;
    const auto number = static_cast<size_t>(saved.number);
    if (saved.number < 0 || number >= numbers.size() || numbers[number] < 0) return {};
    return {Kind::Edited, numbers[number]};
}

ReadEdits editsFromJson(const DagPtr &dag, const QJsonArray &array) {
    ReadEdits read;
    for (const auto &value : array) {
        const QJsonObject json = value.toObject();
        const int parent = json[jsonKey("parent")].toInt(-2);
        const bool root = parent == -1;
        const bool known = parent >= 0 && static_cast<size_t>(parent) < read.numbers.size() &&
                           read.numbers[static_cast<size_t>(parent)] >= 0;
        auto steps = root || known ? editedStepsFrom(dag, json) : std::nullopt;
        if (!steps) {
            read.numbers.push_back(-1);
            ++read.lost;
            continue;
        }
        EditNode node{std::move(*steps)};
        node.parent = root ? -1 : read.numbers[static_cast<size_t>(parent)];
        const QJsonArray origin = json[jsonKey("origin")].toArray();
        const int kind = origin.at(0).toInt();
        if (root && kind >= 0 && kind <= static_cast<int>(Kind::Trial))
            node.origin = {static_cast<Kind>(kind), std::max(0, origin.at(1).toInt())};
        node.did = json[jsonKey("did")].toString();
        node.name = json[jsonKey("name")].toString();
        node.note = json[jsonKey("note")].toString();
        node.pinned = json[jsonKey("pinned")].toBool();
        node.script = json[jsonKey("script")].toString();
        node.made = QDateTime::fromString(json[jsonKey("made")].toString(), Qt::ISODateWithMs);
        if (json.contains(jsonKey("predicted"))) node.predicted = json[jsonKey("predicted")].toDouble(node.predicted);
        node.measured.seconds = std::max(0.0, json[jsonKey("seconds")].toDouble());
        node.measured.failure = json[jsonKey("failure")].toString();
        node.seenLast = json[jsonKey("seen_last")].toInt(-1); // of the file; see below
        read.numbers.push_back(static_cast<int>(read.nodes.size()));
        read.trialNames.push_back(json[jsonKey("trial")].toString());
        read.nodes.push_back(std::move(node));
    }
    for (size_t i = 0; i < read.nodes.size(); ++i) {
        int &seen = read.nodes[i].seenLast;
        const auto saved = static_cast<size_t>(seen);
        seen = seen >= 0 && saved < read.numbers.size() ? read.numbers[saved] : -1;
        if (seen >= 0 && read.nodes[static_cast<size_t>(seen)].parent != static_cast<int>(i)) seen = -1;
    }
    return read;
}

} // namespace loopscope
