#pragma once
// The calls that are not over, and their registers: three arrays that keep their size, in which each call has its part
// behind that of its caller.

#include "deploy/vm/pattern_match.h"
#include "deploy/vm/program.h"
#include "language/tensor/wide_tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace loopscope {

/// A tensor that several registers may hold; null where a register holds nothing.
using SharedTensor = std::shared_ptr<const WideTensor>;

/// The pieces of a scanned output.
struct PieceStack {
    WideTensor all;
    int64_t count = 0;
    const Instruction *made = nullptr; // with name and type
};

/// A call that is not over: where its registers begin.
struct CallFrame {
    const BytecodeFunction *code = nullptr;
    size_t function = 0; // of the program
    size_t at = 0;       // the instruction that is next, or that waits for a call
    size_t tensors = 0;
    size_t integers = 0;
    size_t stacks = 0;
};

class CallStack {
  public:
    void clear();
    /// Its integers hold nothing; its tensors and stacks hold nothing in a program that was verified.
    void push(const BytecodeFunction &code, size_t function);
    void pop() { m_calls.pop_back(); }

    /// From `main` to the innermost.
    [[nodiscard]] const std::vector<CallFrame> &calls() const { return m_calls; }
    [[nodiscard]] CallFrame &top() { return m_calls.back(); }

    // Of the innermost.
    [[nodiscard]] SharedTensor &tensor(int number) { return m_tensors[top().tensors + static_cast<size_t>(number)]; }
    [[nodiscard]] PieceStack &pieces(int number) { return m_pieces[top().stacks + static_cast<size_t>(number)]; }
    [[nodiscard]] const int64_t *integers() { return m_integers.data() + top().integers; }
    void setInteger(int number, int64_t value);
    [[nodiscard]] IntegerRegisters integerRegisters();

    // Of any.
    [[nodiscard]] SharedTensor tensorOf(const CallFrame &call, int number) const;
    /// Nothing where it was never written.
    [[nodiscard]] std::optional<int64_t> integerOf(const CallFrame &call, int number) const;
    [[nodiscard]] int64_t piecesOf(const CallFrame &call, int number) const;

  private:
    std::vector<CallFrame> m_calls;
    std::vector<SharedTensor> m_tensors;
    std::vector<int64_t> m_integers;
    std::vector<uint8_t> m_integersHeld;
    std::vector<PieceStack> m_pieces;
};

} // namespace loopscope
