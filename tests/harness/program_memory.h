#pragma once
// What the interpreters of loop programs share: buffers element by element, with what was written, and expressions that
// read them. Every index is checked against its dimension (and, before storage is placed, against the region that will
// be allocated), and nothing is read before it is written.

#include "codegen/loop_ir/program.h"
#include "harness/scalar_evaluator.h"
#include "language/interpret/interpreter.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

struct ProgramRun {
    std::vector<TensorValue> outputs; // one per output argument
    std::string failure;              // empty = ran through
    int64_t stores = 0;
};

struct BufferMemory {
    const Buffer *buffer = nullptr;
    std::vector<Scalar> elements;
    std::vector<bool> written;
};

class ProgramMemory {
  public:
    void allocate(const Buffer &buffer);
    /// Null when it has none.
    BufferMemory *find(const TensorSymbol *symbol);
    void clear() { m_memory.clear(); }

    /// Arguments: inputs one per placeholder, laid out as the caller of the program must.
    void setArguments(const LoopProgram &program, const std::vector<TensorValue> &inputs);
    void collectOutputs(const LoopProgram &program, ProgramRun &run);

  private:
    std::unordered_map<const TensorSymbol *, BufferMemory> m_memory;
};

class ProgramEvaluator : public ScalarEvaluator {
  public:
    int64_t stores = 0;

  protected:
    virtual BufferMemory &memoryOf(const TensorSymbol *symbol) = 0;

    void store(Stmt stmt);
    Scalar load(Expr e) override;

  private:
    size_t offset(const BufferMemory &memory, std::span<const Expr> indices);
};

/// Of a machine with `memory`, `stores` and `run(Stmt)`, which throws what goes wrong.
template <typename Machine>
ProgramRun runOn(Machine &machine, const LoopProgram &program, const std::vector<TensorValue> &inputs) {
    ProgramRun result;
    machine.memory.setArguments(program, inputs);
    try {
        machine.run(program.root);
    } catch (const EvaluationFailure &failure) {
        result.failure = failure.what();
    }
    result.stores = machine.stores;
    machine.memory.collectOutputs(program, result);
    return result;
}

} // namespace loopscope
