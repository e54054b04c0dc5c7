#pragma once
// Tensors of ours as others see them, without copying a number.

#include "language/tensor/host_tensor.h"
#include "networks/packed/dl_tensor.h"

#include <memory>
#include <vector>

namespace loopscope {

/// A tensor of the host for the time of a call: keeps the numbers alive, and does not move, so that its address can be
/// handed out.
class TensorView {
  public:
    /// To be read. A splat is written out first; all else is where it is.
    static std::unique_ptr<TensorView> reading(const HostTensor &tensor);
    /// To be written; the tensor is not shared (HostTensor::mutableBytes) and outlives the view.
    static std::unique_ptr<TensorView> writing(HostTensor &tensor);

    TensorView(const TensorView &) = delete;
    TensorView &operator=(const TensorView &) = delete;
    ~TensorView() = default;
    [[nodiscard]] DlTensor *get() { return &m_view; }

  private:
    TensorView(const HostTensor &tensor, std::byte *data);
    std::vector<int64_t> m_shape;
    HostTensor m_kept;
    DlTensor m_view;
};

} // namespace loopscope
