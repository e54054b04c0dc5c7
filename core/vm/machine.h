#pragma once
// The machine that runs programs (vm/program.h), an instruction at a time, so that whoever debugs one sees every state
// between two. It computes nothing itself: operators are a KernelRunner's, packed functions those of a table. Registers
// of all calls lie in three arrays that keep their size, so that calls, jumps, tests and matches of plain dims take no
// memory; tensors take what they hold.

#include "outcome.h"
#include "packed/function_table.h"
#include "tensor/host_tensor.h"
#include "tensor/wide_tensor.h"
#include "vm/kernel_runner.h"
#include "vm/pattern_match.h"
#include "vm/program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct MachineOptions {
    int64_t mostElements = kMostReferenceElements; // of a tensor
    int64_t mostTrips =
        1'000'000; // calls, trips among them, in a whole run: a loop may have no end; jumps back as many
};

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

class Machine {
  public:
    enum class State : uint8_t { Ready, Running, Finished, Failed };

    /// All outlive it. `packed` may be null: then there is no such function. Refuses a program with a problem.
    static Outcome<std::unique_ptr<Machine>> make(const Program &program, KernelRunner &kernels,
                                                  const FunctionTable *packed = nullptr,
                                                  const MachineOptions &options = {});

    /// Before the first instruction of `main`, whatever ran before; Failed where an input does not fit.
    State start(std::span<const HostTensor> inputs);
    /// One instruction. Of Running alone.
    State step();
    /// To its end.
    Outcome<std::vector<WideTensor>> run(std::span<const HostTensor> inputs);

    [[nodiscard]] State state() const { return m_state; }
    /// Of Failed.
    [[nodiscard]] const std::string &why() const { return m_why; }
    /// Of Finished: as often as they are results.
    [[nodiscard]] const std::vector<SharedTensor> &results() const { return m_handed; }
    [[nodiscard]] uint64_t instructionsRun() const { return m_instructions; }

    /// From `main` to the innermost.
    [[nodiscard]] const std::vector<CallFrame> &calls() const { return m_calls; }
    [[nodiscard]] SharedTensor tensor(const CallFrame &call, int number) const;
    /// Nothing where it was never written.
    [[nodiscard]] std::optional<int64_t> integer(const CallFrame &call, int number) const;
    [[nodiscard]] int64_t pieces(const CallFrame &call, int number) const;
    [[nodiscard]] const Program &program() const { return m_program; }

  private:
    struct Prepared; // what is looked up once
    Machine(const Program &program, KernelRunner &kernels, const FunctionTable *packed, const MachineOptions &options);

    void enter(size_t function);
    void execute(const Instruction &of);
    void kernel(const Instruction &of);
    void packedCall(const Instruction &of);
    void call(const Instruction &of);
    void callAtOnce();
    void handBack();
    void item(const Instruction &of);
    void match(const Instruction &of);
    void alloc(const Instruction &of);
    void push(const Instruction &of);
    void seal(const Instruction &of);
    void jump(int target);
    void ret(const Instruction &of);
    void fail(std::string sentence);
    void failHere(const std::string &sentence);

    CallFrame &top() { return m_calls.back(); }
    SharedTensor &tensorAt(int number) { return m_tensors[m_calls.back().tensors + static_cast<size_t>(number)]; }
    void setInteger(int number, int64_t value);
    [[nodiscard]] IntegerRegisters integers(const CallFrame &call);

    const Program &m_program;
    KernelRunner &m_kernels;
    const FunctionTable *m_packed;
    MachineOptions m_options;
    std::shared_ptr<Prepared> m_prepared;

    State m_state = State::Ready;
    std::string m_why;
    std::vector<CallFrame> m_calls;
    std::vector<SharedTensor> m_tensors;
    std::vector<int64_t> m_integers;
    std::vector<uint8_t> m_integersHeld;
    std::vector<PieceStack> m_stacks;
    std::vector<SharedTensor> m_handed;         // to a call, or from one
    std::vector<const WideTensor *> m_operands; // of the kernel that runs
    std::vector<int64_t> m_dims;
    int64_t m_callsLeft = 0;
    int64_t m_jumpsLeft = 0;
    uint64_t m_instructions = 0;
};

} // namespace loopscope
