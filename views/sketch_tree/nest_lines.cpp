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
    default:
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

class NestBuilder {
  public:
    explicit NestBuilder(const LoopState &state) : m_state(state) {
        for (size_t i = 0; i < state.stageCount(); ++i) {
            const Stage &stage = state.stage(StageId(i));
            if (stage.op->isPlaceholder()) continue;
            if (stage.location == ComputeLocation::Inlined) nest.inlined << qt(stage.op->name);
            if (stage.location == ComputeLocation::Root) add(StageId(i), 0);
        }
    }
    Nest nest;

  private:
    void add(StageId id, int indent) {
        const Stage &stage = m_state.stage(id);
        const Iter *previous = nullptr; // of the line that may still grow
        for (size_t i = 0; i < stage.iters.size(); ++i) {
            const Iter &iter = stage.iters[i];
            if (iter.extent != 1) {
                QString text = qt(iter.name);
                if (iter.known())
                    text += QStringLiteral("<%1").arg(iter.extent);
                else
                    nest.open = true;
                if (previous && alike(*previous, iter)) {
                    nest.lines.back().text += QStringLiteral(", ") + text;
                } else {
                    const QString keyword = qt(annotationText(iter.annotation));
                    nest.lines.push_back(
                        {indent++, keyword + QLatin1Char(' ') + text, qt(stage.op->name), roleOf(iter)});
                }
                previous = &iter;
            }
            for (const StageId guest : m_state.attachedAt(id, IterId(i))) {
                add(guest, indent);
                previous = nullptr;
            }
        }
        nest.lines.push_back(
            {indent, qt(stage.op->name) + QStringLiteral(" = \u2026"), qt(stage.op->name), Role::Text});
    }

    const LoopState &m_state;
};

} // namespace

Nest makeNest(const LoopState &state, const LoopState *before) {
    Nest nest = NestBuilder(state).nest;
    if (!before) return nest;
    std::set<std::pair<QString, QString>> known;
    for (const auto &line : NestBuilder(*before).nest.lines) known.emplace(line.stage, line.text);
    for (auto &line : nest.lines) line.fresh = !known.contains({line.stage, line.text});
    return nest;
}

QString nestText(const Nest &nest) {
    QString text;
    for (const auto &line : nest.lines)
        text += (line.fresh ? QStringLiteral("+ ") : QStringLiteral("  ")) +
                QString(2 * line.indent, QLatin1Char(' ')) + line.text + QLatin1Char('\n');
    if (!nest.inlined.isEmpty()) text += QStringLiteral("inlined: %1\n").arg(nest.inlined.join(QStringLiteral(", ")));
    return text;
}

} // namespace loopscope
