#include "harness/program_interpreter.h"

#include <cmath>

namespace loopscope {

namespace {

class Machine : public ProgramEvaluator {
  public:
    ProgramMemory memory;

    void run(Stmt stmt) {
        switch (stmt->kind) {
        case StmtKind::Block:
            for (const Stmt child : stmt->body()) run(child);
            return;
        case StmtKind::For: {
            const int64_t min = stmt->min ? eval(stmt->min).i : 0;
            const int64_t extent = eval(stmt->extent).i;
            const bool backwards = stmt->loop == LoopKind::Parallel;
            Scalar &var = m_vars[stmt->var.node()];
            for (int64_t i = 0; i < extent; ++i) {
                var.i = min + (backwards ? extent - 1 - i : i);
                run(stmt->children[0]);
            }
            return;
        }
        case StmtKind::Store:
            return store(stmt);
        case StmtKind::If:
            if (eval(stmt->value).i != 0)
                run(stmt->children[0]);
            else if (stmt->childCount > 1)
                run(stmt->children[1]);
            return;
        case StmtKind::Let:
            m_vars[stmt->var.node()] = eval(stmt->value);
            run(stmt->children[0]);
            return;
        case StmtKind::Allocate:
            memory.allocate(*stmt->buffer);
            run(stmt->children[0]);
            return;
        case StmtKind::Barrier:
            throw EvaluationFailure("a barrier where no threads are");
        }
    }

  private:
    BufferMemory &memoryOf(const TensorSymbol *symbol) override {
        if (BufferMemory *found = memory.find(symbol)) return *found;
        throw EvaluationFailure("access to " + symbol->name + ", which has no memory");
    }
};

} // namespace

ProgramRun runProgram(const LoopProgram &program, const std::vector<TensorValue> &inputs) {
    Machine machine;
    return runOn(machine, program, inputs);
}

std::string compareOutputs(const std::vector<TensorValue> &got, const std::vector<TensorValue> &expected) {
    for (size_t k = 0; k < expected.size(); ++k) {
        for (size_t i = 0; i < expected[k].size(); ++i) {
            const bool floats = isFloat(expected[k].dtype);
            const double a = floats ? got[k].floats[i] : static_cast<double>(got[k].integers[i]);
            const double b = floats ? expected[k].floats[i] : static_cast<double>(expected[k].integers[i]);
            const double bound = expected[k].bounds.empty() ? 0 : expected[k].bounds[i];
            const bool same = a == b || (bound > 0 && std::abs(a - b) <= bound);
            if (!same && !(std::isnan(a) && std::isnan(b)))
                return "output " + std::to_string(k) + " is " + std::to_string(a) + " at element " + std::to_string(i) +
                       " where the reference is " + std::to_string(b) + " within " + std::to_string(bound);
        }
    }
    return {};
}

} // namespace loopscope
