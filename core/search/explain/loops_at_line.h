#pragma once
// From a line of a printed loop program, which machine code and remarks name, back to the loops it is in.

#include "codegen/loop_ir/program.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

class LoopsAtLine {
  public:
    /// The program must outlive what is asked of this.
    explicit LoopsAtLine(const LoopProgram &program);
    /// Outermost first; the loop itself last when the line is one. Empty for lines outside of all loops.
    [[nodiscard]] const std::vector<const StmtNode *> &around(int line) const;
    /// The innermost that runs one iteration after the other, threads included: what lanes and unrolling have left.
    [[nodiscard]] const StmtNode *running(int line) const;

  private:
    std::map<int, std::vector<const StmtNode *>> m_around;
};

/// "C k.0": stage and name, or its variable's for loops of no stage; "" for null.
std::string loopName(const LoopProgram &program, const StmtNode *loop);

} // namespace loopscope
