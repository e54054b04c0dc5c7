#include "views/trials/tile_catalog.h"

#include "schedule/stepwise_replay.h"
#include "views/session/step_names.h"
#include "views/session/text.h"

namespace loopscope {

namespace {

/// Appends what the names of loops and the numbers of stages depend on. Annotations, pragmas and places to compute
/// change neither (false: nothing appended); nor do the lengths of a split, only how many there are.
bool appendShape(std::string &key, const Step &step) {
    const auto put = [&](auto... values) {
        for (const int value : {static_cast<int>(values)...})
            key.append(reinterpret_cast<const char *>(&value), sizeof value);
        return true;
    };
    const auto putAll = [&](StageId stage, const auto &ids) {
        put(stage.value, ids.size());
        for (const auto id : ids) put(id.value);
        return true;
    };
    put(step.index());
    const bool shaped =
        std::visit(StepVisitor{
                       [&](const AnnotateStep &) { return false; },
                       [&](const PragmaStep &) { return false; },
                       [&](const StorageAlignStep &) { return false; },
                       [&](const ComputeAtStep &) { return false; },
                       [&](const ComputeInlineStep &) { return false; },
                       [&](const ComputeRootStep &) { return false; },
                       [&](const FuseStep &s) { return putAll(s.stage, s.iters); },
                       [&](const ReorderStep &s) { return putAll(s.stage, s.order); },
                       [&](const SplitStep &s) { return put(s.stage.value, s.iter.value, s.lengths.size()); },
                       [&](const FollowSplitStep &s) { return put(s.stage.value, s.iter.value, s.parts); },
                       [&](const FollowFusedSplitStep &s) { return put(s.stage.value, s.iter.value); },
                       [&](const CacheReadStep &s) {
                           key += s.scope;
                           return putAll(s.stage, s.readers);
                       },
                       [&](const CacheWriteStep &s) {
                           key += s.scope;
                           return put(s.stage.value);
                       },
                       [&](const RfactorStep &s) { return put(s.stage.value, s.iter.value, s.factorIter); },
                   },
                   step);
    if (!shaped) key.resize(key.size() - sizeof(int));
    return shaped;
}

/// How many steps there are up to the last split; no later one makes a column.
size_t stepsThatMatter(const Steps &steps) {
    size_t count = steps.size();
    while (count > 0 && !std::holds_alternative<SplitStep>(steps[count - 1])) --count;
    return count;
}

} // namespace

void TileCatalog::clear(DagPtr dag) {
    m_dag = std::move(dag);
    m_columns.clear();
    m_shapes.clear();
    m_shapeOf.clear();
}

int TileCatalog::add(const Steps &steps) {
    const size_t count = stepsThatMatter(steps);
    m_key.clear();
    for (size_t i = 0; i < count; ++i) {
        // A split is found again by its number, which annotations in front of it move.
        if (std::holds_alternative<SplitStep>(steps[i])) m_key.append(reinterpret_cast<const char *>(&i), sizeof i);
        appendShape(m_key, steps[i]);
    }
    const auto found = m_shapeOf.find(m_key);
    if (found != m_shapeOf.end()) return found->second;
    const int shape = makeShape(steps, count);
    m_shapeOf.emplace(m_key, shape);
    return shape;
}

int TileCatalog::makeShape(const Steps &steps, size_t count) {
    Shape shape;
    if (!m_dag) {
        m_shapes.push_back(shape);
        return static_cast<int>(m_shapes.size()) - 1;
    }
    std::string ignored;
    StepwiseReplay replay(m_dag, count);
    const LoopState &state = replay.state();
    for (size_t i = 0; i < count; ++i) {
        const auto *split = std::get_if<SplitStep>(&steps[i]);
        QString name;
        if (split != nullptr && split->stage.value >= 0 && split->stage.index() < state.stageCount()) {
            const Stage &stage = state.stage(split->stage);
            if (split->iter.value >= 0 && split->iter.index() < stage.iters.size())
                name = qt(stage.op->name) + QLatin1Char('.') + qt(stage.iters[split->iter.index()].name);
        }
        // Only steps that make or rename loops are applied: an illegal place to compute takes no names away.
        if (!appendShape(ignored, steps[i]))
            replay.count(steps[i]);
        else if (replay.apply(steps[i]))
            break;
        if (!name.isEmpty()) setStep(shape, name, static_cast<int>(i));
    }
    m_shapes.push_back(std::move(shape));
    return static_cast<int>(m_shapes.size()) - 1;
}

void TileCatalog::setStep(Shape &shape, const QString &name, int step) {
    int column = find(name);
    if (column < 0) {
        column = static_cast<int>(m_columns.size());
        m_columns << name;
    }
    if (shape.stepOf.size() <= static_cast<size_t>(column)) shape.stepOf.resize(static_cast<size_t>(column) + 1, -1);
    shape.stepOf[static_cast<size_t>(column)] = step;
}

std::optional<SplitStep> TileCatalog::split(int shape, const PackedSteps &steps, int column) const {
    if (shape < 0 || column < 0) return std::nullopt;
    const auto &stepOf = m_shapes[static_cast<size_t>(shape)].stepOf;
    if (static_cast<size_t>(column) >= stepOf.size()) return std::nullopt;
    const int step = stepOf[static_cast<size_t>(column)];
    if (step < 0) return std::nullopt;
    const Step split = steps.at(static_cast<size_t>(step));
    const auto *found = std::get_if<SplitStep>(&split);
    return found == nullptr ? std::nullopt : std::optional(*found);
}

QString factorsText(const SplitStep &split) {
    QString text;
    for (const int64_t part : splitParts(split)) {
        if (!text.isEmpty()) text += QChar(0x00d7);
        text += part > 0 ? QString::number(part) : QStringLiteral("?");
    }
    return text;
}

int64_t factorAt(const SplitStep &split, int index) {
    const size_t parts = split.lengths.size() + 1;
    if (index < 0 || static_cast<size_t>(index) >= parts) return -1;
    const size_t rest = split.innerToOuter ? 0 : parts - 1; // the part that takes what the lengths leave
    if (static_cast<size_t>(index) != rest)
        return split.lengths[split.innerToOuter ? static_cast<size_t>(index) - 1 : static_cast<size_t>(index)];
    int64_t product = 1;
    for (const int64_t length : split.lengths) {
        if (length <= 0) return 0;
        if (product < (int64_t(1) << 31)) product *= length;
    }
    return split.extent <= 0 ? 0 : (split.extent + product - 1) / product;
}

int compareFactors(const SplitStep *a, const SplitStep *b) {
    if (a == nullptr || b == nullptr) return (a != nullptr) - (b != nullptr);
    for (int i = 0;; ++i) {
        const int64_t x = factorAt(*a, i);
        const int64_t y = factorAt(*b, i);
        if (x != y) return x < y ? -1 : 1;
        if (x < 0) return 0;
    }
}

} // namespace loopscope
