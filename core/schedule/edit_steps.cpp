#include "schedule/edit_steps.h"

#include "base/check.h"
#include "schedule/step_fields.h"
#include "schedule/steps/step_checks.h"
#include "schedule/steps/suggestions.h"
#include "schedule/stepwise_replay.h"

#include <algorithm>
#include <limits>

namespace loopscope {

namespace {

/// Calls onStage(id), onLoop(stage, id) and onSource(id) for every number a step holds, a stage before its loops.
void visitNumbers(Step &step, auto &&onStage, auto &&onLoop, auto &&onSource) {
    std::visit(
        [&](auto &kind) {
            StageId *last = nullptr; // whose the loops behind it are
            const auto see = StepVisitor{
                [&](StageId &id) { onStage(*(last = &id)); },
                [&](std::vector<StageId> &ids) { std::ranges::for_each(ids, onStage); },
                [&](IterId &id) { onLoop(*last, id); },
                [&](std::vector<IterId> &ids) {
                    for (IterId &id : ids) onLoop(*last, id);
                },
                [&](auto &) {},
            };
            visitFields(kind, [&](const char *, auto &field) { see(field); });
        },
        step);
    visitSources(step, onSource);
}

const Stage *stageAt(const LoopState &state, StageId id) {
    return id.value >= 0 && id.index() < state.stageCount() ? &state.stage(id) : nullptr;
}

constexpr size_t kBetween = 64; // steps between two states that are kept

const std::string &stageName(const LoopState &state, size_t i) { return state.stage(StageId(i)).op->name; }

StageId stageNamed(const LoopState &state, const std::string &name, int occurrence) {
    for (size_t i = 0; i < state.stageCount(); ++i)
        if (stageName(state, i) == name && occurrence-- == 0) return StageId(i);
    return StageId();
}

IterId loopNamed(const Stage &stage, const std::string &name, int occurrence) {
    for (size_t i = 0; i < stage.iters.size(); ++i)
        if (stage.iters[i].name == name && occurrence-- == 0) return IterId(i);
    return IterId();
}

} // namespace

EditedSteps::EditedSteps(const DagPtr &dag, const Steps &steps) : m_state(dag) {
    m_kept.push_back(m_state);
    for (const Step &step : steps) insert(size(), step);
}

size_t EditedSteps::legalPrefix() const {
    const auto refused = [](const Entry &entry) { return entry.refused.has_value(); };
    return static_cast<size_t>(std::find_if(m_entries.begin(), m_entries.end(), refused) - m_entries.begin());
}

EditedSteps::Meaning EditedSteps::meaning(size_t at) const {
    checkPosition(at, size());
    Meaning meaning = m_entries[at].meaning;
    for (int &source : meaning.sources) {
        const auto entry =
            std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry &other) { return other.id == source; });
        if (source >= 0) source = entry == m_entries.end() ? kGone : static_cast<int>(entry - m_entries.begin());
    }
    return meaning;
}

bool EditedSteps::append(const Step &step, const Meaning &meaning) {
    size_t stages = 0;
    size_t loops = 0;
    size_t sources = 0;
    Step visited = step;
    visitNumbers(visited, [&](StageId) { ++stages; }, [&](StageId, IterId) { ++loops; }, [&](StepId) { ++sources; });
    if (meaning.stages.size() != stages || meaning.loops.size() != loops || meaning.sources.size() != sources)
        return false;
    Meaning kept = meaning;
    for (int &source : kept.sources) {
        const bool inFront = source >= 0 && static_cast<size_t>(source) < size();
        if (source == kGone)
            source = std::numeric_limits<int>::max(); // of no entry
        else if (inFront)
            source = m_entries[static_cast<size_t>(source)].id;
        else if (source >= 0) // of a list whose steps were moved: it will be
            source += m_nextId - static_cast<int>(size());
    }
    m_entries.push_back(Entry{m_nextId++, step, step, std::move(kept)});
    goOnFrom(size() - 1);
    return true;
}

void EditedSteps::checkPosition(size_t at, size_t end) const {
    LOOPSCOPE_CHECK(at < end, "there is no such step in the list");
}

void EditedSteps::insert(size_t at, const Step &step) {
    checkPosition(at, size() + 1);
    Meaning meaning = at == size() ? meaningOf(step, at, m_state) : meaningOf(step, at, before(at));
    m_entries.insert(m_entries.begin() + static_cast<std::ptrdiff_t>(at),
                     Entry{m_nextId++, step, step, std::move(meaning)});
    at + 1 == size() ? goOnFrom(at) : replayFrom(at);
}

void EditedSteps::change(size_t at, const Step &step) {
    checkPosition(at, size());
    m_entries[at].meaning = meaningOf(step, at, before(at));
    m_entries[at].given = step;
    replayFrom(at);
}

void EditedSteps::erase(size_t at) {
    checkPosition(at, size());
    m_entries.erase(m_entries.begin() + static_cast<std::ptrdiff_t>(at));
    replayFrom(at);
}

void EditedSteps::move(size_t from, size_t to) {
    checkPosition(from, size());
    checkPosition(to, size());
    const auto begin = m_entries.begin();
    const auto a = static_cast<std::ptrdiff_t>(from);
    const auto b = static_cast<std::ptrdiff_t>(to);
    if (from < to)
        std::rotate(begin + a, begin + a + 1, begin + b + 1);
    else
        std::rotate(begin + b, begin + a, begin + a + 1);
    replayFrom(std::min(from, to));
}

EditedSteps::Meaning EditedSteps::meaningOf(const Step &step, size_t at, const LoopState &state) const {
    Meaning meaning;
    Step visited = step;
    visitNumbers(
        visited,
        [&](StageId id) {
            Name stage;
            if (stageAt(state, id) != nullptr) {
                stage = {stageName(state, id.index()), 0};
                for (size_t i = 0; i < id.index(); ++i) stage.occurrence += stageName(state, i) == stage.text ? 1 : 0;
            }
            meaning.stages.push_back(std::move(stage));
        },
        [&](StageId id, IterId iter) {
            Name loop;
            const Stage *stage = stageAt(state, id);
            if (stage != nullptr && iter.value >= 0 && iter.index() < stage->iters.size()) {
                loop = {stage->iters[iter.index()].name, 0};
                for (size_t i = 0; i < iter.index(); ++i) loop.occurrence += stage->iters[i].name == loop.text ? 1 : 0;
            }
            meaning.loops.push_back(std::move(loop));
        },
        [&](StepId source) {
            const bool inFront = source.value >= 0 && source.index() < at;
            meaning.sources.push_back(inFront ? m_entries[source.index()].id : -1);
        });
    return meaning;
}

Refused EditedSteps::renumber(size_t at, const LoopState &state) {
    Entry &entry = m_entries[at];
    const std::string_view tag = stepTag(entry.step);
    const bool loopBinds = !std::holds_alternative<PragmaStep>(entry.step); // which is about all loops of its stage
    Step renumbered = entry.given;
    Refused refused; // the first reason; what is found has its number all the same
    bool stageFound = false;
    auto stage = entry.meaning.stages.begin();
    auto loop = entry.meaning.loops.begin();
    auto source = entry.meaning.sources.begin();
    visitNumbers(
        renumbered,
        [&](StageId &id) {
            const Name &name = *stage++;
            const StageId found = name.occurrence >= 0 ? stageNamed(state, name.text, name.occurrence) : StageId();
            stageFound = found.value >= 0;
            if (stageFound) id = found;
            if (stageFound || name.occurrence < 0 || refused) return;
            refused.emplace();
            refused->rule = ScheduleRule::StageNamedIsThere;
            refused->tag = tag;
            refused->word = name.text;
            refused->legal = {allStages(state)};
        },
        [&](StageId of, IterId &iter) {
            const Name &name = *loop++;
            if (name.occurrence < 0 || !stageFound) return;
            const IterId found = loopNamed(state.stage(of), name.text, name.occurrence);
            if (found.value >= 0) iter = found;
            if (found.value >= 0 || !loopBinds || refused) return;
            refused = refusal(ScheduleRule::LoopNamedIsThere, tag, state, of, {allLoops(state, of)});
            refused->word = name.text;
        },
        [&](StepId &followed) {
            const int id = *source++;
            if (id < 0) return;
            const auto entryOf =
                std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry &other) { return other.id == id; });
            const bool inList = entryOf != m_entries.end();
            if (inList) followed = StepId(static_cast<size_t>(entryOf - m_entries.begin()));
            if (refused || (inList && (followed.index() >= at || !entryOf->refused))) return;
            if (stageAt(state, stageOf(renumbered)) == nullptr) return; // refused for that
            refused = refusal(ScheduleRule::FollowedStepIsThere, tag, state, stageOf(renumbered), {splitsSoFar(state)});
            refused->follows = inList ? followed : StepId();
            inListNumbers(*refused, at);
        });
    entry.step = std::move(renumbered);
    return refused;
}

Step EditedSteps::applicable(size_t at) const {
    Step step = m_entries[at].step;
    visitNumbers(
        step, [](StageId) {}, [](StageId, IterId) {},
        [&](StepId &followed) {
            if (followed.value < 0 || followed.index() >= at) return; // refused as it stands
            // So many steps apply in front of it.
            followed = StepId(appliedBefore(followed.index()));
        });
    return step;
}

void EditedSteps::inListNumbers(ScheduleRefusal &refusal, size_t at) const {
    std::vector<StepId> applied; // their numbers in the list
    for (size_t i = 0; i < at; ++i)
        if (!m_entries[i].refused) applied.emplace_back(i);
    const auto inList = [&](StepId &id) {
        if (id.value >= 0 && id.index() < applied.size()) id = applied[id.index()];
    };
    refusal.step = StepId(at);
    if (refusal.rule != ScheduleRule::FollowedStepIsThere) inList(refusal.follows);
    if (refusal.rule == ScheduleRule::FollowedStepBefore) refusal.limit = static_cast<int64_t>(at) - 1;
    for (Suggestion &suggestion : refusal.legal)
        if (auto *sources = std::get_if<LegalSources>(&suggestion))
            for (StepId &id : sources->steps) inList(id);
}

size_t EditedSteps::appliedBefore(size_t at) const {
    return static_cast<size_t>(std::count_if(m_entries.begin(), m_entries.begin() + static_cast<std::ptrdiff_t>(at),
                                             [](const Entry &entry) { return !entry.refused; }));
}

LoopState EditedSteps::before(size_t at) const {
    if (at == size()) return m_state;
    LoopState state = m_kept[at / kBetween];
    for (size_t i = at / kBetween * kBetween; i < at; ++i) state = after(i, std::move(state));
    return state;
}

LoopState EditedSteps::after(size_t at, LoopState before) const {
    if (refused(at)) return before;
    StepwiseReplay replay(std::move(before));
    const Refused now = replay.apply(applicable(at));
    LOOPSCOPE_CHECK(!now, "a step that applied does not apply to the same state");
    return std::move(replay).take();
}

void EditedSteps::replayFrom(size_t first) {
    const size_t kept = std::min(first / kBetween, m_kept.size() - 1);
    m_kept.resize(kept + 1, m_kept.front());
    m_state = m_kept.back();
    for (size_t at = kept * kBetween; at < first; ++at) m_state = after(at, std::move(m_state));
    goOnFrom(first);
}

void EditedSteps::goOnFrom(size_t first) {
    StepwiseReplay replay(std::move(m_state));
    for (size_t at = first; at < size(); ++at) {
        if (at == m_kept.size() * kBetween) m_kept.push_back(replay.state());
        Entry &entry = m_entries[at];
        entry.refused = renumber(at, replay.state());
        if (entry.refused) {
            entry.refused->step = StepId(at);
        } else {
            entry.refused = replay.apply(applicable(at));
            if (entry.refused) inListNumbers(*entry.refused, at);
        }
    }
    m_state = std::move(replay).take();
}

} // namespace loopscope
