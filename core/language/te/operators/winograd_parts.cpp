#include "language/te/operators/winograd_parts.h"

#include "language/te/operators/building.h"

#include <algorithm>
#include <string>
#include <vector>

namespace loopscope {

WinogradParts winogradParts(OperatorCall &call, bool channelsLast, bool transformed) {
    WinogradParts parts;
    constexpr int64_t r = WinogradParts::r;
    const int64_t m = parts.m = call.integer("tile");
    call.require(m >= 2 && m <= 8, "`tile` is from 2 to 8");
    call.requireRank("data", 4, channelsLast ? "N, H, W, CI" : "N, CI, H, W");
    call.requireRank("weight", 4,
                     transformed    ? (channelsLast ? "tile + 2, tile + 2, CO, CI" : "tile + 2, tile + 2, CI, CO")
                     : channelsLast ? "3, 3, CI, CO"
                                    : "CO, CI, 3, 3");
    const Tensor &data = call.tensor("data");
    const Tensor &weight = call.tensor("weight");
    call.require(isFloat(data.dtype) && weight.dtype == data.dtype, "data and weight are of one float type");
    const size_t space = channelsLast ? 1 : 2;
    // Where the weight keeps its window, input and output channels.
    const size_t window = transformed || channelsLast ? 0 : 2;
    const size_t inDim = transformed ? (channelsLast ? 3 : 2) : (channelsLast ? 2 : 1);
    const size_t outDim = transformed ? (channelsLast ? 2 : 3) : (channelsLast ? 3 : 0);
    const int64_t side = transformed ? parts.alpha() : r;
    call.require(weight.shape[window] == side && weight.shape[window + 1] == side,
                 transformed ? "the transformed weight of tile " + std::to_string(m) + " is " + std::to_string(side) +
                                   " x " + std::to_string(side)
                             : std::string("the kernel is 3 x 3"));
    parts.batch = data.shape[0];
    parts.ci = data.shape[channelsLast ? 3 : 1];
    parts.co = weight.shape[outDim];
    call.require(weight.shape[inDim] == parts.ci, "data and weight have different numbers of input channels");

    const std::vector<int64_t> pad = call.padding("pad", 2);
    std::vector<int64_t> before(4, 0);
    std::vector<int64_t> after(4, 0);
    for (size_t d = 0; d < 2; ++d) {
        parts.out[d] = windowOutput(call, data.shape[space + d], pad[d], pad[2 + d], r, 1, 1);
        parts.tiles[d] = (parts.out[d] + m - 1) / m;
        // The last tile may reach past the padded input. Channels last counts the overhang from the output, as TVM
        // does.
        const int64_t reached = (channelsLast ? parts.out[d] : data.shape[space + d]) + pad[d] + pad[2 + d];
        before[space + d] = pad[d];
        after[space + d] = pad[2 + d] + std::max<int64_t>(0, (parts.tiles[d] - 1) * m + parts.alpha() - reached);
    }
    parts.padded = &padTensor(call, data, before, after, "data_pad");
    return parts;
}

} // namespace loopscope
