#pragma once
// What every kernel of a task is run on and compared with: the seeded inputs as they lie in memory, and the
// interpreter's outputs with the bounds of their errors. Made once by the measurer, in a sealed anonymous file that
// runners map read-only, so that no kernel can corrupt it and nothing is left behind.
//
// Where roundings may hide whether a term of a sum is missing there is a second set of inputs, whose sums are exact
// (language/interpret/exact_inputs.h), with its own reference. A kernel is right when it is right on both.

#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

enum class InputSet : uint8_t { Random, Exact };

/// One argument of the task. Inputs: elements as stored. Outputs: the reference, widened to double or int64.
struct ReferenceTensor {
    std::string name;
    bool output = false;
    DType dtype = DType::Float32;
    std::vector<int64_t> shape;
    struct Place {
        uint64_t data = 0;   // offset in the file; 0: there is no such set
        uint64_t bounds = 0; // of an output: offset of its bounds, a float an element; 0: it has exact values
    };
    Place places[2]; // by InputSet
    [[nodiscard]] const Place &at(InputSet set) const { return places[static_cast<size_t>(set)]; }
    [[nodiscard]] int64_t elements() const;
};

/// An empty anonymous file; the caller closes it. Throws Error.
int makeAnonymousFile();
/// Computes inputs and reference, writes them to that file and seals it. Throws Error when memory is short, and for an
/// output that no answer could be told wrong of (whyUncheckable).
void fillReferenceFile(int fd, const ComputeDag &dag, uint64_t seed, int threads);

/// A file of the same form with inputs of the caller's own, as the DAG's arguments have them, and no outputs: for
/// kernels whose answer is wanted, not checked.
void fillInputFile(int fd, const ComputeDag &dag, std::vector<TensorValue> inputs);

class ReferenceView {
  public:
    /// Maps a file filled by fillReferenceFile. Throws Error when it is not one.
    explicit ReferenceView(int fd);
    ~ReferenceView();
    ReferenceView(const ReferenceView &) = delete;
    ReferenceView &operator=(const ReferenceView &) = delete;

    [[nodiscard]] const std::vector<ReferenceTensor> &tensors() const { return m_tensors; }
    [[nodiscard]] bool has(InputSet set) const { return m_tensors.empty() || m_tensors[0].at(set).data != 0; }
    [[nodiscard]] const std::byte *data(const ReferenceTensor &tensor, InputSet set = InputSet::Random) const {
        return m_map + tensor.at(set).data;
    }
    /// Null: the values are exact.
    [[nodiscard]] const float *bounds(const ReferenceTensor &tensor, InputSet set = InputSet::Random) const {
        const uint64_t at = tensor.at(set).bounds;
        return at == 0 ? nullptr : reinterpret_cast<const float *>(m_map + at);
    }

  private:
    const std::byte *m_map = nullptr;
    size_t m_bytes = 0;
    std::vector<ReferenceTensor> m_tensors;
};

/// The values as a kernel stores them: float32 as 4 bytes, float16 and bfloat16 rounded, bool as one byte.
void storeElements(const TensorValue &value, std::byte *into);
/// The other way.
TensorValue loadElements(DType dtype, const std::vector<int64_t> &shape, const std::byte *from);

} // namespace loopscope
