#pragma once
// Values of a workload in .npy files (language/tensor/npy_file.h).

#include "language/interpret/interpreter.h"

#include <string>

namespace loopscope {

/// Little-endian, rows last (C order). Throws Error that names the file and what of it cannot be read.
TensorValue readArray(const std::string &path);
/// bfloat16, which NumPy does not have, as float32. Throws Error when it cannot be written.
void writeArray(const std::string &path, const TensorValue &value);

} // namespace loopscope
