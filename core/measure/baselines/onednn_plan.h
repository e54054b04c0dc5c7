#pragma once
// A sequence of oneDNN primitives bound to memory: what one prepared problem runs.

#include "measure/baselines/baseline.h"
#include "measure/baselines/onednn_library.h"

#include <utility>
#include <vector>

namespace loopscope {

using DnnlMemory = DnnlObject<dnnl_memory_t>;
using DnnlPrimitiveDesc = DnnlObject<dnnl_primitive_desc_t>;

/// A memory description of float32 by strides.
dnnl_memory_desc_t describeMemory(const DnnlLibrary &dnnl, const std::vector<int64_t> &extents,
                                  const std::vector<int64_t> &strides);
/// The same extents, layout left to the primitive.
dnnl_memory_desc_t anyLayout(const DnnlLibrary &dnnl, const std::vector<int64_t> &extents);

class DnnlPlan : public PreparedBaseline {
  public:
    /// `threads` holds from here on for everything created and run.
    DnnlPlan(std::shared_ptr<const DnnlLibrary> dnnl, int threads);

    /// The library's first choice for an operation, with what follows bias, scale and offset in the tail fused behind
    /// it. `residual`: how the operand lies that is added; null: it is in the result's memory before. Throws Error.
    DnnlPrimitiveDesc choose(const void *operation, const BaselineTail &tail, const dnnl_memory_desc_t *residual);
    /// The description an operand must have.
    [[nodiscard]] dnnl_memory_desc_t wanted(const DnnlPrimitiveDesc &desc, dnnl_query_t operand) const;

    /// A view of a buffer; without one, memory the plan owns.
    DnnlMemory memory(const dnnl_memory_desc_t &desc, const float *buffer = nullptr);
    /// `source` itself when it already is as wanted; otherwise a copy, made now (`once`) or by every run.
    DnnlMemory input(const DnnlMemory &source, const dnnl_memory_desc_t &is, const dnnl_memory_desc_t &wanted,
                     bool once);
    void addPrimitive(const DnnlPrimitiveDesc &desc, const std::vector<std::pair<int, DnnlMemory>> &arguments);
    void addReorder(const DnnlMemory &from, const dnnl_memory_desc_t &fromDesc, const DnnlMemory &to,
                    const dnnl_memory_desc_t &toDesc);
    /// Whether runs include a change of layout.
    [[nodiscard]] bool reorders() const { return m_reorders; }
    /// Whether the implementation is one of those that only show what is meant.
    [[nodiscard]] bool isReference() const { return m_implementation.starts_with("ref"); }
    void keep(std::shared_ptr<const std::vector<float>> values) { m_values.push_back(std::move(values)); }

    void run() override;
    [[nodiscard]] std::string implementation() const override { return m_implementation; }

  private:
    struct Step {
        DnnlObject<dnnl_primitive_t> primitive;
        std::vector<dnnl_exec_arg_t> arguments;
    };
    Step reorder(const DnnlMemory &from, const dnnl_memory_desc_t &fromDesc, const DnnlMemory &to,
                 const dnnl_memory_desc_t &toDesc);
    void execute(const Step &step);

    std::shared_ptr<const DnnlLibrary> m_dnnl;
    int m_threads;
    std::vector<Step> m_steps;
    std::vector<DnnlMemory> m_memories;
    std::vector<std::shared_ptr<const std::vector<float>>> m_values;
    std::string m_implementation;
    bool m_reorders = false;
};

} // namespace loopscope
