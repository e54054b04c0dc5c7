#include "views/loops/move_request.h"

#include "schedule/script/schedule_script.h"
#include "schedule/script/script_words.h"
#include "search/moves/offered_moves.h"
#include "views/session/text.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kMaxLegal = 6; // lines that are tried as a cure

struct Abbreviation {
    const char *typed = nullptr;
    const char *primitive;
};
constexpr std::array kAbbreviations = {
    Abbreviation{"par", "parallel"},      Abbreviation{"vec", "vectorize"},
    Abbreviation{"at", "compute_at"},     Abbreviation{"inline", "compute_inline"},
    Abbreviation{"root", "compute_root"}, Abbreviation{"align", "storage_align"},
    Abbreviation{"order", "reorder"},     Abbreviation{"follow", "follow_split"},
    Abbreviation{"rf", "rfactor"},
};

/// The primitive that was begun to be typed; empty: several, or none.
QString primitiveNamed(const QString &typed) {
    for (const Abbreviation &one : kAbbreviations)
        if (typed == QLatin1String(one.typed)) return QLatin1String(one.primitive);
    QString found;
    for (const Primitive &primitive : primitives()) {
        QString name = qt(primitive.name);
        if (name == typed) return name;
        if (!name.startsWith(typed)) continue;
        if (!found.isEmpty()) return {};
        found = name;
    }
    return found;
}

bool isNumber(const QString &word) {
    bool number = false;
    (void)word.toLongLong(&number);
    return number || word == QLatin1String("?");
}

/// Completes what was typed for the loop it is typed over.
class RequestLine {
  public:
    RequestLine(const LoopState &state, const QString &typed, const std::optional<MoveTarget> &about)
        : m_state(state), m_about(about),
          m_words(QString(typed).replace(u',', u' ').simplified().split(u' ', Qt::SkipEmptyParts)) {}

    /// Empty when no primitive was named.
    QString text() {
        if (m_words.isEmpty()) return {};
        // "cache read", "follow split": names of two words.
        if (m_words.size() > 1) {
            const QString two = m_words[0] + u'_' + m_words[1];
            if (const QString name = primitiveNamed(two);
                !name.isEmpty() && name.contains(u'_') && !stageNamed(m_words[1])) {
                m_words.removeFirst();
                m_words[0] = name;
            }
        }
        const QString name = primitiveNamed(m_words.takeFirst());
        if (name.isEmpty()) return {};
        return complete(name);
    }

  private:
    [[nodiscard]] std::optional<StageId> stageNamed(const QString &word) const {
        for (size_t i = 0; i < m_state.stageCount(); ++i)
            if (qt(scriptStage(m_state, StageId(i))) == word) return StageId(i);
        return std::nullopt;
    }
    [[nodiscard]] std::optional<IterId> loopNamed(StageId stage, const QString &word) const {
        for (size_t i = 0; i < m_state.stage(stage).iters.size(); ++i)
            if (qt(scriptLoop(m_state, stage, IterId(i))) == word) return IterId(i);
        return std::nullopt;
    }
    [[nodiscard]] QString rest(const char *between = " ") const { return m_words.join(QLatin1String(between)); }

    QString complete(const QString &name) {
        // Whoever names a stage means it, unless that is where the stage looked at shall go.
        StageId stage = m_about ? m_about->stage : StageId();
        IterId loop = m_about ? m_about->loop : IterId();
        const bool place = name == QLatin1String("compute_at");
        if (!m_words.isEmpty() && (!place || (m_words.size() > 1 && stageNamed(m_words[1])))) {
            if (const auto named = stageNamed(m_words.front())) {
                if (*named != stage) loop = IterId();
                stage = *named;
                m_words.removeFirst();
            }
        }
        if (stage.value < 0) return name + u' ' + rest();
        const QString head = name + u' ' + qt(scriptStage(m_state, stage));
        static const QStringList ofStage{QStringLiteral("compute_inline"), QStringLiteral("compute_root")};
        if (ofStage.contains(name)) return (head + u' ' + rest()).trimmed();
        if (place) return head + u' ' + rest();
        if (name == QLatin1String("cache_write"))
            return head + u' ' + (m_words.isEmpty() ? QStringLiteral("local") : rest());
        if (name == QLatin1String("cache_read")) return head + u' ' + readers(stage);
        if (name == QLatin1String("reorder")) return head + u' ' + rest(", ");
        if (name == QLatin1String("fuse")) return head + u' ' + fused(stage, loop);
        if (name == QLatin1String("unroll") && m_words.size() == 1 && isNumber(m_words.front()))
            return unrolling(stage, m_words.front());
        if (!m_words.isEmpty())
            if (const auto named = loopNamed(stage, m_words.front())) {
                loop = *named;
                m_words.removeFirst();
            }
        static const QStringList lengths{QStringLiteral("into"), QStringLiteral("by"), QStringLiteral("of"),
                                         QStringLiteral("outer")};
        if (name == QLatin1String("split") && !m_words.isEmpty() && !isNumber(m_words.front()) &&
            !lengths.contains(m_words.front())) { // a loop that is not there
            const QString missing = m_words.takeFirst();
            return head + u' ' + missing + split();
        }
        if (loop.value < 0 || loop.index() >= m_state.stage(stage).iters.size())
            return (head + u' ' + rest()).trimmed();
        const QString full = head + u' ' + qt(scriptLoop(m_state, stage, loop));
        if (name == QLatin1String("split")) return full + split();
        if (name == QLatin1String("rfactor") && m_words.isEmpty())
            return full + QStringLiteral(" at %1").arg(m_state.stage(stage).op->axes.size());
        return (full + u' ' + rest()).trimmed();
    }

    QString split() {
        QString text;
        if (m_words.size() > 1 && m_words.front() == QLatin1String("of")) {
            text = QStringLiteral(" of ") + m_words[1];
            m_words.remove(0, 2);
        }
        if (!m_words.isEmpty() && (m_words.front() == QLatin1String("into") || m_words.front() == QLatin1String("by")))
            m_words.removeFirst();
        text += QStringLiteral(" into ");
        if (!m_words.isEmpty() && m_words.front() == QLatin1String("outer")) {
            text += QStringLiteral("outer ");
            m_words.removeFirst();
        }
        return text + rest(", ");
    }

    QString fused(StageId stage, IterId loop) const {
        const auto count = m_state.stage(stage).iters.size();
        if (!m_words.isEmpty() || loop.value < 0 || loop.index() >= count) return rest(", ");
        QString own = qt(scriptLoop(m_state, stage, loop));
        if (loop.index() + 1 >= count) return own;
        return own + QStringLiteral(", ") + qt(scriptLoop(m_state, stage, IterId(loop.value + 1)));
    }

    /// "unroll 64" means the pragma.
    QString unrolling(StageId stage, const QString &most) const {
        const auto &iters = m_state.stage(stage).iters;
        return QStringLiteral("pragma %1 %2 auto_unroll_max_step$%3")
            .arg(qt(scriptStage(m_state, stage)),
                 iters.empty() ? QStringLiteral("@0") : qt(scriptLoop(m_state, stage, IterId(0))), most);
    }

    QString readers(StageId stage) const {
        QStringList words = m_words;
        if (words.isEmpty() || stageNamed(words.front())) words.prepend(QStringLiteral("global"));
        const QString scope = words.takeFirst();
        if (words.isEmpty())
            for (const int reader : m_state.dag()->access(stage.index()).consumers)
                words << qt(scriptStage(m_state, StageId(reader)));
        return scope + u' ' + words.join(QStringLiteral(", "));
    }

    const LoopState &m_state;
    std::optional<MoveTarget> m_about;
    QStringList m_words;
};

/// The script that made a state, to which lines are added.
class RequestScript {
  public:
    explicit RequestScript(const LoopState &before) : m_before(before) {
        const auto text = scriptOf(before.originalDag(), before.steps());
        if (text) m_text = *text;
        if (!m_text.empty() && m_text.back() != '\n') m_text += '\n';
    }

    /// The steps the lines make; none with the problem when they do not apply.
    std::vector<Step> steps(const QString &lines, std::optional<ScriptProblem> *problem = nullptr,
                            std::string *why = nullptr) const {
        const AppliedScript applied = applyScript(m_before.originalDag(), m_text + std8(lines));
        if (applied.problem) {
            if (problem != nullptr) *problem = applied.problem;
            return {};
        }
        const Steps &all = applied.state.steps();
        const size_t known = m_before.steps().size();
        std::vector<Step> made(all.begin() + static_cast<ptrdiff_t>(std::min(known, all.size())), all.end());
        // Bounds may not exist behind a step that applies.
        LoopState state = m_before;
        for (const Step &step : made) {
            auto next = makeMove(state, step);
            if (!next) {
                if (why != nullptr) *why = next.why();
                return {};
            }
            state = std::move(*next);
        }
        return made;
    }

  private:
    const LoopState &m_before;
    std::string m_text;
};

/// By the stage's name; empty: there is no such stage.
QStringList loopsNamed(const LoopState &state, const QString &stage) {
    QStringList names;
    for (size_t s = 0; s < state.stageCount(); ++s)
        if (qt(scriptStage(state, StageId(s))) == stage)
            for (size_t i = 0; i < state.stage(StageId(s)).iters.size(); ++i)
                names << qt(scriptLoop(state, StageId(s), IterId(i)));
    return names;
}

/// The request with one of its words replaced by what would be legal there, or with a line in front of it.
void addLegal(MoveRequest &request, const LoopState &before, const RequestScript &script,
              const std::vector<std::string> &texts) {
    const QStringList words = request.line.split(u' ');
    for (size_t i = 0; i < texts.size() && request.legal.size() < static_cast<qsizetype>(kMaxLegal); ++i) {
        const QString text = qt(texts[i]);
        std::vector<std::pair<QString, QString>> tries; // lines, and as they are shown
        if (text.contains(u' ') && !primitiveNamed(text.section(u' ', 0, 0)).isEmpty()) {
            tries.emplace_back(text + u'\n' + request.line, text + QStringLiteral("; ") + request.line);
        } else if (const qsizetype count = text.count(u' ') + 1; count > 1 && words.size() > count) {
            const QString line = words.mid(0, words.size() - count).join(u' ') + u' ' + text; // a loop of a stage
            tries.emplace_back(line, line);
        } else if (words.size() >= 2) {
            // A stage to be computed at: at its outermost loop that will do.
            if (words[0] == QLatin1String("compute_at"))
                for (const QString &loop : loopsNamed(before, text)) {
                    const QString line = words[0] + u' ' + words[1] + u' ' + text + u' ' + loop;
                    tries.emplace_back(line, line);
                }
            for (qsizetype at = words.size() - 1; at >= 1; --at) {
                QStringList other = words;
                const bool comma = other[at].endsWith(u',');
                other[at] = comma ? text + u',' : text;
                const QString line = other.join(u' ');
                if (line != request.line) tries.emplace_back(line, line);
            }
            // An annotation is the primitive itself.
            if (primitiveNamed(text) == text) {
                QStringList other = words;
                other[0] = text;
                tries.emplace_back(other.join(u' '), other.join(u' '));
            }
        }
        for (const auto &[lines, shown] : tries) {
            auto steps = script.steps(lines);
            if (steps.empty() || request.legal.contains(shown)) continue;
            request.legal << shown;
            request.legalSteps.push_back(std::move(steps));
            break;
        }
    }
}

} // namespace

MoveRequest understandRequest(const LoopState &before, const QString &typed, const std::optional<MoveTarget> &about) {
    MoveRequest request;
    request.line = RequestLine(before, typed, about).text().trimmed();
    if (request.line.isEmpty()) return request;
    const RequestScript script(before);
    std::optional<ScriptProblem> problem;
    std::string why;
    request.steps = script.steps(request.line, &problem, &why);
    if (!request.steps.empty()) return request;
    if (!problem) {
        request.problem = qt(why);
        request.refused = !why.empty();
        return request;
    }
    request.problem = asSentence(qt(problem->reason));
    request.refused = problem->rule != "syntax" && problem->rule != "name" && problem->rule != "label";
    if (request.refused || problem->rule == "name") addLegal(request, before, script, problem->legal);
    return request;
}

QStringList requestsOf(const LoopState &state, const MoveTarget &target, bool gpu) {
    const QString stage = qt(scriptStage(state, target.stage));
    QStringList list;
    if (target.isLoop()) {
        const QString loop = stage + u' ' + qt(scriptLoop(state, target.stage, target.loop));
        const auto &iters = state.stage(target.stage).iters;
        list << QStringLiteral("split %1 into 2").arg(loop);
        if (target.loop.index() + 1 < iters.size())
            list << QStringLiteral("fuse %1, %2")
                        .arg(loop, qt(scriptLoop(state, target.stage, IterId(target.loop.value + 1))));
        if (!gpu) list << QStringLiteral("parallel ") + loop;
        list << QStringLiteral("vectorize ") + loop << QStringLiteral("unroll ") + loop;
        if (gpu) list << QStringLiteral("bind %1 threadIdx.x").arg(loop);
        list << QStringLiteral("rfactor %1 at %2").arg(loop).arg(state.stage(target.stage).op->axes.size());
        list << QStringLiteral("storage_align %1 32 8").arg(loop);
    }
    list << QStringLiteral("compute_inline ") + stage << QStringLiteral("compute_root ") + stage
         << QStringLiteral("cache_write %1 local").arg(stage);
    return list;
}

} // namespace loopscope
