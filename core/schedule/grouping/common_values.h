#pragma once
// Values that an expression computes more than once, bound by lets, and the way back. What an expression costs is
// counted on the former: a value read, or computed, in two places is so once. Cheap steps (an operand with a constant)
// are not bound, since the let would cost what it saves.

#include "language/expr/expr.h"
#include "schedule/grouping/node_map.h"

namespace loopscope {

/// In the current arena. Lets inside are opened first.
Expr sharedValues(Expr e);
/// The same for an expression that holds none.
Expr sharedOpenValues(Expr e);
/// With every let replaced by its value; nodes are shared, so the text may be exponentially longer.
Expr withoutLets(Expr e);

/// Rewrites an expression whose nodes are shared, each node once.
class SharedRewrite {
  public:
    virtual ~SharedRewrite() = default;
    SharedRewrite() = default;
    SharedRewrite(const SharedRewrite &) = delete;
    SharedRewrite &operator=(const SharedRewrite &) = delete;
    Expr operator()(Expr e);

  protected:
    /// The node with operands already rewritten; `before` is the node as it was.
    virtual Expr rewritten(Expr e, Expr before) = 0;
    /// For nodes whose operands are not simply rewritten first; null for all others.
    virtual Expr rewrittenWhole(Expr /*e*/) { return {}; }

  private:
    NodeMap<Expr> m_done;
};

} // namespace loopscope
