#include "networks/graph/dot.h"

#include "base/foreign_text.h"

#include <fmt/format.h>
#include <map>

namespace loopscope {

namespace {

class DotPrinter {
  public:
    DotPrinter(const GraphFunction &function, const DotOptions &options) : m_function(function), m_options(options) {}

    std::string run() {
        m_text = fmt::format("digraph {} {{\n  node [shape=box];\n", dotString(m_function.name()));
        for (size_t i = 0; i < m_function.parameters().size(); ++i) {
            const ValueId parameter = m_function.parameters()[i];
            m_sources[parameter.value] = fmt::format("p{}", i);
            box(m_sources[parameter.value], m_function.value(parameter).name, "  ", ", style=rounded");
        }
        nodes();
        edges();
        for (size_t i = 0; i < m_function.results().size(); ++i) {
            const std::string box = fmt::format("r{}", i);
            this->box(box, m_function.value(m_function.results()[i]).name, "  ", ", style=rounded");
            edge(m_function.results()[i], box);
        }
        return m_text + "}\n";
    }

  private:
    void box(const std::string &id, const std::string &label, const char *indent, const char *more = "") {
        m_text += fmt::format("{}{} [label={}{}];\n", indent, id, dotString(label), more);
    }

    void nodes() {
        std::map<std::string_view, std::vector<size_t>> frames;
        for (size_t i = 0; i < m_function.nodeCount(); ++i) {
            for (const ValueId output : m_function.node(NodeId(i)).outputs)
                m_sources[output.value] = fmt::format("n{}", i);
            frames[i < m_options.groups.size() ? std::string_view(m_options.groups[i]) : ""].push_back(i);
        }
        size_t number = 0;
        for (const auto &[label, members] : frames) {
            const bool framed = !label.empty();
            if (framed) m_text += fmt::format("  subgraph cluster_{} {{\n    label={};\n", number++, dotString(label));
            for (const size_t i : members) {
                const Node &node = m_function.node(NodeId(i));
                const std::string label = node.name == node.op ? node.op : node.op + " " + node.name;
                box(fmt::format("n{}", i), label, framed ? "    " : "  ");
            }
            if (framed) m_text += "  }\n";
        }
    }

    void edges() {
        for (size_t i = 0; i < m_function.nodeCount(); ++i)
            for (const ValueId input : m_function.node(NodeId(i)).inputs)
                if (input.value >= 0) edge(input, fmt::format("n{}", i));
    }

    void edge(ValueId from, const std::string &to) {
        const Value &value = m_function.value(from);
        auto source = m_sources.find(from.value);
        if (source == m_sources.end()) {
            if (!m_options.constants) return;
            source = m_sources.emplace(from.value, fmt::format("c{}", from.value)).first;
            box(source->second, value.name, "  ", ", style=dashed");
        }
        const std::string label =
            value.type ? fmt::format(" [label={}]", dotString(typeText(*value.type))) : std::string();
        m_text += fmt::format("  {} -> {}{};\n", source->second, to, label);
    }

    const GraphFunction &m_function;
    const DotOptions &m_options;
    std::map<int, std::string> m_sources; // box that a value comes from
    std::string m_text;
};

} // namespace

std::string dotText(const GraphFunction &function, const DotOptions &options) {
    return DotPrinter(function, options).run();
}

} // namespace loopscope
