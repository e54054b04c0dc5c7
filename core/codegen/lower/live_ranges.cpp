#include "codegen/lower/live_ranges.h"

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/thread_counts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace loopscope {

namespace {

using Vars = std::set<const ExprNode *>; // only looked up

/// What a statement does with one buffer.
struct Use {
    int first = -1;
    int last = -1;
    int count = 0;
    bool exposed = false; // something is read that was not written in the statement before
    /// Everything that is read later was written, once the loops over these variables have ended: a store of one
    /// element, or under a condition, is a part of it only.
    std::optional<Vars> filledAfter;

    [[nodiscard]] bool used() const { return count > 0; }
    [[nodiscard]] bool filled() const { return filledAfter && filledAfter->empty(); }
};
using Uses = std::vector<Use>;

class RangeFinder {
  public:
    explicit RangeFinder(std::span<const Buffer *const> buffers) : m_ranges(buffers.size()) {
        for (size_t i = 0; i < buffers.size(); ++i) m_numbers.emplace(buffers[i], i);
    }

    std::vector<LiveRange> run(Stmt kernel) {
        const Uses all = visit(kernel);
        for (size_t i = 0; i < all.size(); ++i) {
            extend(i, all[i].first, all[i].last);
            for (const Loop &loop : m_loops) {
                const int inside = loop.counts[i];
                if (inside == 0) continue;
                if (inside < all[i].count || loop.carried[i]) extend(i, loop.first, loop.last);
                if (loop.repeats && inside == all[i].count)
                    m_ranges[i].rounds.insert(m_ranges[i].rounds.begin(), loop.var.node());
            }
        }
        return std::move(m_ranges);
    }

  private:
    struct Loop {
        Expr var;
        bool repeats = true;
        int first = 0;
        int last = 0;
        std::vector<int> counts; // of uses inside, by buffer
        std::vector<bool> carried;
    };

    void extend(size_t buffer, int first, int last) {
        LiveRange &range = m_ranges[buffer];
        if (first < 0) return;
        range.first = range.first < 0 ? first : std::min(range.first, first);
        range.last = std::max(range.last, last);
    }

    Uses visit(Stmt stmt) {
        const int own = m_next++;
        Uses uses(m_ranges.size());
        forEachOwnExpr(stmt, [&](Expr e) { noteReads(e, own, uses); });
        switch (stmt->kind) {
        case StmtKind::Block:
            for (const Stmt child : stmt->body()) follow(uses, visit(child));
            return uses;
        case StmtKind::Store:
            noteStore(stmt, own, uses);
            return uses;
        case StmtKind::If: {
            Uses branches = visit(stmt->children[0]);
            if (stmt->childCount > 1) join(branches, visit(stmt->children[1]));
            const Vars vars = varsOf(stmt->value);
            for (Use &use : branches)
                if (use.filledAfter) use.filledAfter->insert(vars.begin(), vars.end());
            follow(uses, branches);
            return uses;
        }
        case StmtKind::Let: {
            m_letVars[stmt->var.node()] = varsOf(stmt->value);
            follow(uses, visit(stmt->children[0]));
            return uses;
        }
        case StmtKind::For: {
            const bool serial = !isBlockAxis(stmt->loop) && !isThreadAxis(stmt->loop);
            if (serial) m_open.insert(stmt->var.node());
            follow(uses, visit(stmt->children[0]));
            if (serial) close(stmt, own, uses);
            return uses;
        }
        case StmtKind::Allocate:
            follow(uses, visit(stmt->children[0]));
            return uses;
        case StmtKind::Barrier:
            break;
        }
        return uses;
    }

    static void note(Use &use, int at) {
        use.first = use.first < 0 ? at : use.first;
        use.last = at;
        ++use.count;
    }

    void noteReads(Expr own, int at, Uses &uses) {
        postOrder(own, [&](Expr e) {
            if (e->kind != ExprKind::Load) return;
            const auto found = m_numbers.find(static_cast<const Buffer *>(e->symbol));
            if (found == m_numbers.end()) return;
            note(uses[found->second], at);
            uses[found->second].exposed = true;
        });
    }

    void noteStore(Stmt store, int at, Uses &uses) {
        const auto found = m_numbers.find(store->buffer);
        if (found == m_numbers.end()) return;
        Use &use = uses[found->second];
        note(use, at);
        Vars vars;
        for (const Expr index : store->index()) vars.merge(varsOf(index));
        use.filledAfter = std::move(vars);
    }

    /// Of loops that run one round after the other; for values that have names, of what they follow from.
    [[nodiscard]] Vars varsOf(Expr e) const {
        Vars vars;
        postOrder(e, [&](Expr part) {
            if (part->kind != ExprKind::Var) return;
            const auto let = m_letVars.find(part.node());
            if (let != m_letVars.end())
                vars.insert(let->second.begin(), let->second.end());
            else if (m_open.contains(part.node()))
                vars.insert(part.node());
        });
        return vars;
    }

    static void follow(Uses &before, const Uses &after) {
        for (size_t i = 0; i < before.size(); ++i) {
            Use &use = before[i];
            const Use &next = after[i];
            if (!next.used()) continue;
            use.first = use.first < 0 ? next.first : use.first;
            use.last = next.last;
            use.count += next.count;
            use.exposed = use.exposed || (next.exposed && !use.filled());
            if (next.filledAfter && !use.filled()) use.filledAfter = next.filledAfter;
        }
    }

    /// Of two branches, of which one is taken.
    static void join(Uses &uses, const Uses &otherwise) {
        for (size_t i = 0; i < uses.size(); ++i) {
            Use &use = uses[i];
            const Use &other = otherwise[i];
            if (use.filledAfter && other.filledAfter)
                use.filledAfter->insert(other.filledAfter->begin(), other.filledAfter->end());
            else
                use.filledAfter.reset();
            if (!other.used()) continue;
            use.first = use.first < 0 ? other.first : use.first;
            use.last = other.last;
            use.count += other.count;
            use.exposed = use.exposed || other.exposed;
        }
    }

    void close(Stmt loop, int first, Uses &uses) {
        Loop closed{loop->var, constantExtent(loop) != 1, first, m_next - 1, {}, {}};
        for (Use &use : uses) {
            closed.counts.push_back(use.count);
            closed.carried.push_back(use.exposed);
            if (use.filledAfter) use.filledAfter->erase(loop->var.node());
            if (constantExtent(loop) < 1) use.filledAfter.reset();
        }
        m_loops.push_back(std::move(closed));
        m_open.erase(loop->var.node());
    }

    std::map<const Buffer *, size_t> m_numbers; // only looked up
    std::map<const ExprNode *, Vars> m_letVars; // only looked up
    Vars m_open;
    std::vector<Loop> m_loops;
    std::vector<LiveRange> m_ranges;
    int m_next = 0;
};

} // namespace

std::vector<LiveRange> liveRanges(Stmt kernel, std::span<const Buffer *const> buffers) {
    return RangeFinder(buffers).run(kernel);
}

} // namespace loopscope
