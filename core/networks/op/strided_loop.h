#pragma once
// Loops of reference evaluation: over all places of a tensor, several operands at once, each with strides of its own
// (0 where it is broadcast, negative where it is read backwards). Not what kernels are made of: plain and obvious.

#include "networks/op/operator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace loopscope {

using Evaluated = Outcome<std::vector<WideTensor>>;
using Strides = std::vector<int64_t>;

/// Row-major, of a dense tensor.
Strides denseStrides(const std::vector<int64_t> &dims);
/// Of a dense tensor of dims `of` that is broadcast to `dims`.
Strides broadcastStrides(const std::vector<int64_t> &of, const std::vector<int64_t> &dims);
/// Zeros of the type that inference gives the first output; refuses where it is not static.
Outcome<WideTensor> emptyResult(const OperatorUse &use);
Evaluated single(WideTensor tensor);

/// work(begin, end) over parts of [0, count), on all threads when there is enough to do; `cost` of one in simple
/// operations.
template <typename Work> void inParts(ThreadPool &pool, int64_t count, int64_t cost, const Work &work) {
    constexpr int64_t kWorthThreads = 32768;
    const int64_t most = int64_t{8} * pool.threads();
    const int64_t parts = pool.threads() == 1 || count * cost < kWorthThreads ? 1 : std::min(count, most);
    if (count <= 0) return;
    if (parts == 1) return work(int64_t{0}, count);
    const int64_t each = (count + parts - 1) / parts;
    pool.forEach(static_cast<size_t>(parts), [&](size_t part, int) {
        const int64_t begin = static_cast<int64_t>(part) * each;
        work(begin, std::min(begin + each, std::max(begin, count)));
    });
}

class StridedLoop {
  public:
    static constexpr size_t kMaxOperands = 4;
    using Places = std::array<int64_t, kMaxOperands>;

    /// Strides of each operand over dims. Axes that all operands run through in one go are joined.
    StridedLoop(const std::vector<int64_t> &dims, const std::vector<Strides> &operands);

    /// row(offsets, steps, count) for each row: `count` places, operand k at offsets[k] + i * steps[k].
    template <typename Row> void run(ThreadPool &pool, const Row &row) const {
        constexpr int64_t kLongest = 8192;
        const int64_t length = m_dims.back();
        const int64_t pieces = (length + kLongest - 1) / kLongest; // of a row
        inParts(pool, m_rows * pieces, std::min(length, kLongest), [&](int64_t begin, int64_t end) {
            for (int64_t piece = begin; piece < end; ++piece) {
                const int64_t first = piece % pieces * kLongest;
                Places offsets = {};
                for (size_t k = 0; k < kMaxOperands; ++k) offsets[k] = first * m_strides.back()[k];
                int64_t rest = piece / pieces;
                for (size_t axis = m_dims.size() - 1; axis-- > 0;) {
                    const int64_t at = rest % m_dims[axis];
                    rest /= m_dims[axis];
                    for (size_t k = 0; k < kMaxOperands; ++k) offsets[k] += at * m_strides[axis][k];
                }
                row(offsets, m_strides.back(), std::min(kLongest, length - first));
            }
        });
    }

  private:
    int64_t m_rows = 1; // without the last axis; 0 when there is no place at all
    std::vector<int64_t> m_dims;
    std::vector<Places> m_strides; // by axis
};

/// to[toOffset + place * toStrides] = from[fromOffset + place * fromStrides] for all places of dims; both of one type.
void copyStrided(const std::vector<int64_t> &dims, const WideTensor &from, int64_t fromOffset,
                 const Strides &fromStrides, WideTensor &to, int64_t toOffset, const Strides &toStrides,
                 ThreadPool &pool);

/// Each place of `to` reads the place of `from` that the maps of the axes name, and stays as it is where one of them
/// is -1. A map has as many places as `to` along its axis.
void copyMapped(const WideTensor &from, const std::vector<std::vector<int64_t>> &maps, WideTensor &to,
                ThreadPool &pool);

/// Towards zero; what no int64 can hold is the nearest it can, not-a-number is 0.
int64_t truncated(double x);

} // namespace loopscope
