#include "deploy/vm/assembly.h"
#include "networks/graph/net_lexer.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

std::string registersText(char kind, const std::vector<int> &registers) {
    std::string text;
    for (const int number : registers) text += (text.empty() ? "" : ", ") + registerText(kind, number);
    return text;
}

std::string stepsText(const std::vector<EvalStep> &steps) {
    std::string text;
    for (const EvalStep &step : steps) {
        if (!text.empty()) text += ' ';
        if (step.kind == EvalKind::Number)
            text += fmt::format("{}", step.value);
        else if (step.kind == EvalKind::Register)
            text += registerText('i', static_cast<int>(step.value));
        else
            text += evalName(step.kind);
    }
    return text;
}

std::string bodyText(const Instruction &of) {
    const OpcodeShape &shape = shapeOf(of.opcode);
    const std::string outputs = registersText(shape.outputKind, of.outputs);
    std::string inputs = registersText(shape.inputKind, of.inputs);
    const std::string type = of.type ? typeText(*of.type) : "untyped";
    switch (of.opcode) {
    case Opcode::Kernel:
    case Opcode::Call:
        return fmt::format("{} = {}({}){}", outputs, netQuoted(of.name), inputs,
                           of.trip >= 0 ? " trip " + registerText('i', of.trip) : "");
    case Opcode::Const:
        return fmt::format("{} = {}", outputs, netQuoted(of.name));
    case Opcode::Eval:
        return fmt::format("{} = ({})", outputs, stepsText(of.steps));
    case Opcode::Item:
        return fmt::format("{} = {} {} {}", outputs, inputs, of.type ? dtypeName(of.type->dtype) : "untyped",
                           netQuoted(of.name));
    case Opcode::Box:
    case Opcode::Match:
        return fmt::format("{} = {} {}", outputs, inputs, type);
    case Opcode::Alias:
    case Opcode::Seal:
        return fmt::format("{} = {}", outputs, inputs);
    case Opcode::Free:
        return inputs;
    case Opcode::Stack:
        return fmt::format("{} = {} {}", outputs, netQuoted(of.name), type);
    case Opcode::Push:
        return fmt::format("{} = ({})", outputs, inputs);
    case Opcode::Branch:
        return fmt::format("{}, {}, {}", inputs, of.target, of.otherwise);
    case Opcode::Jump:
        return fmt::format("{}", of.target);
    case Opcode::Ret:
        return fmt::format("({})", inputs);
    }
    return {};
}

} // namespace

std::string instructionText(const Instruction &instruction, const GraphFunction *of) {
    std::string text = fmt::format("{} {}", shapeOf(instruction.opcode).name, bodyText(instruction));
    if (instruction.node.value >= 0) {
        const bool named = of && instruction.node.index() < of->nodeCount();
        text += fmt::format(" @ {} {}", instruction.node.value,
                            netQuoted(named ? of->node(instruction.node).name : std::string("?")));
    }
    return text;
}

std::string programText(const Program &program) {
    std::string text = fmt::format("program {}\n", netQuoted(program.network.name));
    for (const BytecodeFunction &function : program.functions) {
        const FunctionPtr of = program.network.find(function.name);
        text += fmt::format("\nfunc {}(", netQuoted(function.name));
        for (size_t i = 0; i < function.parameters.size(); ++i)
            text += fmt::format("{}t{} {}: {}", i == 0 ? "" : ", ", i, netQuoted(function.parameters[i].name),
                                typeText(function.parameters[i].type));
        text += ") symbols (";
        bool first = true;
        for (const auto &[symbol, number] : function.symbols) {
            text += fmt::format("{}{} = i{}", first ? "" : ", ", netQuoted(symbol), number);
            first = false;
        }
        text += fmt::format(") tensors {} integers {} stacks {} {{\n", function.tensors, function.integers,
                            function.stacks);
        for (size_t i = 0; i < function.code.size(); ++i)
            text += fmt::format("  {:>3}: {}\n", i, instructionText(function.code[i], of.get()));
        text += "}\n";
    }
    return text;
}

} // namespace loopscope
