#include "schedule/grouping/cost_structure.h"

#include "schedule/grouping/node_map.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace loopscope {

namespace {

constexpr uint64_t kSeenBefore = uint64_t{1} << 62U;
constexpr uint64_t kOtherVariable = uint64_t{1} << 32U;

class StructureWriter {
  public:
    StructureWriter(const Pipeline &pipeline, const std::vector<bool> &inlined)
        : m_pipeline(pipeline), m_inlined(inlined) {}

    CostStructure of(int node) {
        const PipelineNode &root = m_pipeline.node(node);
        writeBuffer(root.stage);
        m_axes = &root.loops;
        write(root.reduceLoops);
        // Vectors lie along the loop that runs along the first axis.
        write(root.loopOf.empty() ? 0 : static_cast<uint64_t>(root.loopOf[0] + 1));
        for (size_t i = 0; i < root.values.size(); ++i) {
            write(root.values[i]);
            write(root.openValues[i]);
        }
        for (size_t next = 0; next < m_open.size(); ++next) { // grows as stages are met
            const PipelineStage &stage = m_pipeline.stages[static_cast<size_t>(m_open[next])];
            m_axes = &stage.axes;
            write(stage.axes.size());
            for (const Expr value : m_pipeline.node(stage.nodes.front()).openValues) write(value);
        }
        return std::move(m_structure);
    }

  private:
    void write(uint64_t word) { m_structure.text.push_back(word); }

    void write(Expr e) {
        if (const uint64_t *seen = m_seen.find(e)) {
            write(kSeenBefore | *seen);
            return;
        }
        write(static_cast<uint64_t>(e->kind) | static_cast<uint64_t>(e->intrinsic) << 16U |
              static_cast<uint64_t>(e->dtype) << 32U | static_cast<uint64_t>(e->argCount) << 48U);
        write(payloadOf(e));
        for (const Expr operand : e->operands()) write(operand);
        m_seen.set(e, m_count++);
    }

    uint64_t payloadOf(Expr e) {
        uint64_t payload = 0;
        switch (e->kind) {
        case ExprKind::Var:
            return variable(e);
        case ExprKind::FloatImm:
            std::memcpy(&payload, &e->floatValue, sizeof payload);
            return payload;
        case ExprKind::Load: {
            const BufferNumber buffer = m_pipeline.bufferOf(e);
            writeBuffer(buffer);
            if (m_pipeline.isInput(buffer)) return 0;
            const auto &tensors = m_pipeline.stages[static_cast<size_t>(buffer)].tensors;
            return static_cast<uint64_t>(std::find(tensors.begin(), tensors.end(), e->symbol) - tensors.begin());
        }
        default:
            return static_cast<uint64_t>(e->intValue);
        }
    }

    uint64_t variable(Expr var) {
        for (size_t d = 0; d < m_axes->size(); ++d)
            if ((*m_axes)[d].var.is(var)) return d;
        return kOtherVariable + m_others.try_emplace(var.node(), m_others.size()).first->second;
    }

    /// Its place among those met; stages that are inlined are opened where they are first met.
    void writeBuffer(BufferNumber buffer) {
        auto &buffers = m_structure.buffers;
        const auto found = std::find(buffers.begin(), buffers.end(), buffer);
        write(static_cast<uint64_t>(found - buffers.begin()));
        if (found != buffers.end()) return;
        const bool opened = !buffers.empty() && !m_pipeline.isInput(buffer) && m_inlined[static_cast<size_t>(buffer)];
        write(opened ? 1 : 0);
        if (opened) m_open.push_back(buffer);
        buffers.push_back(buffer);
    }

    const Pipeline &m_pipeline;
    const std::vector<bool> &m_inlined;
    const std::vector<PipelineAxis> *m_axes = nullptr;
    CostStructure m_structure;
    NodeMap<uint64_t> m_seen;
    uint64_t m_count = 0;
    std::vector<BufferNumber> m_open;
    std::unordered_map<const ExprNode *, uint64_t> m_others;
};

} // namespace

CostStructure costStructureOf(const Pipeline &pipeline, int node, const std::vector<bool> &inlined) {
    return StructureWriter(pipeline, inlined).of(node);
}

} // namespace loopscope
