#include "views/loops/stage_loops.h"

#include "codegen/lower/loop_kind.h"
#include "schedule/bounds/thread_scope.h"
#include "schedule/iteration_graph.h"
#include "views/loops/loop_tree.h"
#include "views/session/text.h"

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

namespace loopscope {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Definitions as the DAG prints them, by op: `C(i, j) += (A[i, k]*B[k, j])`.
std::map<QString, QString> definitions(const ComputeDag &dag) {
    std::map<QString, QString> lines;
    std::istringstream text(dag.text(DagTextMode::Normal));
    for (std::string line; std::getline(text, line);) {
        const size_t end = line.find('(');
        if (end == std::string::npos) continue;
        // Several outputs print as NAME.v0, NAME.v1: the first one stands for the op.
        const QString name = qt(std::string_view(line).substr(0, end));
        lines.emplace(name.endsWith(QLatin1String(".v0")) ? name.chopped(3) : name,
                      qt(line).remove(QStringLiteral("tir.")));
    }
    return lines;
}

class StateRows {
  public:
    StateRows(const LoopState &state, const Target *target, LoopTree &tree)
        : m_state(state), m_target(target), m_tree(tree) {
        if (target != nullptr) m_definitions = definitions(*state.dag());
    }

    void add(StageId id, int parent, int depth, double total) {
        const Stage &stage = m_state.stage(id);
        const QString name = qt(stage.op->name);
        const std::vector<QStringList> axes = leafAxes(stage);
        const std::vector<int> levels = leafTileLevels(stage);
        for (size_t i = 0; i < stage.iters.size(); ++i) {
            const Iter &iter = stage.iters[i];
            LoopRow row;
            row.stageId = id;
            row.iterId = IterId(i);
            row.stage = name;
            row.iterator = row.text = qt(iter.name);
            row.axes = axes[i];
            row.loop = loopKindOf(iter.annotation);
            row.reduction = iter.kind == IterKind::Reduction;
            row.tileLevel = levels[i];
            row.extent = iter.known() ? iter.extent : -1;
            row.extentText = iter.known() ? QString::number(iter.extent) : QStringLiteral("?");
            total *= iter.known() ? static_cast<double>(iter.extent) : kUnknown;
            row.total = total;
            if (i == 0) row.unrollUpTo = stage.autoUnrollMaxStep;
            parent = append(std::move(row), parent, depth++);
            for (const StageId attached : m_state.attachedAt(id, IterId(i))) add(attached, parent, depth, total);
        }
        LoopRow row;
        row.kind = RowKind::Statement;
        row.stageId = id;
        row.stage = name;
        const auto definition = m_definitions.find(name);
        row.text = definition != m_definitions.end() ? definition->second : name + QStringLiteral(" = \u2026");
        row.total = total;
        if (stage.location == ComputeLocation::Attached) {
            if (const std::optional<MemoryScope> memory = memoryOf(id)) row.memory = *memory;
            row.storage = row.memory == MemoryScope::Argument ? QStringLiteral("?")
                                                              : scopeText(row.memory) + QStringLiteral(", ?");
            row.storageTip = QStringLiteral("Computed inside a loop of another stage: how much of it is kept there "
                                            "follows from the lengths of that stage's loops.");
        }
        if (stage.location == ComputeLocation::Root && m_target != nullptr) {
            int64_t bytes = dtypeBytes(stage.op->output().dtype);
            for (const int64_t extent : stage.op->shape()) bytes *= extent;
            const bool output = m_state.dag()->access(id.index()).isOutput;
            row.storage = storageText(output ? MemoryScope::Argument : MemoryScope::Heap, bytes, *m_target);
            row.storageTip = output ? QStringLiteral("An output of the kernel: memory of the caller")
                                    : QStringLiteral("Computed on its own: all of it is kept until it is read");
        }
        append(std::move(row), parent, depth);
    }

    /// Of an attached stage, where threads decide; nothing on a processor.
    [[nodiscard]] std::optional<MemoryScope> memoryOf(StageId id) const {
        if (m_target == nullptr || !m_target->isGpu()) return std::nullopt;
        switch (scopeRank(m_state, id)) {
        case ScopeRank::Shared:
            return MemoryScope::Shared;
        case ScopeRank::Local:
            return MemoryScope::Local;
        default:
            return std::nullopt;
        }
    }

    int append(LoopRow row, int parent, int depth) {
        const int number = static_cast<int>(m_tree.rows.size());
        std::vector<int> &siblings = parent < 0 ? m_tree.roots : m_tree.rows[static_cast<size_t>(parent)].children;
        row.parent = parent;
        row.depth = depth;
        row.ordinal = static_cast<int>(siblings.size());
        siblings.push_back(number);
        m_tree.rows.push_back(std::move(row));
        return number;
    }

  private:
    const LoopState &m_state;
    const Target *m_target; // null: only rows without storage are made
    LoopTree &m_tree;
    std::map<QString, QString> m_definitions;
};

} // namespace

std::vector<QStringList> leafAxes(const Stage &stage) {
    std::vector<QStringList> names;
    for (const std::set<int> &axes : axesOfLeaves(stage)) {
        QStringList list;
        for (const int axis : axes) list << qt(axisOf(*stage.op, static_cast<size_t>(axis)).name());
        names.push_back(list);
    }
    return names;
}

std::vector<int> leafTileLevels(const Stage &stage) {
    const std::vector<std::set<int>> leaves = axesOfLeaves(stage);
    std::vector<int> loopsOver(axisCount(*stage.op), 0);
    for (const std::set<int> &axes : leaves)
        for (const int axis : axes) ++loopsOver[static_cast<size_t>(axis)];
    std::vector<int> outside(loopsOver.size(), 0);
    std::vector<int> levels;
    for (const std::set<int> &axes : leaves) {
        int level = -1;
        for (const int axis : axes) {
            const auto a = static_cast<size_t>(axis);
            if (loopsOver[a] > 1) level = std::max(level, outside[a]);
            ++outside[a];
        }
        levels.push_back(level);
    }
    return levels;
}

std::vector<int> leavesBelow(const Stage &stage, const std::vector<int> &nodes) {
    std::vector<bool> below(static_cast<size_t>(stage.nodeCount), false);
    for (const int node : nodes)
        if (node >= 0 && node < stage.nodeCount) below[static_cast<size_t>(node)] = true;
    for (const IterRelation &relation : stage.relations) {
        const auto at = [&](int node) { return static_cast<size_t>(node); };
        if (relation.kind == IterRelation::Kind::Split) {
            if (!below[at(relation.parent)]) continue;
            below[at(relation.outer)] = below[at(relation.inner)] = true;
        } else if (below[at(relation.outer)] || below[at(relation.inner)]) {
            below[at(relation.parent)] = true;
        }
    }
    std::vector<int> leaves;
    for (size_t i = 0; i < stage.iters.size(); ++i) {
        const int node = stage.iters[i].node;
        if (node >= 0 && node < stage.nodeCount && below[static_cast<size_t>(node)])
            leaves.push_back(static_cast<int>(i));
    }
    return leaves;
}

std::vector<StageId> finalReaders(const LoopState &state, StageId stage) {
    std::vector<StageId> readers;
    std::set<int> seen;
    std::vector<int> open = {stage.value};
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        for (const int consumer : state.dag()->access(static_cast<size_t>(at)).consumers) {
            if (!seen.insert(consumer).second) continue;
            if (state.stage(StageId(consumer)).location == ComputeLocation::Inlined)
                open.push_back(consumer);
            else
                readers.push_back(StageId(consumer));
        }
    }
    std::sort(readers.begin(), readers.end());
    return readers;
}

void appendStateRows(const LoopState &state, const Target &target, LoopTree &tree) {
    StateRows rows(state, &target, tree);
    for (size_t i = 0; i < state.stageCount(); ++i) {
        const Stage &stage = state.stage(StageId(i));
        if (!stage.op->isPlaceholder() && stage.location == ComputeLocation::Root) rows.add(StageId(i), -1, 0, 1);
    }
}

void appendInlinedRows(const LoopState &state, LoopTree &tree) {
    StateRows rows(state, nullptr, tree);
    for (size_t i = 0; i < state.stageCount(); ++i) {
        const Stage &stage = state.stage(StageId(i));
        if (stage.location != ComputeLocation::Inlined) continue;
        QStringList readers;
        for (const StageId reader : finalReaders(state, StageId(i))) readers << qt(state.stage(reader).op->name);
        LoopRow row;
        row.kind = RowKind::Inlined;
        row.stageId = StageId(i);
        row.stage = qt(stage.op->name);
        row.text = QStringLiteral("%1 inlined into %2").arg(row.stage, readers.join(QStringLiteral(", ")));
        rows.append(std::move(row), -1, 0);
    }
}

} // namespace loopscope
