#include "language/interpret/moved_load.h"

#include "language/interpret/error_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace loopscope {

namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr double kMaxPlaces = 64;

double placeValue(const TensorValue &tensor, size_t at) {
    return isFloat(tensor.dtype) ? tensor.floats[at] : static_cast<double>(tensor.integers[at]);
}

size_t placeOffset(const TensorValue &tensor, std::span<const int64_t> indices) {
    int64_t offset = 0;
    for (size_t d = 0; d < indices.size(); ++d) offset = offset * tensor.shape[d] + indices[d];
    return static_cast<size_t>(offset);
}

} // namespace

double movedLoadError(const TensorValue &tensor, std::span<const int64_t> indices, std::span<const double> errors) {
    std::vector<int64_t> first;
    std::vector<int64_t> last;
    double places = 1;
    for (size_t d = 0; d < indices.size(); ++d) {
        if (!(errors[d] <= kMaxPlaces)) return kNoBound; // or not a number
        const auto reach = static_cast<int64_t>(errors[d]);
        first.push_back(std::max<int64_t>(indices[d] - reach, 0));
        last.push_back(std::min(indices[d] + reach, tensor.shape[d] - 1));
        places *= static_cast<double>(last[d] - first[d] + 1);
    }
    if (places > kMaxPlaces) return kNoBound;

    const double here = placeValue(tensor, placeOffset(tensor, indices));
    double most = 0;
    std::vector<int64_t> at = first;
    for (;;) {
        const size_t there = placeOffset(tensor, at);
        const double own = tensor.bounds.empty() ? 0 : static_cast<double>(tensor.bounds[there]);
        const double error = errorBetween(placeValue(tensor, there), here) + own;
        if (std::isnan(error)) return kNoBound;
        most = std::max(most, error);
        size_t d = at.size();
        while (d > 0 && at[d - 1] == last[d - 1]) {
            at[d - 1] = first[d - 1];
            --d;
        }
        if (d == 0) return most;
        ++at[d - 1];
    }
}

} // namespace loopscope
