#include "records/resolve/step_shapes.h"

#include <algorithm>
#include <map>
#include <variant>

namespace loopscope {

namespace {

/// Extents of the stage that is split most, in the order of its loops.
std::vector<int64_t> tiledExtents(const Steps &steps) {
    std::map<int, std::vector<int64_t>> runs; // by stage as the split names it
    std::vector<int64_t> most;
    int current = -1;
    for (const Step &step : steps) {
        const auto *split = std::get_if<SplitStep>(&step);
        if (split == nullptr) {
            current = -1;
            continue;
        }
        if (split->stage.value != current) {
            current = split->stage.value;
            if (runs.contains(current)) current = -1; // not its own loops any more
        }
        if (current < 0) continue;
        std::vector<int64_t> &run = runs[current];
        run.push_back(split->extent);
        if (run.size() > most.size()) most = run;
    }
    return most;
}

/// The operator's inputs and its result, and what stands for its channels.
struct Operator {
    std::vector<Shape> inputs;
    Shape out;
    std::vector<Shape> biases;
};

/// Extents that windows of k make h of: as many, strides of two, no padding.
std::vector<int64_t> inputExtents(int64_t h, int64_t k) {
    std::vector<int64_t> all = {h, 2 * h, 2 * h - 1, h + k - 1, 2 * (h - 1) + k, 2 * (h - 1) + k + 1, 4 * h};
    std::vector<int64_t> once;
    for (const int64_t extent : all)
        if (std::ranges::find(once, extent) == once.end()) once.push_back(extent);
    return once;
}

void addConvolutions(const std::vector<int64_t> &e, std::vector<Operator> &all) {
    const auto addNhwc = [&](int64_t h, int64_t w, int64_t kh, int64_t kw, const auto &make) {
        const std::vector<int64_t> high = inputExtents(h, kh);
        const std::vector<int64_t> wide = inputExtents(w, kw);
        for (size_t i = 0; i < std::min(high.size(), wide.size()); ++i) make(high[i], wide[i]);
    };
    if (e.size() == 7) {
        addNhwc(e[1], e[2], e[4], e[5], [&](int64_t h, int64_t w) {
            all.push_back(
                {{{e[0], h, w, e[6]}, {e[4], e[5], e[6], e[3]}}, {e[0], e[1], e[2], e[3]}, {{1, 1, 1, e[3]}, {e[3]}}});
        });
        addNhwc(e[2], e[3], e[5], e[6], [&](int64_t h, int64_t w) {
            all.push_back({{{e[0], e[4], h, w}, {e[1], e[4], e[5], e[6]}},
                           {e[0], e[1], e[2], e[3]},
                           {{1, e[1], 1, 1}, {e[1], 1, 1}}});
        });
    }
    if (e.size() == 6) {
        addNhwc(e[1], e[2], e[4], e[5], [&](int64_t h, int64_t w) {
            all.push_back(
                {{{e[0], h, w, e[3]}, {e[4], e[5], e[3], 1}}, {e[0], e[1], e[2], e[3]}, {{1, 1, 1, e[3]}, {e[3]}}});
        });
        addNhwc(e[2], e[3], e[4], e[5], [&](int64_t h, int64_t w) {
            all.push_back({{{e[0], e[1], h, w}, {e[1], 1, e[4], e[5]}},
                           {e[0], e[1], e[2], e[3]},
                           {{1, e[1], 1, 1}, {e[1], 1, 1}}});
        });
    }
    if (e.size() == 5 && e[0] == e[1]) // tiles of Winograd's, of one square image
        for (int64_t side = 1; side * side <= e[2]; ++side) {
            if (side * side != e[2]) continue;
            const int64_t tile = e[0] - 2;
            for (int64_t h = side * tile; h > std::max<int64_t>((side - 1) * tile, 0); --h)
                all.push_back(
                    {{{1, h, h, e[4]}, {e[0], e[0], e[3], e[4]}}, {1, h, h, e[3]}, {{1, 1, 1, e[3]}, {e[3]}}});
        }
}

std::vector<Operator> operatorsOf(const std::vector<int64_t> &e) {
    std::vector<Operator> all;
    if (e.size() == 3) {
        const Shape out = {e[0], e[1]};
        const std::vector<Shape> biases = {{e[1]}, {1, e[1]}};
        all.push_back({{{e[0], e[2]}, {e[1], e[2]}}, out, biases});
        if (e[1] != e[2]) all.push_back({{{e[0], e[2]}, {e[2], e[1]}}, out, biases});
    }
    if (e.size() == 4) all.push_back({{{e[0], e[1], e[3]}, {e[0], e[2], e[3]}}, {e[0], e[1], e[2]}, {}});
    if (e.size() == 4 && e[2] != e[3])
        all.push_back({{{e[0], e[1], e[3]}, {e[0], e[3], e[2]}}, {e[0], e[1], e[2]}, {}});
    addConvolutions(e, all);
    return all;
}

} // namespace

std::vector<TaskKey> keysFromSteps(const std::string &hash, const Steps &steps) {
    std::vector<TaskKey> keys;
    const auto add = [&](const Operator &op, const std::vector<Shape> &extras) {
        TaskKey key;
        key.name = hash;
        key.isHash = key.nested = true;
        key.shapes = op.inputs;
        key.shapes.insert(key.shapes.end(), extras.begin(), extras.end());
        key.shapes.push_back(op.out);
        for (const Shape &shape : key.shapes) key.numbers.insert(key.numbers.end(), shape.begin(), shape.end());
        if (std::ranges::all_of(key.numbers, [](int64_t extent) { return extent > 0; })) keys.push_back(std::move(key));
    };
    // The row of a softmax is split, or nothing is.
    const std::vector<int64_t> extents = tiledExtents(steps);
    if (extents.size() == 1) add({{{1, extents[0]}}, {1, extents[0]}, {}}, {});
    for (const Operator &op : operatorsOf(extents)) {
        add(op, {});
        for (const Shape &bias : op.biases) {
            add(op, {bias});
            add(op, {bias, bias});
            add(op, {bias, op.out});
            add(op, {op.out, bias});
            add(op, {op.out, bias, bias});
        }
        add(op, {op.out});
    }
    return keys;
}

} // namespace loopscope
