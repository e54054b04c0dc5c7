#pragma once
// Which loops of a program are written out, decided before any code is emitted, from the loop kinds and the auto-unroll
// pragmas. Contains no LLVM: C text and features may ask the same questions.

#include "codegen/loop_ir/program.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace loopscope {

class UnrollPlan {
  public:
    /// `onGpu`: loops that index the memory of a thread are written out, too, since registers have no index.
    explicit UnrollPlan(const LoopProgram &program, bool onGpu = false);

    [[nodiscard]] bool unrolls(const StmtNode &loop) const { return m_unrolled.contains(&loop); }
    /// Whether the loop's iterations can run as lanes: see canVectorize.
    [[nodiscard]] bool vectorizes(const StmtNode &loop) const { return m_vectorized.contains(&loop); }
    /// Stores executed by one execution of the statement with the planned loops written out.
    [[nodiscard]] int64_t steps(const StmtNode &stmt) const { return m_steps.at(&stmt); }

  private:
    struct Visit {
        int64_t steps = 0;
        bool hasLoop = false; // a loop that stays a loop
    };
    Visit visit(Stmt stmt, int maxStep, bool insideVector);

    bool m_onGpu;
    std::unordered_set<const StmtNode *> m_unrolled;
    std::unordered_set<const StmtNode *> m_vectorized;
    std::unordered_map<const StmtNode *, int64_t> m_steps;
};

/// True when every iteration of the loop writes its own elements and the body has nothing that lanes cannot share: no
/// other vectorized or parallel loop, no trip count that differs between iterations. Otherwise the loop runs serially,
/// which is what it means.
bool canVectorize(const StmtNode &loop);

/// The vectorized loops that canVectorize turns down, each once.
std::vector<SerialisedLoop> loopsWithoutLanes(const LoopProgram &program);

/// Lanes of a chunk: what a register of the target holds of the widest element the loop touches (at least 4 bytes
/// counted, since narrower types are mostly computed in 32 bits, unless everything is narrow).
int chunkLanes(const StmtNode &loop, int vectorBytes);

} // namespace loopscope
