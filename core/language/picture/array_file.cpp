#include "language/picture/array_file.h"

#include "language/tensor/npy_file.h"
#include "language/tensor/wide_tensor.h"

#include <utility>

namespace loopscope {

TensorValue readArray(const std::string &path) {
    WideTensor wide = WideTensor::of(readNpy(path));
    TensorValue value;
    value.dtype = wide.dtype;
    value.shape = std::move(wide.dims);
    value.floats = std::move(wide.floats);
    value.integers = std::move(wide.integers);
    return value;
}

void writeArray(const std::string &path, const TensorValue &value) {
    writeNpy(path, WideTensor{value.dtype, value.shape, value.floats, value.integers}.narrow());
}

} // namespace loopscope
