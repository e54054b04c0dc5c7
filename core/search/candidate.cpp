#include "search/candidate.h"

#include "codegen/lower/lower.h"
#include "codegen/lower/passes.h"
#include "schedule/bound_inference.h"
#include "search/cost/draft_estimate.h"
#include "search/gpu_candidate.h"
#include "search/target_rules.h"

namespace loopscope {

namespace {

bool nestsParallel(const LoopState &state, StageId id, bool inside) {
    const Stage &stage = state.stage(id);
    for (size_t i = 0; i < stage.iters.size(); ++i) {
        if (stage.iters[i].annotation == Annotation::Parallel) {
            if (inside) return true;
            inside = true;
        }
        if (!state.hasAttachedAt(id, IterId(i))) continue;
        for (const StageId attached : state.attachedAt(id, IterId(i)))
            if (nestsParallel(state, attached, inside)) return true;
    }
    return false;
}

} // namespace

bool nestsParallelLoops(const LoopState &state) {
    for (size_t s = 0; s < state.stageCount(); ++s)
        if (state.stage(StageId(s)).location == ComputeLocation::Root && nestsParallel(state, StageId(s), false))
            return true;
    return false;
}

bool keepsLocks(const SearchOptions &options, const DagPtr &dag, Candidate &candidate, std::string &reason) {
    if (!options.locks) return true;
    auto locked = options.locks->keptBy(dag, candidate.steps);
    if (!locked) {
        reason = locked.why();
        return false;
    }
    candidate.locked = std::make_shared<const LockedSteps>(std::move(locked).value());
    return true;
}

Outcome<LoopState> boundedState(const LoopState &state, Scratch &scratch) {
    scratch.arena.reset();
    const ArenaScope scope(scratch.arena);
    auto bounded = inferBounds(state);
    if (!bounded) return bounded.refusal();
    return std::move(bounded->state);
}

namespace {

bool evaluateIn(const DagPtr &dag, const Target &target, Candidate &candidate, Scratch &scratch, std::string &reason) {
    auto state = replay(dag, candidate.steps);
    if (!state) {
        reason = state.why();
        return false;
    }
    if (!rulesFor(target.kind).nestsParallelLoops && nestsParallelLoops(*state)) {
        reason = "a parallel loop inside another parallel loop";
        return false;
    }
    scratch.arena.reset();
    const ArenaScope scope(scratch.arena);
    const auto bounded = inferBounds(*state);
    if (!bounded) {
        reason = bounded.why();
        return false;
    }
    if (target.isGpu()) {
        if (const auto refused = limitExceeded(*bounded, target)) {
            reason = refused->sentence;
            return false;
        }
        knowLateExtents(candidate.steps, *bounded);
    }
    candidate.key = stateKey(bounded->state);
    auto nest = buildLoopNest(*bounded, {.forFeatures = true}); // as Ansor counts them
    if (!nest) {
        reason = nest.why();
        return false;
    }
    extractFeatures(*nest, target, scratch.rows);
    const DraftEstimate estimate = draftEstimateFor(target.kind);
    if (target.isGpu())
        padRows(*nest, bounded->state);
    else if (estimate != nullptr)
        splitPhases(*nest, {bounded->state, target}); // the code has no terms known to be zero
    candidate.draft = estimate != nullptr ? estimate(*nest, target) : 0;
    auto rows = std::make_shared<FeatureRows>();
    rows->reserve(scratch.rows.size());
    for (const auto &row : scratch.rows) rows->push_back(row.row);
    candidate.rows = std::move(rows);
    return true;
}

} // namespace

bool evaluate(const DagPtr &dag, const Target &target, Candidate &candidate, Scratch &scratch, std::string &reason) {
    try {
        return evaluateIn(dag, target, candidate, scratch, reason);
    } catch (const Error &tooLarge) { // of the arena; one candidate less
        candidate.rows = nullptr;
        reason = tooLarge.what();
        return false;
    }
}

bool evaluateLocked(const SearchOptions &options, const DagPtr &dag, const Target &target, Candidate &candidate,
                    Scratch &scratch, std::string &reason) {
    if (!keepsLocks(options, dag, candidate, reason) || !evaluate(dag, target, candidate, scratch, reason))
        return false;
    if (!target.isGpu() || keepsLocks(options, dag, candidate, reason)) return true;
    candidate.rows = nullptr; // as of all that are refused
    return false;
}

} // namespace loopscope
