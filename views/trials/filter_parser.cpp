// The parser of trial_filter.h: words, then a recursive descent over them; every refusal names what would be legal.

#include "views/trials/filter_node.h"
#include "views/trials/filter_token.h"
#include "views/trials/trial_facts.h"
#include "views/trials/trial_filter.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace loopscope {

namespace {

using Kind = FilterNode::Kind;
using Compare = FilterNode::Compare;

/// How the number of a field may be written.
enum class Unit : uint8_t { None, Count, Time, Share };

struct Field {
    const char *name;
    TrialColumn column;
    Unit unit;
    const char *example;
};
constexpr std::array<Field, 16> kNumbers{{
    {"time", TrialColumn::Time, Unit::Time, "time < 2ms"},
    {"gflops", TrialColumn::Gflops, Unit::None, "gflops > 100"},
    {"peak", TrialColumn::Peak, Unit::Share, "peak > 50%"},
    {"spread", TrialColumn::Spread, Unit::Share, "spread < 5%"},
    {"error", TrialColumn::Error, Unit::None, "error > 0.5"},
    {"rank", TrialColumn::Rank, Unit::Count, "rank <= 10"},
    {"trial", TrialColumn::Trial, Unit::Count, "trial:10..20"},
    {"sketch", TrialColumn::Sketch, Unit::Count, "sketch:1"},
    {"round", TrialColumn::Round, Unit::Count, "round:3"},
    {"gen", TrialColumn::Generation, Unit::Count, "gen >= 2"},
    {"generation", TrialColumn::Generation, Unit::Count, "generation >= 2"},
    {"predicted", TrialColumn::Predicted, Unit::None, "predicted > 0.5"},
    {"score", TrialColumn::Predicted, Unit::None, "score > 0.5"},
    {"build", TrialColumn::Build, Unit::Time, "build > 1s"},
    {"run", TrialColumn::Run, Unit::Time, "run > 1s"},
    {"again", TrialColumn::Again, Unit::Count, "again >= 1"},
}};
struct TextField {
    const char *name;
    TrialColumn column;
    const char *example;
};
constexpr std::array<TextField, 4> kTexts{{
    {"mutation", TrialColumn::Mutation, "mutation:tile-size"},
    {"failure", TrialColumn::Failure, "failure:wrong-answer"},
    {"reason", TrialColumn::Reason, "reason:\"out of memory\""},
    {"note", TrialColumn::Note, "note:try"},
}};
struct Flag {
    const char *name;
    FilterFlag flag;
};
constexpr std::array<Flag, 8> kFlags{{
    {"failed", FilterFlag::Failed},
    {"valid", FilterFlag::Valid},
    {"pinned", FilterFlag::Pinned},
    {"unstable", FilterFlag::Unstable},
    {"best", FilterFlag::Best},
    {"noted", FilterFlag::Noted},
    {"remeasured", FilterFlag::Remeasured},
    {"logged", FilterFlag::Logged},
}};

template <typename Entries> auto findNamed(const Entries &entries, const QString &name) -> decltype(entries.data()) {
    for (const auto &entry : entries)
        if (name.compare(QLatin1String(entry.name), Qt::CaseInsensitive) == 0) return &entry;
    return nullptr;
}

QString quoted(const QString &text) { return QStringLiteral("\u2018%1\u2019").arg(text); }
QString quoted(const char *text) { return quoted(QString::fromUtf8(text)); }

/// The first loops by name, to say what there is.
QString someOf(const QStringList &names) {
    constexpr qsizetype kSome = 4;
    QStringList first = names.mid(0, kSome);
    if (names.size() > kSome) first << QStringLiteral("\u2026");
    return first.join(QStringLiteral(", "));
}

class Parser {
  public:
    Parser(const QString &text, const QStringList &tiles) : m_tiles(tiles), m_tokens(filterTokens(text)) {}

    std::optional<FilterNode> run(std::optional<FilterProblem> &problem) {
        FilterNode root;
        const bool good = alternatives(root) && (now().kind == FilterToken::End || refuseRest());
        problem = m_problem;
        if (!good) return std::nullopt;
        return root;
    }

  private:
    [[nodiscard]] const FilterToken &now() const { return m_tokens[m_at]; }
    [[nodiscard]] const FilterToken &next() const { return m_tokens[std::min(m_at + 1, m_tokens.size() - 1)]; }
    FilterToken take() { return m_tokens[m_at + 1 < m_tokens.size() ? m_at++ : m_at]; }
    [[nodiscard]] bool isWord(const char *word) const {
        return now().kind == FilterToken::Word && now().text.compare(QLatin1String(word), Qt::CaseInsensitive) == 0;
    }

    bool refuse(const FilterToken &token, const QString &sentence) {
        if (!m_problem) m_problem = FilterProblem{token.at, std::max(1, token.length), sentence};
        return false;
    }
    bool refuseRest() {
        return refuse(
            now(),
            now().kind == FilterToken::Close
                ? QStringLiteral("This bracket closes nothing: take it away, or open one with "
                                 "\u2018(\u2019 in front.")
                : QStringLiteral("%1 needs a field in front, as in \u2018time < 2ms\u2019.").arg(quoted(now().text)));
    }

    bool alternatives(FilterNode &out) {
        out.kind = Kind::Or;
        for (;;) {
            FilterNode all;
            if (!conditions(all)) return false;
            out.children.push_back(std::move(all));
            if (!isWord("or")) break;
            take();
        }
        if (out.children.size() == 1) out = FilterNode(std::move(out.children[0]));
        return true;
    }

    bool conditions(FilterNode &out) {
        out.kind = Kind::And;
        while (now().kind != FilterToken::End && now().kind != FilterToken::Close && !isWord("or")) {
            if (isWord("and") && !out.children.empty()) take();
            FilterNode one;
            if (!condition(one)) return false;
            out.children.push_back(std::move(one));
        }
        if (out.children.empty())
            return refuse(now(), QStringLiteral("A condition is missing here: write one on both sides of "
                                                "\u2018or\u2019 and inside brackets, as in \u2018pinned or rank <= "
                                                "10\u2019."));
        if (out.children.size() == 1) out = FilterNode(std::move(out.children[0]));
        return true;
    }

    bool condition(FilterNode &out) {
        const FilterToken token = now();
        constexpr int kDeepest = 100; // what is pasted by mistake must not exhaust the stack
        if (++m_depth > kDeepest)
            return refuse(token, QStringLiteral("Brackets and \u2018not\u2019 go more than %1 deep here; fewer will "
                                                "do.")
                                     .arg(kDeepest));
        const bool good = conditionInside(token, out);
        --m_depth;
        return good;
    }

    bool conditionInside(const FilterToken &token, FilterNode &out) {
        if (token.kind == FilterToken::Minus || isWord("not")) {
            take();
            if (now().kind == FilterToken::End || now().kind == FilterToken::Close || isWord("or"))
                return refuse(token, QStringLiteral("%1 turns round what follows it, so a condition must follow, as in "
                                                    "\u2018not failed\u2019.")
                                         .arg(quoted(token.text)));
            out.kind = Kind::Not;
            out.children.resize(1);
            return condition(out.children[0]);
        }
        if (token.kind == FilterToken::Open) {
            take();
            if (!alternatives(out)) return false;
            if (now().kind != FilterToken::Close)
                return refuse(token, QStringLiteral("This bracket is never closed: add \u2018)\u2019."));
            take();
            return true;
        }
        if (token.kind == FilterToken::OpenQuote)
            return refuse(token, QStringLiteral("This quote is never closed: add \u2018\"\u2019."));
        if (token.kind == FilterToken::Quoted) {
            take();
            return anywhere(token.text, out);
        }
        if (token.kind == FilterToken::Operator) return refuseRest();
        return word(out);
    }

    bool anywhere(const QString &text, FilterNode &out) {
        out.kind = Kind::Anywhere;
        setText(text, out);
        return true;
    }
    static void setText(const QString &text, FilterNode &out) {
        out.text = text;
        out.lower = text.toLower().toStdString();
    }

    bool word(FilterNode &out) {
        const FilterToken token = take();
        const bool compared = now().kind == FilterToken::Operator;
        if (const auto *field = findNamed(kNumbers, token.text)) {
            if (!compared)
                return refuse(token, QStringLiteral("%1 is a number to compare: write %2 (or \"%3\" to look for the "
                                                    "word).")
                                         .arg(quoted(field->name), quoted(field->example), token.text));
            out.kind = Kind::Number;
            out.column = field->column;
            return comparison(token, field->unit, field->example, out);
        }
        if (const auto *field = findNamed(kTexts, token.text)) {
            if (!compared || (now().text != QLatin1String(":") && now().text != QLatin1String("=")))
                return refuse(compared ? now() : token, QStringLiteral("%1 is a text to look in: write %2.")
                                                            .arg(quoted(field->name), quoted(field->example)));
            return textCondition(token, field->column, field->example, out);
        }
        if (const auto *flag = findNamed(kFlags, token.text); flag != nullptr && !compared) {
            out.kind = Kind::Flag;
            out.flag = flag->flag;
            return true;
        }
        if (compared) return tile(token, out);
        // A loop whose condition is still being typed is not looked for as a word meanwhile.
        const auto begun = std::find_if(m_tiles.begin(), m_tiles.end(), [&](const QString &loop) {
            return token.text.contains(QLatin1Char('.')) && loop.startsWith(token.text);
        });
        if (begun != m_tiles.end())
            return refuse(token, QStringLiteral(
                                     "%1 begins the name of a loop that is split: compare its factors, as in %2 or %3.")
                                     .arg(quoted(token.text), quoted(*begun + QStringLiteral(":1x8x16x4")),
                                          quoted(*begun + QStringLiteral("[2] >= 8"))));
        return anywhere(token.text, out);
    }

    bool textCondition(const FilterToken &field, TrialColumn column, const char *example, FilterNode &out) {
        const FilterToken op = take();
        const FilterToken value = now();
        if (value.kind == FilterToken::OpenQuote)
            return refuse(value, QStringLiteral("This quote is never closed: add \u2018\"\u2019."));
        if (value.kind != FilterToken::Word && value.kind != FilterToken::Quoted)
            return refuse(op, QStringLiteral("%1 needs a word behind it, as in %2.")
                                  .arg(quoted(field.text + op.text), quoted(example)));
        take();
        out.kind = Kind::Text;
        out.column = column;
        setText(value.text, out);
        if (column != TrialColumn::Failure) return true;
        const QStringList kinds = failureKinds();
        if (std::any_of(kinds.begin(), kinds.end(),
                        [&](const QString &kind) { return kind.contains(value.text, Qt::CaseInsensitive); }))
            return true;
        return refuse(value, QStringLiteral("No kind of failure is called %1; there are %2.")
                                 .arg(quoted(value.text), kinds.join(QStringLiteral(", "))));
    }

    bool comparison(const FilterToken &field, Unit unit, const char *example, FilterNode &out) {
        const FilterToken op = take();
        static const std::array<std::pair<const char *, Compare>, 8> ops{{{"<", Compare::Less},
                                                                          {"<=", Compare::LessEqual},
                                                                          {">", Compare::Greater},
                                                                          {">=", Compare::GreaterEqual},
                                                                          {"=", Compare::Equal},
                                                                          {"==", Compare::Equal},
                                                                          {":", Compare::Equal},
                                                                          {"!=", Compare::NotEqual}}};
        const auto *const known =
            std::find_if(ops.begin(), ops.end(), [&](const auto &o) { return op.text == QLatin1String(o.first); });
        if (known == ops.end())
            return refuse(
                op, QStringLiteral("%1 compares nothing; there are <, <=, >, >=, = and !=.").arg(quoted(op.text)));
        out.compare = known->second;
        FilterToken value = now();
        if (value.kind == FilterToken::Minus && next().kind == FilterToken::Word) {
            take();
            value = now();
            value.text.prepend(QLatin1Char('-'));
        }
        if (value.kind != FilterToken::Word)
            return refuse(op, QStringLiteral("%1 needs a number behind it, as in %2.")
                                  .arg(quoted(field.text + QLatin1Char(' ') + op.text), quoted(example)));
        take();
        // "2 ms" as well as "2ms"
        if (unit != Unit::None && unit != Unit::Count && now().kind == FilterToken::Word &&
            unitFactor(unit, now().text) > 0 && unitOf(value.text).isEmpty()) {
            value.text += now().text;
            take();
        }
        const qsizetype dots = value.text.indexOf(QLatin1String(".."));
        if (dots >= 0) {
            if (out.compare != Compare::Equal)
                return refuse(
                    value,
                    QStringLiteral("A range goes with \u2018:\u2019, as in \u2018%1:10..20\u2019.").arg(field.text));
            FilterNode last;
            return number(value, value.text.left(dots), unit, example, out) &&
                   number(value, value.text.mid(dots + 2), unit, example, last) && (out.upper = last.upper, true);
        }
        return number(value, value.text, unit, example, out);
    }

    /// What stands behind the digits.
    static QString unitOf(const QString &text) {
        qsizetype end = text.size();
        while (end > 0 && !text[end - 1].isDigit() && text[end - 1] != QLatin1Char('.')) --end;
        return text.mid(end);
    }
    static double unitFactor(Unit unit, const QString &text) {
        if (unit == Unit::Share) return text == QLatin1String("%") ? 0.01 : 0;
        if (text == QLatin1String("s")) return 1;
        if (text == QLatin1String("ms")) return 1e-3;
        if (text == QLatin1String("us") || text == QStringLiteral("\u00b5s") || text == QStringLiteral("\u03bcs"))
            return 1e-6;
        return text == QLatin1String("ns") ? 1e-9 : 0;
    }

    /// A value equals what is written when it rounds to it: "1.23ms" is 1.225 ms to 1.235 ms.
    bool number(const FilterToken &token, const QString &text, Unit unit, const char *example, FilterNode &out) {
        const QString suffix = unitOf(text);
        const QString digits = text.left(text.size() - suffix.size());
        bool good = false;
        const double value = digits.toDouble(&good);
        if (!good || !std::isfinite(value))
            return refuse(
                token, QStringLiteral("%1 is no number; write one as in %2.").arg(quoted(token.text), quoted(example)));
        double factor = 1;
        if (unit == Unit::Time) {
            factor = unitFactor(unit, suffix);
            if (factor <= 0)
                return refuse(token, QStringLiteral("A time needs its unit: ns, \u00b5s (or us), ms or s, as in %1.")
                                         .arg(quoted(example)));
        } else if (unit == Unit::Share && !suffix.isEmpty()) {
            factor = unitFactor(unit, suffix);
        }
        if (factor <= 0 || (unit != Unit::Time && unit != Unit::Share && !suffix.isEmpty()))
            return refuse(
                token,
                QStringLiteral("%1 is no unit here; write the number as in %2.").arg(quoted(suffix), quoted(example)));
        double half = 0;
        if (out.compare == Compare::Equal || out.compare == Compare::NotEqual) {
            const qsizetype point = digits.indexOf(QLatin1Char('.'));
            const auto decimals = point < 0 ? 0.0 : static_cast<double>(digits.size() - point - 1);
            half = unit == Unit::Count ? 0 : 0.5 * std::pow(10.0, -decimals) * (1 + 1e-9);
        }
        out.value = (value - half) * factor;
        out.upper = (value + half) * factor;
        return true;
    }

    bool tile(const FilterToken &token, FilterNode &out) {
        QString name = token.text;
        const qsizetype bracket = name.endsWith(QLatin1Char(']')) ? name.lastIndexOf(QLatin1Char('[')) : -1;
        QString index;
        if (bracket > 0) {
            index = name.mid(bracket + 1, name.size() - bracket - 2);
            name.truncate(bracket);
        }
        out.tile = static_cast<int>(m_tiles.indexOf(name));
        if (out.tile < 0) {
            if (name.contains(QLatin1Char('.')) && !m_tiles.isEmpty())
                return refuse(token, QStringLiteral("No schedule here splits a loop %1; there are %2.")
                                         .arg(quoted(name), someOf(m_tiles)));
            return refuse(token,
                          QStringLiteral("There is no field %1; there are %2, and loops that are split%3.")
                              .arg(quoted(name), filterFields().join(QStringLiteral(", ")),
                                   m_tiles.isEmpty() ? QString() : QStringLiteral(", such as ") + m_tiles.first()));
        }
        const QString example = name + QStringLiteral("[2] >= 8");
        if (bracket > 0) {
            bool good = false;
            out.part = index.toInt(&good);
            if (!good || out.part < 0)
                return refuse(token, QStringLiteral("%1 is no place among the factors: count them from 0, outermost "
                                                    "first, as in %2.")
                                         .arg(quoted(index), quoted(example)));
            out.kind = Kind::TileAt;
            return comparison(token, Unit::Count, example.toUtf8().constData(), out);
        }
        const FilterToken op = take();
        const FilterToken value = now();
        const QString pattern = name + QStringLiteral(":1x8x16x4");
        if (op.text != QLatin1String(":") && op.text != QLatin1String("="))
            return refuse(op, QStringLiteral("%1 has several factors: compare one of them, as in %2, or all, as in %3.")
                                  .arg(quoted(name), quoted(example), quoted(pattern)));
        if (value.kind != FilterToken::Word)
            return refuse(
                op,
                QStringLiteral("%1 needs factors behind it, as in %2.").arg(quoted(name + op.text), quoted(pattern)));
        take();
        QString text = value.text;
        text.replace(QChar(0x00d7), QLatin1Char('x')).replace(QLatin1Char('*'), QLatin1Char('x'));
        for (const QString &part : text.split(QLatin1Char('x'))) {
            bool good = part == QLatin1String("?");
            out.parts.push_back(good ? -1 : part.toLongLong(&good));
            if (!good || (out.parts.back() < 0 && part != QLatin1String("?")))
                return refuse(value,
                              QStringLiteral("%1 is no list of factors: write numbers joined by x, ? for any, as "
                                             "in %2.")
                                  .arg(quoted(value.text), quoted(pattern)));
        }
        out.kind = Kind::TileIs;
        return true;
    }

    const QStringList &m_tiles;
    std::vector<FilterToken> m_tokens;
    size_t m_at = 0;
    int m_depth = 0;
    std::optional<FilterProblem> m_problem;
};

template <typename Entries> QStringList namesOf(const Entries &entries) {
    QStringList names;
    for (const auto &entry : entries) names << QLatin1String(entry.name);
    return names;
}

} // namespace

ParsedFilter parseTrialFilter(const QString &text, const QStringList &tileColumns) {
    ParsedFilter parsed;
    if (text.trimmed().isEmpty()) return parsed;
    if (auto root = Parser(text, tileColumns).run(parsed.problem))
        parsed.filter = std::make_shared<TrialFilter>(std::make_shared<const FilterNode>(std::move(*root)));
    return parsed;
}

QStringList filterFlags() { return namesOf(kFlags); }

QStringList filterFields() {
    QStringList names = namesOf(kNumbers) + namesOf(kTexts);
    names.removeAll(QStringLiteral("generation")); // second names of gen and predicted
    names.removeAll(QStringLiteral("score"));
    return names;
}

QStringList failureKinds() {
    QStringList kinds;
    for (int error = 1; error <= static_cast<int>(TrialError::Unknown); ++error)
        kinds << failureKind(static_cast<TrialError>(error));
    return kinds;
}

} // namespace loopscope
