#pragma once
// Bottom of several passes: rebuilds a program with everything resolved that the ranges of the loop variables decide.
// Conditions that always or never hold disappear, loops that run once become their body, loops that never run go.

#include "codegen/loop_ir/program.h"
#include "language/expr/simplify.h"

namespace loopscope {

class ProgramSimplifier : public Simplifier {
  public:
    /// Null when nothing is left.
    Stmt visit(Stmt stmt);

  protected:
    virtual Stmt visitStore(Stmt stmt);
    virtual Stmt visitAllocate(Stmt stmt);
    /// A loop that stays a loop; its variable is bound to its range while the body is visited.
    virtual Stmt visitLoop(Stmt stmt);
    virtual Stmt visitBlock(Stmt stmt);
    Stmt visitChildren(Stmt stmt);

  private:
    Stmt visitIf(Stmt stmt);
};

/// The same program, simplified and numbered.
void simplifyProgram(LoopProgram &program);

} // namespace loopscope
