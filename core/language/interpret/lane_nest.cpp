#include "language/interpret/lane_nest.h"

#include <algorithm>

namespace loopscope {

LaneNest LaneNest::overOutputs(const Op &op, int64_t most) { return {op, 0, op.axes.size(), most}; }

LaneNest LaneNest::overReduction(const Op &op, int64_t most) {
    return {op, op.axes.size(), op.axes.size() + op.reduceRank(), most};
}

LaneNest LaneNest::behind(const Op &op, size_t axis, int64_t most) { return {op, axis + 1, op.axes.size(), most}; }

LaneNest::LaneNest(const Op &op, size_t begin, size_t end, int64_t most) : axes(op.axes), firstLane(end), endLane(end) {
    if (op.reduction) axes.insert(axes.end(), op.reduction->axes.begin(), op.reduction->axes.end());
    most = std::clamp<int64_t>(most, 1, kLanes);
    if (begin < end) {
        --firstLane;
        while (firstLane > begin && inner * axes[firstLane].extent <= most) inner *= axes[firstLane--].extent;
        const int64_t extent = axes[firstLane].extent;
        const int64_t fitting = std::max<int64_t>(1, most / inner);
        const int64_t chunks = (extent + fitting - 1) / fitting;
        chunk = (extent + chunks - 1) / chunks; // all about equally long
    }
    for (size_t axis = 0; axis < axes.size(); ++axis) {
        if (isLane(axis) && axis != firstLane) continue;
        const int64_t step = isLane(axis) ? chunk : 1;
        loops.push_back({axis, (axes[axis].extent + step - 1) / step, step});
        if (axis < op.axes.size()) ++spatialLoops;
    }
}

int LaneNest::loopOf(size_t axis) const {
    for (size_t i = 0; i < loops.size(); ++i)
        if (loops[i].axis == axis) return static_cast<int>(i);
    return -1;
}

int LaneNest::lanesAt(int64_t value) const {
    return static_cast<int>(std::min(chunk, axes[firstLane].extent - value) * inner);
}

int64_t LaneNest::laneValue(size_t axis, int lane) const {
    if (!isLane(axis)) return 0;
    int64_t rest = lane;
    for (size_t a = endLane; --a > axis;) rest /= axes[a].extent;
    return axis == firstLane ? rest : rest % axes[axis].extent;
}

int64_t LaneNest::blocks() const {
    int64_t count = 1;
    for (size_t i = 0; i < spatialLoops; ++i) count *= loops[i].count;
    return count;
}

} // namespace loopscope
