#include "views/sketch_tree/step_words.h"

#include "views/session/step_names.h"
#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

QString lengthsText(const std::vector<int64_t> &lengths) {
    QStringList parts;
    for (const int64_t length : lengths) parts << (length == kUnfilled ? QStringLiteral("?") : QString::number(length));
    return QStringLiteral("[%1]").arg(parts.join(QStringLiteral(", ")));
}

StepWords wordsOf(const StepNames &name, const Step &step, const std::vector<StepWords> &earlier) {
    const auto source = [&](StepId id) {
        const auto at = static_cast<size_t>(id.value);
        return at < earlier.size() ? earlier[at].about : QStringLiteral("step %1").arg(id.value);
    };
    return std::visit(
        StepVisitor{
            [&](const AnnotateStep &s) {
                return StepWords{
                    QStringLiteral("%1 %2").arg(qt(annotationText(s.annotation)), name.loopOfStage(s.stage, s.iter)),
                    {}};
            },
            [&](const FuseStep &s) {
                return StepWords{QStringLiteral("fusion in %1").arg(name.stage(s.stage)),
                                 name.loops(s.stage, s.iters).join(QStringLiteral(", "))};
            },
            [&](const PragmaStep &s) {
                const QString text = qt(s.text);
                const QString unroll = QStringLiteral("auto_unroll_max_step$");
                if (text.startsWith(unroll))
                    return StepWords{QStringLiteral("unroll limit of %1").arg(name.stage(s.stage)),
                                     text.mid(unroll.size())};
                return StepWords{QStringLiteral("pragma on %1").arg(name.loopOfStage(s.stage, s.iter)), text};
            },
            [&](const ReorderStep &s) {
                return StepWords{QStringLiteral("order of %1").arg(name.stage(s.stage)),
                                 name.loops(s.stage, s.order).join(QLatin1Char(' '))};
            },
            [&](const SplitStep &s) {
                return StepWords{QStringLiteral("split of %1").arg(name.loopOfStage(s.stage, s.iter)),
                                 lengthsText(s.lengths)};
            },
            [&](const FollowSplitStep &s) {
                return StepWords{QStringLiteral("split of %1").arg(name.loopOfStage(s.stage, s.iter)),
                                 QStringLiteral("as the %1, %2 levels").arg(source(s.source)).arg(s.parts)};
            },
            [&](const FollowFusedSplitStep &s) {
                QStringList sources;
                for (const StepId id : s.sources) sources << source(id);
                return StepWords{
                    QStringLiteral("split of %1").arg(name.loopOfStage(s.stage, s.iter)),
                    QStringLiteral("as level %1 of the %2").arg(s.level).arg(sources.join(QStringLiteral(", ")))};
            },
            [&](const StorageAlignStep &s) {
                return StepWords{QStringLiteral("alignment of %1").arg(name.loopOfStage(s.stage, s.iter)),
                                 QStringLiteral("%1, offset %2").arg(s.factor).arg(s.offset)};
            },
            [&](const ComputeAtStep &s) {
                return StepWords{QStringLiteral("place of %1").arg(name.stage(s.stage)),
                                 QStringLiteral("at %1").arg(name.loopOfStage(s.target, s.targetIter))};
            },
            [&](const ComputeInlineStep &s) {
                return StepWords{QStringLiteral("place of %1").arg(name.stage(s.stage)), QStringLiteral("inlined")};
            },
            [&](const ComputeRootStep &s) {
                return StepWords{QStringLiteral("place of %1").arg(name.stage(s.stage)),
                                 QStringLiteral("a nest of its own")};
            },
            [&](const CacheReadStep &s) {
                return StepWords{
                    QStringLiteral("copy of %1").arg(name.stage(s.stage)),
                    QStringLiteral("for %1 (%2)").arg(name.stages(s.readers).join(QStringLiteral(", ")), qt(s.scope))};
            },
            [&](const CacheWriteStep &s) {
                return StepWords{QStringLiteral("write cache of %1").arg(name.stage(s.stage)), qt(s.scope)};
            },
            [&](const RfactorStep &s) {
                return StepWords{QStringLiteral("rfactor of %1").arg(name.loopOfStage(s.stage, s.iter)), {}};
            },
        },
        step);
}

QString line(const StepWords &words) {
    return words.value.isEmpty() ? words.about : QStringLiteral("%1 %2").arg(words.about, words.value);
}

} // namespace

std::vector<StepWords> stepWords(const DagPtr &dag, const Steps &steps) {
    std::vector<StepWords> words;
    words.reserve(steps.size());
    replayNamed(dag, steps, [&words](const AppliedStep &applied) {
        words.push_back(wordsOf(applied.names(), applied.step, words));
    });
    return words;
}

QStringList stepDifferences(const std::vector<StepWords> &before, const std::vector<StepWords> &after) {
    // The longest common sequence of what the steps are about; lists have some dozens of entries.
    const size_t n = before.size();
    const size_t m = after.size();
    std::vector<std::vector<int>> common(n + 1, std::vector<int>(m + 1, 0));
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;)
            common[i][j] = before[i].about == after[j].about ? common[i + 1][j + 1] + 1
                                                             : std::max(common[i + 1][j], common[i][j + 1]);
    QStringList lines;
    size_t i = 0;
    size_t j = 0;
    while (i < n || j < m) {
        if (i < n && j < m && before[i].about == after[j].about) {
            if (before[i].value != after[j].value)
                lines << QStringLiteral("%1: %2 \u2192 %3").arg(before[i].about, before[i].value, after[j].value);
            ++i;
            ++j;
        } else if (j == m || (i < n && common[i + 1][j] >= common[i][j + 1])) {
            lines << QStringLiteral("no longer: %1").arg(line(before[i++]));
        } else {
            lines << QStringLiteral("new: %1").arg(line(after[j++]));
        }
    }
    return lines;
}

} // namespace loopscope
