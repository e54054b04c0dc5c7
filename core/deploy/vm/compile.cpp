#include "deploy/vm/compile.h"

#include "networks/graph/dim_match.h"
#include "networks/graph/statement.h"
#include "networks/graph/verify.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

/// Registers of one kind: those that are free are taken again.
class RegisterFile {
  public:
    int take() {
        if (m_free.empty()) return m_count++;
        const int number = m_free.back();
        m_free.pop_back();
        return number;
    }
    void give(int number) { m_free.push_back(number); }
    [[nodiscard]] int count() const { return m_count; }

  private:
    std::vector<int> m_free;
    int m_count = 0;
};

class FunctionCompiler {
  public:
    FunctionCompiler(const Module &network, const GraphFunction &function)
        : m_network(network), m_function(function), m_registers(function.valueCount(), -1),
          m_lastReader(function.valueCount()), m_kept(function.valueCount()) {
        for (const ValueId result : function.results()) m_kept[result.index()] = true;
        for (size_t i = 0; i < function.nodeCount(); ++i)
            for (const ValueId input : function.node(NodeId(i)).inputs)
                if (input.value >= 0) m_lastReader[input.index()] = NodeId(i);
    }

    BytecodeFunction run() {
        m_code.name = m_function.name();
        for (const ValueId parameter : m_function.parameters()) {
            m_registers[parameter.index()] = m_tensors.take();
            const Value &value = m_function.value(parameter);
            m_code.parameters.push_back({value.name, *value.type});
            symbolsOf(*value.type);
        }
        // Before any other integer: a symbol keeps its register for as long as the function runs.
        for (size_t i = 0; i < m_function.nodeCount(); ++i)
            if (const Node &node = m_function.node(NodeId(i)); statementKind(node) == StatementKind::Match)
                symbolsOf(*m_function.value(node.outputs[0]).type);
        for (const ValueId parameter : m_function.parameters()) dropUnread(parameter);
        for (size_t i = 0; i < m_function.nodeCount(); ++i) {
            m_node = NodeId(i);
            const Node &node = m_function.node(m_node);
            for (const ValueId input : node.inputs) load(input);
            compile(node);
            for (const ValueId output : node.outputs) dropUnread(output);
            for (const ValueId input : node.inputs) dropRead(input);
        }
        m_node = {};
        for (const ValueId result : m_function.results()) load(result);
        emit(Opcode::Ret, {}, tensorsOf(m_function.results()));
        m_code.tensors = m_tensors.count();
        m_code.integers = m_integers.count();
        m_code.stacks = m_stacks.count();
        return std::move(m_code);
    }

  private:
    Instruction &emit(Opcode opcode, std::vector<int> outputs, std::vector<int> inputs) {
        Instruction &made = m_code.code.emplace_back();
        made.opcode = opcode;
        made.outputs = std::move(outputs);
        made.inputs = std::move(inputs);
        made.node = m_node;
        return made;
    }
    [[nodiscard]] int here() const { return static_cast<int>(m_code.code.size()); }

    void symbolsOf(const TensorType &type) {
        for (const Dim &dim : type.dims)
            for (const std::string &symbol : dim.symbols())
                if (!m_code.symbols.contains(symbol)) m_code.symbols.emplace(symbol, m_integers.take());
    }

    [[nodiscard]] int tensorOf(ValueId value) const { return value.value < 0 ? -1 : m_registers[value.index()]; }
    [[nodiscard]] std::vector<int> tensorsOf(const std::vector<ValueId> &values) const {
        std::vector<int> all;
        for (const ValueId value : values) all.push_back(tensorOf(value));
        return all;
    }
    std::vector<int> newTensors(const std::vector<ValueId> &values) {
        std::vector<int> all;
        for (const ValueId value : values) all.push_back(m_registers[value.index()] = m_tensors.take());
        return all;
    }

    /// Constants come when they are first read.
    void load(ValueId value) {
        if (value.value < 0 || m_registers[value.index()] >= 0 || !m_function.isConstant(value)) return;
        m_registers[value.index()] = m_tensors.take();
        emit(Opcode::Const, {m_registers[value.index()]}, {}).name = m_function.value(value).name;
    }
    void freeTensor(int number) {
        emit(Opcode::Free, {}, {number});
        m_tensors.give(number);
    }
    void drop(ValueId value) {
        freeTensor(m_registers[value.index()]);
        m_registers[value.index()] = -1;
    }
    void dropUnread(ValueId value) {
        if (!m_kept[value.index()] && m_lastReader[value.index()].value < 0) drop(value);
    }
    void dropRead(ValueId value) {
        if (value.value >= 0 && m_lastReader[value.index()] == m_node && !m_kept[value.index()] &&
            m_registers[value.index()] >= 0)
            drop(value);
    }

    void compile(const Node &node) {
        const auto kind = statementKind(node);
        if (!kind || computesValue(*kind)) {
            const std::vector<int> inputs = tensorsOf(node.inputs);
            emit(Opcode::Kernel, newTensors(node.outputs), inputs).name = node.op;
        } else if (*kind == StatementKind::If) {
            branches(node);
        } else if (*kind == StatementKind::Loop) {
            loop(node);
        } else if (*kind == StatementKind::Call) {
            const std::vector<int> inputs = tensorsOf(node.inputs);
            emit(Opcode::Call, newTensors(node.outputs), inputs).name = regionName(node, "function");
        } else {
            const int input = tensorOf(node.inputs[0]);
            emit(Opcode::Match, newTensors(node.outputs), {input}).type = m_function.value(node.outputs[0]).type;
        }
    }

    /// Of a tensor of one element.
    void item(int integer, int tensor, DType dtype, const char *what) {
        Instruction &made = emit(Opcode::Item, {integer}, {tensor});
        made.type = TensorType{dtype, {}};
        made.name = what;
    }
    void eval(int integer, std::vector<EvalStep> steps) { emit(Opcode::Eval, {integer}, {}).steps = std::move(steps); }

    void branches(const Node &node) {
        const int condition = m_integers.take();
        item(condition, tensorOf(node.inputs[0]), DType::Bool, "the condition");
        std::vector<int> inputs = tensorsOf(node.inputs);
        inputs.erase(inputs.begin());
        const std::vector<int> outputs = newTensors(node.outputs);
        const int branch = here();
        emit(Opcode::Branch, {}, {condition}).target = branch + 1;
        emit(Opcode::Call, outputs, inputs).name = regionName(node, "then");
        emit(Opcode::Jump, {}, {}).target = branch + 4;
        m_code.code[static_cast<size_t>(branch)].otherwise = here();
        emit(Opcode::Call, outputs, inputs).name = regionName(node, "else");
        m_integers.give(condition);
    }

    /// A number of the trip, or true, as the body wants it.
    int boxed(int integer, DType dtype, const GraphFunction &body, size_t parameter) {
        const int tensor = m_tensors.take();
        const size_t rank = body.type(body.parameters()[parameter]).dims.size();
        emit(Opcode::Box, {tensor}, {integer}).type = TensorType{dtype, Dims(rank, Dim(1))};
        return tensor;
    }

    void loop(const Node &node) {
        const GraphFunction &body = *m_network.find(regionName(node, "body"));
        const size_t carriedCount = *loopscope::carriedCount(node);
        const int trips = m_integers.take();
        const int goesOn = m_integers.take();
        const int trip = m_integers.take();
        const int more = m_integers.take();
        const int yes = m_integers.take();
        if (node.inputs[0].value >= 0)
            item(trips, tensorOf(node.inputs[0]), DType::Int64, "the number of trips");
        else
            eval(trips, {{EvalKind::Number, std::numeric_limits<int64_t>::max()}});
        if (node.inputs[1].value >= 0)
            item(goesOn, tensorOf(node.inputs[1]), DType::Bool, "the condition");
        else
            eval(goesOn, {{EvalKind::Number, 1}});
        eval(trip, {{EvalKind::Number, 0}});
        eval(yes, {{EvalKind::Number, 1}});
        std::vector<int> carried;
        for (size_t i = 0; i < carriedCount; ++i) {
            carried.push_back(m_tensors.take());
            emit(Opcode::Alias, {carried.back()}, {tensorOf(node.inputs[2 + i])});
        }
        std::vector<int> stacks;
        for (size_t i = carriedCount; i < node.outputs.size(); ++i) {
            stacks.push_back(m_stacks.take());
            Instruction &made = emit(Opcode::Stack, {stacks.back()}, {});
            made.name = m_function.value(node.outputs[i]).name;
            made.type = body.value(body.results()[1 + i]).type;
        }
        const int head = here();
        eval(more, {{EvalKind::Register, trip},
                    {EvalKind::Register, trips},
                    {EvalKind::Less},
                    {EvalKind::Register, goesOn},
                    {EvalKind::And}});
        const int branch = here();
        emit(Opcode::Branch, {}, {more}).target = branch + 1;
        oneTrip(node, body, {trip, yes, goesOn}, carried, stacks);
        eval(trip, {{EvalKind::Register, trip}, {EvalKind::Number, 1}, {EvalKind::Add}});
        emit(Opcode::Jump, {}, {}).target = head;
        m_code.code[static_cast<size_t>(branch)].otherwise = here();
        for (size_t i = 0; i < carriedCount; ++i) m_registers[node.outputs[i].index()] = carried[i];
        for (size_t i = 0; i < stacks.size(); ++i) {
            const int sealed = m_tensors.take();
            m_registers[node.outputs[carriedCount + i].index()] = sealed;
            emit(Opcode::Seal, {sealed}, {stacks[i]});
            m_stacks.give(stacks[i]);
        }
        for (const int integer : {trips, goesOn, trip, more, yes}) m_integers.give(integer);
    }

    struct LoopIntegers {
        int trip;
        int yes;
        int goesOn;
    };
    void oneTrip(const Node &node, const GraphFunction &body, const LoopIntegers &integers,
                 const std::vector<int> &carried, const std::vector<int> &stacks) {
        std::vector<int> arguments = {boxed(integers.trip, DType::Int64, body, 0),
                                      boxed(integers.yes, DType::Bool, body, 1)};
        arguments.insert(arguments.end(), carried.begin(), carried.end());
        for (size_t i = 2 + carried.size(); i < node.inputs.size(); ++i) arguments.push_back(tensorOf(node.inputs[i]));
        std::vector<int> results;
        for (size_t i = 0; i < body.results().size(); ++i) results.push_back(m_tensors.take());
        Instruction &made = emit(Opcode::Call, results, arguments);
        made.name = body.name();
        made.trip = integers.trip;
        freeTensor(arguments[0]);
        freeTensor(arguments[1]);
        item(integers.goesOn, results[0], DType::Bool, "the condition for the next trip");
        freeTensor(results[0]);
        for (size_t i = 0; i < carried.size(); ++i) {
            emit(Opcode::Free, {}, {carried[i]});
            emit(Opcode::Alias, {carried[i]}, {results[1 + i]});
            freeTensor(results[1 + i]);
        }
        for (size_t i = 0; i < stacks.size(); ++i) {
            emit(Opcode::Push, {stacks[i]}, {results[1 + carried.size() + i]});
            freeTensor(results[1 + carried.size() + i]);
        }
    }

    const Module &m_network;
    const GraphFunction &m_function;
    BytecodeFunction m_code;
    RegisterFile m_tensors;
    RegisterFile m_integers;
    RegisterFile m_stacks;
    std::vector<int> m_registers; // by value; -1: none now
    std::vector<NodeId> m_lastReader;
    std::vector<bool> m_kept;
    NodeId m_node; // whose instructions are made
};

/// A parameter whose symbols nothing tells, which a call could never check.
std::optional<Refusal> untoldParameter(const GraphFunction &function) {
    Dims dims;
    for (const ValueId parameter : function.parameters()) {
        const Dims &more = function.type(parameter).dims;
        dims.insert(dims.end(), more.begin(), more.end());
    }
    SymbolNames known;
    const auto axis = unsolvedAxis(dims, known);
    if (!axis) return std::nullopt;
    return Refusal{"function `" + function.name() + "`: the dims of its parameters do not tell the symbols of " +
                   dims[*axis].text() + ", so that no call could be checked"};
}

} // namespace

Outcome<Program> compileNetwork(const Module &network) {
    if (auto problems = graphProblems(network, 1); !problems.empty()) return Refusal{std::move(problems.front())};
    Program program;
    program.network = network;
    for (const FunctionPtr &function : network.functions) {
        if (auto untold = untoldParameter(*function)) return *std::move(untold);
        program.functions.push_back(FunctionCompiler(network, *function).run());
    }
    return program;
}

} // namespace loopscope
