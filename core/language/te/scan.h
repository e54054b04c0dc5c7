#pragma once
// Scans: computes that read their own earlier elements along one axis, such as a running sum or a recursive filter:
//
//   cdf(b < 256) = scan(b; from h[b]; cdf[b - 1] + h[b])
//
// A scan is a plain op whose body says which case holds, `if_then_else(b >= 1, cdf[b - 1] + h[b], h[b])`, and loads its
// own outputs. Every element is computed once, in order along the axis (from the last to the first when it reads b +
// 1), so that axis is one serial loop; the others are like those of any compute. Nobody can inline a scan, and whoever
// reads a part of it needs the whole axis.

#include "language/te/op.h"

#include "base/outcome.h"

#include <optional>

namespace loopscope {

struct Scan {
    size_t axis = 0; // of the op's axes
    bool backwards = false;
    int64_t reach = 1; // how far back it reads: so many elements are given by `from`
};

/// Nothing for any other op.
std::optional<Scan> scanOf(const Op &op);
/// `axis` is the one this op scans along.
bool scansAlong(const Op &op, size_t axis);
/// The load is of an output of the op itself.
inline bool isOwnLoad(const Op &op, Expr e) { return e->kind == ExprKind::Load && asTensor(e->symbol).op == &op; }

/// The two cases of output k of a scan.
Expr scanStart(const Op &op, size_t k);
Expr scanStep(const Op &op, size_t k);

/// An op on its way to becoming a scan: its outputs, of the types of `start`, are there to be loaded.
class ScanDraft {
  public:
    ScanDraft(std::string name, std::vector<Axis> axes, size_t axis, const std::vector<Expr> &start);

    [[nodiscard]] const Op &op() const { return *m_op; }
    /// Why a load of the draft's outputs in `step` is not of an earlier element along the axis, or there is none at
    /// all; `load` is the one meant.
    struct Fault {
        Expr load; // null: of none
        std::string sentence;
    };
    [[nodiscard]] std::optional<Fault> faultOf(const std::vector<Expr> &step) const;
    /// `step` has no fault; both count from the origins of the axes.
    [[nodiscard]] OpPtr finish(const std::vector<Expr> &start, const std::vector<Expr> &step, Attrs attrs,
                               std::string tag);

  private:
    std::shared_ptr<Op> m_op;
    size_t m_axis;
};

/// The op with other values in its body and condition, which may load the op's own outputs: they load those of the new
/// op then. Extents and tag stay.
OpPtr rebuiltCompute(const Op &op, std::vector<Expr> body, std::optional<Reduction> reduction, Attrs attrs);

} // namespace loopscope
