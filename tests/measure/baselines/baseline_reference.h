#pragma once
// The obvious loops over a BaselineProblem, in double precision: what every library must agree with.

#include "measure/baselines/baseline_problem.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace loopscope {

/// `at`: the element of the result.
inline double applyTail(double sum, const BaselineTail &tail, const BaselineBuffers &in, int64_t channel, int64_t at) {
    if (tail.bias) sum += double(in.bias[channel]);
    if (tail.scale) sum *= double(in.scale[channel]);
    if (tail.offset) sum += double(in.offset[channel]);
    if (tail.residual) sum += double(in.residual[at]);
    if (tail.relu) sum = std::min(std::max(sum, 0.0), double(tail.most));
    return tail.gelu ? sum * 0.5 * (1 + std::erf(sum * std::sqrt(0.5))) : sum;
}

inline void computeReference(const MatmulProblem &p, const BaselineBuffers &in, std::vector<double> &out) {
    for (int64_t b = 0; b < p.batch; ++b)
        for (int64_t i = 0; i < p.m; ++i)
            for (int64_t j = 0; j < p.n; ++j) {
                double sum = 0;
                for (int64_t k = 0; k < p.k; ++k)
                    sum += double(in.data[b * p.a.batch + i * p.a.row + k * p.a.column]) *
                           double(in.weights[b * p.b.batch + k * p.b.row + j * p.b.column]);
                const int64_t at = b * p.c.batch + i * p.c.row + j * p.c.column;
                out[size_t(at)] = applyTail(sum, p.tail, in, j, at);
            }
}

/// Input position that output position `o` reads through kernel tap `k`, or -1.
inline int64_t readPosition(const ConvAxis &axis, bool transposed, int64_t o, int64_t k) {
    int64_t position = o * axis.stride + k * axis.dilation - axis.padBefore;
    if (transposed) {
        position = o + axis.padBefore - k * axis.dilation;
        if (position < 0 || position % axis.stride != 0) return -1;
        position /= axis.stride;
    }
    return position >= 0 && position < axis.input ? position : -1;
}

inline void computeReference(const ConvProblem &p, const BaselineBuffers &in, std::vector<double> &out) {
    ConvProblem full = p;
    full.axes.resize(3);
    const int64_t outPerGroup = p.outChannels / p.groups;
    const int64_t inPerGroup = p.inChannels / p.groups;
    const auto &axes = full.axes;
    for (int64_t n = 0; n < p.batch; ++n)
        for (int64_t c = 0; c < p.outChannels; ++c)
            for (int64_t x = 0; x < axes[0].output; ++x)
                for (int64_t y = 0; y < axes[1].output; ++y)
                    for (int64_t z = 0; z < axes[2].output; ++z) {
                        double sum = 0;
                        const int64_t group = c / outPerGroup;
                        for (int64_t kx = 0; kx < axes[0].kernel; ++kx)
                            for (int64_t ky = 0; ky < axes[1].kernel; ++ky)
                                for (int64_t kz = 0; kz < axes[2].kernel; ++kz) {
                                    const int64_t ix = readPosition(axes[0], p.transposed, x, kx);
                                    const int64_t iy = readPosition(axes[1], p.transposed, y, ky);
                                    const int64_t iz = readPosition(axes[2], p.transposed, z, kz);
                                    if (ix < 0 || iy < 0 || iz < 0) continue;
                                    const int64_t pixel = n * p.data.image + ix * p.data.spatial[0] +
                                                          iy * p.data.spatial[1] + iz * p.data.spatial[2];
                                    const int64_t tap = group * p.weights.group + c % outPerGroup * p.weights.out +
                                                        kx * p.weights.spatial[0] + ky * p.weights.spatial[1] +
                                                        kz * p.weights.spatial[2];
                                    for (int64_t i = 0; i < inPerGroup; ++i)
                                        sum += double(in.data[pixel + (group * inPerGroup + i) * p.data.channel]) *
                                               double(in.weights[tap + i * p.weights.in]);
                                }
                        const int64_t at = n * p.out.image + c * p.out.channel + x * p.out.spatial[0] +
                                           y * p.out.spatial[1] + z * p.out.spatial[2];
                        out[size_t(at)] = applyTail(sum, p.tail, in, c, at);
                    }
}

inline void computeReference(const SoftmaxProblem &p, const BaselineBuffers &in, std::vector<double> &out) {
    for (int64_t i = 0; i < p.rows; ++i) {
        const float *row = in.data + i * p.columns;
        const double largest = double(*std::max_element(row, row + p.columns));
        double sum = 0;
        for (int64_t j = 0; j < p.columns; ++j) sum += std::exp(double(row[j]) - largest);
        for (int64_t j = 0; j < p.columns; ++j)
            out[size_t(i * p.columns + j)] = std::exp(double(row[j]) - largest) / sum;
    }
}

inline void computeReference(const NormProblem &p, const BaselineBuffers &in, std::vector<double> &out) {
    for (int64_t b = 0; b < p.batch; ++b) {
        double sum = 0;
        for (int64_t i = 0; i < p.count; ++i) {
            const auto value = double(in.data[b * p.count + i]);
            sum += value * value;
        }
        out[size_t(b)] = std::sqrt(sum);
    }
}

/// Seeded operands of a problem, and room for its result, poisoned.
struct BaselineOperands {
    explicit BaselineOperands(const BaselineProblem &problem) {
        const BaselineSizes sizes = bufferSizes(problem);
        std::mt19937 random(17);
        std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
        auto fill = [&](std::vector<float> &values, size_t count) {
            values.resize(count);
            for (float &value : values) value = uniform(random);
        };
        fill(data, sizes.data);
        fill(weights, sizes.weights);
        fill(bias, sizes.channels);
        fill(scale, sizes.channels);
        fill(offset, sizes.channels);
        fill(residual, sizes.out);
        out.assign(sizes.out, std::nanf(""));
    }
    [[nodiscard]] BaselineBuffers buffers() {
        return {data.data(), weights.data(), bias.data(), scale.data(), offset.data(), out.data(), residual.data()};
    }

    std::vector<float> data, weights, bias, scale, offset, out, residual;
};

} // namespace loopscope
