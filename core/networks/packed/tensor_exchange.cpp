#include "networks/packed/tensor_exchange.h"

#include "networks/packed/tensor_spec.h"

#include <utility>

namespace loopscope {

TensorView::TensorView(const HostTensor &tensor, std::byte *data) : m_shape(tensor.dims()) {
    m_view.data = data;
    m_view.rank = static_cast<int32_t>(m_shape.size());
    m_view.dtype = dlTypeOf(tensor.dtype());
    m_view.shape = m_shape.data();
}

std::unique_ptr<TensorView> TensorView::reading(const HostTensor &tensor) {
    HostTensor dense = tensor.dense();
    // The standard knows no tensor that may only be read.
    std::unique_ptr<TensorView> view(new TensorView(dense, const_cast<std::byte *>(dense.bytes())));
    view->m_kept = std::move(dense);
    return view;
}

std::unique_ptr<TensorView> TensorView::writing(HostTensor &tensor) {
    return std::unique_ptr<TensorView>(new TensorView(tensor, tensor.mutableBytes()));
}

} // namespace loopscope
