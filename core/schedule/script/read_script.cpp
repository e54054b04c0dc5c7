#include "base/nearest_name.h"
#include "schedule/script/schedule_script.h"
#include "schedule/script/script_words.h"
#include "schedule/stepwise_replay.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>

namespace loopscope {

namespace {

constexpr std::array kThreads = {Annotation::VThread, Annotation::BlockX, Annotation::ThreadX, Annotation::BlockY,
                                 Annotation::ThreadY, Annotation::BlockZ, Annotation::ThreadZ};

using Labels = std::map<std::string, StepId, std::less<>>;

/// Reads one line into a step of the state in front of it. Throws ScriptProblem, which no other file sees.
class LineReader {
  public:
    LineReader(std::vector<ScriptToken> tokens, const LoopState &state, const Labels &labels)
        : m_tokens(std::move(tokens)), m_state(state), m_labels(labels) {
        if (m_tokens.back().kind == ScriptToken::Kind::Bad) fail(m_tokens.back(), "syntax", m_tokens.back().text);
        if (m_tokens.size() > 2 && m_tokens[1].kind == ScriptToken::Kind::Colon) {
            m_label = m_tokens[0];
            m_at = 2;
        }
    }

    [[nodiscard]] bool empty() const { return m_tokens.size() == 1; }
    [[nodiscard]] const std::string &label() const { return m_label.text; }
    /// Of the primitive, for what is refused as a whole.
    [[nodiscard]] int column() const { return m_primitiveColumn; }
    [[nodiscard]] const std::string &primitive() const { return m_primitive; }

    Step read() {
        if (!m_label.text.empty() && m_labels.contains(m_label.text))
            fail(m_label, "label", fmt::format("there is a line labelled `{}` already; labels differ", m_label.text));
        readPrimitive();
        Step step = operands();
        if (next().kind != ScriptToken::Kind::End) fail(next(), "syntax", "the line goes on behind its end");
        return step;
    }

  private:
    [[noreturn]] void fail(const ScriptToken &at, const std::string &rule, std::string reason,
                           std::vector<std::string> legal = {}) const {
        if (rule == "syntax" && m_usage != nullptr) {
            reason += fmt::format("; the line reads: {}", m_usage->usage);
            if (legal.empty()) legal = {std::string(m_usage->usage)};
        }
        throw ScriptProblem{0, at.column, m_primitive, rule, std::move(reason), std::move(legal)};
    }

    [[nodiscard]] const ScriptToken &next() const { return m_tokens[m_at]; }
    const ScriptToken &take() { return m_tokens[m_at + 1 == m_tokens.size() ? m_at : m_at++]; }

    /// What the token is, in a sentence.
    static std::string found(const ScriptToken &token) {
        if (token.kind == ScriptToken::Kind::End) return "the line ends here";
        return fmt::format("here stands `{}`", token.text);
    }

    const ScriptToken &word(std::string_view what, const std::vector<std::string> &legal = {}) {
        if (next().kind != ScriptToken::Kind::Word)
            fail(next(), "syntax", fmt::format("{} is missing: {}", what, found(next())), legal);
        return take();
    }
    void keyword(std::string_view text) {
        if (next().kind != ScriptToken::Kind::Word || next().text != text)
            fail(next(), "syntax", fmt::format("`{}` is missing: {}", text, found(next())), {std::string(text)});
        (void)take();
    }
    bool optionalWord(std::string_view text) {
        if (next().kind != ScriptToken::Kind::Word || next().text != text) return false;
        (void)take();
        return true;
    }
    bool comma() {
        if (next().kind != ScriptToken::Kind::Comma) return false;
        (void)take();
        return true;
    }

    int64_t number(std::string_view what, int64_t most = std::numeric_limits<int32_t>::max(),
                   const std::vector<std::string> &legal = {}) {
        const ScriptToken &token = word(what, legal);
        int64_t value = 0;
        const char *end = token.text.data() + token.text.size();
        const auto read = std::from_chars(token.text.data(), end, value);
        if (read.ec != std::errc() || read.ptr != end || value < -most || value > most)
            fail(token, "syntax",
                 fmt::format("{} is a whole number, and `{}` is none up to {}", what, token.text, most), legal);
        return value;
    }

    void readPrimitive() {
        const ScriptToken &token = word("a primitive");
        m_primitiveColumn = token.column;
        m_primitive = token.text;
        std::vector<std::string> names;
        for (const Primitive &primitive : primitives()) {
            names.emplace_back(primitive.name);
            if (primitive.name == token.text) m_usage = &primitive;
        }
        if (m_usage == nullptr)
            fail(token, "name", fmt::format("there is no primitive `{}`{}", token.text, suggestion(token.text, names)),
                 names);
    }

    StageId stage(std::string_view what = "a stage") {
        const ScriptToken &token = word(what);
        int occurrence = token.occurrence;
        for (size_t i = 0; i < m_state.stageCount(); ++i)
            if (m_state.stage(StageId(i)).op->name == token.text && occurrence-- == 0) return StageId(i);
        std::vector<std::string> names; // of a network a long list, and only read when one is missing
        for (size_t i = 0; i < m_state.stageCount(); ++i) names.push_back(scriptStage(m_state, StageId(i)));
        const std::string asked = scriptName(token.text, token.occurrence);
        fail(token, "name", fmt::format("there is no stage `{}` here{}", asked, suggestion(asked, names)), names);
    }

    IterId loop(StageId of) {
        const ScriptToken &token = word("a loop");
        const auto &iters = m_state.stage(of).iters;
        int occurrence = token.occurrence;
        std::vector<std::string> names;
        for (size_t i = 0; i < iters.size(); ++i) {
            if (iters[i].name == token.text && occurrence-- == 0) return IterId(i);
            names.push_back(scriptLoop(m_state, of, IterId(i)));
        }
        const std::string asked = scriptName(token.text, token.occurrence);
        const std::string has =
            names.empty() ? "which has no loops" : fmt::format("which has {}", fmt::join(names, ", "));
        fail(token, "name",
             fmt::format("there is no loop `{}` in {}, {}{}", asked, scriptStage(m_state, of), has,
                         suggestion(asked, names)),
             names);
    }

    /// A loop by its name, or `@7` by a number that no loop has; pragmas are about the whole stage.
    IterId loopOrNumber(StageId of) {
        const std::string &text = next().text;
        int value = 0;
        const char *end = text.data() + text.size();
        if (next().kind == ScriptToken::Kind::Word && text.starts_with('@')) {
            const auto read = std::from_chars(text.data() + 1, end, value);
            if (read.ec == std::errc() && read.ptr == end) {
                (void)take();
                return IterId(value);
            }
        }
        return loop(of);
    }

    std::vector<IterId> loops(StageId of) {
        std::vector<IterId> list;
        if (next().kind == ScriptToken::Kind::End && m_state.stage(of).iters.empty()) return list; // of a single number
        do list.push_back(loop(of));
        while (comma());
        return list;
    }

    StepId labelled() {
        const ScriptToken &token = word("a label");
        const auto known = m_labels.find(token.text);
        if (known != m_labels.end()) return known->second;
        std::vector<std::string> names;
        for (const auto &[name, step] : m_labels) names.push_back(name);
        fail(token, "label",
             fmt::format("no line in front of this one is labelled `{}`{}; a line is labelled so: {}: split ...",
                         token.text, suggestion(token.text, names), token.text),
             names);
    }

    Step split() {
        SplitStep step;
        step.stage = stage();
        step.iter = loop(step.stage);
        constexpr int64_t kLongest = int64_t{1} << 40;
        step.extent = optionalWord("of") ? number("an extent", kLongest)
                                         : m_state.stage(step.stage).iters[step.iter.index()].extent;
        keyword("into");
        step.innerToOuter = !optionalWord("outer");
        do step.lengths.push_back(optionalWord("?") ? kUnfilled : length(step, kLongest));
        while (comma());
        return step;
    }

    int64_t length(const SplitStep &split, int64_t most) {
        const ScriptToken token = next();
        const int64_t value = number("a length", most, lengthsLeft(split));
        if (value < 1) fail(token, "syntax", "a length is at least 1; `?` leaves it open", lengthsLeft(split));
        return value;
    }

    /// Those that divide what the lengths in front of it leave of the loop.
    static std::vector<std::string> lengthsLeft(const SplitStep &split) {
        constexpr int64_t kMaxTried = 1 << 20;
        int64_t left = split.extent;
        for (const int64_t length : split.lengths)
            if (length > 0) left = left % length == 0 ? left / length : 0;
        std::vector<std::string> lengths;
        for (int64_t length = 1; length <= left && length <= kMaxTried; ++length)
            if (left % length == 0) lengths.push_back(fmt::format("{}", length));
        return lengths;
    }

    Step annotation(Annotation annotation) {
        AnnotateStep step;
        step.stage = stage();
        step.iter = loop(step.stage);
        step.annotation = annotation;
        return step;
    }

    Step bind() {
        AnnotateStep step;
        step.stage = stage();
        step.iter = loop(step.stage);
        const ScriptToken &thread = word("a thread");
        std::vector<std::string> names;
        for (const Annotation one : kThreads) {
            names.emplace_back(annotationText(one));
            if (annotationText(one) == thread.text) step.annotation = one;
        }
        if (step.annotation == Annotation::None)
            fail(thread, "name", fmt::format("`{}` is no thread; there are {}", thread.text, fmt::join(names, ", ")),
                 names);
        return step;
    }

    Step operands() {
        const std::string_view name = m_usage->name;
        if (name == "split") return split();
        if (name == "parallel") return annotation(Annotation::Parallel);
        if (name == "vectorize") return annotation(Annotation::Vectorize);
        if (name == "unroll") return annotation(Annotation::Unroll);
        if (name == "serial") return annotation(Annotation::None);
        if (name == "tensorize") return annotation(Annotation::Tensorize);
        if (name == "bind") return bind();
        const StageId id = stage();
        if (name == "fuse") return FuseStep{id, loops(id)};
        if (name == "reorder") return ReorderStep{id, loops(id)};
        if (name == "compute_inline") return ComputeInlineStep{id};
        if (name == "compute_root") return ComputeRootStep{id};
        if (name == "compute_at") {
            const StageId reader = stage("the stage that reads it");
            return ComputeAtStep{id, reader, loop(reader)};
        }
        if (name == "cache_write") return CacheWriteStep{id, word("a memory scope").text};
        if (name == "cache_read") {
            CacheReadStep step{id, word("a memory scope").text, {}};
            do step.readers.push_back(stage("the stage that reads it"));
            while (comma());
            return step;
        }
        if (name == "pragma") {
            const IterId iter = loopOrNumber(id);
            return PragmaStep{id, iter, word("a pragma").text};
        }
        const IterId iter = loop(id);
        if (name == "storage_align") {
            const auto factor = static_cast<int>(number("a factor"));
            return StorageAlignStep{id, iter, factor, static_cast<int>(number("an offset"))};
        }
        if (name == "rfactor") {
            keyword("at");
            return RfactorStep{id, iter, static_cast<int>(number("a position"))};
        }
        keyword("like");
        if (name == "follow_split") {
            const StepId source = labelled();
            keyword("parts");
            return FollowSplitStep{id, iter, source, static_cast<int>(number("the number of parts"))};
        }
        FollowFusedSplitStep step{id, iter, {}, 0, true};
        do step.sources.push_back(labelled());
        while (comma());
        keyword("level");
        step.level = static_cast<int>(number("a level"));
        step.factor = !optionalWord("outer");
        return step;
    }

    std::vector<ScriptToken> m_tokens;
    const LoopState &m_state;
    const Labels &m_labels;
    ScriptToken m_label;
    size_t m_at = 0;
    std::string m_primitive;
    int m_primitiveColumn = 1;
    const Primitive *m_usage = nullptr;
};

} // namespace

AppliedScript applyScript(const DagPtr &dag, std::string_view text) {
    StepwiseReplay replay(dag);
    AppliedScript applied{LoopState(dag), {}, std::nullopt};
    Labels labels;
    int line = 0;
    while (!text.empty() && !applied.problem) {
        const size_t end = std::min(text.find('\n'), text.size());
        ++line;
        try {
            LineReader reader(scriptTokens(text.substr(0, end)), replay.state(), labels);
            if (!reader.empty()) {
                const Step step = reader.read();
                if (const Refused refused = replay.apply(step)) {
                    ScheduleRefusal alone = *refused;
                    alone.step = StepId(); // people count lines
                    throw ScriptProblem{0,
                                        reader.column(),
                                        reader.primitive(),
                                        ruleName(refused->rule),
                                        alone.sentence(),
                                        legalTexts(replay.state(), alone)};
                }
                if (!reader.label().empty()) labels.emplace(reader.label(), StepId(applied.lines.size()));
                applied.lines.push_back(line);
            }
        } catch (const ScriptProblem &problem) {
            applied.problem = problem;
            applied.problem->line = line;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    applied.state = std::move(replay).take();
    return applied;
}

} // namespace loopscope
