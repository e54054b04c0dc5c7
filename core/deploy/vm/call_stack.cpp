#include "deploy/vm/call_stack.h"

#include <algorithm>

namespace loopscope {

namespace {

template <typename T> void growTo(std::vector<T> &all, size_t size) {
    if (all.size() < size) all.resize(size);
}

} // namespace

void CallStack::clear() {
    m_calls.clear();
    for (SharedTensor &tensor : m_tensors) tensor.reset();
    for (PieceStack &stack : m_pieces) stack = {};
}

void CallStack::push(const BytecodeFunction &code, size_t function) {
    CallFrame frame = {&code, function, 0, 0, 0, 0};
    if (!m_calls.empty()) {
        const CallFrame &caller = m_calls.back();
        frame.tensors = caller.tensors + static_cast<size_t>(caller.code->tensors);
        frame.integers = caller.integers + static_cast<size_t>(caller.code->integers);
        frame.stacks = caller.stacks + static_cast<size_t>(caller.code->stacks);
    }
    growTo(m_tensors, frame.tensors + static_cast<size_t>(code.tensors));
    growTo(m_integers, frame.integers + static_cast<size_t>(code.integers));
    growTo(m_integersHeld, m_integers.size());
    growTo(m_pieces, frame.stacks + static_cast<size_t>(code.stacks));
    std::fill_n(m_integersHeld.begin() + static_cast<std::ptrdiff_t>(frame.integers), code.integers, uint8_t{0});
    m_calls.push_back(frame);
}

void CallStack::setInteger(int number, int64_t value) {
    const size_t at = m_calls.back().integers + static_cast<size_t>(number);
    m_integers[at] = value;
    m_integersHeld[at] = 1;
}

IntegerRegisters CallStack::integerRegisters() {
    const CallFrame &call = m_calls.back();
    const auto count = static_cast<size_t>(call.code->integers);
    return {std::span(m_integers).subspan(call.integers, count),
            std::span(m_integersHeld).subspan(call.integers, count)};
}

SharedTensor CallStack::tensorOf(const CallFrame &call, int number) const {
    return m_tensors[call.tensors + static_cast<size_t>(number)];
}

std::optional<int64_t> CallStack::integerOf(const CallFrame &call, int number) const {
    const size_t at = call.integers + static_cast<size_t>(number);
    if (m_integersHeld[at] == 0) return std::nullopt;
    return m_integers[at];
}

int64_t CallStack::piecesOf(const CallFrame &call, int number) const {
    return m_pieces[call.stacks + static_cast<size_t>(number)].count;
}

} // namespace loopscope
