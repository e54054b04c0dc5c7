#include "schedule/locks/lock_pattern.h"

#include "base/nearest_name.h"
#include "schedule/script/schedule_script.h"
#include "schedule/script/script_words.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace loopscope {

namespace {

constexpr std::string_view kForms =
    "a pattern reads as a line of a script (`split C i[0]`, `parallel *`), `place:STAGE` or `stage:STAGE`";

[[noreturn]] void failAt(size_t at, std::string reason, std::vector<std::string> legal = {}) {
    throw LockProblem{static_cast<int>(at) + 1, std::move(reason), std::move(legal)};
}

std::vector<std::string> primitiveNames() {
    std::vector<std::string> names;
    for (const Primitive &primitive : primitives()) names.emplace_back(primitive.name);
    return names;
}

std::string listed(const std::vector<std::string> &names) {
    constexpr size_t kMost = 12;
    if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{}, ... ({} in all)", fmt::join(names.begin(), names.begin() + kMost, ", "), names.size());
}

void addDistinct(std::vector<std::string> &list, const std::string &text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

/// A pattern cut into its parts.
struct CutPattern {
    std::string stageOf;         // "place" or "stage": the word in front of the colon
    std::vector<LineWord> words; // of a line; of the others the stage
    std::string line;            // of a line: all of it
    std::optional<int> part;     // [K]
    size_t partAt = 0;
    std::string value; // behind `=`
    size_t valueAt = 0;
    bool hasValue = false;
};

/// `[K]` behind the last word.
void cutPart(CutPattern &cut) {
    LineWord &word = cut.words.back();
    const size_t open = word.text.find('[', word.text.front() == '"' ? word.text.rfind('"') : 0);
    if (open == std::string::npos) return;
    cut.partAt = word.at + open;
    const auto known = primitiveNames();
    const std::string &primitive = cut.words[0].text;
    if (primitive.find('*') == std::string::npos && std::find(known.begin(), known.end(), primitive) == known.end())
        return; // which is said of it first
    if (cut.words.size() != 3 || !matchesPattern(cut.words[0].text, "split"))
        failAt(cut.partAt, "a number in brackets stands behind the loop of a split: split C i[0]");
    const size_t close = word.text.find(']', open);
    int part = 0;
    const char *begin = word.text.data() + open + 1;
    const char *end = word.text.data() + std::min(close, word.text.size());
    const auto read = std::from_chars(begin, end, part);
    if (close == std::string::npos || read.ec != std::errc() || read.ptr != end || part < 0)
        failAt(cut.partAt, "in brackets stands which of the loops made by the split is meant, from 0, and then `]`");
    if (close + 1 != word.text.size()) failAt(word.at + close + 1, "the pattern goes on behind its end");
    cut.part = part;
    word.text.resize(open);
}

CutPattern cutPattern(std::string_view pattern) {
    CutPattern cut;
    size_t end = pattern.size();
    bool quoted = false;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '"') quoted = !quoted;
        if (quoted && pattern[i] == '\\') ++i;
        if (quoted || pattern[i] != '=') continue;
        end = i;
        cut.hasValue = true;
        cut.valueAt = std::min(pattern.find_first_not_of(" \t", i + 1), pattern.size());
        cut.value = pattern.substr(cut.valueAt);
        break;
    }
    if (quoted) failAt(pattern.size(), "the quoted name has no end: a \" is missing");
    cut.words = lineWords(pattern.substr(0, end));
    if (!cut.words.empty())
        cut.line = pattern.substr(cut.words.front().at,
                                  cut.words.back().at + cut.words.back().text.size() - cut.words.front().at);
    if (cut.words.empty()) failAt(0, fmt::format("a pattern is missing: {}", kForms), primitiveNames());
    LineWord &first = cut.words.front();
    if (const size_t colon = first.text.find(':'); colon != std::string::npos && first.text.front() != '"') {
        cut.stageOf = first.text.substr(0, colon);
        if (cut.stageOf != "place" && cut.stageOf != "stage")
            failAt(first.at, fmt::format("`{}:` is no kind of lock; {}", cut.stageOf, kForms), {"place:", "stage:"});
        first = {first.text.substr(colon + 1), first.at + colon + 1};
        if (first.text.empty()) cut.words.erase(cut.words.begin());
        if (cut.words.empty()) failAt(end, fmt::format("behind `{}:` stands a stage, or `*`", cut.stageOf));
        if (cut.words.size() > 1) failAt(cut.words[1].at, "the pattern goes on behind its end");
        return cut;
    }
    // Brackets may stand apart.
    if (cut.words.size() > 3 && cut.words[3].text.front() == '[') {
        cut.words[2].text += cut.words[3].text;
        cut.words.erase(cut.words.begin() + 3);
    }
    cutPart(cut);
    if (cut.hasValue && !cut.part && cut.words.back().text.find('[') == std::string::npos)
        failAt(end, "only a length has a value here: split C i[0]=4; a line says all in its words");
    return cut;
}

int64_t lengthValue(const CutPattern &cut) {
    int64_t value = 0;
    const std::string text = cut.value.substr(0, cut.value.find_last_not_of(" \t") + 1);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value < 1)
        failAt(cut.valueAt, fmt::format("a length is a whole number from 1, and `{}` is none", text));
    return value;
}

/// `a; b` -> a, b; not within quotes.
std::vector<std::string> cutLines(std::string_view text) {
    std::vector<std::string> lines;
    std::string line;
    bool quoted = false;
    const auto end = [&] {
        const size_t begin = line.find_first_not_of(" \t");
        if (begin != std::string::npos) lines.push_back(line.substr(begin, line.find_last_not_of(" \t") + 1 - begin));
        line.clear();
    };
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (text[i] == ';' && !quoted) {
            end();
            continue;
        }
        line += text[i];
        if (quoted && text[i] == '\\' && i + 1 < text.size()) line += text[++i];
    }
    end();
    return lines;
}

/// Reads patterns beside one schedule.
class BesideSchedule {
  public:
    explicit BesideSchedule(const LockableSteps &named) : m_steps(named.steps) {
        for (size_t s = 0; s < named.state.stageCount(); ++s) {
            const StageId id(s);
            const std::string name = scriptStage(named.state, id);
            addDistinct(m_stages, name);
            if (!named.state.stage(id).op->isPlaceholder()) addDistinct(m_computed, name);
        }
        for (const LockableStep &step : m_steps) addDistinct(m_stages, step.stage);
    }

    [[nodiscard]] std::vector<ScheduleLock> read(const CutPattern &cut) const {
        if (cut.stageOf == "place") return places(cut);
        if (cut.stageOf == "stage") return stages(cut);
        return cut.part ? lengths(cut) : lines(cut);
    }

    [[nodiscard]] std::vector<std::string> offered() const {
        std::vector<std::string> list;
        for (const std::string &stage : m_stages)
            if (std::any_of(m_steps.begin(), m_steps.end(), [&](const LockableStep &s) { return s.stage == stage; }))
                list.push_back("stage:" + stage);
        for (const std::string &stage : m_computed) list.push_back("place:" + stage);
        std::set<std::string> splitStages;
        for (const LockableStep &step : m_steps)
            if (!step.lengths.empty() && step.lengths.front() > 0 && splitStages.insert(step.stage).second)
                list.push_back(fmt::format("split {} *[0]", step.stage));
        for (const LockableStep &step : m_steps)
            if (!overruled(step)) addDistinct(list, step.line);
        for (const LockableStep &step : m_steps)
            for (size_t k = 0; k < step.lengths.size(); ++k)
                if (step.lengths[k] > 0) addDistinct(list, fmt::format("split {} {}[{}]", step.stage, step.loop, k));
        return list;
    }

  private:
    /// A later step says otherwise of the same thing.
    [[nodiscard]] bool overruled(const LockableStep &step) const {
        if (!step.line.starts_with("pragma ")) return false;
        return std::any_of(
            m_steps.begin() + (&step - m_steps.data()) + 1, m_steps.end(),
            [&](const LockableStep &later) { return later.stage == step.stage && later.line.starts_with("pragma "); });
    }

    /// Open, a length would have to stay open.
    static void refuseOpen(const CutPattern &cut, const LockableStep &step) {
        for (const LineWord &word : lineWords(step.line))
            if (word.text == "?")
                failAt(cut.words.front().at,
                       fmt::format("`{}` leaves a length open, which no finished schedule does", step.line));
    }

    [[nodiscard]] std::vector<std::string> stagesMeant(const CutPattern &cut,
                                                       const std::vector<std::string> &of) const {
        std::vector<std::string> meant;
        for (const std::string &stage : of)
            if (matchesPattern(cut.words.front().text, stage)) meant.push_back(stage);
        if (meant.empty())
            failAt(cut.words.front().at,
                   fmt::format("the schedule has no stage `{}`{}; there are {}", cut.words.front().text,
                               suggestion(cut.words.front().text, of), listed(of)),
                   of);
        return meant;
    }

    [[nodiscard]] ScheduleLock placeLock(const std::string &stage) const {
        ScheduleLock lock{ScheduleLock::Kind::Place, stage, {}, 0, 0, {"compute_root " + stage}};
        for (const LockableStep &step : m_steps)
            if (step.stage == stage && step.line.starts_with("compute_")) lock.lines.front() = step.line;
        return lock;
    }

    [[nodiscard]] std::vector<ScheduleLock> places(const CutPattern &cut) const {
        std::vector<ScheduleLock> locks;
        for (const std::string &stage : stagesMeant(cut, m_computed)) {
            locks.push_back(placeLock(stage));
            if (cut.hasValue && !sameLine(locks.back().lines.front(), cut.value))
                failAt(cut.valueAt, fmt::format("the schedule has `{}`", locks.back().lines.front()),
                       {locks.back().lines.front()});
        }
        return locks;
    }

    [[nodiscard]] std::vector<ScheduleLock> stages(const CutPattern &cut) const {
        std::vector<ScheduleLock> locks;
        for (const std::string &stage : stagesMeant(cut, m_stages)) {
            ScheduleLock lock{ScheduleLock::Kind::Stage, stage, {}, 0, 0, {}};
            for (const LockableStep &step : m_steps)
                if (step.stage == stage) {
                    refuseOpen(cut, step);
                    lock.lines.push_back(step.line);
                }
            const auto asked = cutLines(cut.value);
            if (cut.hasValue && !std::equal(asked.begin(), asked.end(), lock.lines.begin(), lock.lines.end(), sameLine))
                failAt(cut.valueAt, fmt::format("the schedule has `{}`", fmt::join(lock.lines, "; ")), {lock.text()});
            locks.push_back(std::move(lock));
        }
        return locks;
    }

    /// The steps whose line begins with words that match; a word that none has is refused.
    [[nodiscard]] std::vector<const LockableStep *> matching(const CutPattern &cut) const {
        std::vector<const LockableStep *> left;
        for (const LockableStep &step : m_steps) left.push_back(&step);
        for (size_t w = 0; w < cut.words.size(); ++w) {
            const LineWord &word = cut.words[w];
            std::vector<std::string> there;
            std::vector<const LockableStep *> fitting;
            for (const LockableStep *step : left) {
                const auto words = lineWords(step->line);
                if (w >= words.size()) continue;
                addDistinct(there, words[w].text);
                if (words[w].text == "*" || matchesPattern(word.text, words[w].text)) fitting.push_back(step);
            }
            if (fitting.empty()) failWord(cut, w, there);
            left = std::move(fitting);
        }
        return left;
    }

    [[noreturn]] void failWord(const CutPattern &cut, size_t w, const std::vector<std::string> &there) const {
        const LineWord &word = cut.words[w];
        if (w == 0 && word.text.find('*') == std::string::npos) {
            const auto known = primitiveNames();
            if (std::find(known.begin(), known.end(), word.text) == known.end())
                failAt(word.at,
                       fmt::format("there is no primitive `{}`{}; {}", word.text, suggestion(word.text, known), kForms),
                       known);
        }
        if (there.empty() && w == 0) failAt(word.at, "the schedule has no steps, so that no line of it can be locked");
        std::string before;
        for (size_t i = 0; i < w; ++i) before += cut.words[i].text + " ";
        if (there.empty())
            failAt(word.at, fmt::format("the lines `{}` end in front of `{}`", before + "...", word.text));
        std::string reason = w == 0 ? fmt::format("the schedule has no step `{}`", word.text)
                                    : fmt::format("no line of the schedule reads `{}{}`", before, word.text);
        reason += fmt::format("{}; there {} {}", suggestion(word.text, there), there.size() == 1 ? "is" : "are",
                              listed(there));
        // Where a stage is computed though no step says so is another lock.
        if (w <= 1 && cut.words.front().text.starts_with("compute_") && cut.words.size() > 1)
            reason += fmt::format("; `place:{}` locks where it is computed now", cut.words[1].text);
        failAt(word.at, std::move(reason), there);
    }

    [[nodiscard]] std::vector<ScheduleLock> lines(const CutPattern &cut) const {
        std::vector<ScheduleLock> locks;
        const auto matched = matching(cut);
        for (const LockableStep *step : matched) {
            if (overruled(*step)) continue;
            refuseOpen(cut, *step);
            ScheduleLock lock{ScheduleLock::Kind::Line, step->stage, {}, 0, 0, {step->line}};
            if (step->line.starts_with("compute_")) lock = placeLock(step->stage); // of several the last holds
            if (std::find(locks.begin(), locks.end(), lock) == locks.end()) locks.push_back(std::move(lock));
        }
        if (locks.empty())
            failAt(cut.words.front().at,
                   fmt::format("a later step overrules `{}`, so that nothing of it is there", matched.front()->line));
        return locks;
    }

    [[nodiscard]] std::vector<ScheduleLock> lengths(const CutPattern &cut) const {
        std::vector<ScheduleLock> locks;
        const auto part = static_cast<size_t>(*cut.part);
        size_t most = 0;
        std::vector<std::string> known;
        const LockableStep *unknown = nullptr;
        for (const LockableStep *step : matching(cut)) {
            if (step->lengths.empty()) continue;
            most = std::max(most, step->lengths.size());
            if (part >= step->lengths.size()) continue;
            if (step->lengths[part] == 0) {
                unknown = step;
                continue;
            }
            addDistinct(known, fmt::format("{}", step->lengths[part]));
            if (cut.hasValue && lengthValue(cut) != step->lengths[part])
                failAt(
                    cut.valueAt,
                    fmt::format("in the schedule {} {}[{}] is {}", step->stage, step->loop, part, step->lengths[part]),
                    known);
            locks.push_back({ScheduleLock::Kind::Length, step->stage, step->loop, *cut.part, step->lengths[part], {}});
        }
        if (!locks.empty()) return locks;
        if (unknown != nullptr)
            failAt(cut.partAt,
                   fmt::format("that length of {} {} is open in the schedule", unknown->stage, unknown->loop));
        std::vector<std::string> legal;
        for (size_t k = 0; k < most; ++k) legal.push_back(fmt::format("{}", k));
        failAt(cut.partAt,
               fmt::format("there the schedule splits into {} loops: 0 is the outermost, {} the innermost", most,
                           most - 1),
               legal);
    }

    const std::vector<LockableStep> &m_steps;
    std::vector<std::string> m_stages;   // all that steps name, placeholders too
    std::vector<std::string> m_computed; // at the end
};

void refuseStars(const CutPattern &cut) {
    for (const LineWord &word : cut.words)
        if (word.text.front() != '"' && word.text.find('*') != std::string::npos &&
            !(cut.words.front().text == "pragma" && &word == &cut.words[2]))
            failAt(word.at + word.text.find('*'), "there is no schedule in which `*` could be looked up");
}

std::vector<ScheduleLock> readAlone(const CutPattern &cut) {
    refuseStars(cut);
    if (!cut.stageOf.empty()) {
        const bool place = cut.stageOf == "place";
        if (!cut.hasValue)
            failAt(cut.words.front().at + cut.words.front().text.size(),
                   fmt::format("there is no schedule to take it from: say what is locked, {}:{}={}", cut.stageOf,
                               cut.words.front().text, place ? "compute_root STAGE" : "LINE; LINE"));
        auto lines = cutLines(cut.value);
        const auto kind = place ? ScheduleLock::Kind::Place : ScheduleLock::Kind::Stage;
        if (place && (lines.size() != 1 || !lines.front().starts_with("compute_")))
            failAt(cut.valueAt,
                   "a place is one line: compute_at STAGE READER LOOP, compute_inline STAGE or compute_root STAGE");
        return {{kind, cut.words.front().text, {}, 0, 0, std::move(lines)}};
    }
    const std::string &primitive = cut.words.front().text;
    const auto known = primitiveNames();
    if (std::find(known.begin(), known.end(), primitive) == known.end())
        failAt(cut.words.front().at,
               fmt::format("there is no primitive `{}`{}; {}", primitive, suggestion(primitive, known), kForms), known);
    if (cut.part) {
        if (!cut.hasValue) failAt(cut.partAt, "there is no schedule to take the length from: say it, split C i[0]=4");
        return {{ScheduleLock::Kind::Length, cut.words[1].text, cut.words[2].text, *cut.part, lengthValue(cut), {}}};
    }
    // What a whole line has at least.
    size_t least = 3;
    if (primitive == "compute_inline" || primitive == "compute_root") least = 2;
    if (primitive == "fuse" || primitive == "reorder") least = 2; // of none, in a stage without loops
    if (primitive == "pragma" || primitive == "compute_at" || primitive == "bind") least = 4;
    if (primitive.starts_with("split") || primitive == "storage_align" || primitive == "rfactor") least = 5;
    if (primitive.starts_with("follow")) least = 7;
    std::string usage;
    for (const Primitive &one : primitives())
        if (one.name == primitive) usage = one.usage;
    std::string line(cut.line);
    if (cut.words.size() < least)
        failAt(cut.words.back().at + cut.words.back().text.size(),
               fmt::format("there is no schedule to take the rest of the line from; it reads: {}", usage), {usage});
    if (primitive.starts_with("compute_")) return {{ScheduleLock::Kind::Place, cut.words[1].text, {}, 0, 0, {line}}};
    if (primitive == "pragma") line = fmt::format("pragma {} * {}", cut.words[1].text, cut.words[3].text);
    return {{ScheduleLock::Kind::Line, cut.words[1].text, {}, 0, 0, {line}}};
}

template <typename Read> ReadLocks reading(const Read &read) {
    try {
        return {read(), std::nullopt};
    } catch (const LockProblem &problem) { // which no other file sees
        return {{}, problem};
    }
}

} // namespace

std::string LockProblem::text(std::string_view pattern) const {
    return fmt::format("--lock '{}': column {}: {}", pattern, column, reason);
}

ReadLocks readLocks(std::string_view pattern, const DagPtr &dag, const Steps &schedule) {
    return reading([&] {
        const CutPattern cut = cutPattern(pattern);
        const auto named = lockableSteps(dag, schedule);
        if (!named) failAt(0, fmt::format("the schedule does not apply: {}", named.why()));
        return BesideSchedule(*named).read(cut);
    });
}

ReadLocks readLocks(std::string_view pattern) {
    return reading([&] { return readAlone(cutPattern(pattern)); });
}

std::vector<std::string> lockPatterns(const DagPtr &dag, const Steps &schedule) {
    const auto named = lockableSteps(dag, schedule);
    return named ? BesideSchedule(*named).offered() : std::vector<std::string>();
}

} // namespace loopscope
