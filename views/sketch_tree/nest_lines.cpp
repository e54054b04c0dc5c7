#include "views/sketch_tree/nest_lines.h"

#include "views/session/text.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

/// Number behind the last dot of "ff.2": the tile level; -1 when the loop is not tiled.
int levelOf(const std::string &name) {
    const size_t dot = name.rfind('.');
    if (dot == std::string::npos || dot + 1 == name.size()) return -1;
    int level = 0;
    for (size_t i = dot + 1; i < name.size(); ++i) {
        if (name[i] < '0' || name[i] > '9') return -1;
        level = 10 * level + (name[i] - '0');
    }
    return level;
}

Role roleOf(const Iter &iter) {
    switch (iter.annotation) {
    case Annotation::None:
        break;
    case Annotation::Unroll:
        return Role::Unroll;
    case Annotation::Vectorize:
    case Annotation::Tensorize:
        return Role::Vector;
    case Annotation::Parallel:
        return Role::Parallel;
    case Annotation::BlockX:
    case Annotation::BlockY:
    case Annotation::BlockZ:
        return Role::BlockBound;
    case Annotation::VThread:
        return Role::VThreadBound;
    case Annotation::ThreadX:
    case Annotation::ThreadY:
    case Annotation::ThreadZ:
        return Role::ThreadBound;
    }
    if (iter.kind == IterKind::Reduction) return Role::Reduction;
    const int level = levelOf(iter.name);
    if (level < 0) return Role::Serial;
    return static_cast<Role>(static_cast<int>(Role::TileLevel0) + std::min(level, 3));
}

bool alike(const Iter &a, const Iter &b) {
    return a.annotation == b.annotation && a.annotation == Annotation::None && roleOf(a) == roleOf(b) &&
           levelOf(a.name) == levelOf(b.name);
}

/// Walks the nests in the order of LoopState::text; `loop(stage, iter, indent, joins)` for every loop that counts,
/// `joins` when it shares the line of the loop before it, `statement(stage, indent)` for the innermost.
template <typename Loop, typename Statement>
void walkStage(const LoopState &state, StageId id, int indent, const Loop &loop, const Statement &statement) {
    const Stage &stage = state.stage(id);
    const Iter *previous = nullptr; // of the line that may still grow
    for (size_t i = 0; i < stage.iters.size(); ++i) {
        const Iter &iter = stage.iters[i];
        if (iter.extent != 1) {
            const bool joins = previous && alike(*previous, iter);
            loop(stage, iter, joins ? indent : indent++, joins);
            previous = &iter;
        }
        if (!state.hasAttachedAt(id, IterId(i))) continue;
        for (const StageId attached : state.attachedAt(id, IterId(i)))
            walkStage(state, attached, indent, loop, statement);
        previous = nullptr;
    }
    statement(stage, indent);
}

template <typename Loop, typename Statement>
void walkNests(const LoopState &state, const Loop &loop, const Statement &statement) {
    for (size_t i = 0; i < state.stageCount(); ++i) {
        const Stage &stage = state.stage(StageId(i));
        if (!stage.op->isPlaceholder() && stage.location == ComputeLocation::Root)
            walkStage(state, StageId(i), 0, loop, statement);
    }
}

Nest nestOf(const LoopState &state) {
    Nest nest;
    for (size_t i = 0; i < state.stageCount(); ++i)
        if (state.stage(StageId(i)).location == ComputeLocation::Inlined)
            nest.inlined << qt(state.stage(StageId(i)).op->name);
    walkNests(
        state,
        [&](const Stage &stage, const Iter &iter, int indent, bool joins) {
            QString text = qt(iter.name);
            if (iter.known())
                text += QStringLiteral("<%1").arg(iter.extent);
            else
                nest.open = true;
            if (joins)
                nest.lines.back().text += QStringLiteral(", ") + text;
            else
                nest.lines.push_back({indent, qt(annotationText(iter.annotation)) + QLatin1Char(' ') + text,
                                      qt(stage.op->name), roleOf(iter)});
        },
        [&](const Stage &stage, int indent) {
            const QString name = qt(stage.op->name);
            nest.lines.push_back({indent, name + QStringLiteral(" = \u2026"), name, Role::Text});
        });
    return nest;
}

} // namespace

Nest makeNest(const LoopState &state, const LoopState *before) {
    Nest nest = nestOf(state);
    if (!before) return nest;
    std::set<std::pair<QString, QString>> known;
    for (const auto &line : nestOf(*before).lines) known.emplace(line.stage, line.text);
    for (auto &line : nest.lines) line.fresh = !known.contains({line.stage, line.text});
    return nest;
}

NestShape makeNestShape(const LoopState &state) {
    NestShape shape;
    walkNests(
        state,
        [&](const Stage &, const Iter &iter, int indent, bool joins) {
            if (!joins) shape.bars.push_back({indent, roleOf(iter)});
        },
        [&](const Stage &, int indent) { shape.bars.push_back({indent, Role::Text}); });
    return shape;
}

} // namespace loopscope
