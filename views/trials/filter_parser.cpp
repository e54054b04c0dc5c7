// The parser of trial_filter.h: words, then a recursive descent over them; every refusal names what would be legal.

#include "views/trials/filter_fields.h"
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
using Unit = FilterUnit;

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
    Parser(const QString &text, const QStringList &tiles) : m_tiles(tiles), m_tokens(text) {}

    std::optional<FilterNode> run(std::optional<FilterProblem> &problem) {
        FilterNode root;
        const bool good = alternatives(root) && (m_tokens.now().kind == FilterToken::End || refuseRest());
        problem = m_problem;
        if (!good) return std::nullopt;
        return root;
    }

  private:
    bool refuse(const FilterToken &token, const QString &sentence) {
        if (!m_problem) m_problem = FilterProblem{token.at, std::max(1, token.length), sentence};
        return false;
    }

    bool refuseRest() {
        return refuse(m_tokens.now(),
                      m_tokens.now().kind == FilterToken::Close
                          ? QStringLiteral("This bracket closes nothing: take it away, or open one with "
                                           "\u2018(\u2019 in front.")
                          : QStringLiteral("%1 needs a field in front, as in \u2018time < 2ms\u2019.")
                                .arg(quoted(m_tokens.now().text)));
    }

    bool refuseMissing() {
        return refuse(m_tokens.now(),
                      QStringLiteral("A condition is missing here: write one on both sides of \u2018and\u2019 and "
                                     "\u2018or\u2019 and inside brackets, as in \u2018pinned or rank <= "
                                     "10\u2019."));
    }

    bool alternatives(FilterNode &out) {
        out.kind = Kind::Or;
        for (;;) {
            FilterNode all;
            if (!conditions(all)) return false;
            out.children.push_back(std::move(all));
            if (!m_tokens.isOr()) break;
            m_tokens.take();
        }
        if (out.children.size() == 1) out = FilterNode(std::move(out.children[0]));
        return true;
    }

    bool conditions(FilterNode &out) {
        out.kind = Kind::And;
        while (!m_tokens.atEnd() && !m_tokens.isOr()) {
            const bool joined = m_tokens.isAnd();
            if (joined && !out.children.empty()) m_tokens.take();
            if (m_tokens.atEnd() || m_tokens.isOr() || m_tokens.isAnd()) return refuseMissing();
            FilterNode one;
            if (!condition(one)) return false;
            out.children.push_back(std::move(one));
        }
        if (out.children.empty()) return refuseMissing();
        if (out.children.size() == 1) out = FilterNode(std::move(out.children[0]));
        return true;
    }

    bool condition(FilterNode &out) {
        const FilterToken token = m_tokens.now();
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
        if (token.kind == FilterToken::Not || m_tokens.isWord("not")) {
            m_tokens.take();
            if (m_tokens.atEnd() || m_tokens.isOr() || m_tokens.isAnd())
                return refuse(token, QStringLiteral("%1 turns round what follows it, so a condition must follow, as in "
                                                    "\u2018not failed\u2019.")
                                         .arg(quoted(token.text)));
            out.kind = Kind::Not;
            out.children.resize(1);
            return condition(out.children[0]);
        }
        if (token.kind == FilterToken::Open) {
            m_tokens.take();
            if (!alternatives(out)) return false;
            if (m_tokens.now().kind != FilterToken::Close)
                return refuse(token, QStringLiteral("This bracket is never closed: add \u2018)\u2019."));
            m_tokens.take();
            return true;
        }
        if (token.kind == FilterToken::OpenQuote)
            return refuse(token, QStringLiteral("This quote is never closed: add \u2018\"\u2019."));
        if (token.kind == FilterToken::Quoted) {
            m_tokens.take();
            return anywhere(token.text, out);
        }
        if (token.kind == FilterToken::Operator) return refuseRest();
        if (token.kind == FilterToken::Separator)
            return refuse(token,
                          QStringLiteral("%1 joins nothing here: conditions next to each other must all hold, and "
                                         "\u2018or\u2019 joins alternatives, as in \u2018pinned or failed\u2019.")
                              .arg(quoted(token.text)));
        return word(out);
    }

    bool anywhere(const QString &text, FilterNode &out) {
        out.kind = Kind::Anywhere;
        setText(text, out);
        return true;
    }
    /// ":", "=" and "==" ask for something, "!=" for anything else; null otherwise.
    static std::optional<bool> equality(const QString &op) {
        if (op == QLatin1String("!=") || op == QLatin1String("<>")) return false;
        if (op == QLatin1String(":") || op == QLatin1String("=") || op == QLatin1String("==")) return true;
        return std::nullopt;
    }
    static void turnRound(FilterNode &node) {
        FilterNode inside = std::move(node);
        node = {};
        node.kind = Kind::Not;
        node.children.push_back(std::move(inside));
    }
    static void setText(const QString &text, FilterNode &out) {
        out.text = text;
        out.lower = text.toLower().toStdString();
    }

    bool word(FilterNode &out) {
        const FilterToken token = m_tokens.take();
        const bool compared = m_tokens.now().kind == FilterToken::Operator;
        // "time ! 2ms" compares with an operator that does not exist; behind anything else '!' begins a condition.
        const bool wronglyCompared =
            m_tokens.now().kind == FilterToken::Not && m_tokens.now().text == QLatin1String("!");
        if (const auto *field = numberField(token.text)) {
            if (!compared && !wronglyCompared)
                return refuse(token, QStringLiteral("%1 is a number to compare: write %2 (or \"%3\" to look for the "
                                                    "word).")
                                         .arg(quoted(field->name), quoted(field->example), token.text));
            out.kind = Kind::Number;
            out.column = field->column;
            return comparison(token, field->unit, field->example, out);
        }
        if (const auto *field = textField(token.text)) {
            if (!compared || !equality(m_tokens.now().text))
                return refuse(compared ? m_tokens.now() : token, QStringLiteral("%1 is a text to look in: write %2.")
                                                                     .arg(quoted(field->name), quoted(field->example)));
            return textCondition(token, field->column, field->example, out);
        }
        if (const auto *flag = flagField(token.text)) return flagCondition(*flag, compared, out);
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

    /// "failed", and also "failed:yes", "pinned = false".
    bool flagCondition(const FlagField &flag, bool compared, FilterNode &out) {
        out.kind = Kind::Flag;
        out.flag = flag.flag;
        if (!compared) return true;
        const FilterToken op = m_tokens.take();
        const QString value = m_tokens.now().kind == FilterToken::Word ? m_tokens.now().text.toLower() : QString();
        const bool yes =
            QStringList{QStringLiteral("yes"), QStringLiteral("true"), QStringLiteral("1")}.contains(value);
        const bool no = QStringList{QStringLiteral("no"), QStringLiteral("false"), QStringLiteral("0")}.contains(value);
        const std::optional<bool> equal = equality(op.text);
        if (!equal || (!yes && !no))
            return refuse(op, QStringLiteral("%1 is a state, not a number: write %1 or %2.")
                                  .arg(quoted(flag.name), quoted(QStringLiteral("not ") + QLatin1String(flag.name))));
        m_tokens.take();
        if (yes != *equal) turnRound(out);
        return true;
    }

    bool textCondition(const FilterToken &field, TrialColumn column, const char *example, FilterNode &out) {
        const FilterToken op = m_tokens.take();
        const FilterToken value = m_tokens.now();
        if (value.kind == FilterToken::OpenQuote)
            return refuse(value, QStringLiteral("This quote is never closed: add \u2018\"\u2019."));
        if (value.kind != FilterToken::Word && value.kind != FilterToken::Quoted)
            return refuse(op, QStringLiteral("%1 needs a word behind it, as in %2.")
                                  .arg(quoted(field.text + op.text), quoted(example)));
        m_tokens.take();
        out.kind = Kind::Text;
        out.column = column;
        setText(value.text, out);
        const QStringList kinds = failureKinds();
        if (column != TrialColumn::Failure || std::any_of(kinds.begin(), kinds.end(), [&](const QString &kind) {
                return kind.contains(value.text, Qt::CaseInsensitive);
            })) {
            if (!*equality(op.text)) turnRound(out);
            return true;
        }
        return refuse(value, QStringLiteral("No kind of failure is called %1; there are %2.")
                                 .arg(quoted(value.text), kinds.join(QStringLiteral(", "))));
    }

    bool comparison(const FilterToken &field, Unit unit, const char *example, FilterNode &out) {
        const FilterToken op = m_tokens.take();
        static const std::array<std::pair<const char *, Compare>, 11> ops{{{"<", Compare::Less},
                                                                           {"<=", Compare::LessEqual},
                                                                           {"=<", Compare::LessEqual},
                                                                           {">", Compare::Greater},
                                                                           {">=", Compare::GreaterEqual},
                                                                           {"=>", Compare::GreaterEqual},
                                                                           {"=", Compare::Equal},
                                                                           {"==", Compare::Equal},
                                                                           {"", Compare::Equal}, // ":" alone
                                                                           {"!=", Compare::NotEqual},
                                                                           {"<>", Compare::NotEqual}}};
        const QString meant = op.text.startsWith(QLatin1Char(':')) ? op.text.mid(1) : op.text; // ":<" is "<"
        const auto *const known =
            std::find_if(ops.begin(), ops.end(), [&](const auto &o) { return meant == QLatin1String(o.first); });
        if (known == ops.end())
            return refuse(
                op, QStringLiteral("%1 compares nothing; there are <, <=, >, >=, = and !=.").arg(quoted(op.text)));
        out.compare = known->second;
        FilterToken value = m_tokens.now();
        if (value.kind == FilterToken::Not && value.text == QLatin1String("-") &&
            m_tokens.next().kind == FilterToken::Word) {
            m_tokens.take();
            value = m_tokens.now();
            value.text.prepend(QLatin1Char('-'));
        }
        if (value.kind != FilterToken::Word)
            return refuse(op, QStringLiteral("%1 needs a number behind it, as in %2.")
                                  .arg(quoted(field.text + QLatin1Char(' ') + op.text), quoted(example)));
        m_tokens.take();
        // "2 ms" as well as "2ms"
        if (unit != Unit::None && unit != Unit::Count && m_tokens.now().kind == FilterToken::Word &&
            unitFactor(unit, m_tokens.now().text) > 0 && unitOf(value.text).isEmpty()) {
            value.text += m_tokens.now().text;
            m_tokens.take();
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
        if (const qsizetype dash = text.indexOf(QLatin1Char('-'), 1); !good && dash > 0) {
            bool first = false;
            text.left(dash - unitOf(text.left(dash)).size()).toDouble(&first);
            if (first)
                return refuse(token,
                              QStringLiteral("A range is written with two full stops, as in %1.")
                                  .arg(quoted(QStringLiteral("%1..%2").arg(text.left(dash), text.mid(dash + 1)))));
        }
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
        if (unit == Unit::Share && suffix.isEmpty() && value > 1)
            return refuse(token, QStringLiteral("%1 alone would be %2 %: write %3.")
                                     .arg(quoted(text), QString::number(value * 100), quoted(text + QLatin1Char('%'))));
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
        out.text = name;
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
        const FilterToken op = m_tokens.take();
        const FilterToken value = m_tokens.now();
        const QString pattern = name + QStringLiteral(":1x8x16x4");
        const std::optional<bool> equal = equality(op.text);
        if (!equal)
            return refuse(op, QStringLiteral("%1 has several factors: compare one of them, as in %2, or all, as in %3.")
                                  .arg(quoted(name), quoted(example), quoted(pattern)));
        if (value.kind != FilterToken::Word)
            return refuse(
                op,
                QStringLiteral("%1 needs factors behind it, as in %2.").arg(quoted(name + op.text), quoted(pattern)));
        m_tokens.take();
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
        if (!*equal) turnRound(out);
        return true;
    }

    const QStringList &m_tiles;
    FilterCursor m_tokens;
    int m_depth = 0;
    std::optional<FilterProblem> m_problem;
};

} // namespace

ParsedFilter parseTrialFilter(const QString &text, const QStringList &tileColumns) {
    ParsedFilter parsed;
    if (text.trimmed().isEmpty()) return parsed;
    if (auto root = Parser(text, tileColumns).run(parsed.problem))
        parsed.filter = std::make_shared<TrialFilter>(std::make_shared<const FilterNode>(std::move(*root)));
    return parsed;
}

} // namespace loopscope
