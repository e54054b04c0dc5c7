#include "search/locks/locked_start.h"

#include "search/annotate/annotate_rule.h"
#include "search/annotate/tile_factors.h"
#include "search/evolve/mutation.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace loopscope {

namespace {

constexpr size_t kProbes = 64; // draws after which a sketch, or a schedule, counts as fixed

/// Some of the splits with other lengths.
Steps withLengthsDrawn(const MutationContext &context, const Steps &from) {
    const TileLimits usual{context.options.maxInnermostSplitFactor, context.options.guardedTiles};
    const std::vector<bool> again = splitAgain(context.dag, from);
    Steps steps = from;
    for (size_t i = 0; i < steps.size(); ++i) {
        auto *split = std::get_if<SplitStep>(&steps[i]);
        if (!split || !split->innerToOuter || split->extent <= 1 || context.random.below(2) == 0) continue;
        TileLimits limits = usual;
        if (!again.empty() && again[i]) limits.maxInnermost = std::max(limits.maxInnermost, split->extent);
        int64_t product = 1;
        for (const int64_t length : split->lengths) product *= length;
        std::vector<int64_t> decided(split->lengths.size() + 1);
        if (context.locked->length(i, 0)) decided[0] = (split->extent + product - 1) / std::max<int64_t>(product, 1);
        for (size_t k = 1; k < decided.size(); ++k)
            if (context.locked->length(i, k)) decided[k] = split->lengths[k - 1];
        split->lengths = drawTileLengthsAround(split->extent, decided, limits, context.random);
    }
    return again.empty() ? withKnownExtents(context.dag, std::move(steps))
                         : withFittingLengths(context.dag, std::move(steps));
}

/// A schedule around one that is there: what it leaves open drawn, lengths drawn afresh, a few mutations.
bool drawAround(const Candidate &from, const Task &task, const SearchOptions &options, Random &random, Scratch &scratch,
                Candidate &drawn, std::string &reason) {
    drawn.sketch = from.sketch;
    drawn.steps = from.steps;
    if (random.below(2) == 0) {
        const auto start = replay(task.dag, from.steps);
        const auto state = start ? annotateOpen({task.target, options, random, scratch}, *start) : start;
        if (state) drawn.steps = state->steps();
    }
    if (!keepsLocks(options, task.dag, drawn, reason)) { // what was open is locked to be so
        drawn.steps = from.steps;
        drawn.locked = from.locked;
    }
    if (random.below(4) != 0)
        drawn.steps =
            withLengthsDrawn({task.dag, task.target, options, random, scratch, drawn.locked.get()}, drawn.steps);
    const size_t changes = random.index(4);
    for (size_t i = 0; i <= changes; ++i) {
        if (i > 0) {
            auto mutated = mutate({task.dag, task.target, options, random, scratch, drawn.locked.get()}, drawn.steps);
            if (!mutated.steps) break;
            drawn.steps = withKnownExtents(task.dag, std::move(*mutated.steps));
        }
        if (!keepsLocks(options, task.dag, drawn, reason)) return false;
    }
    return evaluateLocked(options, task.dag, task.target, drawn, scratch, reason);
}

bool drawFrom(const Sketch &sketch, int number, const Task &task, const SearchOptions &options, Random &random,
              Scratch &scratch, Candidate &drawn, std::string &reason) {
    const auto state = annotate({task.target, options, random, scratch}, sketch.state);
    if (!state) {
        reason = state.why();
        return false;
    }
    drawn.steps = state->steps();
    drawn.sketch = number;
    return evaluateLocked(options, task.dag, task.target, drawn, scratch, reason);
}

/// The sentence most often heard.
std::string mostOften(const std::map<std::string, int> &reasons) {
    const auto most = std::max_element(reasons.begin(), reasons.end(),
                                       [](const auto &a, const auto &b) { return a.second < b.second; });
    return most == reasons.end() ? "" : most->first;
}

/// Why no draw from the sketch keeps the locks and is another schedule than those to start from; nothing where one
/// does.
std::optional<std::string> lostOn(const Sketch &sketch, int number, const Task &task, const SearchOptions &options,
                                  const std::vector<Candidate> &schedules, Scratch &scratch,
                                  const std::atomic<bool> *stopped) {
    if (const auto lost = options.locks->lostOn(sketch.state)) return lost->sentence;
    std::map<std::string, int> reasons;
    for (size_t i = 0; i < kProbes && !(stopped && *stopped); ++i) {
        Random random(options.seed, (uint64_t{1} << 62) + (static_cast<uint64_t>(number) << 32) + i);
        Candidate drawn;
        std::string reason;
        const bool legal = drawFrom(sketch, number, task, options, random, scratch, drawn, reason);
        const bool known = std::any_of(schedules.begin(), schedules.end(),
                                       [&](const Candidate &schedule) { return schedule.key == drawn.key; });
        if (legal && !known) return std::nullopt;
        ++reasons[legal ? "all others are schedules to start from" : reason];
    }
    return fmt::format("none of {} schedules drawn from it is legal, keeps the locks and is new: {}", kProbes,
                       mostOften(reasons));
}

/// Something else than the schedule itself can be drawn around it.
bool varies(const Candidate &schedule, size_t number, const Task &task, const SearchOptions &options, Scratch &scratch,
            const std::atomic<bool> *stopped) {
    for (size_t i = 0; i < kProbes && !(stopped && *stopped); ++i) {
        Random random(options.seed, (uint64_t{3} << 62) + (static_cast<uint64_t>(number) << 32) + i);
        Candidate drawn;
        std::string reason;
        if (drawAround(schedule, task, options, random, scratch, drawn, reason) && drawn.key != schedule.key)
            return true;
    }
    return false;
}

std::string locksText(const ScheduleLocks &locks) {
    constexpr size_t kMost = 4;
    std::string text;
    for (size_t i = 0; i < std::min(locks.all().size(), kMost); ++i)
        text += fmt::format("{}`{}`", i == 0 ? "" : ", ", locks.all()[i].name());
    if (locks.all().size() > kMost) text += fmt::format(" and {} more", locks.all().size() - kMost);
    return text;
}

} // namespace

Outcome<LockedStart> lockedStart(const Task &task, const std::vector<Sketch> &sketches, const SearchOptions &options,
                                 const std::vector<Steps> &schedules, Scratch &scratch,
                                 const std::atomic<bool> *stopped) {
    LockedStart start;
    for (size_t i = 0; i < schedules.size(); ++i) {
        Candidate candidate;
        candidate.steps = schedules[i];
        candidate.sketch = sketchOf(candidate.steps, sketches);
        std::string reason;
        if (!evaluateLocked(options, task.dag, task.target, candidate, scratch, reason))
            return Refusal{fmt::format("schedule {} to start from cannot be searched around: {}", i + 1, reason)};
        start.schedules.push_back(std::move(candidate));
    }
    for (size_t s = 0; s < sketches.size(); ++s) {
        auto why = lostOn(sketches[s], static_cast<int>(s), task, options, start.schedules, scratch, stopped);
        if (why)
            start.leftOut.emplace_back(s, *std::move(why));
        else
            start.sketches.push_back(s);
    }
    if (stopped && *stopped) return start;
    std::vector<Candidate> fixed;
    std::vector<Candidate> varying;
    for (size_t i = 0; i < start.schedules.size(); ++i)
        (varies(start.schedules[i], i, task, options, scratch, stopped) ? varying : fixed)
            .push_back(std::move(start.schedules[i]));
    start.schedules = std::move(varying);
    if (!start.sketches.empty() || !start.schedules.empty()) return start;
    const std::string why = start.leftOut.empty() ? ""
                                                  : fmt::format(" (of sketch {}: {})", start.leftOut.front().first,
                                                                start.leftOut.front().second);
    const std::string around =
        fixed.empty() ? ""
                      : fmt::format("they fix all that can be varied of the schedule{} to start from, and ",
                                    fixed.size() == 1 ? "" : "s");
    return Refusal{fmt::format("the locks {} leave nothing to vary: {}no sketch can keep them{}",
                               locksText(*options.locks), around, why)};
}

std::optional<Refusal> whatLocksLeave(const Task &task, const SearchOptions &options,
                                      const std::vector<Steps> &schedules) {
    if (!options.locks) return std::nullopt;
    Scratch scratch;
    const auto start =
        lockedStart(task, generateSketches(task.dag, task.target, options.sketch), options, schedules, scratch);
    return start ? std::nullopt : std::optional(start.refusal());
}

bool drawWithin(const LockedStart &start, const Task &task, const std::vector<Sketch> &sketches,
                const SearchOptions &options, Random &random, Scratch &scratch, Candidate &drawn, std::string &reason) {
    const bool around = start.sketches.empty() || (!start.schedules.empty() && random.below(2) == 0);
    if (around)
        return drawAround(start.schedules[random.index(start.schedules.size())], task, options, random, scratch, drawn,
                          reason);
    const size_t sketch = start.sketches[random.index(start.sketches.size())];
    return drawFrom(sketches[sketch], static_cast<int>(sketch), task, options, random, scratch, drawn, reason);
}

} // namespace loopscope
