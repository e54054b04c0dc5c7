#include "views/dag_graph/dag_find.h"

#include <algorithm>

namespace loopscope {

namespace {

QString haystack(const StageFact &stage) {
    QStringList words{stage.name, stage.shape, stage.dtype, stage.expression};
    for (const AxisFact &axis : stage.axes) words << QStringLiteral("%1 %2").arg(axis.name).arg(axis.extent);
    for (const Badge badge : stage.badges) words << badgeText(badge);
    words << stage.attributes;
    if (stage.kind == StageKind::Placeholder) words << QStringLiteral("placeholder input");
    return words.join(u'\n');
}

} // namespace

std::vector<int> findStages(const DagFacts &facts, const QString &words) {
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    std::vector<int> byName, others;
    if (wanted.isEmpty()) return byName;
    for (size_t i = 0; i < facts.stages.size(); ++i) {
        const StageFact &stage = facts.stages[i];
        const auto allIn = [&wanted](const QString &text) {
            return std::all_of(wanted.begin(), wanted.end(),
                               [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
        };
        if (allIn(stage.name))
            byName.push_back(static_cast<int>(i));
        else if (allIn(haystack(stage)))
            others.push_back(static_cast<int>(i));
    }
    byName.insert(byName.end(), others.begin(), others.end());
    return byName;
}

} // namespace loopscope
