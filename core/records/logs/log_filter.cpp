#include "records/logs/log_filter.h"

#include "base/nearest_name.h"
#include "records/logs/filter_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace loopscope {

namespace {

using FilterNode = LogFilterNode;

enum class FilterUnit : uint8_t { Count, Time, Share, Date };

struct NumberField {
    const char *name;
    LogColumn column;
    FilterUnit unit;
    const char *example;
};
constexpr std::array<NumberField, 10> kNumberFields{{
    {"time", LogColumn::Time, FilterUnit::Time, "time < 2ms"},
    {"spread", LogColumn::Spread, FilterUnit::Share, "spread <= 5%"},
    {"repeats", LogColumn::Repeats, FilterUnit::Count, "repeats >= 3"},
    {"steps", LogColumn::Steps, FilterUnit::Count, "steps > 40"},
    {"line", LogColumn::Line, FilterUnit::Count, "line:100..200"},
    {"record", LogColumn::Record, FilterUnit::Count, "record < 10"},
    {"task", LogColumn::Task, FilterUnit::Count, "task:3"},
    {"structure", LogColumn::Structure, FilterUnit::Count, "structure:0"},
    {"elements", LogColumn::Elements, FilterUnit::Count, "elements:6"},
    {"timestamp", LogColumn::Timestamp, FilterUnit::Date, "timestamp >= 2024-01-31"},
}};

struct TextField {
    const char *name;
    FilterNode::Text field;
    const char *example;
};
constexpr std::array<TextField, 6> kTextFields{{
    {"key", FilterNode::Text::Key, "key:conv2d"},
    {"target", FilterNode::Text::Target, "target:cuda"},
    {"failure", FilterNode::Text::Failure, "failure:wrong-answer"},
    {"reason", FilterNode::Text::Reason, "reason:\"out of memory\""},
    {"note", FilterNode::Text::Note, "note:\"look again\""},
    {"tag", FilterNode::Text::Tag, "tag:keep"},
}};

struct FlagField {
    const char *name;
    FilterNode::Flag flag;
};
constexpr std::array<FlagField, 6> kFlagFields{{
    {"failed", FilterNode::Flag::Failed},
    {"valid", FilterNode::Flag::Valid},
    {"unstable", FilterNode::Flag::Unstable},
    {"best", FilterNode::Flag::Best},
    {"pinned", FilterNode::Flag::Pinned},
    {"noted", FilterNode::Flag::Noted},
}};

const auto *namedField(const auto &fields, std::string_view name) {
    const std::string lower = lowerCase(name);
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const auto &field) { return lower == field.name; });
    return found == fields.end() ? nullptr : &*found;
}

struct FilterRange {
    double least = 0;
    double greatest = 0;
    double value = 0; // as written; of a day its begin
};

/// 0: no unit of a time.
double timeFactor(std::string_view unit) {
    if (unit == "s") return 1;
    if (unit == "ms") return 1e-3;
    if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return 1e-6;
    return unit == "ns" ? 1e-9 : 0;
}

/// The day, from its first to its last second.
std::optional<FilterRange> dayOf(std::string_view text) {
    std::array<int, 3> parts{};
    for (size_t i = 0; i < parts.size(); ++i) {
        const auto read = std::from_chars(text.data(), text.data() + text.size(), parts[i]);
        if (read.ec != std::errc()) return std::nullopt;
        text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
        if (text.starts_with('-') != (i < 2)) return std::nullopt;
        if (i < 2) text.remove_prefix(1);
    }
    const std::chrono::year_month_day day{std::chrono::year(parts[0]),
                                          std::chrono::month(static_cast<unsigned>(parts[1])),
                                          std::chrono::day(static_cast<unsigned>(parts[2]))};
    if (!day.ok() || !text.empty()) return std::nullopt;
    const auto first =
        static_cast<double>(std::chrono::sys_seconds(std::chrono::sys_days(day)).time_since_epoch().count());
    return FilterRange{first, first + 86399, first};
}

class FilterParser {
  public:
    explicit FilterParser(std::string_view text) : m_words(filterWords(text)) {}

    ParsedLogFilter run() {
        ParsedLogFilter parsed;
        if (now().kind == FilterWord::End) return parsed;
        FilterNode root;
        if (alternatives(root) && (now().kind == FilterWord::End || refuseRest()))
            parsed.filter = std::make_shared<const FilterNode>(std::move(root));
        parsed.problem = std::move(m_problem);
        return parsed;
    }

  private:
    [[nodiscard]] const FilterWord &now() const { return m_words[m_at]; }
    FilterWord take() { return m_words[m_at + 1 < m_words.size() ? m_at++ : m_at]; }
    [[nodiscard]] bool atEnd() const { return now().kind == FilterWord::End || now().kind == FilterWord::Close; }

    bool refuse(const FilterWord &word, std::string sentence) {
        if (!m_problem) m_problem = LogFilterProblem{word.at, std::max<size_t>(word.length, 1), std::move(sentence)};
        return false;
    }
    bool refuseRest() {
        return refuse(now(), now().kind == FilterWord::Close
                                 ? "this bracket closes nothing: take it away, or open one with `(` in front"
                                 : fmt::format("`{}` needs a field in front, as in `time < 2ms`", now().text));
    }
    bool refuseMissing() {
        return refuse(now(), "a condition is missing here: write one on both sides of `and` and `or` and inside "
                             "brackets, as in `failed or time > 2ms`");
    }

    bool alternatives(FilterNode &out) {
        out.kind = FilterNode::Kind::Or;
        while (true) {
            FilterNode all;
            if (!conditions(all)) return false;
            out.children.push_back(std::move(all));
            if (now().kind != FilterWord::Or) return true;
            take();
        }
    }
    bool conditions(FilterNode &out) {
        out.kind = FilterNode::Kind::And;
        while (!atEnd() && now().kind != FilterWord::Or) {
            if (now().kind == FilterWord::And) {
                if (out.children.empty()) return refuseMissing();
                take();
                if (atEnd() || now().kind == FilterWord::Or || now().kind == FilterWord::And) return refuseMissing();
            }
            FilterNode one;
            if (!condition(one)) return false;
            out.children.push_back(std::move(one));
        }
        return !out.children.empty() || refuseMissing();
    }

    bool condition(FilterNode &out) {
        constexpr int deepest = 100; // what is pasted by mistake must not exhaust the stack
        if (++m_depth > deepest)
            return refuse(now(), fmt::format("brackets and `not` go more than {} deep here; fewer will do", deepest));
        const bool good = conditionInside(out);
        --m_depth;
        return good;
    }
    bool conditionInside(FilterNode &out) {
        const FilterWord word = now();
        switch (word.kind) {
        case FilterWord::Not:
            take();
            if (atEnd() || now().kind == FilterWord::Or || now().kind == FilterWord::And)
                return refuse(word, fmt::format("`{}` turns round what follows it, so a condition must follow, as in "
                                                "`not failed`",
                                                word.text));
            out.kind = FilterNode::Kind::Not;
            out.children.resize(1);
            return condition(out.children[0]);
        case FilterWord::Open:
            take();
            if (!alternatives(out)) return false;
            if (now().kind != FilterWord::Close) return refuse(word, "this bracket is never closed: add `)`");
            take();
            return true;
        case FilterWord::OpenQuote:
            return refuse(word, "this quote is never closed: add `\"`");
        case FilterWord::Quoted:
            take();
            return textNode(FilterNode::Text::Anywhere, word.text, out);
        case FilterWord::Word:
            return fieldOrWord(out);
        default:
            return refuseRest();
        }
    }

    static bool textNode(FilterNode::Text field, std::string_view text, FilterNode &out) {
        out.kind = FilterNode::Kind::Text;
        out.field = field;
        out.text = lowerCase(text);
        return true;
    }

    bool fieldOrWord(FilterNode &out) {
        const FilterWord word = take();
        const bool compared = now().kind == FilterWord::Operator;
        if (const auto *field = namedField(kNumberFields, word.text)) {
            if (compared) return comparison(*field, out);
            return refuse(word, fmt::format("`{}` is a number to compare: write `{}` (or \"{}\" to look for the word)",
                                            field->name, field->example, word.text));
        }
        if (const auto *field = namedField(kTextFields, word.text)) {
            if (compared) return textCondition(*field, out);
            return refuse(word, fmt::format("`{}` is a text to look in: write `{}`", field->name, field->example));
        }
        if (const auto *flag = namedField(kFlagFields, word.text)) {
            if (compared)
                return refuse(now(),
                              fmt::format("`{0}` is a state, not a number: write `{0}` or `not {0}`", flag->name));
            out.kind = FilterNode::Kind::Flag;
            out.flag = flag->flag;
            return true;
        }
        if (!compared) return textNode(FilterNode::Text::Anywhere, word.text, out);
        const std::vector<std::string> known = logFilterWords();
        return refuse(word, fmt::format("no field is called `{}`{}; there are {}", word.text,
                                        suggestion(lowerCase(word.text), known), fmt::join(known, ", ")));
    }

    bool textCondition(const TextField &field, FilterNode &out) {
        const FilterWord op = take();
        const bool differs = op.text == "!=" || op.text == "<>";
        if (!differs && op.text != ":" && op.text != "=" && op.text != "==")
            return refuse(op, fmt::format("`{}` is a text to look in: write `{}`", field.name, field.example));
        const FilterWord value = now();
        if (value.kind == FilterWord::OpenQuote) return refuse(value, "this quote is never closed: add `\"`");
        if (value.kind != FilterWord::Word && value.kind != FilterWord::Quoted)
            return refuse(op,
                          fmt::format("`{}{}` needs a word behind it, as in `{}`", field.name, op.text, field.example));
        take();
        out.outside = differs;
        textNode(field.field, value.text, out);
        if (field.field != FilterNode::Text::Failure) return true;
        std::vector<std::string> kinds;
        for (int error = 1; error <= static_cast<int>(TrialError::Unknown); ++error)
            kinds.emplace_back(trialErrorName(static_cast<TrialError>(error)));
        if (std::any_of(kinds.begin(), kinds.end(),
                        [&](const std::string &kind) { return kind.find(out.text) != kind.npos; }))
            return true;
        return refuse(
            value, fmt::format("no kind of failure is called `{}`; there are {}", value.text, fmt::join(kinds, ", ")));
    }

    bool comparison(const NumberField &field, FilterNode &out) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const FilterWord op = take();
        std::string_view meant = op.text;
        if (meant.starts_with(':')) meant.remove_prefix(1); // ":<" is "<"
        FilterWord value = now();
        if (value.kind == FilterWord::Not && value.text == "-" && m_words[m_at + 1].kind == FilterWord::Word) {
            take();
            value = now();
            value.text.insert(0, "-");
        }
        if (value.kind != FilterWord::Word)
            return refuse(
                op, fmt::format("`{} {}` needs a number behind it, as in `{}`", field.name, op.text, field.example));
        take();
        if (now().kind == FilterWord::Word && field.unit == FilterUnit::Time && timeFactor(now().text) > 0)
            value.text += take().text; // "2 ms" as well as "2ms"
        FilterRange range;
        if (const size_t dots = value.text.find(".."); dots != std::string::npos) {
            FilterRange last;
            if (!meant.empty() && meant != "=" && meant != "==")
                return refuse(value, fmt::format("a range goes with `:`, as in `{}:10..20`", field.name));
            const std::string_view text = value.text;
            if (!number(field, value, text.substr(0, dots), range) ||
                !number(field, value, text.substr(dots + 2), last))
                return false;
            range.greatest = last.greatest;
        } else if (!number(field, value, value.text, range)) {
            return false;
        }
        out.kind = FilterNode::Kind::Number;
        out.column = field.column;
        // A unit may round what was logged with six digits.
        const double rounding = field.unit == FilterUnit::Time || field.unit == FilterUnit::Share ? 1e-12 : 0;
        const double first = range.value * (1 - rounding);
        const double last = field.unit == FilterUnit::Date ? range.greatest : range.value * (1 + rounding);
        if (meant.empty() || meant == "=" || meant == "==" || meant == "!=" || meant == "<>") {
            out.least = range.least;
            out.greatest = range.greatest;
            out.outside = meant == "!=" || meant == "<>";
        } else if (meant == "<") {
            out.least = -infinity;
            out.greatest = std::nextafter(first, -infinity);
        } else if (meant == "<=" || meant == "=<") {
            out.least = -infinity;
            out.greatest = last;
        } else if (meant == ">") {
            out.least = std::nextafter(last, infinity);
            out.greatest = infinity;
        } else if (meant == ">=" || meant == "=>") {
            out.least = first;
            out.greatest = infinity;
        } else {
            return refuse(op, fmt::format("`{}` compares nothing; there are <, <=, >, >=, = and !=", op.text));
        }
        return true;
    }

    /// A value equals what is written when it rounds to it: `1.23ms` is 1.225 ms to 1.235 ms.
    bool number(const NumberField &field, const FilterWord &word, std::string_view text, FilterRange &range) {
        if (field.unit == FilterUnit::Date) {
            if (const std::optional<FilterRange> day = dayOf(text)) {
                range = *day;
                return true;
            }
        }
        double value = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        const std::string_view unit = text.substr(static_cast<size_t>(read.ptr - text.data()));
        if (read.ec != std::errc() || !std::isfinite(value))
            return refuse(word, fmt::format("`{}` is no number; write one as in `{}`", word.text, field.example));
        double factor = 1;
        if (field.unit == FilterUnit::Time) {
            factor = timeFactor(unit);
            if (factor == 0)
                return refuse(word, fmt::format("a time needs its unit: ns, us, ms or s, as in `{}`", field.example));
        } else if (field.unit == FilterUnit::Share) {
            if (unit == "%") factor = 0.01;
            if (unit.empty() && value > 1)
                return refuse(word, fmt::format("`{0}` alone would be {1:.6g} %: write `{0}%`", text, value * 100));
        }
        if (!unit.empty() && factor == 1 && unit != "s")
            return refuse(word, fmt::format("`{}` is no number; write one as in `{}`", word.text, field.example));
        double half = 0;
        if (field.unit == FilterUnit::Time || field.unit == FilterUnit::Share) {
            const std::string_view digits = text.substr(0, text.size() - unit.size());
            const size_t point = digits.find('.');
            const size_t decimals = point == std::string_view::npos ? 0 : digits.size() - point - 1;
            half = 0.5 * std::pow(10, -static_cast<double>(decimals));
        }
        range = {(value - half) * factor, (value + half) * factor, value * factor};
        return true;
    }

    std::vector<FilterWord> m_words;
    size_t m_at = 0;
    int m_depth = 0;
    std::optional<LogFilterProblem> m_problem;
};

} // namespace

ParsedLogFilter parseLogFilter(std::string_view text) { return FilterParser(text).run(); }

std::vector<std::string> logFilterWords() {
    std::vector<std::string> words;
    for (const NumberField &field : kNumberFields) words.emplace_back(field.name);
    for (const TextField &field : kTextFields) words.emplace_back(field.name);
    for (const FlagField &field : kFlagFields) words.emplace_back(field.name);
    return words;
}

} // namespace loopscope
