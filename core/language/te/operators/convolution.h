#pragma once
// The direct convolution of any dimension and layout, for the operators that build on it.

#include "language/te/operators/building.h"

namespace loopscope {

/// Names of the ops and axes of one convolution. Axes of the output in layout order of (batch, channel, space...).
struct ConvNames {
    std::string pad;
    std::string conv;
    std::string tag;
    std::string batch;
    std::string channel;
    std::vector<std::string> space;
    std::vector<std::string> window; // reduce axes over the kernel
    bool channelByGroup = false;     // writes the input channel as co // (CO/groups) * (CI/groups) + rc always
};

/// `space` spatial dimensions, channels last or first; weight [window..., CI/groups, CO] or [CO, CI/groups, window...].
const Tensor &buildConvolution(OperatorCall &call, size_t space, bool channelsLast, const ConvNames &names);

} // namespace loopscope
