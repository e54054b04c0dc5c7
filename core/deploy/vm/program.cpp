#include "deploy/vm/program.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr std::array<OpcodeShape, kOpcodes> kShapes{{
    {"kernel", 't', -1, 't', -1},
    {"call", 't', -1, 't', -1},
    {"const", 't', 1, 0, 0},
    {"eval", 'i', 1, 0, 0},
    {"item", 'i', 1, 't', 1},
    {"box", 't', 1, 'i', 1},
    {"match", 't', 1, 't', 1},
    {"alias", 't', 1, 't', 1},
    {"free", 0, 0, 't', 1},
    {"stack", 's', 1, 0, 0},
    {"push", 's', 1, 't', 1},
    {"seal", 't', 1, 's', 1},
    {"branch", 0, 0, 'i', 1},
    {"jump", 0, 0, 0, 0},
    {"ret", 0, 0, 't', -1},
}};

} // namespace

const OpcodeShape &shapeOf(Opcode opcode) { return kShapes.at(static_cast<size_t>(opcode)); }

std::optional<Opcode> opcodeFromName(std::string_view name) {
    for (size_t i = 0; i < kShapes.size(); ++i)
        if (kShapes.at(i).name == name) return static_cast<Opcode>(i);
    return std::nullopt;
}

std::string_view evalName(EvalKind kind) {
    switch (kind) {
    case EvalKind::Number:
    case EvalKind::Register:
        return "";
    case EvalKind::Add:
        return "add";
    case EvalKind::Sub:
        return "sub";
    case EvalKind::Mul:
        return "mul";
    case EvalKind::FloorDiv:
        return "floordiv";
    case EvalKind::Less:
        return "less";
    case EvalKind::And:
        return "and";
    }
    return "";
}

const BytecodeFunction *Program::find(std::string_view name) const {
    const auto at = std::find_if(functions.begin(), functions.end(), [&](const auto &one) { return one.name == name; });
    return at == functions.end() ? nullptr : &*at;
}

std::string registerText(char kind, int number) {
    return number < 0 ? std::string("_") : fmt::format("{}{}", kind, number);
}

std::string placeText(const Program &program, const BytecodeFunction &function, size_t at) {
    const NodeId node = function.code[at].node;
    const FunctionPtr of = program.network.find(function.name);
    if (node.value >= 0 && of && node.index() < of->nodeCount()) return nodeText(of->node(node));
    return fmt::format("instruction {} of `{}`", at, function.name);
}

} // namespace loopscope
