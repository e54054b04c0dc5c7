// `net bytecode` and `net step`: networks with control flow as programs of the virtual machine.

#include "deploy/vm/assembly.h"
#include "deploy/vm/compile.h"
#include "deploy/vm/debugger.h"
#include "deploy/vm/machine.h"
#include "net_parts.h"
#include "output.h"

#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <string>
#include <unistd.h>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

Json registersJson(char kind, const std::vector<int> &registers) {
    Json all = Json::array();
    for (const int number : registers) all.push_back(number < 0 ? Json(nullptr) : Json(registerText(kind, number)));
    return all;
}

Json instructionJson(const Instruction &of, const GraphFunction &function, size_t at) {
    const OpcodeShape &shape = shapeOf(of.opcode);
    Json goesTo = Json::array();
    for (const int target : {of.target, of.otherwise})
        if (target >= 0) goesTo.push_back(target);
    return {{"at", at},
            {"instruction", shape.name},
            {"text", instructionText(of, &function)},
            {"writes", registersJson(shape.outputKind, of.outputs)},
            {"reads", registersJson(shape.inputKind, of.inputs)},
            {"goes_to", goesTo},
            {"node", of.node.value < 0 ? Json(nullptr) : Json(function.node(of.node).name)}};
}

Json functionJson(const Program &program, const BytecodeFunction &code) {
    Json parameters = Json::array();
    for (size_t i = 0; i < code.parameters.size(); ++i)
        parameters.push_back({{"register", registerText('t', static_cast<int>(i))},
                              {"name", code.parameters[i].name},
                              {"type", typeText(code.parameters[i].type)}});
    Json symbols = Json::object();
    for (const auto &[symbol, number] : code.symbols) symbols[symbol] = registerText('i', number);
    const FunctionPtr function = program.network.find(code.name);
    Json instructions = Json::array();
    for (size_t i = 0; i < code.code.size(); ++i) instructions.push_back(instructionJson(code.code[i], *function, i));
    return {{"name", code.name},           {"parameters", parameters},  {"symbols", symbols},
            {"tensors", code.tensors},     {"integers", code.integers}, {"stacks", code.stacks},
            {"instructions", instructions}};
}

} // namespace

Program programOf(const NetFileOptions &options, const Module &network) {
    auto program = compileNetwork(network);
    if (!program) throw Error(options.file, 0, 0, program.why());
    return *std::move(program);
}

int netBytecode(const NetFileOptions &options) {
    const ReadNetwork read = readNetwork(networkChoice(options));
    sayNotes(read.notes);
    const Program program = programOf(options, read.module);
    Json functions = Json::array();
    for (const BytecodeFunction &code : program.functions) functions.push_back(functionJson(program, code));
    writeResult(options, {{"program", program.network.name}, {"functions", functions}}, programText(program));
    return 0;
}

int netStep(const NetExecuteOptions &options) {
    const ReadNetwork read = readNetwork(networkChoice(options));
    sayNotes(read.notes);
    const GraphFunction &main = read.module.main();
    if (const std::string open = openDims(main); !open.empty()) throw Error(options.file, 0, 0, open);
    const Program program = programOf(options, read.module);
    for (const std::string &path : options.modules)
        sayNotes({path + " is code of whoever made it; net step runs it with all your rights"});
    ReferenceKernels kernels(options.threads, kMaxReferenceElements, packedFinder(options));
    const auto machine = VirtualMachine::make(program, kernels);
    if (!machine) throw Error(options.file, 0, 0, machine.why());
    (*machine)->start(inputsOf(options, main));
    Debugger debugger(**machine);
    writeOutput(debugger.whereText());
    const bool asks = isatty(STDIN_FILENO) != 0;
    bool understood = true;
    for (std::string line;;) {
        if (asks) writeOutput("> ");
        if (!std::getline(std::cin, line)) break;
        const Debugger::Answer answer = debugger.command(line);
        if (answer.quit) break;
        if (answer.ok) {
            writeOutput(answer.text);
            continue;
        }
        understood = false;
        sayText(answer.text);
    }
    return (understood || asks) && (*machine)->state() != VirtualMachine::State::Failed ? 0 : 1;
}

} // namespace loopscope
