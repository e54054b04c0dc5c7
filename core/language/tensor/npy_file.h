#pragma once
// NumPy's .npy files: one array each, in the types NumPy has.

#include "language/tensor/host_tensor.h"

#include <string>
#include <string_view>

namespace loopscope {

/// Little-endian, rows last (C order). Throws Error that names the file and what of it cannot be read.
HostTensor readNpy(const std::string &path);
/// bfloat16, which NumPy does not have, as float32. Throws Error when it cannot be written.
void writeNpy(const std::string &path, const HostTensor &tensor);

/// What such a file holds; `path` is named in sentences.
HostTensor npyFromBytes(const std::string &path, std::string_view bytes);
std::string npyBytes(const HostTensor &tensor);

} // namespace loopscope
