#include "deploy/vm/outline.h"

#include "networks/graph/function_builder.h"
#include "networks/graph/statement.h"
#include "networks/op/infer_types.h"
#include "networks/op/operator.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

bool isHost(const Node &node) {
    const Operator *of = findOperator(node.op);
    return of != nullptr && of->host;
}

const char *whatItIs(const Node &node) {
    const auto statement = statementKind(node);
    if (!statement) return "computed on the host";
    if (*statement == StatementKind::Packed) return "a function from outside";
    return computesValue(*statement) ? "of a size that only a run knows" : "control flow";
}

/// The first node of a function that no kernel is made of; null where there is none.
const Node *firstApart(const GraphFunction &function) {
    for (size_t i = 0; i < function.nodeCount(); ++i)
        if (const Node &node = function.node(NodeId(i)); statementKind(node) || isHost(node)) return &node;
    return nullptr;
}

class Outliner {
  public:
    Outliner(const Module &network, const GraphFunction &function, std::vector<FunctionPtr> &made)
        : m_network(network), m_function(function), m_made(made), m_builder(function.name()),
          m_copy(function, m_builder), m_readers(function.readers()) {}

    FunctionPtr run() {
        m_builder.beginBlock(BlockKind::Effect);
        std::vector<NodeId> run;
        for (size_t i = 0; i < m_function.nodeCount(); ++i) {
            const NodeId node(i);
            if (!statementKind(m_function.node(node)) && !isHost(m_function.node(node))) {
                run.push_back(node);
                continue;
            }
            part(run);
            m_copy.copyNode(node);
        }
        part(run);
        m_copy.copyResults();
        return std::move(m_builder).finish();
    }

  private:
    [[nodiscard]] bool isReadElsewhere(ValueId value, const std::vector<NodeId> &run) const {
        const auto &results = m_function.results();
        if (std::find(results.begin(), results.end(), value) != results.end()) return true;
        const auto &readers = m_readers[value.index()];
        return std::any_of(readers.begin(), readers.end(), [&](NodeId reader) { return reader > run.back(); });
    }

    /// A name that no function has.
    std::string freeName() {
        for (;;) {
            std::string name = fmt::format("{}.part{}", m_function.name(), m_parts++);
            if (!m_network.find(name)) return name;
        }
    }

    /// The dims are the part's own to find out: what stands for them here may be no symbol of the part's.
    TensorType ownType(const TensorType &type) {
        TensorType own = {type.dtype, {}};
        for (const Dim &dim : type.dims)
            own.dims.push_back(
                dim.isConstant()
                    ? dim
                    : m_dims.try_emplace(dim.text(), Dim::symbol(fmt::format("d{}", m_dims.size()))).first->second);
        return own;
    }

    void part(std::vector<NodeId> &run) {
        if (run.empty()) return;
        m_dims.clear();
        FunctionBuilder builder(freeName());
        std::map<ValueId, ValueId> inside;
        Node call;
        call.op = "call";
        call.attributes["function"] = builder.soFar().name();
        std::vector<ValueId> given;
        for (const NodeId node : run)
            for (const ValueId input : m_function.node(node).inputs) {
                const bool own = input.value >= 0 && m_function.value(input).producer >= run.front();
                if (input.value < 0 || own || m_function.isConstant(input) || inside.contains(input)) continue;
                const Value &value = m_function.value(input);
                inside[input] = builder.addParameter(value.name, ownType(*value.type));
                call.inputs.push_back(m_copy.mapped(input));
            }
        std::vector<std::string> names;
        for (const NodeId id : run) {
            Node node = m_function.node(id);
            for (ValueId &input : node.inputs) {
                if (input.value < 0) continue;
                if (const HostTensor *constant = m_function.constant(input); constant && !inside.contains(input))
                    inside[input] = builder.addConstant(m_function.value(input).name, *constant);
                input = inside.at(input);
            }
            std::vector<std::string> outputs;
            const std::vector<ValueId> old = std::exchange(node.outputs, {});
            for (const ValueId output : old) outputs.push_back(m_function.value(output).name);
            const NodeId made = builder.addNode(std::move(node), outputs);
            for (size_t i = 0; i < old.size(); ++i) {
                inside[old[i]] = builder.soFar().node(made).outputs[i];
                if (!isReadElsewhere(old[i], run)) continue;
                given.push_back(old[i]);
                names.push_back(m_function.value(old[i]).name);
                builder.addResult(inside[old[i]]);
            }
        }
        // Nobody reads what nothing here gives.
        if (!given.empty()) {
            const NodeId made = m_builder.addNode(std::move(call), names);
            for (size_t i = 0; i < given.size(); ++i) m_copy.map(given[i], m_builder.soFar().node(made).outputs[i]);
            m_made.push_back(std::move(builder).finish());
        }
        run.clear();
    }

    const Module &m_network;
    const GraphFunction &m_function;
    std::vector<FunctionPtr> &m_made;
    FunctionBuilder m_builder;
    FunctionCopy m_copy;
    std::vector<std::vector<NodeId>> m_readers;
    std::map<std::string, Dim> m_dims; // symbols of the part that is made
    size_t m_parts = 0;
};

} // namespace

std::optional<std::string> whyOnMachine(const Module &network, bool plansHost) {
    // A plan calls the host where it knows how much that writes.
    const auto isPlanned = [&](const GraphFunction &function, const Node &node) {
        return plansHost && isHost(node) && std::ranges::all_of(node.outputs, [&](ValueId output) {
                   const auto &type = function.value(output).type;
                   return type && constantDims(type->dims);
               });
    };
    for (const FunctionPtr &function : network.functions)
        for (size_t i = 0; i < function->nodeCount(); ++i)
            if (const Node &node = function->node(NodeId(i));
                (statementKind(node) || isHost(node)) && !isPlanned(*function, node))
                return fmt::format("{} of function `{}` is {}", nodeText(node), function->name(), whatItIs(node));
    return std::nullopt;
}

Outcome<Module> outlined(const Module &network) {
    Module made = network;
    std::vector<FunctionPtr> parts;
    for (FunctionPtr &function : made.functions)
        if (firstApart(*function) != nullptr) function = Outliner(network, *function, parts).run();
    made.functions.insert(made.functions.end(), parts.begin(), parts.end());
    return inferTypes(made);
}

} // namespace loopscope
