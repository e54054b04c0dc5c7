#include "networks/partition/tasks.h"

#include "language/te/workload.h"
#include "networks/op_compute/kernel_dag.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <unordered_map>

namespace loopscope {

namespace {

/// Everything that the DAG of a kernel is made from, as a text: two kernels with the same have the same DAG.
class Signature {
  public:
    explicit Signature(const GraphFunction &function) : m_function(function) {}

    std::string of(const Kernel &kernel) {
        m_text.clear();
        m_numbers.clear();
        if (kernel.joins) m_text += "in place:";
        for (const ValueId input : kernel.inputs) {
            number(input);
            m_text += fmt::format("{}{};", typeTextOf(input), m_function.isConstant(input) ? " constant" : "");
        }
        for (const NodeId id : kernel.nodes) {
            const Node &node = m_function.node(id);
            m_text += node.op + "(";
            for (size_t i = 0; i < node.inputs.size(); ++i) appendInput(node, i);
            for (const auto &[name, attribute] : node.attributes) {
                m_text += name + "=";
                std::visit([&](const auto &value) { append(value); }, attribute);
                m_text += ",";
            }
            m_text += ")";
            for (const ValueId output : node.outputs) {
                number(output);
                m_text += typeTextOf(output) + ";";
            }
        }
        for (const ValueId output : kernel.outputs) m_text += fmt::format("->{}", m_numbers[output.value]);
        return m_text;
    }

  private:
    void number(ValueId value) { m_numbers.emplace(value.value, m_numbers.size()); }
    [[nodiscard]] std::string typeTextOf(ValueId value) const {
        const auto &type = m_function.value(value).type;
        return type ? typeText(*type) : "?";
    }

    void appendInput(const Node &node, size_t i) {
        const ValueId input = node.inputs[i];
        if (input.value < 0) {
            m_text += "-,";
        } else if (const auto known = m_numbers.find(input.value); known != m_numbers.end()) {
            m_text += fmt::format("{},", known->second);
        } else {
            m_text += typeTextOf(input) + "=";
            if (const HostTensor *constant = m_function.constant(input))
                append(*constant);
            else if (readsNumbers(node, i))
                m_text += fmt::format("%{}", input.value);
            m_text += ",";
        }
    }

    void append(int64_t value) { m_text += fmt::format("{}", value); }
    void append(double value) { m_text += fmt::format("{:a}", value); }
    void append(const std::string &value) { m_text += fmt::format("{}:{}", value.size(), value); }
    template <typename T> void append(const std::vector<T> &values) {
        for (const T &value : values) {
            append(value);
            m_text += " ";
        }
    }
    /// Of literals and shapes; what is larger is told by its address alone and shared by nobody.
    void append(const HostTensor &tensor) {
        constexpr int64_t kMaxElements = 64;
        m_text += dtypeName(tensor.dtype());
        if (tensor.elements() > kMaxElements) {
            m_text += fmt::format("#{}", m_large++);
            return;
        }
        for (int64_t i = 0; i < tensor.elements(); ++i)
            m_text += isFloat(tensor.dtype()) ? fmt::format(" {:a}", tensor.number(i))
                                              : fmt::format(" {}", tensor.integer(i));
    }

    const GraphFunction &m_function;
    std::string m_text;
    std::unordered_map<int, size_t> m_numbers; // by value
    size_t m_large = 0;
};

NetworkTask taskOf(const Kernel &kernel, const Outcome<DagPtr> &dag) {
    NetworkTask task;
    task.name = kernel.name;
    if (!dag) {
        task.whyNot = dag.why();
        return task;
    }
    task.dag = *dag;
    task.key = task.dag->key();
    task.flops = task.dag->flops();
    task.searchable = reduces(*task.dag);
    if (kernel.alias)
        task.whyNot = "it only gives the same elements other dims";
    else if (kernel.joins)
        task.whyNot = "it copies nothing: its inputs are written where its output lies";
    else if (!task.searchable)
        task.whyNot = "it sums nothing: it passes over memory once, whatever its loops";
    return task;
}

} // namespace

bool reduces(const ComputeDag &dag) {
    return std::any_of(dag.ops().begin(), dag.ops().end(), [](const OpPtr &op) { return op->reduction.has_value(); });
}

std::vector<NetworkTask> networkTasks(const GraphFunction &function, const Partition &partition) {
    std::vector<NetworkTask> tasks;
    std::unordered_map<std::string, size_t> bySignature;
    std::unordered_map<std::string, size_t> byText; // of the DAG, as a workload file
    Signature signature(function);
    for (size_t k = 0; k < partition.kernels.size(); ++k) {
        const Kernel &kernel = partition.kernels[k];
        const auto [known, isNew] = bySignature.emplace(signature.of(kernel), tasks.size());
        if (isNew) {
            const Outcome<DagPtr> dag =
                computeDagOf(function, kernel.nodes, kernel.inputs, kernel.outputs, kernel.name);
            size_t at = tasks.size();
            if (dag) at = byText.emplace(printWorkload({}, (*dag)->ops(), (*dag)->args()), at).first->second;
            if (at == tasks.size()) tasks.push_back(taskOf(kernel, dag));
            known->second = at;
        }
        NetworkTask &task = tasks[known->second];
        ++task.weight;
        task.kernels.push_back(k);
    }
    return tasks;
}

} // namespace loopscope
