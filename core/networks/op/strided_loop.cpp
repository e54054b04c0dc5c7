#include "networks/op/strided_loop.h"

#include "networks/op/infer_rules.h"

#include <cmath>

namespace loopscope {

Strides denseStrides(const std::vector<int64_t> &dims) {
    Strides strides(dims.size(), 0);
    if (elementCount(dims) <= 0) return strides; // products of the other dims may be anything
    int64_t step = 1;
    for (size_t axis = dims.size(); axis-- > 0;) {
        strides[axis] = step;
        step *= dims[axis];
    }
    return strides;
}

Strides broadcastStrides(const std::vector<int64_t> &of, const std::vector<int64_t> &dims) {
    const Strides own = denseStrides(of);
    Strides strides(dims.size(), 0);
    const size_t ahead = dims.size() - of.size();
    for (size_t axis = 0; axis < of.size(); ++axis)
        if (of[axis] != 1) strides[ahead + axis] = own[axis];
    return strides;
}

Outcome<WideTensor> emptyResult(const OperatorUse &use) {
    auto inferred = use.of().infer(use);
    if (!inferred) return inferred.refusal();
    const TensorType &type = inferred->front().type;
    auto dims = constantDims(type.dims);
    if (!dims) return refusal(use, "the result's dims {} are not known", dimsText(type.dims));
    return WideTensor::zeros(type.dtype, *std::move(dims));
}

Evaluated single(WideTensor tensor) {
    std::vector<WideTensor> all;
    all.push_back(std::move(tensor));
    return all;
}

StridedLoop::StridedLoop(const std::vector<int64_t> &dims, const std::vector<Strides> &operands) {
    if (elementCount(dims) <= 0) {
        m_rows = 0;
        m_dims = {0};
        m_strides = {{}};
        return;
    }
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        Places here = {};
        for (size_t k = 0; k < operands.size(); ++k) here[k] = operands[k][axis];
        if (dims[axis] == 1) continue;
        if (!m_dims.empty()) {
            bool inOneGo = true;
            for (size_t k = 0; k < kMaxOperands; ++k) inOneGo = inOneGo && m_strides.back()[k] == here[k] * dims[axis];
            if (inOneGo) {
                m_dims.back() *= dims[axis];
                m_strides.back() = here;
                continue;
            }
        }
        m_dims.push_back(dims[axis]);
        m_strides.push_back(here);
    }
    if (m_dims.empty()) {
        m_dims.push_back(1);
        m_strides.push_back({});
    }
    for (size_t axis = 0; axis + 1 < m_dims.size(); ++axis) m_rows *= m_dims[axis];
}

void copyStrided(const std::vector<int64_t> &dims, const WideTensor &from, int64_t fromOffset,
                 const Strides &fromStrides, WideTensor &to, int64_t toOffset, const Strides &toStrides,
                 ThreadPool &pool) {
    const StridedLoop loop(dims, {toStrides, fromStrides});
    const auto copy = [&](const auto *source, auto *target) {
        loop.run(pool, [&](const StridedLoop::Places &at, const StridedLoop::Places &step, int64_t count) {
            const auto *in = source + fromOffset + at[1];
            auto *out = target + toOffset + at[0];
            if (step[0] == 1 && step[1] == 1)
                std::copy(in, in + count, out);
            else
                for (int64_t i = 0; i < count; ++i) out[i * step[0]] = in[i * step[1]];
        });
    };
    if (isFloat(to.dtype))
        copy(from.floats.data(), to.floats.data());
    else
        copy(from.integers.data(), to.integers.data());
}

void copyMapped(const WideTensor &from, const std::vector<std::vector<int64_t>> &maps, WideTensor &to,
                ThreadPool &pool) {
    if (maps.empty() || to.size() == 0) { // a scalar
        if (to.size() == 0) return;
        to.floats = from.floats;
        to.integers = from.integers;
        return;
    }
    const Strides strides = denseStrides(from.dims);
    const std::vector<int64_t> &columns = maps.back();
    const auto count = static_cast<int64_t>(columns.size());
    inParts(pool, static_cast<int64_t>(to.size()) / count, count, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            int64_t source = 0;
            int64_t rest = row;
            bool inside = true;
            for (size_t axis = maps.size() - 1; axis-- > 0;) {
                const int64_t at = maps[axis][static_cast<size_t>(rest % to.dims[axis])];
                rest /= to.dims[axis];
                inside = inside && at >= 0;
                source += at * strides[axis];
            }
            if (!inside) continue;
            for (int64_t i = 0; i < count; ++i) {
                const int64_t column = columns[static_cast<size_t>(i)];
                if (column < 0) continue;
                const auto target = static_cast<size_t>(row * count + i);
                if (isFloat(to.dtype))
                    to.floats[target] = from.floats[static_cast<size_t>(source + column)];
                else
                    to.integers[target] = from.integers[static_cast<size_t>(source + column)];
            }
        }
    });
}

int64_t truncated(double x) {
    if (std::isnan(x)) return 0;
    if (x >= 0x1p63) return INT64_MAX;
    if (x <= -0x1p63) return INT64_MIN;
    return static_cast<int64_t>(x);
}

} // namespace loopscope
