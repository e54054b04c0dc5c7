#pragma once
// Index arithmetic as linear forms over values known only at run time, with the ranges of these values. It owns what
// variables stand for. Forms become instructions (scalarOf, valueOf) where an address or a value is needed, not before.
// Internal to codegen.

#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/linear_index.h"
#include "language/expr/interval.h"

#include <unordered_map>
#include <vector>

namespace loopscope {

class ValueEmitter;

class IndexForms {
    /// A 64-bit value known only at run time, with what is known of its range.
    struct Atom {
        llvm::Value *value = nullptr;
        Interval range;
    };
    /// What a variable stands for: a linear form (integers) or a value.
    struct Binding {
        LinearIndex form;
        llvm::Value *value = nullptr; // when set, instead of the form
    };

  public:
    /// `values` computes what is not linear; it may be unfinished here.
    IndexForms(EmitContext &context, ValueEmitter &values);

    /// Atoms made while it lives are forgotten: forms must not outlive them.
    class Scope {
      public:
        explicit Scope(IndexForms &forms) : m_forms(forms), m_count(forms.m_atoms.size()) {}
        ~Scope() { m_forms.m_atoms.resize(m_count); }
        Scope(const Scope &) = delete;
        Scope &operator=(const Scope &) = delete;

      private:
        IndexForms &m_forms;
        size_t m_count;
    };
    /// While it lives, a condition is known to hold (or not to), which narrows the ranges of atoms.
    class Assumption {
      public:
        Assumption(IndexForms &forms, Expr condition, bool holds) : m_forms(forms), m_outer(forms.m_atoms) {
            forms.assume(condition, holds);
        }
        ~Assumption() { m_forms.m_atoms = std::move(m_outer); }
        Assumption(const Assumption &) = delete;
        Assumption &operator=(const Assumption &) = delete;

      private:
        IndexForms &m_forms;
        std::vector<Atom> m_outer;
    };
    /// Everything known; for code that goes into another function meanwhile.
    class Known {
        friend class IndexForms;
        std::vector<Atom> atoms;
        std::unordered_map<const ExprNode *, Binding> bindings;
    };
    [[nodiscard]] Known known() const;
    void restore(Known outer);
    /// Every place that holds a value of the function, to be replaced by another function's.
    [[nodiscard]] std::vector<llvm::Value **> values();

    void bind(Expr variable, const LinearIndex &form) { m_bindings[variable.node()] = {form, nullptr}; }
    /// To what the expression is here: a form where it has one.
    void bindTo(Expr variable, Expr value);
    void unbind(Expr variable) { m_bindings.erase(variable.node()); }
    /// The index with variables for its quotients and the like that are the same in all lanes, bound to what these are,
    /// so that the forms of different lanes have the same atoms. Whoever calls unbinds them.
    Expr bindShared(Expr index, std::vector<Expr> &bound);
    /// Null: it stands for a form.
    [[nodiscard]] llvm::Value *boundValue(Expr variable) const;
    [[nodiscard]] bool variesByLane(Expr variable) const;

    LinearIndex atomForm(llvm::Value *value, Interval range);
    /// False: there is none, as lanes differ in more than a constant step.
    bool tryForm(Expr e, LinearIndex &out);
    /// Throws ProgramRefused, naming `what`, when it has none or depends on the lane.
    LinearIndex requireForm(Expr e, const char *what);
    [[nodiscard]] Interval rangeOf(const LinearIndex &form) const;
    /// Of an expression, from what is known of its variables.
    [[nodiscard]] Interval rangeOf(Expr e) const;
    /// No term can be negative.
    [[nodiscard]] bool ascends(const LinearIndex &form) const;
    llvm::Value *scalarOf(const LinearIndex &form); // i64, lane coefficient ignored
    llvm::Value *valueOf(const LinearIndex &form, llvm::Type *scalarType);

  private:
    [[nodiscard]] const Binding &bindingOf(Expr variable) const;
    /// Sums of the form are what wrapping arithmetic of the type has.
    [[nodiscard]] bool exact(const LinearIndex &form, DType type) const;
    /// Every step of the sum fits 32 bits.
    [[nodiscard]] bool fitsNarrow(const LinearIndex &form) const;
    llvm::Value *narrowScalarOf(const LinearIndex &form); // computed in 32 bits, handed on as i64
    bool divideForm(const LinearIndex &form, int64_t divisor, bool wantQuotient, LinearIndex &out);
    bool pickForm(ExprKind kind, const LinearIndex &a, const LinearIndex &b, LinearIndex &out);
    void assume(Expr condition, bool holds);
    void assumeNotPositive(LinearIndex form);

    llvm::IRBuilder<> &m_builder;
    Lanes &m_lanes;
    ValueEmitter &m_values;
    bool m_narrow; // registers have 32 bits
    std::vector<Atom> m_atoms;
    std::unordered_map<const ExprNode *, Binding> m_bindings;
};

} // namespace loopscope
