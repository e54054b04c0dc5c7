#pragma once
// How the interpreter walks the points of an op: a nest of loops around a box of up to kLanes points, the lanes, which
// every instruction of a LaneProgram handles at once. The box spans neighbouring axes: the last spatial ones, or, where
// there are too few outputs to fill it, the last reduce ones.

#include "language/te/op.h"

#include <cstdint>
#include <vector>

namespace loopscope {

inline constexpr int kLanes = 256;

struct LaneNest {
    /// `most` lanes at most.
    static LaneNest overOutputs(const Op &op, int64_t most);
    static LaneNest overReduction(const Op &op, int64_t most);
    /// No lanes along `axis` of an op without a reduction, or along those before it.
    static LaneNest behind(const Op &op, size_t axis, int64_t most);

    struct Loop {
        size_t axis = 0;
        int64_t count = 1;
        int64_t step = 1; // of the axis' value
    };

    std::vector<Axis> axes;            // spatial, then reduce
    std::vector<Loop> loops;           // outermost first
    size_t spatialLoops = 0;           // of them; the others are reduce loops
    size_t firstLane = 0, endLane = 0; // axes of the box; the first one is cut into chunks, which is a loop too
    int64_t chunk = 1;                 // of that axis
    int64_t inner = 1;                 // points of the other axes of the box

    [[nodiscard]] bool isLane(size_t axis) const { return axis >= firstLane && axis < endLane; }
    /// Position of the innermost loop that moves the axis; -1 when none does.
    [[nodiscard]] int loopOf(size_t axis) const;
    /// Number of the chunk loop; -1 without lanes.
    [[nodiscard]] int chunkLoop() const { return endLane > firstLane ? loopOf(firstLane) : -1; }
    [[nodiscard]] int lanes() const { return static_cast<int>(chunk * inner); }
    /// Lanes there are when the chunk begins at this value of its axis.
    [[nodiscard]] int lanesAt(int64_t value) const;
    /// What a lane adds to the axis' value.
    [[nodiscard]] int64_t laneValue(size_t axis, int lane) const;
    /// Points of the spatial loops.
    [[nodiscard]] int64_t blocks() const;

  private:
    LaneNest(const Op &op, size_t begin, size_t end, int64_t most);
};

} // namespace loopscope
