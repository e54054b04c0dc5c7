#include "harness/program_interpreter.h"

#include "expr/half.h"
#include "harness/scalar_evaluator.h"
#include "loop_ir/walk.h"

#include <cmath>
#include <unordered_map>

namespace loopscope {

namespace {

using Failure = EvaluationFailure;

struct Memory {
    const Buffer *buffer = nullptr;
    std::vector<Scalar> elements;
    std::vector<bool> written;
};

class Machine : public ScalarEvaluator {
  public:
    Memory &memoryOf(const TensorSymbol *symbol) {
        const auto found = m_memory.find(symbol);
        if (found == m_memory.end()) throw Failure("access to " + symbol->name + ", which has no memory");
        return found->second;
    }
    void allocate(const Buffer &buffer) {
        Memory &memory = m_memory[&buffer];
        memory.buffer = &buffer;
        memory.elements.assign(static_cast<size_t>(buffer.elements()), ofInt(-77));
        memory.written.assign(memory.elements.size(), false);
    }

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
        case StmtKind::Store: {
            const Scalar value = eval(stmt->value);
            Memory &memory = memoryOf(stmt->buffer);
            const size_t at = offset(memory, stmt->index());
            const DType type = stmt->buffer->dtype;
            if (isFloat(type))
                memory.elements[at].f = roundToType(value.f, type);
            else
                memory.elements[at].i = wrapped(static_cast<uint64_t>(value.i), type);
            memory.written[at] = true;
            ++stores;
            return;
        }
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
            allocate(*stmt->buffer);
            run(stmt->children[0]);
            return;
        case StmtKind::Barrier:
            return;
        }
    }

    int64_t stores = 0;

  private:
    size_t offset(const Memory &memory, std::span<const Expr> indices) {
        const Buffer &buffer = *memory.buffer;
        int64_t at = 0;
        for (size_t d = 0; d < indices.size(); ++d) {
            const int64_t index = eval(indices[d]).i;
            const auto fail = [&](int64_t low, int64_t end) {
                throw Failure("index " + std::to_string(d) + " of " + buffer.name + " is " + std::to_string(index) +
                              ", outside [" + std::to_string(low) + ", " + std::to_string(end) + ")");
            };
            if (index < 0 || index >= buffer.shape[d]) fail(0, buffer.shape[d]);
            if (!buffer.regionExtent.empty()) {
                const int64_t low = buffer.regionMin[d] ? eval(buffer.regionMin[d]).i : 0;
                if (index < low || index >= low + buffer.regionExtent[d]) fail(low, low + buffer.regionExtent[d]);
            }
            at += index * buffer.strides[d];
        }
        return static_cast<size_t>(at);
    }

    Scalar load(Expr e) override {
        const Memory &memory = memoryOf(e->symbol);
        const size_t at = offset(memory, e->operands());
        if (!memory.written[at]) throw Failure("element of " + e->symbol->name + " read before it is written");
        return memory.elements[at];
    }

    std::unordered_map<const TensorSymbol *, Memory> m_memory;
};

Scalar elementOf(const TensorValue &tensor, size_t i) {
    Scalar value{};
    if (isFloat(tensor.dtype))
        value.f = tensor.floats[i];
    else
        value.i = tensor.integers[i];
    return value;
}

/// The input as the caller of the program must lay it out.
void fill(Memory &memory, const ProgramArg &arg, const TensorValue &input) {
    if (arg.packing.empty()) {
        for (size_t i = 0; i < memory.elements.size(); ++i) memory.elements[i] = elementOf(input, i);
        memory.written.assign(memory.elements.size(), true);
        return;
    }
    std::vector<int64_t> strides(arg.originalShape.size());
    int64_t stride = 1;
    for (size_t d = strides.size(); d > 0; --d) {
        strides[d - 1] = stride;
        stride *= arg.originalShape[d - 1];
    }
    for (size_t i = 0; i < memory.elements.size(); ++i) {
        std::vector<int64_t> original(strides.size());
        size_t rest = i;
        for (size_t p = arg.packing.size(); p > 0; --p) {
            const PackedDim &dim = arg.packing[p - 1];
            original[static_cast<size_t>(dim.origin)] +=
                static_cast<int64_t>(rest % static_cast<size_t>(dim.extent)) * dim.stride;
            rest /= static_cast<size_t>(dim.extent);
        }
        bool inside = true;
        int64_t at = 0;
        for (size_t d = 0; d < original.size(); ++d) {
            inside = inside && original[d] < arg.originalShape[d];
            at += original[d] * strides[d];
        }
        memory.elements[i] = inside ? elementOf(input, static_cast<size_t>(at)) : Scalar{};
        memory.written[i] = true;
    }
}

} // namespace

ProgramRun runProgram(const LoopProgram &program, const std::vector<TensorValue> &inputs) {
    Machine machine;
    ProgramRun result;
    size_t nextInput = 0;
    for (const ProgramArg &arg : program.args) {
        machine.allocate(*arg.buffer);
        if (!arg.output) fill(machine.memoryOf(arg.buffer), arg, inputs.at(nextInput++));
    }
    try {
        machine.run(program.root);
    } catch (const Failure &failure) {
        result.failure = failure.what();
    }
    result.stores = machine.stores;
    for (const ProgramArg &arg : program.args) {
        if (!arg.output) continue;
        const Memory &memory = machine.memoryOf(arg.buffer);
        TensorValue value{arg.buffer->dtype, arg.buffer->shape, {}, {}, {}};
        for (size_t i = 0; i < memory.elements.size(); ++i) {
            if (!memory.written[i] && result.failure.empty())
                result.failure = "element " + std::to_string(i) + " of " + arg.buffer->name + " is never written";
            if (isFloat(value.dtype))
                value.floats.push_back(memory.elements[i].f);
            else
                value.integers.push_back(memory.elements[i].i);
        }
        result.outputs.push_back(std::move(value));
    }
    return result;
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
