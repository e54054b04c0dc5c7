#include "search/explain/explain_schedule.h"

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "codegen/lower/passes.h"
#include "schedule/bound_inference.h"
#include "search/features/feature_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

namespace loopscope {

namespace {

using LoopAt = size_t; // index into ScheduleExplanation::loops

/// The nest as a list, and for each of its nodes the loops of the list around it and itself.
class NestList {
  public:
    NestList(const LoopProgram &nest, const LoopState &state, std::vector<ExplainedLoop> &loops)
        : m_state(state), m_loops(loops) {
        // First what is listed: a reduction's start has loops of the same iterators in another place, and where its
        // update has them is where a person looks.
        list(nest.root, 0);
        follow(nest.root);
    }

    /// Another nest of the same schedule; what it has and the list has not counts to what is around it.
    void follow(Stmt stmt) {
        if (!stmt) return;
        const auto listed = m_at.find(keyOf(*stmt.node()));
        if (listed != m_at.end()) m_path.push_back(listed->second);
        m_around[stmt.node()] = m_path;
        for (const Stmt child : stmt->body()) follow(child);
        if (listed != m_at.end()) m_path.pop_back();
    }

    [[nodiscard]] std::span<const LoopAt> around(const StmtNode *node) const {
        const auto found = m_around.find(node);
        return found == m_around.end() ? std::span<const LoopAt>() : std::span<const LoopAt>(found->second);
    }
    /// The statement, and the innermost loop of a kind around it; the statement itself where there is none.
    [[nodiscard]] LoopAt statementOf(const Buffer *buffer) const { return m_statements.at(buffer); }
    [[nodiscard]] LoopAt innermost(LoopAt statement, LoopKind kind) const {
        const auto &around = m_aroundStatement.at(statement);
        for (size_t i = around.size(); i > 0; --i)
            if (m_loops[around[i - 1]].kind == kind && m_loops[around[i - 1]].iter.value >= 0) return around[i - 1];
        return statement;
    }

  private:
    using Key = std::tuple<StmtKind, int, int, std::string>;
    static Key keyOf(const StmtNode &node) {
        if (node.kind == StmtKind::For && node.iter.value >= 0)
            return {node.kind, node.stage.value, node.iter.value, {}};
        if (node.kind == StmtKind::Store) return {node.kind, node.stage.value, -1, node.buffer->name};
        return {StmtKind::Block, -1, -1, {}}; // never listed
    }

    void list(Stmt stmt, int depth) {
        if (!stmt || ((stmt->kind == StmtKind::For || stmt->kind == StmtKind::Store) && initStore(stmt))) return;
        const bool listed = (stmt->kind == StmtKind::For && stmt->iter.value >= 0) || stmt->kind == StmtKind::Store;
        if (listed) {
            m_path.push_back(place(*stmt.node(), depth));
            if (stmt->kind == StmtKind::Store) {
                m_statements[stmt->buffer] = m_path.back();
                m_aroundStatement[m_path.back()] = m_path;
            }
        }
        for (const Stmt child : stmt->body()) list(child, depth + (listed ? 1 : 0));
        if (listed) m_path.pop_back();
    }

    LoopAt place(const StmtNode &node, int depth) {
        const bool loop = node.kind == StmtKind::For;
        const auto [found, added] = m_at.emplace(keyOf(node), m_loops.size());
        if (!added) return found->second;
        ExplainedLoop &entry = m_loops.emplace_back();
        entry.stage = node.stage;
        entry.depth = depth;
        if (loop) {
            entry.iter = node.iter;
            entry.stageName = node.stage.value >= 0 ? m_state.stage(node.stage).op->name : "";
            entry.name = node.iterName != nullptr ? node.iterName : std::string(node.var->name());
            entry.kind = node.loop;
            entry.extent = node.extent->kind == ExprKind::IntImm ? node.extent->intValue : 0;
        } else {
            entry.stageName = node.buffer->name;
        }
        return found->second;
    }

    const LoopState &m_state;
    std::vector<ExplainedLoop> &m_loops;
    std::map<Key, LoopAt> m_at;
    std::map<const StmtNode *, std::vector<LoopAt>> m_around;
    std::map<const Buffer *, LoopAt> m_statements;
    std::map<LoopAt, std::vector<LoopAt>> m_aroundStatement;
    std::vector<LoopAt> m_path;
};

void addCycles(const std::vector<CyclePart> &parts, const NestList &list, ScheduleExplanation &explained) {
    std::vector<std::array<double, kCycleKinds>> inside(explained.loops.size());
    for (const CyclePart &part : parts) {
        explained.cycles += part.cycles;
        for (const LoopAt loop : list.around(part.where)) inside[loop][static_cast<size_t>(part.kind)] += part.cycles;
    }
    for (size_t i = 0; i < explained.loops.size(); ++i) {
        ExplainedLoop &loop = explained.loops[i];
        const double sum = std::accumulate(inside[i].begin(), inside[i].end(), 0.0);
        if (!(sum > 0)) continue;
        loop.cycles = sum / explained.cycles;
        for (size_t kind = 0; kind < kCycleKinds; ++kind)
            if (inside[i][kind] > 0) loop.spent.push_back({static_cast<CycleKind>(kind), inside[i][kind] / sum});
        std::stable_sort(loop.spent.begin(), loop.spent.end(),
                         [](const CycleShare &a, const CycleShare &b) { return a.share > b.share; });
    }
}

/// The kind of loop a feature is about; Serial: none.
LoopKind loopOfFeature(size_t feature) {
    const auto within = [&](size_t begin) { return feature >= begin && feature < begin + feature::kAnnotationLength; };
    if (within(feature::kVectorize)) return LoopKind::Vectorized;
    if (within(feature::kUnroll)) return LoopKind::Unrolled;
    if (within(feature::kParallel)) return LoopKind::Parallel;
    return LoopKind::Serial;
}

void addContributions(const std::vector<StageFeatures> &rows, const std::vector<RowContributions> &contributions,
                      const NestList &list, ScheduleExplanation &explained) {
    explained.predicted = true;
    for (size_t r = 0; r < rows.size(); ++r) {
        explained.rows[r].contributions = contributions[r];
        explained.base += contributions[r].base;
        explained.rowCount += contributions[r].rowCount;
        explained.score += contributions[r].sum();
        const LoopAt statement = list.statementOf(rows[r].buffer);
        for (size_t f = 0; f < kFeatureCount; ++f) {
            const double value = contributions[r].features[f];
            if (value == 0) continue;
            const LoopKind kind = loopOfFeature(f);
            explained.loops[kind == LoopKind::Serial ? statement : list.innermost(statement, kind)].contribution +=
                value;
        }
    }
    // What is inside follows in the list, deeper, until the depth is that of the loop again.
    for (size_t i = 0; i < explained.loops.size(); ++i) {
        ExplainedLoop &loop = explained.loops[i];
        loop.contributionInside = loop.contribution;
        for (size_t k = i + 1; k < explained.loops.size() && explained.loops[k].depth > loop.depth; ++k)
            loop.contributionInside += explained.loops[k].contribution;
    }
}

Outcome<ScheduleExplanation> explainIn(const LoopState &state, const Target &target, CostModel *model) {
    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const auto bounded = inferBounds(state, arena);
    if (!bounded) return bounded.refusal();
    auto nest = buildLoopNest(*bounded, {.forFeatures = true}); // as the search has it scored
    if (!nest) return nest.refusal();
    std::vector<StageFeatures> rows;
    extractFeatures(*nest, target, rows);
    ScheduleExplanation explained;
    explained.ofGpu = target.isGpu();
    for (const StageFeatures &row : rows) explained.rows.push_back({row.buffer->name, row.row, {}});
    NestList list(*nest, bounded->state, explained.loops);
    if (model != nullptr && model->trained()) {
        std::vector<FeatureRow> program;
        for (const StageFeatures &row : rows) program.push_back(row.row);
        const auto contributions = model->contributions(program);
        if (!contributions.empty()) addContributions(rows, contributions, list, explained);
    }
    const EstimateParts parts = estimatePartsFor(target.kind);
    if (parts == nullptr) return explained;
    splitPhases(*nest, {bounded->state, target}); // as the search estimates it
    list.follow(nest->root);
    addCycles(parts(*nest, target), list, explained);
    return explained;
}

} // namespace

Outcome<ScheduleExplanation> explainSchedule(const LoopState &state, const Target &target, CostModel *model) {
    try {
        return explainIn(state, target, model);
    } catch (const Error &tooLarge) { // of the arena
        return Refusal{tooLarge.what()};
    }
}

} // namespace loopscope
