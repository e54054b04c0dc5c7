#pragma once
// What one load or store of a warp asks of memory: how many sectors of global memory its lanes touch, and how often
// shared memory has to be asked because lanes meet in a bank. Lanes are evaluated one by one, since the index of a
// thread is rarely linear: threads of fused loops run over rows.

#include "codegen/loop_ir/program.h"
#include "language/expr/expr.h"

#include <array>
#include <cstdint>
#include <span>

namespace loopscope {

inline constexpr size_t kLanes = 32;
using Lanes = std::array<int32_t, kLanes>;

/// A variable that differs between the lanes of a warp.
struct LaneVar {
    const ExprNode *var = nullptr;
    Lanes values{};
};

/// The value of an integer expression in every lane; variables that are not listed are 0, and what is read from memory
/// lies far apart.
Lanes laneValues(Expr e, std::span<const LaneVar> vars);

/// Offsets in elements of an access to the buffer.
Lanes laneOffsets(const Buffer &buffer, std::span<const Expr> indices, std::span<const LaneVar> vars);

/// 32-byte sectors that the first `active` lanes touch, each `bytes` bytes from its offset on.
int sectorsTouched(const Lanes &offsets, int elementBytes, int bytes, int active);

/// How many times the 32 banks of 4 bytes have to be asked until every active lane has its `bytes` bytes.
int bankRounds(const Lanes &offsets, int elementBytes, int bytes, int active);

} // namespace loopscope
