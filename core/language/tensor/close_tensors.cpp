#include "language/tensor/close_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace loopscope {

std::string differenceOf(const float *own, const float *other, size_t count, double terms) {
    double largest = 0;
    for (size_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(static_cast<double>(own[i])));
    const double tolerance = 2e-6 * std::sqrt(std::max(terms, 1.0)) * std::max(largest, 1e-30);
    for (size_t i = 0; i < count; ++i)
        if (!(std::fabs(static_cast<double>(own[i]) - static_cast<double>(other[i])) <= tolerance))
            return fmt::format("element {} of its answer is {:g}, the kernel's is {:g}", i, other[i], own[i]);
    return {};
}

std::string differenceOf(const std::vector<HostTensor> &own, const std::vector<HostTensor> &other, double terms) {
    for (size_t i = 0; i < own.size(); ++i) {
        if (own[i].byteSize() != other[i].byteSize()) return "its answer has another size";
        if (own[i].dtype() == DType::Float32) {
            std::string wrong = differenceOf(reinterpret_cast<const float *>(own[i].bytes()),
                                             reinterpret_cast<const float *>(other[i].bytes()),
                                             own[i].byteSize() / sizeof(float), terms);
            if (!wrong.empty()) return wrong;
        } else if (own[i].byteSize() > 0 && std::memcmp(own[i].bytes(), other[i].bytes(), own[i].byteSize()) != 0) {
            return "its answer has other values";
        }
    }
    return {};
}

} // namespace loopscope
