#pragma once
// What a tensor view has to be so that a kernel may read or write it: one element type, one shape, memory of the host,
// row-major without gaps, every element where its type may lie.

#include "base/outcome.h"
#include "language/expr/dtype.h"
#include "networks/packed/dl_tensor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct TensorSpec {
    DType dtype = DType::Float32;
    std::vector<int64_t> dims;
};

DlDataType dlTypeOf(DType dtype);
/// None of vectors, complex numbers, and what else no tensor of ours holds.
std::optional<DType> dtypeOf(DlDataType type);
/// "float32", "float32x4", "complex64".
std::string dlTypeText(DlDataType type);
/// "float32[2, 3]".
std::string tensorText(const DlTensor &tensor);

/// Why it cannot be handed to a kernel, as the end of a sentence that begins with its name: "is float64; float32 is
/// wanted". Without a spec: why no kernel of ours could take it.
std::optional<Refusal> problemOfTensor(const DlTensor *tensor, const std::optional<TensorSpec> &spec);

/// Of a tensor without a problem.
std::byte *firstElement(const DlTensor &tensor);
size_t bytesOf(const DlTensor &tensor);
std::vector<int64_t> dimsOf(const DlTensor &tensor);

} // namespace loopscope
