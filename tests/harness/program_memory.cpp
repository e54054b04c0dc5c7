#include "harness/program_memory.h"

#include "language/expr/half.h"

namespace loopscope {

namespace {

Scalar elementOf(const TensorValue &tensor, size_t i) {
    Scalar value{};
    if (isFloat(tensor.dtype))
        value.f = tensor.floats[i];
    else
        value.i = tensor.integers[i];
    return value;
}

/// The input as the caller of the program must lay it out.
void fill(BufferMemory &memory, const ProgramArg &arg, const TensorValue &input) {
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

void ProgramMemory::allocate(const Buffer &buffer) {
    BufferMemory &memory = m_memory[&buffer];
    memory.buffer = &buffer;
    memory.elements.assign(static_cast<size_t>(buffer.elements()), ofInt(-77));
    memory.written.assign(memory.elements.size(), false);
}

BufferMemory *ProgramMemory::find(const TensorSymbol *symbol) {
    const auto found = m_memory.find(symbol);
    return found == m_memory.end() ? nullptr : &found->second;
}

void ProgramMemory::setArguments(const LoopProgram &program, const std::vector<TensorValue> &inputs) {
    size_t nextInput = 0;
    for (const ProgramArg &arg : program.args) {
        allocate(*arg.buffer);
        if (!arg.output) fill(*find(arg.buffer), arg, inputs.at(nextInput++));
    }
}

void ProgramMemory::collectOutputs(const LoopProgram &program, ProgramRun &run) {
    for (const ProgramArg &arg : program.args) {
        if (!arg.output) continue;
        const BufferMemory &memory = *find(arg.buffer);
        TensorValue value{arg.buffer->dtype, arg.buffer->shape, {}, {}, {}};
        for (size_t i = 0; i < memory.elements.size(); ++i) {
            if (!memory.written[i] && run.failure.empty())
                run.failure = "element " + std::to_string(i) + " of " + arg.buffer->name + " is never written";
            if (isFloat(value.dtype))
                value.floats.push_back(memory.elements[i].f);
            else
                value.integers.push_back(memory.elements[i].i);
        }
        run.outputs.push_back(std::move(value));
    }
}

void ProgramEvaluator::store(Stmt stmt) {
    const Scalar value = eval(stmt->value);
    BufferMemory &memory = memoryOf(stmt->buffer);
    const size_t at = offset(memory, stmt->index());
    const DType type = stmt->buffer->dtype;
    if (isFloat(type))
        memory.elements[at].f = roundToType(value.f, type);
    else
        memory.elements[at].i = wrapped(static_cast<uint64_t>(value.i), type);
    memory.written[at] = true;
    ++stores;
}

size_t ProgramEvaluator::offset(const BufferMemory &memory, std::span<const Expr> indices) {
    const Buffer &buffer = *memory.buffer;
    int64_t at = 0;
    for (size_t d = 0; d < indices.size(); ++d) {
        const int64_t index = eval(indices[d]).i;
        const auto fail = [&](int64_t low, int64_t end) {
            throw EvaluationFailure("index " + std::to_string(d) + " of " + buffer.name + " is " +
                                    std::to_string(index) + ", outside [" + std::to_string(low) + ", " +
                                    std::to_string(end) + ")");
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

Scalar ProgramEvaluator::load(Expr e) {
    BufferMemory &memory = memoryOf(e->symbol);
    const size_t at = offset(memory, e->operands());
    if (!memory.written[at]) throw EvaluationFailure("element of " + e->symbol->name + " read before it is written");
    return memory.elements[at];
}

} // namespace loopscope
