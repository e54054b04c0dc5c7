#include "deploy/vm/verify_program.h"

#include "base/nearest_name.h"
#include "deploy/vm/evaluate.h"
#include "networks/graph/dim_match.h"
#include "networks/graph/statement.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

namespace loopscope {

namespace {

using Problems = std::vector<std::string>;

enum : char { kNothing = 0, kHeld = 1, kOnOneWay = 2 };

/// What the registers hold before an instruction.
struct HeldRegisters {
    std::vector<char> tensors;
    std::vector<char> integers; // kOnOneWay: written on one of the ways that lead here
    std::vector<char> stacks;
};

class FunctionRules {
  public:
    FunctionRules(const Program &program, const BytecodeFunction &code, const GraphFunction &of, Problems &problems)
        : m_program(program), m_code(code), m_of(of), m_problems(problems) {}

    void run() {
        const size_t before = m_problems.size();
        head();
        if (m_problems.size() > before) return;
        for (m_at = 0; m_at < m_code.code.size(); ++m_at) shape(m_code.code[m_at]);
        ending();
        if (m_problems.size() == before) ways();
    }

  private:
    template <typename... Args> void add(fmt::format_string<Args...> format, Args &&...args) {
        m_problems.push_back(fmt::format("function `{}`: ", m_code.name) +
                             fmt::format(format, std::forward<Args>(args)...));
    }
    template <typename... Args> void addHere(fmt::format_string<Args...> format, Args &&...args) {
        m_problems.push_back(fmt::format("function `{}`, instruction {} ({}): ", m_code.name, m_at,
                                         shapeOf(m_code.code[m_at].opcode).name) +
                             fmt::format(format, std::forward<Args>(args)...));
    }

    [[nodiscard]] int countOf(char kind) const {
        return kind == 't' ? m_code.tensors : kind == 'i' ? m_code.integers : m_code.stacks;
    }

    void head() {
        for (const char kind : {'t', 'i', 's'})
            if (const int count = countOf(kind); count < 0 || count > kMaxRegisters)
                add("has {} registers {}0, {}1, ...; {} is the most", count, kind, kind, kMaxRegisters);
        if (m_code.parameters.size() != m_of.parameters().size())
            add("takes {} parameters; that of the network takes {}", m_code.parameters.size(),
                m_of.parameters().size());
        if (m_code.parameters.size() > static_cast<size_t>(std::max(m_code.tensors, 0)))
            add("takes {} parameters and has {} tensor registers", m_code.parameters.size(), m_code.tensors);
        std::set<int> taken;
        for (const auto &[symbol, number] : m_code.symbols) {
            if (number < 0 || number >= m_code.integers)
                add("symbol {} has register i{}, and there are {}", symbol, number, m_code.integers);
            else if (!taken.insert(number).second)
                add("symbol {} shares register i{} with another", symbol, number);
        }
        Dims dims;
        for (const BytecodeParameter &parameter : m_code.parameters) {
            symbolsHaveRegisters(parameter.type);
            dims.insert(dims.end(), parameter.type.dims.begin(), parameter.type.dims.end());
        }
        SymbolNames known;
        if (const auto axis = unsolvedAxis(dims, known))
            add("the dims of its parameters do not tell the symbols of {}", dims[*axis].text());
    }

    bool symbolsHaveRegisters(const TensorType &type) {
        for (const Dim &dim : type.dims)
            for (const std::string &symbol : dim.symbols())
                if (!m_code.symbols.contains(symbol)) {
                    add("symbol {} of {} has no register", symbol, typeText(type));
                    return false;
                }
        return true;
    }

    bool registersExist(char kind, const std::vector<int> &registers, bool mayBeLeftOut) {
        for (const int number : registers) {
            if (number == -1 && mayBeLeftOut) continue;
            if (number < 0 || number >= countOf(kind)) {
                addHere("{}{} does not exist, the function has {} such registers", kind, number, countOf(kind));
                return false;
            }
        }
        return true;
    }

    /// What an instruction says by itself.
    void shape(const Instruction &of) {
        const OpcodeShape &shape = shapeOf(of.opcode);
        if ((shape.outputs >= 0 && of.outputs.size() != static_cast<size_t>(shape.outputs)) ||
            (shape.inputs >= 0 && of.inputs.size() != static_cast<size_t>(shape.inputs)))
            return addHere("writes {} and reads {} registers; it has to be {} and {}", of.outputs.size(),
                           of.inputs.size(), shape.outputs, shape.inputs);
        if (!registersExist(shape.outputKind, of.outputs, false) ||
            !registersExist(shape.inputKind, of.inputs, of.opcode == Opcode::Kernel))
            return;
        if (std::set<int>(of.outputs.begin(), of.outputs.end()).size() != of.outputs.size())
            return addHere("writes a register twice");
        if (of.node.value >= 0 && of.node.index() >= m_of.nodeCount())
            return addHere("node {} does not exist, the network's function has {}", of.node.value, m_of.nodeCount());
        // What symbols a stack's type has are those of the body whose pieces it takes.
        if (of.type && of.opcode != Opcode::Stack && !symbolsHaveRegisters(*of.type)) return;
        switch (of.opcode) {
        case Opcode::Kernel:
            return kernel(of);
        case Opcode::Call:
            return call(of);
        case Opcode::Const:
            return constant(of);
        case Opcode::Eval:
            return eval(of);
        case Opcode::Item:
            if (!of.type || isFloat(of.type->dtype)) addHere("takes the element of an integer or bool tensor");
            return;
        case Opcode::Box:
            if (!of.type || isFloat(of.type->dtype) ||
                std::any_of(of.type->dims.begin(), of.type->dims.end(), [](const Dim &dim) { return dim != Dim(1); }))
                addHere("makes an integer or bool tensor whose dims are 1");
            return;
        case Opcode::Match:
            if (!of.type) addHere("needs a type");
            return;
        case Opcode::Branch:
            inside(of.target);
            return inside(of.otherwise);
        case Opcode::Jump:
            return inside(of.target);
        case Opcode::Ret:
            if (of.inputs.size() != m_of.results().size())
                addHere("hands out {} values; the network's function has {} results", of.inputs.size(),
                        m_of.results().size());
            return;
        default:
            return;
        }
    }

    void inside(int target) {
        if (target < 0 || static_cast<size_t>(target) >= m_code.code.size())
            addHere("goes to instruction {}, and there are {}", target, m_code.code.size());
    }

    void kernel(const Instruction &of) {
        if (of.node.value < 0) return addHere("names no node of the network");
        const Node &node = m_of.node(of.node);
        const auto kind = statementKind(node);
        if (kind && !computesValue(*kind)) return addHere("{} is no operator", nodeText(node));
        if (node.op != of.name) return addHere("is said to be {}, and the node is {}", of.name, nodeText(node));
        if (of.outputs.size() != node.outputs.size() || of.inputs.size() != node.inputs.size())
            return addHere("takes {} and gives {} values; {} takes {} and gives {}", of.inputs.size(),
                           of.outputs.size(), nodeText(node), node.inputs.size(), node.outputs.size());
        for (size_t i = 0; i < of.inputs.size(); ++i)
            if ((of.inputs[i] < 0) != (node.inputs[i].value < 0))
                return addHere("input {} is {}; of {} it is {}", i, of.inputs[i] < 0 ? "left out" : "there",
                               nodeText(node), node.inputs[i].value < 0 ? "left out" : "there");
    }

    void call(const Instruction &of) {
        const BytecodeFunction *callee = m_program.find(of.name);
        const FunctionPtr named = m_program.network.find(of.name);
        if (!callee || !named) {
            std::vector<std::string> names;
            for (const BytecodeFunction &one : m_program.functions) names.push_back(one.name);
            return addHere("the program has no function `{}`{}", of.name, suggestion(of.name, names));
        }
        if (of.inputs.size() != callee->parameters.size() || of.outputs.size() != named->results().size())
            return addHere("hands over {} and wants {} values; `{}` takes {} and gives {}", of.inputs.size(),
                           of.outputs.size(), of.name, callee->parameters.size(), named->results().size());
        if (of.trip >= m_code.integers) addHere("i{} does not exist, the function has {}", of.trip, m_code.integers);
    }

    void constant(const Instruction &of) {
        const auto value = m_of.find(of.name);
        if (!value || !m_of.isConstant(*value)) addHere("the network's function has no constant `{}`", of.name);
    }

    void eval(const Instruction &of) {
        if (const std::string problem = evalProblem(of.steps); !problem.empty()) return addHere("{}", problem);
        for (const EvalStep &step : of.steps)
            if (step.kind == EvalKind::Register && (step.value < 0 || step.value >= m_code.integers))
                return addHere("i{} does not exist, the function has {} such registers", step.value, m_code.integers);
    }

    void ending() {
        if (m_code.code.empty()) return add("has no instructions");
        const Opcode last = m_code.code.back().opcode;
        if (last != Opcode::Ret && last != Opcode::Jump && last != Opcode::Branch)
            add("goes on behind its last instruction; the last is ret, jump or branch");
    }

    // What holds on every way through the function.

    void ways() {
        HeldRegisters held = {std::vector<char>(static_cast<size_t>(m_code.tensors), kNothing),
                              std::vector<char>(static_cast<size_t>(m_code.integers), kNothing),
                              std::vector<char>(static_cast<size_t>(m_code.stacks), kNothing)};
        for (size_t i = 0; i < m_code.parameters.size(); ++i) {
            held.tensors[i] = kHeld;
            tell(m_code.parameters[i].type, held);
        }
        for (const Instruction &of : m_code.code)
            for (const int target : {of.target, of.otherwise})
                if (target >= 0) m_targets.emplace(static_cast<size_t>(target), std::nullopt);
        arrive(0, held, true);
        while (!m_waiting.empty() && !m_stopped) {
            const auto [at, registers] = std::move(m_waiting.back());
            m_waiting.pop_back();
            follow(at, registers);
        }
    }

    void tell(const TensorType &type, HeldRegisters &held) const {
        for (const Dim &dim : type.dims)
            for (const std::string &symbol : dim.symbols()) held.integers[registerOf(symbol)] = kHeld;
    }
    [[nodiscard]] size_t registerOf(const std::string &symbol) const {
        return static_cast<size_t>(m_code.symbols.find(symbol)->second);
    }

    template <typename... Args> void stop(fmt::format_string<Args...> format, Args &&...args) {
        addHere(format, std::forward<Args>(args)...);
        m_stopped = true;
    }

    /// Ways meet at targets of jumps alone, where what they left has to agree.
    void arrive(size_t at, const HeldRegisters &held, bool first = false) {
        const auto target = m_targets.find(at);
        if (target == m_targets.end() || !target->second) {
            if (target != m_targets.end()) target->second = held;
            m_waiting.emplace_back(at, held);
            return;
        }
        if (first) return;
        HeldRegisters &before = *target->second;
        for (const auto &[kind, was, is] :
             {std::tuple{'t', &before.tensors, &held.tensors}, std::tuple{'s', &before.stacks, &held.stacks}})
            for (size_t i = 0; i < was->size(); ++i)
                if ((*was)[i] != (*is)[i])
                    return stop("{}{} holds something on one way to instruction {}, and nothing on another", kind, i,
                                at);
        bool changed = false;
        for (size_t i = 0; i < before.integers.size(); ++i)
            if (before.integers[i] != held.integers[i] && before.integers[i] != kOnOneWay) {
                before.integers[i] = kOnOneWay;
                changed = true;
            }
        if (changed) m_waiting.emplace_back(at, before);
    }

    void follow(size_t from, HeldRegisters held) {
        for (m_at = from; !m_stopped; ++m_at) {
            const Instruction &of = m_code.code[m_at];
            step(of, held);
            if (m_stopped || of.opcode == Opcode::Ret) return;
            if (of.opcode == Opcode::Branch) {
                arrive(static_cast<size_t>(of.target), held);
                if (!m_stopped) arrive(static_cast<size_t>(of.otherwise), held);
                return;
            }
            if (of.opcode == Opcode::Jump) return arrive(static_cast<size_t>(of.target), held);
            if (m_targets.contains(m_at + 1)) return arrive(m_at + 1, held);
        }
    }

    bool reads(char kind, std::vector<char> &held, const std::vector<int> &registers) {
        for (const int number : registers) {
            if (number < 0) continue;
            const char state = held[static_cast<size_t>(number)];
            if (state == kHeld) continue;
            stop("reads {}{}, which {}", kind, number,
                 state == kOnOneWay ? "was written on one way that leads here only" : "holds nothing");
            return false;
        }
        return true;
    }

    bool writes(char kind, std::vector<char> &held, const std::vector<int> &registers) {
        for (const int number : registers) {
            if (held[static_cast<size_t>(number)] != kNothing) {
                stop("writes to {}{}, which was not freed", kind, number);
                return false;
            }
            held[static_cast<size_t>(number)] = kHeld;
        }
        return true;
    }

    void step(const Instruction &of, HeldRegisters &held) {
        const OpcodeShape &shape = shapeOf(of.opcode);
        std::vector<char> &in = shape.inputKind == 'i'   ? held.integers
                                : shape.inputKind == 's' ? held.stacks
                                                         : held.tensors;
        if (!reads(shape.inputKind, in, of.inputs)) return;
        for (const EvalStep &one : of.steps)
            if (one.kind == EvalKind::Register && !reads('i', held.integers, {static_cast<int>(one.value)})) return;
        if (of.trip >= 0 && !reads('i', held.integers, {of.trip})) return;
        if (of.opcode == Opcode::Match && !match(*of.type, held)) return;
        if (of.opcode == Opcode::Free || of.opcode == Opcode::Seal) in[static_cast<size_t>(of.inputs[0])] = kNothing;
        if (of.opcode == Opcode::Ret) return ret(of, held);
        if (of.opcode == Opcode::Push) {
            reads('s', held.stacks, of.outputs);
        } else if (shape.outputKind == 'i') {
            integers(of, held);
        } else if (shape.outputKind != 0) {
            writes(shape.outputKind, shape.outputKind == 's' ? held.stacks : held.tensors, of.outputs);
        }
    }

    void integers(const Instruction &of, HeldRegisters &held) {
        for (const int output : of.outputs) {
            for (const auto &[symbol, number] : m_code.symbols)
                if (number == output)
                    return stop("writes to i{}, which is symbol {}; match alone does", output, symbol);
            held.integers[static_cast<size_t>(output)] = kHeld;
        }
    }

    bool match(const TensorType &type, HeldRegisters &held) {
        SymbolNames numbers;
        for (const auto &[symbol, number] : m_code.symbols) {
            const char state = held.integers[static_cast<size_t>(number)];
            if (state == kHeld) numbers.insert(symbol);
        }
        for (const Dim &dim : type.dims)
            for (const std::string &symbol : dim.symbols())
                if (held.integers[registerOf(symbol)] == kOnOneWay) {
                    stop("symbol {} has a number on one way that leads here only", symbol);
                    return false;
                }
        if (const auto axis = unsolvedAxis(type.dims, numbers)) {
            stop("dim {}, {}, cannot be solved for one new symbol", *axis, type.dims[*axis].text());
            return false;
        }
        tell(type, held);
        return true;
    }

    void ret(const Instruction &of, const HeldRegisters &held) {
        for (size_t i = 0; i < held.tensors.size(); ++i)
            if (held.tensors[i] != kNothing &&
                std::find(of.inputs.begin(), of.inputs.end(), static_cast<int>(i)) == of.inputs.end())
                return stop("t{} is neither freed nor handed out", i);
        for (size_t i = 0; i < held.stacks.size(); ++i)
            if (held.stacks[i] != kNothing) return stop("s{} is not sealed", i);
    }

    const Program &m_program;
    const BytecodeFunction &m_code;
    const GraphFunction &m_of;
    Problems &m_problems;
    size_t m_at = 0;
    bool m_stopped = false;
    std::map<size_t, std::optional<HeldRegisters>> m_targets;
    std::vector<std::pair<size_t, HeldRegisters>> m_waiting;
};

/// A function that calls itself, over others or not.
class CallCycle {
  public:
    explicit CallCycle(const Program &program) : m_program(program) {}
    std::optional<std::string> find() {
        for (const BytecodeFunction &function : m_program.functions)
            if (visit(function)) return fmt::format("functions call themselves: {}", fmt::join(m_path, " -> "));
        return std::nullopt;
    }

  private:
    bool visit(const BytecodeFunction &function) {
        const bool cycle = std::find(m_path.begin(), m_path.end(), function.name) != m_path.end();
        if (!cycle && !m_seen.insert(function.name).second) return false;
        m_path.push_back(function.name);
        if (cycle) return true;
        for (const Instruction &of : function.code)
            if (of.opcode == Opcode::Call)
                if (const BytecodeFunction *callee = m_program.find(of.name); callee && visit(*callee)) return true;
        m_path.pop_back();
        return false;
    }

    const Program &m_program;
    std::vector<std::string> m_path;
    std::set<std::string> m_seen;
};

} // namespace

std::vector<std::string> programProblems(const Program &program, size_t most) {
    Problems problems;
    std::set<std::string> names;
    for (const BytecodeFunction &function : program.functions) {
        const FunctionPtr of = program.network.find(function.name);
        if (!of)
            problems.push_back(fmt::format("function `{}`: the network has no function of that name", function.name));
        else if (!names.insert(function.name).second)
            problems.push_back(fmt::format("function `{}` stands in the program twice", function.name));
        else
            FunctionRules(program, function, *of, problems).run();
        if (problems.size() >= most) break;
    }
    if (!names.contains("main"))
        problems.emplace_back("the program has no function `main`, which is the one that runs");
    if (problems.empty())
        if (auto cycle = CallCycle(program).find()) problems.push_back(*std::move(cycle));
    if (problems.size() > most) problems.resize(most);
    return problems;
}

} // namespace loopscope
