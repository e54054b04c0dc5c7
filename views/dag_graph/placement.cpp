#include "views/dag_graph/placement.h"

#include "views/session/text.h"

#include <string_view>

namespace loopscope {

namespace {

PlacementKind kindOf(const Stage &stage) {
    switch (stage.location) {
    case ComputeLocation::Root:
        return PlacementKind::Root;
    case ComputeLocation::Inlined:
        return PlacementKind::Inlined;
    case ComputeLocation::Attached:
        return PlacementKind::Attached;
    }
    return PlacementKind::Root;
}

/// "parallel i.0@j.0@, vectorize j.3": what the loops are told to be, by kind.
QString annotationsText(const Stage &stage) {
    std::vector<std::pair<std::string_view, QStringList>> kinds;
    for (const Iter &iter : stage.iters) {
        if (iter.annotation == Annotation::None) continue;
        const std::string_view kind = annotationText(iter.annotation);
        if (kinds.empty() || kinds.back().first != kind) kinds.emplace_back(kind, QStringList());
        kinds.back().second << qt(iter.name);
    }
    QStringList texts;
    for (const auto &[kind, names] : kinds)
        texts << QStringLiteral("%1 %2").arg(qt(kind), names.join(QStringLiteral(", ")));
    return texts.join(QStringLiteral(" · "));
}

QString whereText(const LoopState &state, StageId id) {
    const Stage &stage = state.stage(id);
    switch (stage.location) {
    case ComputeLocation::Inlined:
        return QStringLiteral("inlined");
    case ComputeLocation::Attached: {
        const AttachPoint at = state.attachedTo(id);
        const Stage &target = state.stage(at.stage);
        return QStringLiteral("at %1, %2").arg(qt(target.op->name), qt(target.iters[at.iter.index()].name));
    }
    case ComputeLocation::Root:
        return QStringLiteral("root");
    }
    return {};
}

ScopeRank memoryOf(const LoopState &state, StageId id, bool gpu) {
    return gpu && state.stage(id).location == ComputeLocation::Attached ? scopeRank(state, id) : ScopeRank::Global;
}

QString memoryText(ScopeRank memory) {
    switch (memory) {
    case ScopeRank::Shared:
        return QStringLiteral(", in shared memory");
    case ScopeRank::Local:
        return QStringLiteral(", in local memory");
    default:
        return {};
    }
}

} // namespace

int originOf(const QString &stage, const DagFacts &facts) {
    // "conv.local.shared" was made from "conv.local", that from "conv": the longest name that is there.
    for (QString name = stage; !name.isEmpty(); name.truncate(std::max<qsizetype>(0, name.lastIndexOf(u'.'))))
        if (const int found = facts.find(name); found >= 0) return found;
    return -1;
}

std::map<QString, Placement> placements(const LoopState &state, const DagFacts &facts, bool gpu) {
    std::map<QString, Placement> result;
    for (size_t i = 0; i < state.stageCount(); ++i) {
        const StageId id(i);
        const Stage &stage = state.stage(id);
        const QString name = qt(stage.op->name);
        const int origin = originOf(name, facts);
        if (origin < 0) continue;
        const StageFact &fact = facts.stages[static_cast<size_t>(origin)];
        Placement &placement = result[fact.name];
        if (fact.name != name) {
            const ScopeRank memory = memoryOf(state, id, gpu);
            placement.added.push_back({name, kindOf(stage),
                                       QStringLiteral("%1 %2%3").arg(name, whereText(state, id), memoryText(memory)),
                                       memory});
            continue;
        }
        placement.kind = kindOf(stage);
        placement.memory = memoryOf(state, id, gpu);
        placement.text = whereText(state, id) + memoryText(placement.memory);
        if (stage.location == ComputeLocation::Attached) {
            const AttachPoint at = state.attachedTo(id);
            placement.target = qt(state.stage(at.stage).op->name);
            placement.iterator = qt(state.stage(at.stage).iters[at.iter.index()].name);
        }
        if (const QString annotations = annotationsText(stage); !annotations.isEmpty())
            placement.text += QStringLiteral(" · ") + annotations;
    }
    return result;
}

} // namespace loopscope
