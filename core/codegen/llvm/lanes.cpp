#include "codegen/llvm/lanes.h"

#include <vector>

namespace loopscope {

Lanes::Scope Lanes::chunk(int width, int active) {
    State state{width, active, -1, nullptr, nullptr};
    if (active < width) {
        std::vector<llvm::Constant *> mask;
        for (int i = 0; i < width; ++i) mask.push_back(m_builder.getInt1(i < active));
        state.mask = state.inside = llvm::ConstantVector::get(mask);
    }
    return {*this, state};
}

Lanes::Scope Lanes::single(int lane, llvm::Value *mask) { return {*this, State{1, 1, lane, mask, nullptr}}; }

Lanes::Scope Lanes::where(llvm::Value *condition) {
    State state = m_now;
    if (m_now.width > 1) condition = splat(condition);
    state.mask = m_now.mask ? m_builder.CreateAnd(m_now.mask, condition) : condition;
    return {*this, state};
}

llvm::Value *Lanes::splat(llvm::Value *value) {
    if (m_now.width == 1 || isVector(value)) return value;
    return m_builder.CreateVectorSplat(unsigned(m_now.width), value);
}

void Lanes::matchShapes(llvm::Value *&a, llvm::Value *&b) {
    if (isVector(a) && !isVector(b)) b = splat(b);
    if (isVector(b) && !isVector(a)) a = splat(a);
}

llvm::Value *Lanes::laneOf(llvm::Value *value) {
    if (m_now.lane < 0 || !isVector(value)) return value;
    return m_builder.CreateExtractElement(value, uint64_t(m_now.lane));
}

} // namespace loopscope
