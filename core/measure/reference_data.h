#pragma once
// What every kernel of a task is run on and compared with: the seeded inputs as they lie in memory, and the
// interpreter's outputs with the bounds of their errors. Made once by the measurer, in a sealed anonymous file that
// runners map read-only, so that no kernel can spoil it and nothing is left behind.

#include "dag/compute_dag.h"
#include "dag/interpreter.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

/// One argument of the task. Inputs: elements as stored. Outputs: the reference, widened to double or int64.
struct ReferenceTensor {
    std::string name;
    bool output = false;
    DType dtype = DType::Float32;
    std::vector<int64_t> shape;
    uint64_t offset = 0;       // of the data in the file
    uint64_t boundsOffset = 0; // of an output's bounds, a float an element; 0: it has exact values
    [[nodiscard]] int64_t elements() const;
};

/// An empty anonymous file; the caller closes it. Throws Error.
int makeAnonymousFile();
/// Computes inputs and reference, writes them to that file and seals it. Throws Error when memory is short, and for an
/// output that no answer could be told wrong of (whyUncheckable).
void fillReferenceFile(int fd, const ComputeDag &dag, uint64_t seed, int threads);

class ReferenceView {
  public:
    /// Maps a file filled by fillReferenceFile. Throws Error when it is not one.
    explicit ReferenceView(int fd);
    ~ReferenceView();
    ReferenceView(const ReferenceView &) = delete;
    ReferenceView &operator=(const ReferenceView &) = delete;

    [[nodiscard]] const std::vector<ReferenceTensor> &tensors() const { return m_tensors; }
    [[nodiscard]] const std::byte *data(const ReferenceTensor &tensor) const { return m_map + tensor.offset; }
    /// Null: the values are exact.
    [[nodiscard]] const float *bounds(const ReferenceTensor &tensor) const {
        return tensor.boundsOffset == 0 ? nullptr : reinterpret_cast<const float *>(m_map + tensor.boundsOffset);
    }

  private:
    const std::byte *m_map = nullptr;
    size_t m_bytes = 0;
    std::vector<ReferenceTensor> m_tensors;
};

/// The values as a kernel stores them: float32 as 4 bytes, float16 and bfloat16 rounded, bool as one byte.
void storeElements(const TensorValue &value, std::byte *into);

} // namespace loopscope
