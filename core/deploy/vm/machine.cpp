#include "deploy/vm/machine.h"

#include "base/check.h"
#include "deploy/vm/evaluate.h"
#include "deploy/vm/verify_program.h"
#include "networks/graph/statement.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <new>
#include <utility>

namespace loopscope {

/// By function, then by instruction.
struct VirtualMachine::Prepared {
    struct Function {
        FunctionPtr of;
        bool straight = false; // no statements
        PatternMatch parameters;
        std::vector<size_t> rankEnd; // of the parameters, in the dims of all of them
        std::vector<int> callee;
        std::vector<PatternMatch> patterns;
        std::vector<SharedTensor> constants; // when they were first asked for
    };
    std::vector<Function> functions;
};

namespace {

std::string wideTypeText(const WideTensor &tensor) { return typeText({tensor.dtype, asDims(tensor.dims)}); }

} // namespace

Outcome<std::unique_ptr<VirtualMachine>> VirtualMachine::make(const Program &program, KernelRunner &kernels,
                                                              const MachineOptions &options) {
    if (auto problems = programProblems(program, 1); !problems.empty()) return Refusal{std::move(problems.front())};
    return std::unique_ptr<VirtualMachine>(new VirtualMachine(program, kernels, options));
}

VirtualMachine::VirtualMachine(const Program &program, KernelRunner &kernels, const MachineOptions &options)
    : m_program(program), m_kernels(kernels), m_options(options), m_prepared(std::make_shared<Prepared>()) {
    std::map<std::string_view, int> numbers;
    for (size_t i = 0; i < program.functions.size(); ++i)
        numbers.emplace(program.functions[i].name, static_cast<int>(i));
    for (const BytecodeFunction &code : program.functions) {
        Prepared::Function &made = m_prepared->functions.emplace_back();
        made.of = program.network.find(code.name);
        made.straight = !firstStatement(*made.of);
        Dims dims;
        for (const BytecodeParameter &parameter : code.parameters) {
            dims.insert(dims.end(), parameter.type.dims.begin(), parameter.type.dims.end());
            made.rankEnd.push_back(dims.size());
        }
        made.parameters = PatternMatch(code, std::move(dims));
        made.constants.resize(code.code.size());
        for (const Instruction &of : code.code) {
            made.callee.push_back(of.opcode == Opcode::Call ? numbers.find(of.name)->second : -1);
            made.patterns.push_back(of.opcode == Opcode::Match ? PatternMatch(code, of.type->dims) : PatternMatch());
        }
    }
}

VirtualMachine::State VirtualMachine::start(std::span<const HostTensor> inputs) {
    m_stack.clear();
    m_handed.clear();
    m_why.clear();
    m_callsLeft = m_jumpsLeft = m_options.maxTrips;
    m_instructions = 0;
    m_state = State::Running;
    const auto main = std::find_if(m_program.functions.begin(), m_program.functions.end(),
                                   [](const BytecodeFunction &one) { return one.name == "main"; });
    if (inputs.size() != main->parameters.size()) {
        fail(fmt::format("main takes {} inputs, {} are given", main->parameters.size(), inputs.size()));
        return m_state;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].elements() > m_options.maxElements) {
            fail(fmt::format("input '{}' {} has more than {} elements", main->parameters[i].name,
                             typeText({inputs[i].dtype(), asDims(inputs[i].dims())}), m_options.maxElements));
            return m_state;
        }
        m_handed.push_back(std::make_shared<WideTensor>(WideTensor::of(inputs[i])));
    }
    enter(static_cast<size_t>(main - m_program.functions.begin()));
    return m_state;
}

/// Arguments were handed over.
void VirtualMachine::enter(size_t function) {
    const BytecodeFunction &code = m_program.functions[function];
    m_stack.push(code, function);
    const Prepared::Function &prepared = m_prepared->functions[function];
    const auto mismatch = [&](size_t parameter) {
        fail(fmt::format("input '{}' is {}, it has to be {}", code.parameters[parameter].name,
                         wideTypeText(*m_handed[parameter]), typeText(code.parameters[parameter].type)));
    };
    m_dims.clear();
    for (size_t i = 0; i < m_handed.size(); ++i) {
        const TensorType &type = code.parameters[i].type;
        const WideTensor &given = *m_handed[i];
        if (type.dtype != given.dtype || type.dims.size() != given.dims.size()) return mismatch(i);
        m_dims.insert(m_dims.end(), given.dims.begin(), given.dims.end());
    }
    if (const auto wrong = prepared.parameters.match(m_dims, m_stack.integerRegisters())) {
        const auto at = std::upper_bound(prepared.rankEnd.begin(), prepared.rankEnd.end(), wrong->axis);
        return mismatch(static_cast<size_t>(at - prepared.rankEnd.begin()));
    }
    for (size_t i = 0; i < m_handed.size(); ++i) m_stack.tensor(static_cast<int>(i)) = std::move(m_handed[i]);
    m_handed.clear();
}

VirtualMachine::State VirtualMachine::step() {
    LOOPSCOPE_CHECK(m_state == State::Running, "the machine runs");
    ++m_instructions;
    try {
        execute(m_stack.top().code->code[m_stack.top().at]);
    } catch (const Error &error) {
        failHere(error.sentence());
    } catch (const std::bad_alloc &) {
        failHere("there is not enough memory");
    }
    return m_state;
}

Outcome<std::vector<WideTensor>> VirtualMachine::run(std::span<const HostTensor> inputs) {
    start(inputs);
    while (m_state == State::Running) step();
    if (m_state == State::Failed) return Refusal{m_why};
    std::vector<WideTensor> all;
    for (const SharedTensor &result : m_handed) all.push_back(*result);
    return all;
}

void VirtualMachine::execute(const Instruction &of) {
    switch (of.opcode) {
    case Opcode::Kernel:
        kernel(of);
        break;
    case Opcode::Call:
        return call(of);
    case Opcode::Const: {
        Prepared::Function &prepared = m_prepared->functions[m_stack.top().function];
        SharedTensor &held = prepared.constants[m_stack.top().at];
        if (!held)
            held = std::make_shared<WideTensor>(WideTensor::of(*prepared.of->constant(*prepared.of->find(of.name))));
        m_stack.tensor(of.outputs[0]) = held;
        break;
    }
    case Opcode::Eval: {
        const auto value = evaluate(of.steps, m_stack.integers());
        if (!value) return failHere("the result does not fit 64 bits, or is divided by less than 1");
        m_stack.setInteger(of.outputs[0], *value);
        break;
    }
    case Opcode::Item:
        item(of);
        break;
    case Opcode::Box: {
        const int64_t value = m_stack.integers()[of.inputs[0]];
        m_stack.tensor(of.outputs[0]) = std::make_shared<WideTensor>(WideTensor{
            of.type->dtype, std::vector<int64_t>(of.type->dims.size(), 1), {}, {wrapToType(value, of.type->dtype)}});
        break;
    }
    case Opcode::Match:
        match(of);
        break;
    case Opcode::Alias:
        m_stack.tensor(of.outputs[0]) = m_stack.tensor(of.inputs[0]);
        break;
    case Opcode::Free:
        m_stack.tensor(of.inputs[0]).reset();
        break;
    case Opcode::Stack:
        m_stack.pieces(of.outputs[0]) = {{}, 0, &of};
        break;
    case Opcode::Push:
        push(of);
        break;
    case Opcode::Seal:
        seal(of);
        break;
    case Opcode::Branch:
        return jump(m_stack.integers()[of.inputs[0]] != 0 ? of.target : of.otherwise);
    case Opcode::Jump:
        return jump(of.target);
    case Opcode::Ret:
        return ret(of);
    }
    if (m_state == State::Running) ++m_stack.top().at;
}

void VirtualMachine::kernel(const Instruction &of) {
    const GraphFunction &function = *m_prepared->functions[m_stack.top().function].of;
    m_operands.clear();
    for (const int input : of.inputs) m_operands.push_back(input < 0 ? nullptr : m_stack.tensor(input).get());
    auto outputs = m_kernels.run(function, function.node(of.node), m_operands);
    if (!outputs) return fail(outputs.why());
    LOOPSCOPE_CHECK(outputs->size() >= of.outputs.size(), "one tensor for each output");
    for (size_t i = 0; i < of.outputs.size(); ++i)
        m_stack.tensor(of.outputs[i]) = std::make_shared<WideTensor>(std::move((*outputs)[i]));
}

void VirtualMachine::call(const Instruction &of) {
    if (m_callsLeft-- <= 0) {
        const std::string trip =
            of.trip < 0 ? "" : fmt::format("trip {}: ", *m_stack.integerOf(m_stack.top(), of.trip));
        return failHere(fmt::format("{}more than {} trips and calls are run in all; the machine stops there, since a "
                                    "loop may have no end",
                                    trip, m_options.maxTrips));
    }
    m_handed.clear();
    for (const int input : of.inputs) m_handed.push_back(m_stack.tensor(input));
    enter(static_cast<size_t>(m_prepared->functions[m_stack.top().function].callee[m_stack.top().at]));
    if (m_state == State::Running && m_prepared->functions[m_stack.top().function].straight) callAtOnce();
}

/// The function was entered: its parameters are there, and of its types.
void VirtualMachine::callAtOnce() {
    const size_t parameters = m_stack.top().code->parameters.size();
    m_operands.clear();
    for (size_t i = 0; i < parameters; ++i) m_operands.push_back(m_stack.tensor(static_cast<int>(i)).get());
    auto outputs = m_kernels.runFunction(*m_prepared->functions[m_stack.top().function].of, m_operands);
    if (!outputs) return;
    if (!*outputs) return fail(outputs->why());
    m_handed.clear();
    for (WideTensor &output : **outputs) m_handed.push_back(std::make_shared<WideTensor>(std::move(output)));
    for (size_t i = 0; i < parameters; ++i) m_stack.tensor(static_cast<int>(i)).reset();
    handBack();
}

void VirtualMachine::item(const Instruction &of) {
    const WideTensor &tensor = *m_stack.tensor(of.inputs[0]);
    if (tensor.dtype != of.type->dtype || tensor.integers.size() != 1)
        return failHere(
            fmt::format("{} is {}, it has to be one {}", of.name, wideTypeText(tensor), dtypeName(of.type->dtype)));
    m_stack.setInteger(of.outputs[0], tensor.integers[0]);
}

void VirtualMachine::match(const Instruction &of) {
    const SharedTensor given = m_stack.tensor(of.inputs[0]);
    const auto named = [&] {
        const GraphFunction &function = *m_prepared->functions[m_stack.top().function].of;
        if (of.node.value < 0) return registerText('t', of.inputs[0]);
        const Node &node = function.node(of.node);
        const bool known = node.inputs.size() == 1 && node.inputs[0].value >= 0;
        return known ? function.value(node.inputs[0]).name : registerText('t', of.inputs[0]);
    };
    if (of.type->dtype != given->dtype || of.type->dims.size() != given->dims.size())
        return failHere(fmt::format("`{}` is {}, it has to be {}", named(), wideTypeText(*given), typeText(*of.type)));
    const PatternMatch &pattern = m_prepared->functions[m_stack.top().function].patterns[m_stack.top().at];
    if (const auto wrong = pattern.match(given->dims, m_stack.integerRegisters()))
        return failHere(fmt::format("`{}` is {}: {}", named(), wideTypeText(*given), wrong->sentence));
    m_stack.tensor(of.outputs[0]) = given;
}

void VirtualMachine::push(const Instruction &of) {
    PieceStack &stack = m_stack.pieces(of.outputs[0]);
    const WideTensor &piece = *m_stack.tensor(of.inputs[0]);
    WideTensor &all = stack.all;
    if (stack.count == 0) all = {piece.dtype, piece.dims, {}, {}};
    if (all.size() + piece.size() > static_cast<size_t>(m_options.maxElements))
        return failHere(fmt::format("output `{}` has more than {} elements", stack.made->name, m_options.maxElements));
    if (all.dtype != piece.dtype || all.dims != piece.dims)
        return failHere(fmt::format("the piece of output `{}` is {}, those before it are {}", stack.made->name,
                                    wideTypeText(piece), wideTypeText(all)));
    all.floats.insert(all.floats.end(), piece.floats.begin(), piece.floats.end());
    all.integers.insert(all.integers.end(), piece.integers.begin(), piece.integers.end());
    ++stack.count;
}

void VirtualMachine::seal(const Instruction &of) {
    PieceStack &stack = m_stack.pieces(of.inputs[0]);
    WideTensor all = std::move(stack.all);
    if (stack.count > 0) {
        all.dims.insert(all.dims.begin(), stack.count);
    } else {
        const auto &type = stack.made->type;
        if (!type)
            return failHere(
                fmt::format("no trip is run, and the type of output `{}` is not inferred", stack.made->name));
        // Dims that nothing tells are 0: there is no element anyway.
        std::vector<int64_t> dims = {0};
        for (const Dim &dim : type->dims) dims.push_back(dim.isConstant() ? dim.value() : 0);
        all = WideTensor::zeros(type->dtype, std::move(dims));
    }
    stack = {};
    m_stack.tensor(of.outputs[0]) = std::make_shared<WideTensor>(std::move(all));
}

void VirtualMachine::jump(int target) {
    const auto to = static_cast<size_t>(target);
    if (to <= m_stack.top().at && m_jumpsLeft-- <= 0)
        return failHere(
            fmt::format("more than {} jumps back are run in all; the machine stops there", m_options.maxTrips));
    m_stack.top().at = to;
}

void VirtualMachine::ret(const Instruction &of) {
    m_handed.clear();
    for (const int input : of.inputs) m_handed.push_back(m_stack.tensor(input));
    for (const int input : of.inputs) m_stack.tensor(input).reset();
    if (m_stack.calls().size() == 1) {
        m_state = State::Finished;
        return;
    }
    handBack();
}

void VirtualMachine::handBack() {
    m_stack.pop();
    const Instruction &waiting = m_stack.top().code->code[m_stack.top().at];
    for (size_t i = 0; i < waiting.outputs.size(); ++i) m_stack.tensor(waiting.outputs[i]) = std::move(m_handed[i]);
    m_handed.clear();
    ++m_stack.top().at;
}

/// The sentence says what is wrong in the innermost function; those that wait for it go before.
void VirtualMachine::fail(std::string sentence) {
    m_state = State::Failed;
    for (size_t i = m_stack.calls().size(); i-- > 1;) {
        const CallFrame &caller = m_stack.calls()[i - 1];
        const Instruction &of = caller.code->code[caller.at];
        const std::string place = placeText(m_program, *caller.code, caller.at);
        const std::string &callee = m_stack.calls()[i].code->name;
        sentence = of.trip >= 0 ? fmt::format("{}: in trip {} of `{}`: {}", place, *m_stack.integerOf(caller, of.trip),
                                              callee, sentence)
                                : fmt::format("{}: in function `{}`: {}", place, callee, sentence);
    }
    m_why = std::move(sentence);
}

void VirtualMachine::failHere(const std::string &sentence) {
    fail(fmt::format("{}: {}", placeText(m_program, *m_stack.top().code, m_stack.top().at), sentence));
}

} // namespace loopscope
