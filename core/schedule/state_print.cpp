#include "schedule/iteration_graph.h"
#include "schedule/loop_state.h"

#include <fmt/format.h>
#include <iterator>

namespace loopscope {

namespace {

using MinText = std::function<std::string(StageId, IterId)>;

class StatePrinter {
  public:
    StatePrinter(const LoopState &state, bool deleteTrivialLoops, const MinText &minText)
        : m_state(state), m_deleteTrivial(deleteTrivialLoops), m_minText(minText) {}

    std::string print() {
        m_out = "Placeholder: ";
        bool first = true;
        for (size_t i = 0; i < m_state.stageCount(); ++i) {
            const Op &op = *m_state.stage(StageId(i)).op;
            if (!op.isPlaceholder()) continue;
            if (!first) m_out += ", ";
            first = false;
            m_out += op.name;
        }
        m_out += '\n';
        for (size_t i = 0; i < m_state.stageCount(); ++i) {
            const Stage &stage = m_state.stage(StageId(i));
            if (!stage.op->isPlaceholder() && stage.location == ComputeLocation::Root) printStage(StageId(i), 0);
        }
        return std::move(m_out);
    }

  private:
    void printStage(StageId id, size_t indent) {
        const Stage &stage = m_state.stage(id);
        auto out = std::back_inserter(m_out);
        if (stage.autoUnrollMaxStep > 0)
            fmt::format_to(out, "{:{}}{} auto_unroll: {}\n", "", indent, stage.op->name, stage.autoUnrollMaxStep);
        if (stage.storageOffset != 0)
            fmt::format_to(out, "{:{}}{} storage_offset: {}\n", "", indent, stage.op->name, stage.storageOffset);
        for (size_t i = 0; i < stage.iters.size(); ++i) {
            const Iter &iter = stage.iters[i];
            if (!(m_deleteTrivial && iter.extent == 1)) {
                fmt::format_to(out, "{:{}}{} {} ", "", indent, annotationText(iter.annotation), iter.name);
                if (!iter.known())
                    m_out += "(None)\n";
                else if (m_minText)
                    fmt::format_to(out, "({},{})\n", m_minText(id, IterId(i)), iter.extent);
                else
                    fmt::format_to(out, "({},{})\n", iter.min, iter.extent);
                indent += 2;
            }
            for (const StageId attached : m_state.attachedAt(id, IterId(i))) printStage(attached, indent);
        }
        fmt::format_to(out, "{:{}}{} = ...\n", "", indent, stage.op->name);
    }

    const LoopState &m_state;
    bool m_deleteTrivial;
    const MinText &m_minText;
    std::string m_out;
};

} // namespace

std::string stateText(const LoopState &state, bool deleteTrivialLoops, const MinText &minText) {
    return StatePrinter(state, deleteTrivialLoops, minText).print();
}

} // namespace loopscope
