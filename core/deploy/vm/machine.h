#pragma once
// The machine that runs programs (deploy/vm/program.h), an instruction at a time, so that whoever debugs one sees every
// state between two. It computes nothing itself: operators are a KernelRunner's. Calls, jumps, tests and matches of
// plain dims take no memory; tensors take what they hold.

#include "base/outcome.h"
#include "deploy/vm/call_stack.h"
#include "deploy/vm/kernel_runner.h"
#include "deploy/vm/program.h"
#include "language/tensor/host_tensor.h"
#include "language/tensor/wide_tensor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct MachineOptions {
    int64_t maxElements = kMaxReferenceElements; // of a tensor
    int64_t maxTrips = 1'000'000; // calls, trips among them, in a whole run: a loop may have no end; jumps back as many
};

class VirtualMachine {
  public:
    enum class State : uint8_t { Ready, Running, Finished, Failed };

    /// Both outlive it. Refuses a program with a problem.
    static Outcome<std::unique_ptr<VirtualMachine>> make(const Program &program, KernelRunner &kernels,
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

    [[nodiscard]] const CallStack &stack() const { return m_stack; }
    [[nodiscard]] const Program &program() const { return m_program; }

  private:
    struct Prepared; // what is looked up once
    VirtualMachine(const Program &program, KernelRunner &kernels, const MachineOptions &options);

    void enter(size_t function);
    void execute(const Instruction &of);
    void kernel(const Instruction &of);
    void call(const Instruction &of);
    void callAtOnce();
    void handBack();
    void item(const Instruction &of);
    void match(const Instruction &of);
    void push(const Instruction &of);
    void seal(const Instruction &of);
    void jump(int target);
    void ret(const Instruction &of);
    void fail(std::string sentence);
    void failHere(const std::string &sentence);

    const Program &m_program;
    KernelRunner &m_kernels;
    MachineOptions m_options;
    std::shared_ptr<Prepared> m_prepared;

    State m_state = State::Ready;
    std::string m_why;
    CallStack m_stack;
    std::vector<SharedTensor> m_handed;         // to a call, or from one
    std::vector<const WideTensor *> m_operands; // of the kernel that runs
    std::vector<int64_t> m_dims;
    int64_t m_callsLeft = 0;
    int64_t m_jumpsLeft = 0;
    uint64_t m_instructions = 0;
};

} // namespace loopscope
