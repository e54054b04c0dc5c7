#include "language/tensor/wide_tensor.h"

#include "base/check.h"
#include "base/outcome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>
#include <utility>

namespace loopscope {

WideTensor WideTensor::zeros(DType dtype, std::vector<int64_t> dims) {
    const int64_t count = elementCount(dims);
    LOOPSCOPE_CHECK(count >= 0, fmt::format("[{}]", fmt::join(dims, ", ")));
    WideTensor tensor = {dtype, std::move(dims), {}, {}};
    try {
        if (isFloat(dtype))
            tensor.floats.resize(static_cast<size_t>(count));
        else
            tensor.integers.resize(static_cast<size_t>(count));
    } catch (const std::exception &) {
        throw Error(fmt::format("no memory for a tensor [{}] in double precision", fmt::join(tensor.dims, ", ")));
    }
    return tensor;
}

WideTensor WideTensor::of(const HostTensor &tensor) {
    WideTensor wide = zeros(tensor.dtype(), tensor.dims());
    if (isFloat(tensor.dtype()))
        for (size_t i = 0; i < wide.floats.size(); ++i) wide.floats[i] = tensor.number(static_cast<int64_t>(i));
    else
        for (size_t i = 0; i < wide.integers.size(); ++i) wide.integers[i] = tensor.integer(static_cast<int64_t>(i));
    return wide;
}

HostTensor WideTensor::narrow() const {
    HostTensor tensor = HostTensor::zeros(dtype, dims);
    if (isFloat(dtype))
        for (size_t i = 0; i < floats.size(); ++i) tensor.setNumber(static_cast<int64_t>(i), floats[i]);
    else
        for (size_t i = 0; i < integers.size(); ++i) tensor.setInteger(static_cast<int64_t>(i), integers[i]);
    return tensor;
}

} // namespace loopscope
