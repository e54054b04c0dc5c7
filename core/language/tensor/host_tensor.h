#pragma once
// Numbers of a tensor in memory of the host, dense and row-major: weights, inputs, outputs, folded constants. A value:
// copies share their storage, which never changes once somebody else may see it. A tensor all of whose elements are the
// same (a splat) is kept as that one element until somebody needs its bytes: exported networks have hundreds of
// megabytes of such weights. So is one that a rule makes up (language/tensor/seeded_fill.h): its numbers are drawn when
// somebody first looks.

#include "language/expr/dtype.h"
#include "language/tensor/mapped_file.h"
#include "language/tensor/seeded_fill.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

/// Elements of a tensor of these dims (1 of a scalar); -1 when a dim is negative, or when they are more than 2^59,
/// whose bytes nobody could count.
int64_t elementCount(std::span<const int64_t> dims);

struct FilledLater;

class HostTensor {
  public:
    /// float32, no element.
    HostTensor() : m_dims({0}) {}

    /// All zero, in memory of its own (64-byte aligned) that `mutableBytes` gives out. Throws Error when there is not
    /// so much memory.
    static HostTensor zeros(DType dtype, std::vector<int64_t> dims);
    static HostTensor splat(DType dtype, std::vector<int64_t> dims, double value);
    /// Of a tensor of one element, with all its bits.
    static HostTensor splatOf(const HostTensor &one, std::vector<int64_t> dims);
    /// A copy of the bytes, as many as the tensor has.
    static HostTensor fromBytes(DType dtype, std::vector<int64_t> dims, std::span<const std::byte> bytes);
    /// Bytes of a file that is not read before they are asked for. The caller has checked that they are all there.
    static HostTensor mapped(DType dtype, std::vector<int64_t> dims, std::shared_ptr<const MappedFile> file,
                             size_t offset);
    /// What the rule makes up; drawn, once, when the first bytes are asked for.
    static HostTensor generated(DType dtype, std::vector<int64_t> dims, const FillRecipe &recipe);
    static HostTensor scalar(DType dtype, double value) { return splat(dtype, {}, value); }

    [[nodiscard]] DType dtype() const { return m_dtype; }
    [[nodiscard]] const std::vector<int64_t> &dims() const { return m_dims; }
    [[nodiscard]] size_t rank() const { return m_dims.size(); }
    [[nodiscard]] int64_t elements() const { return elementCount(m_dims); }
    [[nodiscard]] size_t byteSize() const {
        return static_cast<size_t>(elements()) * static_cast<size_t>(dtypeBytes(m_dtype));
    }

    [[nodiscard]] bool isSplat() const { return m_splat; }
    /// Null when no rule made it up.
    [[nodiscard]] const FillRecipe *recipe() const;
    /// The same numbers in dense storage; itself where they are.
    [[nodiscard]] HostTensor dense() const;
    /// Of dense storage only.
    [[nodiscard]] const std::byte *bytes() const;
    /// Of dense storage of its own that nobody shares: whoever fills in a new tensor.
    [[nodiscard]] std::byte *mutableBytes();
    template <typename T> [[nodiscard]] const T *data() const { return reinterpret_cast<const T *>(bytes()); }

    /// Element i in row-major order, widened; of integer types as the nearest double.
    [[nodiscard]] double number(int64_t i) const;
    /// Of integer types and bool; of floats truncated.
    [[nodiscard]] int64_t integer(int64_t i) const;
    /// Rounds to the element's type; integers wrap. Dense storage of its own only.
    void setNumber(int64_t i, double value);
    void setInteger(int64_t i, int64_t value);
    [[nodiscard]] std::vector<double> numbers() const;
    [[nodiscard]] std::vector<int64_t> integerValues() const;

    /// One element as a scalar, with all its bits.
    [[nodiscard]] HostTensor elementAt(int64_t i) const;
    /// The same storage with other dims of as many elements.
    [[nodiscard]] HostTensor reshaped(std::vector<int64_t> dims) const;
    /// Same type, dims and bits, however they are stored.
    [[nodiscard]] bool sameAs(const HostTensor &other) const;

  private:
    [[nodiscard]] const std::byte *element(int64_t i) const;
    DType m_dtype = DType::Float32;
    std::vector<int64_t> m_dims;
    bool m_splat = false;
    std::shared_ptr<std::byte> m_own;         // dense or the one element
    std::shared_ptr<const MappedFile> m_file; // instead of m_own
    size_t m_offset = 0;
    std::shared_ptr<FilledLater> m_later; // instead of m_own
};

/// Copies, as float32 and int64.
HostTensor floatTensor(std::vector<int64_t> dims, std::span<const float> values);
HostTensor integerTensor(std::vector<int64_t> dims, std::span<const int64_t> values);
/// With all bits of the integer, which a double may not have.
HostTensor integerSplat(DType dtype, std::vector<int64_t> dims, int64_t value);

} // namespace loopscope
