#include "search/moves/mutate_schedule.h"

#include "base/nearest_name.h"
#include "search/annotate/gpu_lengths.h"
#include "search/evolve/mutation.h"
#include "search/target_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

constexpr std::string_view kCrossover = "crossover";
constexpr uint64_t kDraws = 64; // of a rule, until something comes of it

/// What the mutation of threads changes.
bool splitsForThreads(const Steps &schedule) {
    for (size_t i = 0; i < schedule.size(); ++i)
        if (splitsThreads(schedule, i) || splitsFetch(schedule, i)) return true;
    return false;
}

std::string whatItNeeds(std::string_view rule, const Steps &schedule) {
    if (auto lacks = whatMutationLacks(rule, schedule)) return *std::move(lacks);
    if (rule == "tile-size") return "no split has lengths that may be exchanged";
    if (rule == "compute-location") return "no step of it places a stage that could be elsewhere";
    if (rule == "auto-unroll") return "no other limit of unrolling may be chosen";
    if (rule == "parallel") return "as many loops as can be are fused into its parallel loops";
    if (rule == "threads") return "its threads and vectors can be no other than they are";
    if (rule == "vectorize") return "no innermost loop is a vector or short enough for one";
    if (rule == kCrossover) return "the two have to make the same splits, with other lengths";
    return "nothing of it is what the rule changes";
}

template <typename Kind> bool hasStep(const Steps &steps) {
    return std::any_of(steps.begin(), steps.end(), [](const Step &step) { return std::holds_alternative<Kind>(step); });
}

const AnnotateStep *madeParallel(const Step &step) {
    const auto *annotate = std::get_if<AnnotateStep>(&step);
    return annotate != nullptr && annotate->annotation == Annotation::Parallel ? annotate : nullptr;
}

/// One draw; nothing where nothing came of it, with the reason when that was legality.
std::optional<ChangedSchedule> draw(const Task &task, const Candidate &from, const MutationRequest &request,
                                    uint64_t attempt, Scratch &scratch, std::string &reason) {
    Random random(request.seed, (uint64_t{5} << 61) + attempt);
    const MutationContext context{task.dag, task.target, request.options, random, scratch, from.locked.get()};
    ChangedSchedule changed;
    std::optional<Steps> steps;
    const bool cross =
        request.rule == kCrossover || (request.rule.empty() && !request.other.empty() && random.below(4) == 0);
    if (cross) {
        changed.rule = kCrossover;
        steps = crossover(from.steps, request.other, random);
    } else if (request.rule.empty()) {
        MutatedSteps mutated = mutate(context, from.steps);
        changed.rule = mutated.mutation;
        steps = std::move(mutated.steps);
    } else {
        changed.rule = request.rule;
        for (const Mutation *mutation : rulesFor(task.target.kind).mutations)
            if (mutation->name == request.rule) steps = mutation->apply(context, from.steps);
    }
    if (!steps) return std::nullopt;
    Candidate child;
    child.steps = withKnownExtents(task.dag, std::move(*steps));
    if (!evaluateLocked(request.options, task.dag, task.target, child, scratch, reason) || child.key == from.key)
        return std::nullopt;
    changed.steps = std::move(child.steps);
    return changed;
}

Outcome<ChangedSchedule> mutated(const Task &task, const Candidate &from, const MutationRequest &request,
                                 Scratch &scratch) {
    std::string reason;
    for (uint64_t attempt = 0; attempt < kDraws; ++attempt)
        if (auto changed = draw(task, from, request, attempt, scratch, reason)) return *std::move(changed);
    const std::string what = request.rule.empty() ? "no rule of the search finds anything to change"
                                                  : fmt::format("{} finds nothing to change", request.rule);
    const std::string within = request.options.locks ? " that is not locked" : "";
    if (!reason.empty()) return Refusal{fmt::format("{}{} and stays legal: {}", what, within, reason)};
    return Refusal{request.rule.empty() ? what + within
                                        : fmt::format("{}{}: {}", what, within, whatItNeeds(request.rule, from.steps))};
}

/// The schedule as it is; a refusal where it is none that could be changed.
Outcome<Candidate> parentOf(const Task &task, const Steps &schedule, const MutationRequest &request, Scratch &scratch) {
    Candidate from;
    from.steps = schedule;
    std::string reason;
    if (!evaluateLocked(request.options, task.dag, task.target, from, scratch, reason)) return Refusal{reason};
    return from;
}

} // namespace

std::vector<std::string> mutationRules(TargetKind kind) {
    std::vector<std::string> rules;
    for (const Mutation *mutation : rulesFor(kind).mutations) rules.emplace_back(mutation->name);
    rules.emplace_back(kCrossover);
    return rules;
}

std::optional<std::string> whatMutationLacks(std::string_view rule, const Steps &schedule) {
    if (rule == "tile-size" && !hasStep<SplitStep>(schedule))
        return "no loop of it is split; split some, or begin with a sketch";
    if (rule == "compute-location" && !hasStep<ComputeAtStep>(schedule) && !hasStep<ComputeRootStep>(schedule))
        return "no step of it says where a stage is computed; compute one at a loop or at root";
    if (rule == "auto-unroll" && !hasStep<PragmaStep>(schedule))
        return "no step of it says how far a stage is unrolled; complete the schedule, which adds it";
    if (rule == "threads" && !splitsForThreads(schedule))
        return "no split of it makes threads of a loop that is not tiled, or vectors of what threads fetch; complete "
               "the "
               "schedule, which adds them";
    if (rule != "parallel") return std::nullopt;
    bool parallel = false;
    for (const Step &step : schedule) {
        const AnnotateStep *made = madeParallel(step);
        if (made == nullptr) continue;
        parallel = true;
        if (made->iter.value == 0) return std::nullopt;
    }
    return parallel ? "it changes how many of the outermost loops are fused into a parallel one, and no outermost loop "
                      "is parallel here; make one so"
                    : "no loop of it is parallel; complete the schedule, which makes one so, or fuse loops and make "
                      "the one that they become parallel";
}

Outcome<ChangedSchedule> mutateSchedule(const Task &task, const Steps &schedule, const MutationRequest &request) {
    const auto rules = mutationRules(task.target.kind);
    if (!request.rule.empty() && std::find(rules.begin(), rules.end(), request.rule) == rules.end())
        return Refusal{fmt::format("there is no mutation rule `{}`{}; there are {}", request.rule,
                                   suggestion(request.rule, rules), fmt::join(rules, ", "))};
    if (request.rule == kCrossover && request.other.empty())
        return Refusal{"crossover needs another schedule to cross with"};
    Scratch scratch;
    const auto from = parentOf(task, schedule, request, scratch);
    if (!from) return from.refusal();
    auto changed = mutated(task, *from, request, scratch);
    if (!changed) return changed;
    auto lines = alignSteps(task.dag, schedule, changed->steps);
    if (!lines) return lines.refusal();
    changed->lines = std::move(lines).value();
    return changed;
}

std::vector<std::string> applicableMutations(const Task &task, const Steps &schedule, const MutationRequest &request) {
    Scratch scratch;
    const auto from = parentOf(task, schedule, request, scratch);
    std::vector<std::string> applicable;
    if (!from) return applicable;
    for (const std::string &rule : mutationRules(task.target.kind)) {
        if (rule == kCrossover && request.other.empty()) continue;
        MutationRequest one = request;
        one.rule = rule;
        if (mutated(task, *from, one, scratch)) applicable.push_back(rule);
    }
    return applicable;
}

} // namespace loopscope
