#pragma once
// What an index ranges over when the axes of its op do: intervals whose ends are forms, since loops outside stay
// variables. Affine indices go term by term, others operand by operand.

#include "language/dag/access.h"
#include "language/te/op.h"
#include "schedule/bounds/linear_form.h"

namespace loopscope {

/// Closed interval of forms; `point` when both ends are the same form, `everything` when nothing is known.
struct FormInterval {
    Form low;
    Form high;
    bool point = false;
    bool everything = false;
};

/// `axes`: one interval per axis of `op`, the spatial ones first.
FormInterval indexInterval(FormPool &pool, const IndexForm &index, const Op &op, const FormInterval *axes);
/// The least interval known to hold both.
FormInterval unite(FormPool &pool, const FormInterval &a, const FormInterval &b);

} // namespace loopscope
