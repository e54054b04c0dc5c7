#include "packed/tensor_exchange.h"

#include "packed/tensor_spec.h"

#include <optional>
#include <utility>

namespace loopscope {

namespace {

/// What a tensor that was handed out keeps alive. The managed tensor comes first, and its context points here.
struct HandedOut {
    DlManagedTensor managed;
    std::unique_ptr<TensorView> view;
};

} // namespace

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

Outcome<HostTensor> adopt(DlManagedTensor *managed) {
    if (managed == nullptr) return Refusal{"the tensor to be taken over has no address"};
    if (const auto problem = problemOfTensor(&managed->tensor, std::nullopt))
        return Refusal{"the tensor to be taken over " + problem->sentence};
    const DlTensor &tensor = managed->tensor;
    const std::shared_ptr<DlManagedTensor> owner(managed, [](DlManagedTensor *given) {
        if (given->deleter != nullptr) given->deleter(given);
    });
    return adoptedTensor(*dtypeOf(tensor.dtype), dimsOf(tensor),
                         std::shared_ptr<const std::byte>(owner, firstElement(tensor)));
}

DlManagedTensor *handOut(const HostTensor &tensor) {
    auto handed = std::make_unique<HandedOut>();
    handed->view = TensorView::reading(tensor);
    handed->managed.tensor = *handed->view->get();
    handed->managed.context = handed.get();
    handed->managed.deleter = [](DlManagedTensor *self) { delete static_cast<HandedOut *>(self->context); };
    return &handed.release()->managed;
}

} // namespace loopscope
