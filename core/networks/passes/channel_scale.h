#pragma once
// Chains of nodes that come to out = in * scale + shift with a number for each channel (axis 1): batch_norm, and mul,
// div, add, sub with constants. Composed in double, so that however many there are, there is one rounding.

#include "networks/passes/function_edit.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct ChannelScale {
    std::vector<double> scale = {1}; // one for all, or one a channel
    std::vector<double> shift = {0};
    bool perChannel = false; // else it is a scalar for any rank

    /// This one first, then the other; nothing where a number of the two would not stand for theirs in the type.
    [[nodiscard]] std::optional<ChannelScale> then(const ChannelScale &next, DType type) const;
    [[nodiscard]] double scaleOf(size_t channel) const { return scale[scale.size() == 1 ? 0 : channel]; }
    [[nodiscard]] double shiftOf(size_t channel) const { return shift[shift.size() == 1 ? 0 : channel]; }
    [[nodiscard]] bool scales() const;
    [[nodiscard]] bool shifts() const;
};

struct ScaleChain {
    NodeId last;
    ValueId base; // what the first of them reads
    ChannelScale scale;
    size_t nodes = 0;
    bool batchNorm = false; // among them
};

/// Longest chains of nodes that have one reader each, in order; those of one node among them.
std::vector<ScaleChain> scaleChains(const FunctionEdit &edit);

/// Makes it a mul and an add, or less where it does less; replaces what the chain computed.
void emitScale(FunctionEdit &edit, const ScaleChain &chain, const std::string &sentence);

/// A node whose weights can take a scale: a convolution or matrix product with constant weights that nothing else
/// reads.
bool takesScale(const FunctionEdit &edit, ValueId base);
/// Makes another such node that computes what the chain did; false, and nothing done, where a weight or the bias would
/// leave the range of its type.
bool foldScale(FunctionEdit &edit, const ScaleChain &chain, const std::string &sentence);

} // namespace loopscope
