#include "measure/baselines/onednn_plan.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

dnnl_memory_desc_t describeMemory(const DnnlLibrary &dnnl, const std::vector<int64_t> &extents,
                                  const std::vector<int64_t> &strides) {
    dnnl_dims_t dims{};
    dnnl_dims_t steps{};
    std::copy(extents.begin(), extents.end(), dims);
    std::copy(strides.begin(), strides.end(), steps);
    dnnl_memory_desc_t desc;
    requireDnnl(dnnl.memory_desc_init_by_strides(&desc, int(extents.size()), dims, dnnl_f32, steps),
                "describing an operand by strides");
    return desc;
}

dnnl_memory_desc_t anyLayout(const DnnlLibrary &dnnl, const std::vector<int64_t> &extents) {
    dnnl_dims_t dims{};
    std::copy(extents.begin(), extents.end(), dims);
    dnnl_memory_desc_t desc;
    requireDnnl(dnnl.memory_desc_init_by_tag(&desc, int(extents.size()), dims, dnnl_f32, dnnl_format_tag_any),
                "describing an operand of any layout");
    return desc;
}

DnnlPlan::DnnlPlan(std::shared_ptr<const DnnlLibrary> dnnl, int threads) : m_dnnl(std::move(dnnl)), m_threads(threads) {
    m_dnnl->useThreads(m_threads); // primitives divide their work when they are created
}

DnnlPrimitiveDesc DnnlPlan::choose(const void *operation, const BaselineTail &tail,
                                   const dnnl_memory_desc_t *residual) {
    DnnlObject<dnnl_primitive_attr_t> attributes;
    if (tail.residual || tail.relu || tail.gelu) {
        dnnl_post_ops_t raw = nullptr;
        requireDnnl(m_dnnl->post_ops_create(&raw), "creating the fused operations");
        const DnnlObject<dnnl_post_ops_t> after(raw, m_dnnl->post_ops_destroy);
        if (residual != nullptr)
            requireDnnl(m_dnnl->post_ops_append_binary(raw, dnnl_binary_add, residual), "fusing the residual");
        else if (tail.residual)
            requireDnnl(m_dnnl->post_ops_append_sum(raw, 1.0F), "fusing the residual");
        if (std::isfinite(tail.most))
            requireDnnl(m_dnnl->post_ops_append_eltwise(raw, 1.0F, dnnl_eltwise_clip, 0.0F, tail.most), "fusing relu");
        else if (tail.relu)
            requireDnnl(m_dnnl->post_ops_append_eltwise(raw, 1.0F, dnnl_eltwise_relu, 0.0F, 0.0F), "fusing relu");
        if (tail.gelu)
            requireDnnl(m_dnnl->post_ops_append_eltwise(raw, 1.0F, dnnl_eltwise_gelu_erf, 0.0F, 0.0F), "fusing GELU");
        dnnl_primitive_attr_t rawAttributes = nullptr;
        requireDnnl(m_dnnl->primitive_attr_create(&rawAttributes), "creating attributes");
        attributes = {rawAttributes, m_dnnl->primitive_attr_destroy};
        requireDnnl(m_dnnl->primitive_attr_set_post_ops(rawAttributes, raw), "attaching the fused operations");
    }
    dnnl_primitive_desc_t raw = nullptr;
    requireDnnl(m_dnnl->primitive_desc_create(&raw, operation, attributes.get(), m_dnnl->engine.get(), nullptr),
                "choosing an implementation");
    DnnlPrimitiveDesc desc(raw, m_dnnl->primitive_desc_destroy);
    const char *name = nullptr;
    if (m_dnnl->primitive_desc_query(raw, dnnl_query_impl_info_str, 0, static_cast<void *>(&name)) == dnnl_success)
        m_implementation = name;
    return desc;
}

dnnl_memory_desc_t DnnlPlan::wanted(const DnnlPrimitiveDesc &desc, dnnl_query_t operand) const {
    const dnnl_memory_desc_t *found = m_dnnl->primitive_desc_query_md(desc.get(), operand, 0);
    if (found == nullptr) throw Error("oneDNN: the primitive does not tell the layout of an operand");
    return *found;
}

DnnlMemory DnnlPlan::memory(const dnnl_memory_desc_t &desc, const float *buffer) {
    // The C interface has no const buffers; inputs are only read.
    void *handle = buffer != nullptr ? const_cast<float *>(buffer) : DNNL_MEMORY_ALLOCATE;
    dnnl_memory_t raw = nullptr;
    requireDnnl(m_dnnl->memory_create(&raw, &desc, m_dnnl->engine.get(), handle), "making memory");
    m_memories.emplace_back(raw, m_dnnl->memory_destroy);
    return m_memories.back();
}

DnnlMemory DnnlPlan::input(const DnnlMemory &source, const dnnl_memory_desc_t &is, const dnnl_memory_desc_t &wanted,
                           bool once) {
    if (m_dnnl->memory_desc_equal(&is, &wanted) != 0) return source;
    DnnlMemory copy = memory(wanted);
    if (once) {
        execute(reorder(source, is, copy, wanted));
        requireDnnl(m_dnnl->stream_wait(m_dnnl->stream.get()), "repacking weights");
    } else {
        addReorder(source, is, copy, wanted);
    }
    return copy;
}

void DnnlPlan::addPrimitive(const DnnlPrimitiveDesc &desc, const std::vector<std::pair<int, DnnlMemory>> &arguments) {
    dnnl_primitive_t raw = nullptr;
    requireDnnl(m_dnnl->primitive_create(&raw, desc.get()), "creating the primitive");
    Step step{{raw, m_dnnl->primitive_destroy}, {}};
    for (const auto &[role, operand] : arguments) step.arguments.push_back({role, operand.get()});
    m_steps.push_back(std::move(step));
}

DnnlPlan::Step DnnlPlan::reorder(const DnnlMemory &from, const dnnl_memory_desc_t &fromDesc, const DnnlMemory &to,
                                 const dnnl_memory_desc_t &toDesc) {
    dnnl_primitive_desc_t rawDesc = nullptr;
    requireDnnl(m_dnnl->reorder_primitive_desc_create(&rawDesc, &fromDesc, m_dnnl->engine.get(), &toDesc,
                                                      m_dnnl->engine.get(), nullptr),
                "choosing a change of layout");
    const DnnlPrimitiveDesc desc(rawDesc, m_dnnl->primitive_desc_destroy);
    dnnl_primitive_t raw = nullptr;
    requireDnnl(m_dnnl->primitive_create(&raw, rawDesc), "creating a change of layout");
    return Step{{raw, m_dnnl->primitive_destroy}, {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}}};
}

void DnnlPlan::addReorder(const DnnlMemory &from, const dnnl_memory_desc_t &fromDesc, const DnnlMemory &to,
                          const dnnl_memory_desc_t &toDesc) {
    m_steps.push_back(reorder(from, fromDesc, to, toDesc));
    m_reorders = true;
}

void DnnlPlan::execute(const Step &step) {
    requireDnnl(m_dnnl->primitive_execute(step.primitive.get(), m_dnnl->stream.get(), int(step.arguments.size()),
                                          step.arguments.data()),
                "running a primitive");
}

void DnnlPlan::run() {
    m_dnnl->useThreads(m_threads);
    for (const Step &step : m_steps) execute(step);
    requireDnnl(m_dnnl->stream_wait(m_dnnl->stream.get()), "waiting for the stream");
}

} // namespace loopscope
