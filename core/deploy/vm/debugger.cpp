#include "deploy/vm/debugger.h"

#include "base/nearest_name.h"
#include "deploy/vm/assembly.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sstream>

namespace loopscope {

namespace {

std::optional<uint64_t> wholeNumberOf(std::string_view text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

Debugger::Answer wrong(std::string sentence) { return {std::move(sentence) + "\n", false, false}; }

const std::vector<std::string> &commandNames() {
    static const std::vector<std::string> names = {"step",  "next", "finish",    "continue", "break", "delete",
                                                   "where", "list", "registers", "print",    "help",  "quit"};
    return names;
}

/// A command by its name or its first letters.
std::string fullName(const std::string &word) {
    for (const std::string &name : commandNames())
        if (!word.empty() && name.starts_with(word)) return name;
    return {};
}

} // namespace

std::string tensorContents(const WideTensor &tensor, size_t most) {
    std::string text = typeText({tensor.dtype, asDims(tensor.dims)});
    for (size_t i = 0; i < std::min(tensor.size(), most); ++i)
        text +=
            isFloat(tensor.dtype) ? fmt::format(" {:.6g}", tensor.floats[i]) : fmt::format(" {}", tensor.integers[i]);
    if (tensor.size() > most) text += fmt::format(" ... ({} elements)", tensor.size());
    return text;
}

std::string Debugger::helpText() {
    return "step [N]          one instruction, or N; into calls\n"
           "next              one instruction; calls as a whole\n"
           "finish            to where the function that runs was called\n"
           "continue          to a breakpoint, or to the end\n"
           "break FUNCTION:N  stop before instruction N; `break NODE` before the first one of a node\n"
           "delete            all breakpoints\n"
           "where             the calls that are not over, and what is next\n"
           "list              the function that runs\n"
           "registers         all registers of the function that runs that hold something\n"
           "print REGISTER    t0, i1 or s2; tensors with their elements\n"
           "quit\n"
           "A command may be shortened; an empty line steps as the last one did.\n";
}

std::string Debugger::lineText(const BytecodeFunction &code, size_t at) const {
    const FunctionPtr of = m_machine.program().network.find(code.name);
    return fmt::format("{}:{}: {}", code.name, at, instructionText(code.code[at], of.get()));
}

std::string Debugger::endText() const {
    if (m_machine.state() == VirtualMachine::State::Failed) return "failed: " + m_machine.why() + "\n";
    std::string text = fmt::format("finished after {} instructions\n", m_machine.instructionsRun());
    for (const SharedTensor &result : m_machine.results()) text += "  " + tensorContents(*result, 8) + "\n";
    return text;
}

std::string Debugger::whereText() const {
    if (m_machine.state() != VirtualMachine::State::Running) return endText();
    const CallFrame &call = m_machine.stack().calls().back();
    return lineText(*call.code, call.at) + "\n";
}

Debugger::Answer Debugger::moved() { return {whereText(), true, false}; }

Debugger::Answer Debugger::move(StepSize size) {
    m_stepper.move(size);
    return moved();
}

Debugger::Answer Debugger::step(const std::string &count) {
    const auto many = count.empty() ? 1 : wholeNumberOf(count);
    if (!many || *many == 0) return wrong(fmt::format("step {}: takes a whole number from 1 on", count));
    for (uint64_t i = 0; i < *many && m_stepper.running(); ++i) {
        m_stepper.move(StepSize::Into);
        if (m_stepper.running() && m_stepper.stops().contains(m_stepper.here())) break;
    }
    return moved();
}

Outcome<std::vector<CodePlace>> Debugger::placesOf(const std::string &where) const {
    const Program &program = m_machine.program();
    if (const size_t colon = where.rfind(':'); colon != std::string::npos) {
        const std::string name = where.substr(0, colon);
        const auto at = wholeNumberOf(std::string_view(where).substr(colon + 1));
        for (size_t i = 0; i < program.functions.size() && at; ++i) {
            if (program.functions[i].name != name) continue;
            if (*at < program.functions[i].code.size()) return std::vector<CodePlace>{{i, *at}};
            return Refusal{fmt::format("break {}: `{}` has instructions 0 to {}", where, name,
                                       program.functions[i].code.size() - 1)};
        }
    }
    std::vector<CodePlace> places;
    std::vector<std::string> names;
    for (size_t i = 0; i < program.functions.size(); ++i) {
        const FunctionPtr of = program.network.find(program.functions[i].name);
        std::optional<NodeId> last;
        for (size_t at = 0; at < program.functions[i].code.size(); ++at) {
            const NodeId node = program.functions[i].code[at].node;
            if (node.value < 0 || last == node) continue;
            last = node;
            names.push_back(of->node(node).name);
            if (names.back() == where) places.push_back({i, at});
        }
    }
    if (!places.empty()) return places;
    return Refusal{
        fmt::format("break {}: is neither FUNCTION:NUMBER nor the name of a node{}", where, suggestion(where, names))};
}

Debugger::Answer Debugger::breakAt(const std::string &where) {
    if (where.empty()) {
        std::string text = m_stepper.stops().empty() ? "no breakpoints\n" : "";
        for (const CodePlace &place : m_stepper.stops())
            text += lineText(m_machine.program().functions[place.function], place.at) + "\n";
        return {text, true, false};
    }
    const auto places = placesOf(where);
    if (!places) return wrong(places.why());
    std::string text;
    for (const CodePlace &place : *places) {
        m_stepper.addStop(place);
        text += "stops before " + lineText(m_machine.program().functions[place.function], place.at) + "\n";
    }
    return {text, true, false};
}

Debugger::Answer Debugger::registers() const {
    const CallFrame &call = m_machine.stack().calls().back();
    std::string text;
    for (int i = 0; i < call.code->tensors; ++i)
        if (const SharedTensor tensor = m_machine.stack().tensorOf(call, i))
            text += fmt::format("t{} = {}\n", i, tensorContents(*tensor, 8));
    for (int i = 0; i < call.code->integers; ++i) {
        const auto value = m_machine.stack().integerOf(call, i);
        if (!value) continue;
        std::string symbol;
        for (const auto &[name, number] : call.code->symbols)
            if (number == i) symbol = fmt::format(" (dim {})", name);
        text += fmt::format("i{} = {}{}\n", i, *value, symbol);
    }
    for (int i = 0; i < call.code->stacks; ++i)
        if (const int64_t pieces = m_machine.stack().piecesOf(call, i))
            text += fmt::format("s{} = {} pieces\n", i, pieces);
    return {text.empty() ? "no register holds anything\n" : text, true, false};
}

Debugger::Answer Debugger::print(const std::string &name) const {
    const CallFrame &call = m_machine.stack().calls().back();
    const char kind = name.empty() ? ' ' : name[0];
    const int count = kind == 't'   ? call.code->tensors
                      : kind == 'i' ? call.code->integers
                      : kind == 's' ? call.code->stacks
                                    : -1;
    const auto number = count < 0 ? std::nullopt : wholeNumberOf(std::string_view(name).substr(1));
    if (!number) return wrong(fmt::format("print {}: takes a register, such as t0, i0 or s0", name));
    if (*number >= static_cast<uint64_t>(count))
        return wrong(
            fmt::format("print {}: `{}` has {} registers {}0, {}1, ...", name, call.code->name, count, kind, kind));
    const auto at = static_cast<int>(*number);
    if (kind == 's') return {fmt::format("{} = {} pieces\n", name, m_machine.stack().piecesOf(call, at)), true, false};
    if (kind == 'i') {
        const auto value = m_machine.stack().integerOf(call, at);
        return {value ? fmt::format("{} = {}\n", name, *value) : name + " holds nothing\n", true, false};
    }
    const SharedTensor tensor = m_machine.stack().tensorOf(call, at);
    return {tensor ? fmt::format("{} = {}\n", name, tensorContents(*tensor, 4096)) : name + " holds nothing\n", true,
            false};
}

Debugger::Answer Debugger::list() const {
    const CallFrame &call = m_machine.stack().calls().back();
    std::string text;
    for (size_t i = 0; i < call.code->code.size(); ++i)
        text += (i == call.at ? "> " : "  ") + lineText(*call.code, i) + "\n";
    return {text, true, false};
}

Debugger::Answer Debugger::stack() const {
    std::string text;
    for (const CallFrame &call : m_machine.stack().calls()) text += lineText(*call.code, call.at) + "\n";
    return {text, true, false};
}

Debugger::Answer Debugger::command(std::string_view line) {
    std::istringstream words{std::string(line)};
    std::string word;
    std::string argument;
    words >> word;
    std::getline(words >> std::ws, argument);
    while (!argument.empty() && (argument.back() == ' ' || argument.back() == '\r')) argument.pop_back();
    if (word.empty()) {
        if (m_last.empty()) return {};
        word = m_last;
    }
    const std::string name = fullName(word);
    if (name.empty())
        return wrong(fmt::format("{}: is no command{}; `help` lists them", word, suggestion(word, commandNames())));
    if (!argument.empty() && name != "step" && name != "break" && name != "print")
        return wrong(fmt::format("{}: takes nothing behind it, `{}` is given", name, argument));
    m_last.clear();
    if (name == "quit") return {"", true, true};
    if (name == "help") return {helpText(), true, false};
    if (name == "break") return breakAt(argument);
    if (name == "delete") {
        m_stepper.setStops({});
        return {"no breakpoints\n", true, false};
    }
    if (m_machine.stack().calls().empty()) return wrong(m_machine.why());
    if (name == "where") return m_machine.state() == VirtualMachine::State::Running ? stack() : moved();
    if (name == "list") return list();
    if (name == "registers") return registers();
    if (name == "print") return print(argument);
    if (m_machine.state() != VirtualMachine::State::Running) return wrong(fmt::format("{}: the run is over", name));
    if (name == "continue") return move(StepSize::On);
    if (name == "finish") return move(StepSize::Out);
    m_last = name;
    return name == "next" ? move(StepSize::Over) : step(argument);
}

} // namespace loopscope
