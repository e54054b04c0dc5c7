#include "harness/kernel_check.h"

#include "base/random.h"
#include "codegen/runtime/loaded_kernel.h"
#include "language/expr/half.h"
#include "language/interpret/exact_inputs.h"
#include "language/interpret/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

namespace loopscope {

namespace {

void writeElement(std::byte *at, const TensorValue &tensor, size_t index) {
    const auto put = [&](auto value) { std::memcpy(at, &value, sizeof value); };
    switch (tensor.dtype) {
    case DType::Float32:
        return put(static_cast<float>(tensor.floats[index]));
    case DType::Float64:
        return put(tensor.floats[index]);
    case DType::Float16:
        return put(floatToHalf(static_cast<float>(tensor.floats[index])));
    case DType::BFloat16:
        return put(floatToBfloat(static_cast<float>(tensor.floats[index])));
    case DType::Int32:
        return put(static_cast<int32_t>(tensor.integers[index]));
    case DType::Int64:
        return put(tensor.integers[index]);
    case DType::UInt32:
        return put(static_cast<uint32_t>(tensor.integers[index]));
    case DType::Int16:
    case DType::UInt16:
        return put(static_cast<uint16_t>(tensor.integers[index]));
    default:
        return put(static_cast<int8_t>(tensor.integers[index])); // int8, uint8, bool
    }
}

template <typename T> T read(const std::byte *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

double readElement(const std::byte *at, DType type) {
    switch (type) {
    case DType::Float32:
        return read<float>(at);
    case DType::Float64:
        return read<double>(at);
    case DType::Float16:
        return halfToFloat(read<uint16_t>(at));
    case DType::BFloat16:
        return bfloatToFloat(read<uint16_t>(at));
    case DType::Int32:
        return read<int32_t>(at);
    case DType::Int64:
        return static_cast<double>(read<int64_t>(at));
    case DType::UInt32:
        return read<uint32_t>(at);
    case DType::Int16:
        return read<int16_t>(at);
    case DType::UInt16:
        return read<uint16_t>(at);
    case DType::Int8:
        return read<int8_t>(at);
    default:
        return read<uint8_t>(at);
    }
}

/// Input values in the order the kernel reads them.
void fill(const ProgramArg &arg, const TensorValue &tensor, std::byte *to) {
    const auto bytes = static_cast<size_t>(dtypeBytes(tensor.dtype));
    if (arg.packing.empty()) {
        for (size_t i = 0; i < tensor.size(); ++i) writeElement(to + i * bytes, tensor, i);
        return;
    }
    int64_t total = 1;
    for (const PackedDim &dim : arg.packing) total *= dim.extent;
    std::vector<int64_t> original(tensor.shape.size());
    for (int64_t packed = 0; packed < total; ++packed) {
        std::ranges::fill(original, 0);
        int64_t rest = packed;
        for (size_t p = arg.packing.size(); p-- > 0;) {
            original[static_cast<size_t>(arg.packing[p].origin)] +=
                rest % arg.packing[p].extent * arg.packing[p].stride;
            rest /= arg.packing[p].extent;
        }
        bool inside = true;
        int64_t flat = 0;
        for (size_t d = 0; d < original.size(); ++d) {
            inside = inside && original[d] < tensor.shape[d];
            flat = flat * tensor.shape[d] + original[d];
        }
        std::byte *at = to + static_cast<size_t>(packed) * bytes;
        if (inside)
            writeElement(at, tensor, static_cast<size_t>(flat));
        else
            std::memset(at, 0, bytes);
    }
}

/// Few different numbers are rounded alike, so that of a sum that did not come out exact the roundings add up: more
/// than what the bound, which takes them for random, allows.
constexpr double kSlackOfFewNumbers = 4;

std::string compare(const TensorValue &expected, const std::byte *bytes, const std::string &name, double slack) {
    const auto step = static_cast<size_t>(dtypeBytes(expected.dtype));
    for (size_t i = 0; i < expected.size(); ++i) {
        if (expected.dtype == DType::Int64 && read<int64_t>(bytes + i * step) != expected.integers[i])
            return fmt::format("{}[{} of {}] is {}, the interpreter says {}", name, i, expected.size(),
                               read<int64_t>(bytes + i * step), expected.integers[i]);
        const double got = readElement(bytes + i * step, expected.dtype);
        const double want = isFloat(expected.dtype) ? expected.floats[i] : static_cast<double>(expected.integers[i]);
        if (got == want || (std::isnan(got) && std::isnan(want))) continue;
        const double bound = expected.bounds.empty() ? 0 : expected.bounds[i];
        if (std::fabs(got - want) <= slack * bound) continue;
        if (std::isinf(bound) && std::isfinite(want)) continue; // as a measured kernel's: it may be NaN
        return fmt::format("{}[{} of {}] is {}, the interpreter says {} (within {})", name, i, expected.size(), got,
                           want, bound);
    }
    return {};
}

} // namespace

std::unique_ptr<CodeGenerator> codeGeneratorFor(const Target &target) {
    auto generator = makeCodeGenerator(target);
    if (!generator) throw Error(generator.why());
    return std::move(generator).value();
}

CodeGenerator &hostCompiler() {
    static const std::unique_ptr<CodeGenerator> generator = codeGeneratorFor(parseTarget("llvm"));
    return *generator;
}

namespace {

/// The arguments after the kernel ran.
std::vector<GuardedBuffer> run(const LoopProgram &program, const LoadedKernel &kernel,
                               const std::vector<TensorValue> &inputs, bool alignFront) {
    std::vector<GuardedBuffer> buffers;
    std::vector<void *> pointers;
    size_t input = 0;
    for (const ProgramArg &arg : program.args) {
        const auto bytes =
            static_cast<size_t>(arg.buffer->elements()) * static_cast<size_t>(dtypeBytes(arg.buffer->dtype));
        GuardedBuffer &buffer = buffers.emplace_back(bytes, alignFront);
        pointers.push_back(buffer.data());
        if (arg.output)
            std::memset(buffer.data(), 0x7e, bytes);
        else
            fill(arg, inputs[input++], static_cast<std::byte *>(buffer.data()));
    }
    kernel(pointers.data());
    return buffers;
}

std::string runAndCompare(const LoopProgram &program, const ComputeDag &dag, const LoadedKernel &kernel,
                          const std::vector<TensorValue> &inputs, bool alignFront, double slack = 1) {
    std::vector<TensorValue> outputs = interpret(dag, inputs);
    std::ranges::for_each(outputs, openOverflows);
    const std::vector<GuardedBuffer> buffers = run(program, kernel, inputs, alignFront);
    size_t output = 0;
    for (size_t i = 0; i < program.args.size(); ++i) {
        if (!program.args[i].output) continue;
        const std::string problem = compare(outputs[output], static_cast<const std::byte *>(buffers[i].data()),
                                            program.args[i].buffer->name, slack);
        if (!problem.empty()) return problem + "\n" + printProgram(program);
        ++output;
    }
    return {};
}

} // namespace

std::string checkKernel(const LoopProgram &program, const ComputeDag &dag, CodeGenerator &generator, uint64_t seed,
                        bool alignFront) {
    const std::string defects = verifyProgram(program);
    if (!defects.empty()) return "the program is malformed: " + defects + "\n" + printProgram(program);
    const Outcome<MachineCode> code = generator.compile(program);
    if (!code) return "refused: " + code.why();

    const LoadedKernel kernel(code->kernel.object);
    std::string problem = runAndCompare(program, dag, kernel, randomInputs(dag, seed), alignFront);
    for (int kind = 0; kind < kExactKinds && problem.empty(); ++kind)
        if (const auto inputs = exactInputs(dag, seed, kind)) {
            problem = runAndCompare(program, dag, kernel, *inputs, alignFront, kSlackOfFewNumbers);
            if (!problem.empty()) problem = fmt::format("with exact inputs of kind {}: {}", kind, problem);
        }
    return problem;
}

std::string checkKernelAtEdges(const LoopProgram &program, const ComputeDag &dag, CodeGenerator &generator,
                               uint64_t seed) {
    const Outcome<MachineCode> code = generator.compile(program);
    if (!code) return "refused: " + code.why();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Random random(seed);
    std::vector<TensorValue> inputs = randomInputs(dag, seed);
    for (TensorValue &input : inputs) {
        // Bounds are floats: of numbers far below theirs they would be none.
        const double largest = input.dtype == DType::Float64 ? 0x1p100 : largestOf(input.dtype);
        const double edges[] = {std::numeric_limits<double>::quiet_NaN(),
                                kInfinity,
                                -kInfinity,
                                0.0,
                                -0.0,
                                largest,
                                -largest,
                                0x1p-14,
                                -0x1p-14};
        for (double &value : input.floats)
            if (random.below(3) == 0) value = edges[random.below(std::size(edges))];
    }
    return runAndCompare(program, dag, LoadedKernel(code->kernel.object), inputs, false);
}

std::string checkKernel(const LoopProgram &program, const ComputeDag &dag, CodeGenerator &generator,
                        const std::vector<TensorValue> &inputs, bool alignFront) {
    const std::string defects = verifyProgram(program);
    if (!defects.empty()) return "the program is malformed: " + defects + "\n" + printProgram(program);
    const Outcome<MachineCode> code = generator.compile(program);
    if (!code) return "refused: " + code.why();
    return runAndCompare(program, dag, LoadedKernel(code->kernel.object), inputs, alignFront);
}

std::vector<std::vector<std::byte>> kernelOutputs(const LoopProgram &program, const ComputeDag &dag,
                                                  CodeGenerator &generator, uint64_t seed) {
    const Outcome<MachineCode> code = generator.compile(program);
    if (!code) throw Error(code.why());
    const LoadedKernel kernel(code->kernel.object);
    const std::vector<GuardedBuffer> buffers = run(program, kernel, randomInputs(dag, seed), false);
    std::vector<std::vector<std::byte>> outputs;
    for (size_t i = 0; i < program.args.size(); ++i) {
        const ProgramArg &arg = program.args[i];
        if (!arg.output) continue;
        const auto *first = static_cast<const std::byte *>(buffers[i].data());
        const int64_t bytes = arg.buffer->elements() * dtypeBytes(arg.buffer->dtype);
        outputs.emplace_back(first, first + bytes);
    }
    return outputs;
}

} // namespace loopscope
