#include "schedule/locks/schedule_locks.h"

#include "schedule/script/script_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

bool placesStage(const LockableStep &step) { return step.line.starts_with("compute_"); }

/// The line that places the stage; one that no step places is computed on its own.
std::string placeOf(const std::vector<LockableStep> &steps, const std::string &stage, size_t *at = nullptr) {
    for (size_t i = steps.size(); i > 0; --i)
        if (steps[i - 1].stage == stage && placesStage(steps[i - 1])) {
            if (at != nullptr) *at = i - 1;
            return steps[i - 1].line;
        }
    return "compute_root " + stage;
}

/// What of a schedule a lock meets; a sentence where it is broken.
class LockReader {
  public:
    explicit LockReader(const std::vector<LockableStep> &steps) : m_steps(steps), m_parts(steps.size(), 0) {}

    std::optional<std::string> take(const ScheduleLock &lock) {
        switch (lock.kind) {
        case ScheduleLock::Kind::Line:
            return takeLine(lock);
        case ScheduleLock::Kind::Length:
            return takeLength(lock);
        case ScheduleLock::Kind::Place:
            return takePlace(lock);
        case ScheduleLock::Kind::Stage:
            return takeStage(lock);
        }
        return std::nullopt;
    }
    [[nodiscard]] std::vector<uint64_t> parts() && { return std::move(m_parts); }

  private:
    std::optional<std::string> takeLine(const ScheduleLock &lock) {
        for (size_t i = m_steps.size(); i > 0; --i) {
            const LockableStep &step = m_steps[i - 1];
            if (step.stage != lock.stage) continue;
            if (sameLine(step.line, lock.lines.front())) {
                m_parts[i - 1] = LockedSteps::kWhole;
                return std::nullopt;
            }
            // Of several the last holds.
            if (step.line.starts_with("pragma ") && lock.lines.front().starts_with("pragma "))
                return fmt::format("it has `{}`", step.line);
        }
        return "no line of it reads so";
    }
    std::optional<std::string> takeLength(const ScheduleLock &lock) {
        std::string otherwise = fmt::format("{} {} is not split", lock.stage, lock.loop);
        // A stage that was copied in between has a loop of that name again: any of them may have the length.
        for (size_t i = 0; i < m_steps.size(); ++i) {
            const LockableStep &step = m_steps[i];
            if (step.stage != lock.stage || step.loop != lock.loop || step.lengths.empty()) continue;
            const auto part = static_cast<size_t>(lock.part);
            if (part < step.lengths.size() && step.lengths[part] == lock.length) {
                m_parts[i] |= uint64_t{1} << std::min<size_t>(part, 63);
                return std::nullopt;
            }
            if (part >= step.lengths.size())
                otherwise = fmt::format("{} {} is split into {} loops", lock.stage, lock.loop, step.lengths.size());
            else
                otherwise = fmt::format("that length is {}",
                                        step.lengths[part] == 0 ? "open" : fmt::format("{}", step.lengths[part]));
        }
        return otherwise;
    }
    std::optional<std::string> takePlace(const ScheduleLock &lock) {
        size_t at = m_steps.size();
        const std::string place = placeOf(m_steps, lock.stage, &at);
        if (!sameLine(place, lock.lines.front())) return fmt::format("it has `{}`", place);
        if (at < m_steps.size()) m_parts[at] = LockedSteps::kWhole;
        return std::nullopt;
    }
    std::optional<std::string> takeStage(const ScheduleLock &lock) {
        size_t met = 0;
        for (size_t i = 0; i < m_steps.size(); ++i) {
            if (m_steps[i].stage != lock.stage) continue;
            if (met == lock.lines.size()) return fmt::format("`{}` is one step more", m_steps[i].line);
            if (!sameLine(m_steps[i].line, lock.lines[met]))
                return fmt::format("it has `{}` where `{}` is locked", m_steps[i].line, lock.lines[met]);
            m_parts[i] = LockedSteps::kWhole;
            ++met;
        }
        if (met < lock.lines.size()) return fmt::format("`{}` is missing", lock.lines[met]);
        return std::nullopt;
    }

    const std::vector<LockableStep> &m_steps;
    std::vector<uint64_t> m_parts;
};

/// Steps that annotation rules bring to a sketch.
bool annotationBrings(std::string_view line) {
    static constexpr std::array kBrought = {"parallel", "vectorize",  "unroll",       "pragma",
                                            "fuse",     "compute_at", "compute_root", "compute_inline"};
    const auto words = lineWords(line);
    if (words.empty()) return false;
    if (std::find(kBrought.begin(), kBrought.end(), words[0].text) != kBrought.end()) return true;
    return words[0].text == "split" && words.size() == 5; // of a long loop into vectors
}

/// The sketch's line is the locked one, but for what it leaves open.
bool mayBecome(const LockableStep &sketched, std::string_view locked) {
    if (placesStage(sketched) && locked.starts_with("compute_")) return true; // simple stages move
    const auto mine = lineWords(sketched.line);
    const auto other = lineWords(locked);
    return std::equal(mine.begin(), mine.end(), other.begin(), other.end(), [](const LineWord &x, const LineWord &y) {
        return x.text == y.text || x.text == "?" || x.text == "*" || y.text == "*";
    });
}

std::optional<std::string> lineLost(const ScheduleLock &lock, const std::vector<LockableStep> &sketched) {
    const std::string &line = lock.lines.front();
    const bool there = std::any_of(sketched.begin(), sketched.end(), [&](const LockableStep &step) {
        return step.stage == lock.stage && mayBecome(step, line);
    });
    return there || annotationBrings(line) ? std::nullopt : std::optional<std::string>("it has no such step");
}

std::optional<std::string> lengthLost(const ScheduleLock &lock, const std::vector<LockableStep> &sketched) {
    const auto part = static_cast<size_t>(lock.part);
    std::optional<std::string> otherwise;
    for (const LockableStep &step : sketched) {
        if (step.stage != lock.stage || step.loop != lock.loop || step.lengths.empty()) continue;
        if (part >= step.lengths.size()) {
            otherwise = fmt::format("it splits {} {} into {} loops", lock.stage, lock.loop, step.lengths.size());
            continue;
        }
        const int64_t there = step.lengths[part];
        if (there == 0 || there == lock.length) return std::nullopt;
        otherwise = fmt::format("that length is {} there", there);
    }
    if (otherwise) return otherwise;
    return part > 1 ? std::optional(fmt::format("it does not split {} {}", lock.stage, lock.loop)) : std::nullopt;
}

std::optional<std::string> stageLost(const ScheduleLock &lock, const std::vector<LockableStep> &sketched) {
    size_t met = 0;
    for (const LockableStep &step : sketched) {
        if (step.stage != lock.stage) continue;
        if (met == lock.lines.size() || !mayBecome(step, lock.lines[met]))
            return fmt::format("it has `{}`{}", step.line,
                               met == lock.lines.size() ? " besides"
                                                        : fmt::format(" where `{}` is locked", lock.lines[met]));
        ++met;
    }
    for (; met < lock.lines.size(); ++met)
        if (!annotationBrings(lock.lines[met])) return fmt::format("it lacks `{}`", lock.lines[met]);
    return std::nullopt;
}

} // namespace

std::string ScheduleLock::text() const {
    switch (kind) {
    case Kind::Line:
        return lines.front();
    case Kind::Length:
        return fmt::format("split {} {}[{}]={}", stage, loop, part, length);
    case Kind::Place:
        return fmt::format("place:{}={}", stage, lines.front());
    case Kind::Stage:
        break;
    }
    return fmt::format("stage:{}={}", stage, fmt::join(lines, "; "));
}

std::string ScheduleLock::name() const { return kind == Kind::Stage ? "stage:" + stage : text(); }

void ScheduleLocks::add(ScheduleLock lock) {
    if (contains(lock)) return;
    m_constraints[lock.stage].take(lock);
    m_locks.push_back(std::move(lock));
}

void ScheduleLocks::remove(const ScheduleLock &lock) {
    std::erase(m_locks, lock);
    m_constraints.clear();
    for (const ScheduleLock &left : m_locks) m_constraints[left.stage].take(left);
}

bool ScheduleLocks::contains(const ScheduleLock &lock) const {
    return std::find(m_locks.begin(), m_locks.end(), lock) != m_locks.end();
}

const StageConstraint *ScheduleLocks::constraintOf(const std::string &stage) const {
    const auto found = m_constraints.find(stage);
    return found == m_constraints.end() ? nullptr : &found->second;
}

Outcome<LockedSteps> ScheduleLocks::keptBy(const DagPtr &dag, const Steps &steps) const {
    const auto named = lockableSteps(dag, steps);
    if (!named) return named.refusal();
    LockReader reader(named->steps);
    for (const ScheduleLock &lock : m_locks)
        if (const auto broken = reader.take(lock))
            return Refusal{fmt::format("the lock `{}` is broken: {}", lock.name(), *broken)};
    LockedSteps locked{std::move(reader).parts(), {}};
    for (size_t s = 0; s < named->state.stageCount(); ++s) {
        const StageConstraint *constraint = constraintOf(scriptStage(named->state, StageId(s)));
        locked.closed.push_back(constraint != nullptr && constraint->closed);
    }
    return locked;
}

std::optional<Refusal> ScheduleLocks::lostOn(const LoopState &sketch) const {
    const auto named = lockableSteps(sketch.originalDag(), sketch.steps());
    if (!named) return named.refusal();
    for (const ScheduleLock &lock : m_locks) {
        std::optional<std::string> why;
        bool there = std::any_of(named->steps.begin(), named->steps.end(),
                                 [&](const LockableStep &step) { return step.stage == lock.stage; });
        for (size_t s = 0; s < named->state.stageCount() && !there; ++s)
            there = scriptStage(named->state, StageId(s)) == lock.stage;
        if (!there)
            why = fmt::format("it has no stage {}", lock.stage);
        else if (lock.kind == ScheduleLock::Kind::Line)
            why = lineLost(lock, named->steps);
        else if (lock.kind == ScheduleLock::Kind::Length)
            why = lengthLost(lock, named->steps);
        else if (lock.kind == ScheduleLock::Kind::Stage)
            why = stageLost(lock, named->steps);
        if (why) return Refusal{fmt::format("it cannot keep the lock `{}`: {}", lock.name(), *why)};
    }
    return std::nullopt;
}

} // namespace loopscope
