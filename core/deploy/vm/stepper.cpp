#include "deploy/vm/stepper.h"

namespace loopscope {

namespace {

bool asked(const std::atomic<bool> *stop) { return stop != nullptr && *stop; }

} // namespace

Stepper::Stepper(VirtualMachine &machine) : m_machine(machine) { forget(); }

Stepper::Writers Stepper::nothingWritten(const BytecodeFunction &code) {
    return {std::vector<int>(static_cast<size_t>(code.tensors), -1),
            std::vector<int>(static_cast<size_t>(code.integers), -1),
            std::vector<int>(static_cast<size_t>(code.stacks), -1)};
}

void Stepper::forget() {
    m_writers.clear();
    for (const CallFrame &call : m_machine.stack().calls()) m_writers.push_back(nothingWritten(*call.code));
}

CodePlace Stepper::here() const {
    const CallFrame &call = m_machine.stack().calls().back();
    return {call.function, call.at};
}

/// What a call gives is written when it is over, but nobody can look at those registers before.
void Stepper::step() {
    const std::vector<CallFrame> &calls = m_machine.stack().calls();
    if (m_machine.instructionsRun() == 0) forget(); // it was started once more
    const size_t at = calls.back().at;
    const Instruction &next = calls.back().code->code[at];
    Writers &writers = m_writers.back();
    std::vector<int> &written = shapeOf(next.opcode).outputKind == 't'   ? writers.tensors
                                : shapeOf(next.opcode).outputKind == 'i' ? writers.integers
                                                                         : writers.stacks;
    for (const int number : next.outputs) written[static_cast<size_t>(number)] = static_cast<int>(at);
    m_machine.step();
    if (calls.size() < m_writers.size()) m_writers.resize(calls.size());
    if (calls.size() > m_writers.size()) m_writers.push_back(nothingWritten(*calls.back().code));
}

void Stepper::move(StepSize size, const std::atomic<bool> *stop) {
    const size_t depth = m_machine.stack().calls().size();
    const size_t until = size == StepSize::Over ? depth : size == StepSize::Out ? depth - 1 : 0;
    step();
    if (size == StepSize::Into) return;
    while (running() && m_machine.stack().calls().size() > until && !m_stops.contains(here()) && !asked(stop)) step();
}

void Stepper::moveTo(CodePlace place, const std::atomic<bool> *stop) {
    const bool stopped = m_stops.contains(place);
    m_stops.insert(place);
    move(StepSize::On, stop);
    if (!stopped) m_stops.erase(place);
}

std::optional<size_t> Stepper::writerOf(size_t call, char kind, int number) const {
    const Writers &writers = m_writers[call];
    const std::vector<int> &written = kind == 't' ? writers.tensors : kind == 'i' ? writers.integers : writers.stacks;
    const int at = written[static_cast<size_t>(number)];
    return at < 0 ? std::nullopt : std::optional(static_cast<size_t>(at));
}

} // namespace loopscope
