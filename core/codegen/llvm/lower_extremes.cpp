#include "codegen/llvm/lower_extremes.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/SimplifyQuery.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace loopscope {

namespace {

using Extreme = llvm::IntrinsicInst;

Extreme *extremeOf(llvm::Value *value) {
    auto *call = llvm::dyn_cast<Extreme>(value);
    if (call == nullptr) return nullptr;
    const llvm::Intrinsic::ID id = call->getIntrinsicID();
    return id == llvm::Intrinsic::minimum || id == llvm::Intrinsic::maximum ? call : nullptr;
}

/// The call that `value` is when it is nothing but a step on the way to `outer`.
Extreme *stepOf(llvm::Value *value, const Extreme &outer) {
    Extreme *call = extremeOf(value);
    const bool step = call != nullptr && call->hasOneUse() && call->getParent() == outer.getParent() &&
                      call->getIntrinsicID() == outer.getIntrinsicID();
    return step ? call : nullptr;
}

using Places = llvm::DenseMap<const Extreme *, size_t>; // in their function

/// One tree of calls, from its leaves to its root.
class Tree {
  public:
    Tree(Extreme &root, const Places &places, const llvm::SimplifyQuery &query)
        : m_root(root), m_places(places), m_query(query) {}

    void lower() {
        llvm::Value *value = lowered(m_root).value;
        if (m_none != nullptr || m_open != nullptr) {
            if (m_open != nullptr) ask(m_root, m_open, m_open);
            llvm::IRBuilder<> builder(&m_root);
            value = builder.CreateSelect(m_none, llvm::ConstantFP::getNaN(m_root.getType()), value);
        }
        m_root.replaceAllUsesWith(value);
        m_root.eraseFromParent();
        for (Extreme *step : llvm::reverse(m_steps)) step->eraseFromParent(); // those nearer to the root first
    }

  private:
    struct Lowered {
        llvm::Value *value;
        bool keeps; // what it has of the one leaf that is not asked
    };

    [[nodiscard]] bool isNumber(const llvm::Value *value) const { return llvm::isKnownNeverNaN(value, 0, m_query); }

    /// The second operand where either is no number.
    llvm::Value *chosen(llvm::IRBuilder<> &builder, llvm::Value *first, llvm::Value *second) const {
        const bool least = m_root.getIntrinsicID() == llvm::Intrinsic::minimum;
        llvm::Value *takesFirst = least ? builder.CreateFCmpOLT(first, second) : builder.CreateFCmpOGT(first, second);
        return builder.CreateSelect(takesFirst, first, second);
    }

    Lowered lowered(Extreme &call) {
        Lowered sides[2];
        for (const unsigned side : {0U, 1U}) {
            llvm::Value *operand = call.getOperand(side);
            if (Extreme *step = stepOf(operand, call)) {
                sides[side] = lowered(*step);
                m_steps.push_back(step);
            } else {
                sides[side] = {operand, leaf(call, operand)};
            }
        }
        llvm::IRBuilder<> builder(&call);
        // The one that keeps something is the second.
        const bool swap = sides[0].keeps;
        return {chosen(builder, sides[swap ? 1 : 0].value, sides[swap ? 0 : 1].value),
                sides[0].keeps || sides[1].keeps};
    }

    /// Whether it is the one that need not be asked; the others are, in pairs.
    bool leaf(Extreme &reader, llvm::Value *value) {
        if (isNumber(value)) return false;
        if (!m_kept) {
            m_kept = true;
            return true;
        }
        // Whoever reads last stands behind all of them.
        if (m_last == nullptr || m_places.at(m_last) < m_places.at(&reader)) m_last = &reader;
        if (m_open == nullptr) {
            m_open = value;
        } else {
            ask(*m_last, m_open, value);
            m_open = nullptr;
        }
        return false;
    }
    void ask(Extreme &before, llvm::Value *a, llvm::Value *b) {
        llvm::IRBuilder<> builder(&before);
        llvm::Value *none = builder.CreateFCmpUNO(a, b);
        m_none = m_none == nullptr ? none : builder.CreateOr(m_none, none);
    }

    Extreme &m_root;
    const Places &m_places;
    const llvm::SimplifyQuery &m_query;
    std::vector<Extreme *> m_steps;
    bool m_kept = false;
    Extreme *m_last = nullptr;     // of those that read leaves
    llvm::Value *m_open = nullptr; // waits for a second one
    llvm::Value *m_none = nullptr; // whether any was no number
};

} // namespace

llvm::PreservedAnalyses LowerExtremes::run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
    std::vector<Extreme *> roots;
    Places places;
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
        Extreme *call = extremeOf(&instruction);
        if (call == nullptr) continue;
        places.try_emplace(call, places.size());
        const Extreme *reader = call->hasOneUse() ? extremeOf(*call->user_begin()) : nullptr;
        if (reader == nullptr || stepOf(call, *reader) == nullptr) roots.push_back(call);
    }
    const llvm::SimplifyQuery query(function.getDataLayout());
    for (Extreme *root : roots) Tree(*root, places, query).lower();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
}

} // namespace loopscope
