#include "harness/executed_kernels.h"

#include "codegen/kernel_launch.h"
#include "codegen/runtime/kernel_arguments.h"
#include "language/expr/half.h"
#include "measure/answer/reference_data.h"

#include <cstring>

namespace loopscope {

namespace {

template <typename T> T at(const std::vector<std::byte> &bytes, size_t element) {
    T value;
    std::memcpy(&value, bytes.data() + element * sizeof(T), sizeof(T));
    return value;
}

TensorValue readBack(const ProgramArg &arg, const std::vector<std::byte> &bytes) {
    TensorValue value{arg.buffer->dtype, arg.buffer->shape, {}, {}, {}};
    const auto count = static_cast<size_t>(arg.buffer->elements());
    for (size_t i = 0; i < count; ++i) {
        switch (value.dtype) {
        case DType::Float32:
            value.floats.push_back(static_cast<double>(at<float>(bytes, i)));
            break;
        case DType::Float64:
            value.floats.push_back(at<double>(bytes, i));
            break;
        case DType::Float16:
            value.floats.push_back(static_cast<double>(halfToFloat(at<uint16_t>(bytes, i))));
            break;
        case DType::BFloat16:
            value.floats.push_back(static_cast<double>(bfloatToFloat(at<uint16_t>(bytes, i))));
            break;
        case DType::Int64:
            value.integers.push_back(at<int64_t>(bytes, i));
            break;
        case DType::Int32:
            value.integers.push_back(at<int32_t>(bytes, i));
            break;
        case DType::UInt32:
            value.integers.push_back(at<uint32_t>(bytes, i));
            break;
        case DType::Int16:
            value.integers.push_back(at<int16_t>(bytes, i));
            break;
        case DType::UInt16:
            value.integers.push_back(at<uint16_t>(bytes, i));
            break;
        case DType::Int8:
            value.integers.push_back(at<int8_t>(bytes, i));
            break;
        case DType::UInt8:
        case DType::Bool:
            value.integers.push_back(at<uint8_t>(bytes, i));
            break;
        }
    }
    return value;
}

} // namespace

ProgramRun runKernels(const LoopProgram &program, const std::vector<TensorValue> &inputs,
                      const ExecutorOptions &options) {
    ProgramRun result;
    const Outcome<Executor> executor = Executor::of(program);
    const Outcome<KernelLaunch> launch = describeLaunch(program, TargetKind::Cuda, program.name);
    if (!executor || !launch) {
        result.failure = executor ? launch.why() : executor.why();
        return result;
    }
    std::vector<std::vector<std::byte>> memory;
    size_t nextInput = 0;
    for (const KernelArg &arg : launch->args) {
        std::vector<std::byte> bytes(argBytes(arg), std::byte{0xff});
        if (!arg.output) {
            const TensorValue &input = inputs.at(nextInput++);
            std::vector<std::byte> plain(input.size() * static_cast<size_t>(dtypeBytes(arg.dtype)));
            storeElements(input, plain.data());
            if (arg.packing.empty())
                bytes = std::move(plain);
            else
                packElements(arg, plain.data(), bytes.data());
        }
        memory.push_back(std::move(bytes));
    }
    std::vector<std::byte *> pointers;
    for (auto &bytes : memory) pointers.push_back(bytes.data());
    const ExecutorRun run = executor->run(pointers, options);
    if (!run.findings.empty()) result.failure = findingText(program, run.findings.front());
    for (size_t i = 0; i < program.args.size(); ++i) {
        if (!program.args[i].output) continue;
        if (result.failure.empty() && !run.written[i].empty() && !run.sampled())
            result.failure = "an element of " + program.args[i].buffer->name + " is never written";
        result.outputs.push_back(readBack(program.args[i], memory[i]));
    }
    result.stores = run.counts.stores;
    return result;
}

} // namespace loopscope
