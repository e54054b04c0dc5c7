#include "codegen/llvm/index_forms.h"

#include "base/check.h"
#include "codegen/llvm/emit_module.h"
#include "codegen/llvm/value_emitter.h"
#include "language/expr/walk.h"

namespace loopscope {

namespace {

bool isIndexType(DType type) { return type == DType::Int32 || type == DType::Int64; }

} // namespace

IndexForms::IndexForms(EmitContext &context, ValueEmitter &values)
    : m_builder(context.builder), m_lanes(context.lanes), m_values(values), m_narrow(context.target.isGpu()) {}

IndexForms::Known IndexForms::known() const {
    Known all;
    all.atoms = m_atoms;
    all.bindings = m_bindings;
    return all;
}

void IndexForms::restore(Known outer) {
    m_atoms = std::move(outer.atoms);
    m_bindings = std::move(outer.bindings);
}

std::vector<llvm::Value **> IndexForms::values() {
    std::vector<llvm::Value **> all;
    for (Atom &atom : m_atoms) all.push_back(&atom.value);
    for (auto &[variable, binding] : m_bindings)
        if (binding.value) all.push_back(&binding.value);
    return all;
}

void IndexForms::bindTo(Expr variable, Expr value) {
    Binding binding;
    const bool narrow = !isIndexType(value->dtype); // computed as a value, wherever it is read
    if (narrow || !tryForm(value, binding.form)) binding.value = m_values.emit(value);
    m_bindings[variable.node()] = binding;
}

Expr IndexForms::bindShared(Expr index, std::vector<Expr> &bound) {
    switch (index->kind) {
    case ExprKind::IntImm:
    case ExprKind::Var:
        return index;
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
        break;
    default:
        if (isIndexType(index->dtype) && !m_values.dependsOnLane(index)) {
            bound.push_back(makeVar("shared", index->dtype));
            bindTo(bound.back(), index);
            return bound.back();
        }
        if (index->kind != ExprKind::FloorDiv && index->kind != ExprKind::FloorMod) return index;
        break;
    }
    const std::vector<Expr> operands = {bindShared(index->arg(0), bound), bindShared(index->arg(1), bound)};
    return withOperands(index, operands);
}

const IndexForms::Binding &IndexForms::bindingOf(Expr variable) const {
    const auto binding = m_bindings.find(variable.node());
    LOOPSCOPE_CHECK(binding != m_bindings.end(), std::string("variable used outside its scope: ") + variable->text);
    return binding->second;
}

llvm::Value *IndexForms::boundValue(Expr variable) const { return bindingOf(variable).value; }

bool IndexForms::variesByLane(Expr variable) const {
    const auto binding = m_bindings.find(variable.node());
    if (binding == m_bindings.end()) return false; // bound inside the expression that is asked about
    const auto &[form, value] = binding->second;
    return value ? Lanes::isVector(value) : form.lane != 0;
}

LinearIndex IndexForms::atomForm(llvm::Value *value, Interval range) {
    LinearIndex form;
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
        form.constant = constant->getSExtValue();
        return form;
    }
    m_atoms.push_back({value, range});
    form.terms.push_back({static_cast<int>(m_atoms.size()) - 1, 1});
    return form;
}

Interval IndexForms::rangeOf(const LinearIndex &form) const {
    Interval range = Interval::point(form.constant);
    for (const LinearIndex::Term &term : form.terms) range = range + m_atoms[term.atom].range * term.coefficient;
    if (form.lane != 0) range = range + Interval::upTo(m_lanes.active()) * form.lane;
    return range;
}

Interval IndexForms::rangeOf(Expr e) const {
    std::vector<VarRange> ranges;
    postOrder(e, [&](Expr node) {
        if (node->kind != ExprKind::Var) return;
        const auto binding = m_bindings.find(node.node());
        if (binding != m_bindings.end() && binding->second.value == nullptr)
            ranges.push_back({node.node(), rangeOf(binding->second.form)});
    });
    return intervalOf(e, ranges);
}

bool IndexForms::exact(const LinearIndex &form, DType type) const {
    if (type != DType::Int64) return exactIn(rangeOf(form), type);
    const bool alone = form.constant == 0 && form.lane == 0 && form.terms.size() == 1 && form.terms[0].coefficient == 1;
    return alone || !rangeOf(form).saturated();
}

bool IndexForms::ascends(const LinearIndex &form) const {
    bool ascending = form.constant >= 0;
    for (const LinearIndex::Term &term : form.terms)
        ascending = ascending && term.coefficient >= 0 && m_atoms[term.atom].range.min >= 0;
    return ascending;
}

bool IndexForms::fitsNarrow(const LinearIndex &form) const {
    const Interval narrow = Interval::ofType(DType::Int32);
    Interval range = Interval::point(0);
    for (const LinearIndex::Term &term : form.terms) {
        const Interval step = m_atoms[term.atom].range * term.coefficient;
        range = range + step;
        if (!Interval::point(term.coefficient).inside(narrow) || !m_atoms[term.atom].range.inside(narrow) ||
            !step.inside(narrow) || !range.inside(narrow))
            return false;
    }
    return (range + Interval::point(form.constant)).inside(narrow);
}

llvm::Value *IndexForms::narrowScalarOf(const LinearIndex &form) {
    llvm::Value *sum = nullptr;
    for (const LinearIndex::Term &term : form.terms) {
        llvm::Value *value = m_builder.CreateTrunc(m_atoms[term.atom].value, m_builder.getInt32Ty());
        const auto factor = static_cast<int32_t>(term.coefficient);
        if (factor != 1) value = m_builder.CreateNSWMul(value, m_builder.getInt32(static_cast<uint32_t>(factor)));
        sum = sum != nullptr ? m_builder.CreateNSWAdd(sum, value) : value;
    }
    if (form.constant != 0)
        sum = m_builder.CreateNSWAdd(
            sum, llvm::ConstantInt::get(m_builder.getInt32Ty(), static_cast<uint64_t>(form.constant), true));
    return m_builder.CreateSExt(sum, m_builder.getInt64Ty());
}

llvm::Value *IndexForms::scalarOf(const LinearIndex &form) {
    if (m_narrow && !form.terms.empty() && fitsNarrow(form)) return narrowScalarOf(form);
    llvm::Value *sum = nullptr;
    for (const LinearIndex::Term &term : form.terms) {
        llvm::Value *value = m_atoms[term.atom].value;
        if (term.coefficient != 1) value = m_builder.CreateNSWMul(value, m_builder.getInt64(term.coefficient));
        sum = sum ? m_builder.CreateNSWAdd(sum, value) : value;
    }
    if (!sum) return m_builder.getInt64(form.constant);
    return form.constant == 0 ? sum : m_builder.CreateNSWAdd(sum, m_builder.getInt64(form.constant));
}

llvm::Value *IndexForms::valueOf(const LinearIndex &form, llvm::Type *scalarType) {
    llvm::Value *base = m_builder.CreateIntCast(scalarOf(form), scalarType, true);
    if (form.lane == 0) return base;
    std::vector<llvm::Constant *> steps;
    for (int i = 0; i < m_lanes.width(); ++i)
        steps.push_back(llvm::ConstantInt::get(scalarType, uint64_t(form.lane * i), true));
    return m_builder.CreateAdd(m_lanes.splat(base), llvm::ConstantVector::get(steps));
}

bool IndexForms::divideForm(const LinearIndex &form, int64_t divisor, bool wantQuotient, LinearIndex &out) {
    // form = divisor * quotient + rest, with everything the divisor divides in the quotient.
    LinearIndex quotient;
    LinearIndex rest;
    for (const LinearIndex::Term &term : form.terms) {
        if (term.coefficient % divisor == 0)
            quotient.terms.push_back({term.atom, term.coefficient / divisor});
        else
            rest.terms.push_back(term);
    }
    (form.lane % divisor == 0 ? quotient.lane : rest.lane) = form.lane % divisor == 0 ? form.lane / divisor : form.lane;
    quotient.constant = floorDivInt(form.constant, divisor);
    rest.constant = floorModInt(form.constant, divisor);

    const Interval range = rangeOf(rest);
    if (range.min >= 0 && range.max < divisor) {
        out = wantQuotient ? quotient : rest;
        return true;
    }
    if (rest.lane != 0) return false;

    llvm::Value *value = scalarOf(rest);
    const Interval quotients{floorDivInt(range.min, divisor), floorDivInt(range.max, divisor)};
    if (range.min >= 0) {
        // 32-bit division by a constant is one multiplication, 64-bit a long one.
        const bool narrow = range.max <= INT32_MAX;
        llvm::Type *type = narrow ? m_builder.getInt32Ty() : m_builder.getInt64Ty();
        value = m_builder.CreateTrunc(value, type);
        auto *by = llvm::ConstantInt::get(type, uint64_t(divisor));
        value = wantQuotient ? m_builder.CreateUDiv(value, by) : m_builder.CreateURem(value, by);
        value = m_builder.CreateZExt(value, m_builder.getInt64Ty());
    } else {
        llvm::Value *by = m_builder.getInt64(divisor);
        llvm::Value *remainder = m_builder.CreateSRem(value, by);
        llvm::Value *negative = m_builder.CreateICmpSLT(remainder, m_builder.getInt64(0));
        if (wantQuotient) {
            llvm::Value *down = m_builder.CreateSExt(negative, m_builder.getInt64Ty());
            value = m_builder.CreateAdd(m_builder.CreateSDiv(value, by), down);
        } else {
            value = m_builder.CreateSelect(negative, m_builder.CreateAdd(remainder, by), remainder);
        }
    }
    const int64_t largestRest = range.min < 0 ? divisor - 1 : std::min(divisor - 1, range.max);
    out = atomForm(value, wantQuotient ? quotients : Interval{0, largestRest});
    if (wantQuotient) out.add(quotient);
    return true;
}

bool IndexForms::pickForm(ExprKind kind, const LinearIndex &a, const LinearIndex &b, LinearIndex &out) {
    LinearIndex difference = a;
    difference.add(b, -1);
    const Interval range = rangeOf(difference);
    const bool isMin = kind == ExprKind::Min;
    if (range.max <= 0 || range.min >= 0) {
        out = (range.max <= 0) == isMin ? a : b;
        return true;
    }
    if (a.lane != 0 || b.lane != 0) return false;
    llvm::Value *x = scalarOf(a);
    llvm::Value *y = scalarOf(b);
    llvm::Value *less = m_builder.CreateICmpSLT(x, y);
    const Interval ra = rangeOf(a);
    const Interval rb = rangeOf(b);
    const Interval picked = isMin ? Interval{std::min(ra.min, rb.min), std::min(ra.max, rb.max)}
                                  : Interval{std::max(ra.min, rb.min), std::max(ra.max, rb.max)};
    out = atomForm(m_builder.CreateSelect(less, isMin ? x : y, isMin ? y : x), picked);
    return true;
}

bool IndexForms::tryForm(Expr e, LinearIndex &out) {
    if (!isInteger(e->dtype)) return false;
    const auto fits = [&] { return exact(out, e->dtype); };
    Interval range = Interval::ofType(e->dtype); // of an atom
    LinearIndex a;
    LinearIndex b;
    // Narrow integers (a table looked up by a byte) are computed as values.
    switch (isIndexType(e->dtype) ? e->kind : ExprKind::Call) {
    case ExprKind::IntImm:
        out = LinearIndex::of(e->intValue);
        return true;
    case ExprKind::Var: {
        const Binding &binding = bindingOf(e);
        if (binding.value) break;
        out = binding.form;
        if (m_lanes.lane() >= 0) {
            out.constant += out.lane * m_lanes.lane();
            out.lane = 0;
        }
        return true;
    }
    case ExprKind::Add:
    case ExprKind::Sub:
        if (!tryForm(e->arg(0), out) || !tryForm(e->arg(1), b)) return false;
        out.add(b, e->kind == ExprKind::Add ? 1 : -1);
        if (fits()) return true;
        break;
    case ExprKind::Mul:
        if (!tryForm(e->arg(0), a) || !tryForm(e->arg(1), b)) return false;
        if (!a.isConstant()) std::swap(a, b);
        if (a.isConstant()) {
            out = b;
            out.scale(a.constant);
            if (fits()) return true;
        }
        break;
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::Div:
    case ExprKind::Mod: {
        if (!tryForm(e->arg(0), a) || !tryForm(e->arg(1), b)) return false;
        if (!b.isConstant() && rangeOf(a).min >= 0 && rangeOf(b).min >= 0) {
            // Fused loops over so many tiles as the run has, taken apart. What divides is never 0.
            const bool quotient = e->kind == ExprKind::FloorDiv || e->kind == ExprKind::Div;
            range = {0, quotient ? rangeOf(a).max : std::min(rangeOf(a).max, std::max<int64_t>(rangeOf(b).max, 1) - 1)};
        }
        if (!b.isConstant() || b.constant <= 0) break;
        const bool truncates = e->kind == ExprKind::Div || e->kind == ExprKind::Mod;
        if (truncates && rangeOf(a).min < 0) break;
        if (divideForm(a, b.constant, e->kind == ExprKind::FloorDiv || e->kind == ExprKind::Div, out)) return true;
        return false;
    }
    case ExprKind::Min:
    case ExprKind::Max:
        if (!tryForm(e->arg(0), a) || !tryForm(e->arg(1), b)) return false;
        return pickForm(e->kind, a, b, out);
    case ExprKind::Cast:
        if (isIndexType(e->arg(0)->dtype) && tryForm(e->arg(0), out) && fits()) return true;
        break;
    default:
        break;
    }
    if (m_values.dependsOnLane(e)) return false;
    // Anything else: computed as a value of its type.
    llvm::Value *value = m_values.emit(e);
    if (Lanes::isVector(value)) return false;
    out = atomForm(m_builder.CreateIntCast(value, m_builder.getInt64Ty(), !isUnsigned(e->dtype)), range);
    return true;
}

void IndexForms::assumeNotPositive(LinearIndex form) {
    if (form.lane != 0) return;
    for (size_t i = 0; i < form.terms.size(); ++i) {
        const LinearIndex::Term term = form.terms[i];
        // coefficient * atom <= -(everything else), whatever the others are.
        LinearIndex others = form;
        others.terms.erase(others.terms.begin() + ptrdiff_t(i));
        const int64_t lowest = rangeOf(others).min;
        if (lowest == std::numeric_limits<int64_t>::min()) continue;
        Interval &range = m_atoms[size_t(term.atom)].range;
        if (term.coefficient > 0)
            range.max = std::min(range.max, floorDivInt(-lowest, term.coefficient));
        else
            range.min = std::max(range.min, -floorDivInt(-lowest, -term.coefficient));
    }
}

void IndexForms::assume(Expr condition, bool holds) {
    if (condition->kind == ExprKind::Not) {
        assume(condition->arg(0), !holds);
        return;
    }
    if (condition->kind == (holds ? ExprKind::And : ExprKind::Or)) {
        assume(condition->arg(0), holds);
        assume(condition->arg(1), holds);
        return;
    }
    if (!isComparison(condition->kind) || !isIndexType(condition->arg(0)->dtype) || containsLoad(condition)) return;
    LinearIndex difference; // left - right
    LinearIndex right;
    if (!tryForm(condition->arg(0), difference) || !tryForm(condition->arg(1), right)) return;
    difference.add(right, -1);
    LinearIndex negated = difference;
    negated.scale(-1);
    ExprKind kind = condition->kind;
    if (!holds) {
        constexpr ExprKind opposite[] = {ExprKind::Ne, ExprKind::Eq, ExprKind::Ge,
                                         ExprKind::Gt, ExprKind::Le, ExprKind::Lt}; // of Eq Ne Lt Le Gt Ge
        kind = opposite[static_cast<int>(kind) - static_cast<int>(ExprKind::Eq)];
    }
    if (kind == ExprKind::Lt) difference.constant += 1;
    if (kind == ExprKind::Gt) negated.constant += 1;
    if (kind == ExprKind::Lt || kind == ExprKind::Le || kind == ExprKind::Eq) assumeNotPositive(difference);
    if (kind == ExprKind::Gt || kind == ExprKind::Ge || kind == ExprKind::Eq) assumeNotPositive(negated);
}

LinearIndex IndexForms::requireForm(Expr e, const char *what) {
    LinearIndex form;
    if (!tryForm(e, form) || form.lane != 0)
        throw ProgramRefused{std::string(what) + " `" + toText(e) + "` differs between the lanes of a vectorized loop"};
    return form;
}

} // namespace loopscope
