#include "deploy/dispatch/cross_matrix.h"

#include "codegen/runtime/kernel_arguments.h"
#include "codegen/runtime/loaded_kernel.h"
#include "language/interpret/interpreter.h"
#include "measure/answer/answer_check.h"
#include "measure/answer/reference_data.h"
#include "measure/timing/machine_use.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <fmt/format.h>

namespace loopscope {

namespace {

using Bytes = std::vector<std::byte>;

/// The inputs of a family at one size, drawn once for all kernels.
class SizedInputs {
  public:
    SizedInputs(DagPtr dag, int64_t size, uint64_t seed)
        : m_dag(std::move(dag)), m_size(size), m_values(randomInputs(*m_dag, seed)) {
        for (const TensorValue &value : m_values) {
            m_bytes.emplace_back(value.size() * static_cast<size_t>(dtypeBytes(value.dtype)));
            storeElements(value, m_bytes.back().data());
        }
    }

    [[nodiscard]] const ComputeDag &dag() const { return *m_dag; }
    [[nodiscard]] const std::vector<TensorValue> &values() const { return m_values; }

    /// Arguments of a kernel at this size: a general one has the largest shapes, and the size behind them.
    [[nodiscard]] std::unique_ptr<TimingArguments> bind(const BuiltKernel &code, bool general) const {
        std::vector<KernelArg> args = code.launch.args;
        ArgumentData data;
        size_t input = 0;
        const size_t own = args.size() - (general ? 1 : 0);
        for (size_t i = 0; i < own; ++i) {
            const Tensor &tensor = *m_dag->args()[i];
            if (args[i].packing.empty()) {
                args[i].shape = tensor.shape;
                args[i].elements = 1;
                for (const int64_t dim : tensor.shape) args[i].elements *= dim;
            }
            data.inputs.push_back(args[i].output ? nullptr : m_bytes[input++].data());
        }
        if (general) data.inputs.push_back(reinterpret_cast<const std::byte *>(&m_size));
        return std::make_unique<TimingArguments>(args, data);
    }

    [[nodiscard]] std::vector<Bytes> outputs(const BuiltKernel &code, const TimingArguments &arguments) const {
        std::vector<Bytes> all;
        for (size_t i = 0; i < m_dag->args().size(); ++i) {
            if (!code.launch.args[i].output) continue;
            size_t bytes = static_cast<size_t>(dtypeBytes(m_dag->args()[i]->dtype));
            for (const int64_t dim : m_dag->args()[i]->shape) bytes *= static_cast<size_t>(dim);
            all.emplace_back(arguments.bytes(i), arguments.bytes(i) + bytes);
        }
        return all;
    }

  private:
    DagPtr m_dag;
    int64_t m_size;
    std::vector<TensorValue> m_values;
    std::vector<Bytes> m_bytes;
};

std::vector<const Tensor *> outputTensors(const ComputeDag &dag, const BuiltKernel &code) {
    std::vector<const Tensor *> all;
    for (size_t i = 0; i < dag.args().size(); ++i)
        if (code.launch.args[i].output) all.push_back(dag.args()[i]);
    return all;
}

std::string wrongAgainstReference(const std::vector<TensorValue> &reference, const std::vector<Bytes> &outputs) {
    for (size_t o = 0; o < outputs.size(); ++o) {
        ReferenceTensor tensor;
        tensor.name = fmt::format("output {}", o);
        tensor.output = true;
        tensor.dtype = reference[o].dtype;
        tensor.shape = reference[o].shape;
        const bool real = isFloat(tensor.dtype);
        const auto *expected = real ? reinterpret_cast<const std::byte *>(reference[o].floats.data())
                                    : reinterpret_cast<const std::byte *>(reference[o].integers.data());
        const float *bounds = reference[o].bounds.empty() ? nullptr : reference[o].bounds.data();
        const AnswerCheck check = checkAnswer(tensor, expected, bounds, outputs[o].data());
        if (!check.problem.empty()) return check.problem;
    }
    return {};
}

/// Where the reference would take too long: within what sums in another order may differ by.
std::string farFrom(const ComputeDag &dag, const std::vector<const Tensor *> &tensors,
                    const std::vector<Bytes> &expected, const std::vector<Bytes> &got) {
    for (size_t o = 0; o < got.size(); ++o) {
        if (!isFloat(tensors[o]->dtype)) {
            if (expected[o] != got[o]) return fmt::format("output {} differs", o);
            continue;
        }
        const TensorValue a = loadElements(tensors[o]->dtype, tensors[o]->shape, expected[o].data());
        const TensorValue b = loadElements(tensors[o]->dtype, tensors[o]->shape, got[o].data());
        double largest = 0;
        for (const double x : a.floats) largest = std::max(largest, std::fabs(x));
        const double terms = std::max(1.0, dag.flops() / static_cast<double>(std::max<size_t>(a.floats.size(), 1)));
        const double tolerance = 1e-6 * std::sqrt(terms) * std::max(largest, 1e-30);
        for (size_t i = 0; i < a.floats.size(); ++i)
            if (!(std::fabs(a.floats[i] - b.floats[i]) <= tolerance))
                return fmt::format("element {} of output {} is {:g}, expected {:g}", i, o, b.floats[i], a.floats[i]);
    }
    return {};
}

/// One kernel with its arguments at one size.
struct TimedVariant {
    size_t variant = 0; // kFixed: the static one
    const LoadedKernel *kernel = nullptr;
    std::unique_ptr<TimingArguments> arguments;
    int64_t calls = 1; // of a turn
    std::vector<double> times;

    static constexpr size_t kFixed = static_cast<size_t>(-1);

    /// How many calls make a turn; none for one that is far slower than `fastest`, whose first time will do.
    double settle(double minTurnSeconds, double fastest) {
        constexpr double hopeless = 6;
        double once = timed(1);
        if (fastest > 0 && once > hopeless * fastest) once = timed(1); // it may have been held up
        if (fastest > 0 && once > hopeless * fastest && once > minTurnSeconds) {
            times = {once};
            calls = 0;
            return once;
        }
        once = std::max(std::min(once, timed(1)), 1e-7);
        calls = std::max<int64_t>(1, static_cast<int64_t>(minTurnSeconds / once));
        return once;
    }
    [[nodiscard]] double timed(int64_t count) const {
        const auto start = std::chrono::steady_clock::now();
        for (int64_t i = 0; i < count; ++i) (*kernel)(arguments->pointers());
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
};

double quartileOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 4];
}

class MatrixMeasurement {
  public:
    MatrixMeasurement(const KernelFamily &family, const KernelVariants &kernels, const MatrixOptions &options)
        : m_family(family), m_kernels(kernels), m_options(options) {
        for (const KernelVariant &variant : kernels.variants)
            m_loaded.emplace_back(variant.code.object, variant.code.launch.entry);
        m_matrix.seconds.resize(kernels.variants.size());
    }

    Outcome<CrossMatrix> measure() {
        for (const FixedKernel &fixed : m_kernels.fixed)
            if (auto done = measureAt(fixed); !done) return done.refusal();
        return std::move(m_matrix);
    }

  private:
    Outcome<bool> measureAt(const FixedKernel &fixed) {
        const int64_t size = fixed.schedule.size;
        const auto dag = m_family.dagAt(size);
        if (!dag) return dag.refusal();
        const SizedInputs inputs(*dag, size, m_options.seed);
        const LoadedKernel alone(fixed.code.object, fixed.code.launch.entry);
        std::vector<TimedVariant> all;
        all.push_back({TimedVariant::kFixed, &alone, inputs.bind(fixed.code, false), 1, {}});
        for (size_t v = 0; v < m_loaded.size(); ++v)
            if (m_kernels.variants[v].kernel.holdsAt(size))
                all.push_back({v,
                               &m_loaded[v],
                               inputs.bind(m_kernels.variants[v].code, m_kernels.variants[v].kernel.takesSize()),
                               1,
                               {}});
        if (auto right = compareAnswers(fixed, inputs, all); !right) return right.refusal();

        const auto machine = MachineUse::begin(MachineUse::Kind::Timing, nullptr);
        const double fastest = all.front().settle(m_options.minTurnSeconds, 0);
        for (size_t i = 1; i < all.size(); ++i) all[i].settle(m_options.minTurnSeconds, fastest);
        for (int round = 0; round < m_options.rounds; ++round)
            for (TimedVariant &one : all)
                if (one.calls > 0) one.times.push_back(one.timed(one.calls) / static_cast<double>(one.calls));
        m_matrix.sizes.push_back(size);
        for (auto &row : m_matrix.seconds) row.emplace_back();
        for (const TimedVariant &one : all)
            if (one.variant == TimedVariant::kFixed)
                m_matrix.fixed.push_back(quartileOf(one.times));
            else
                m_matrix.seconds[one.variant].back() = quartileOf(one.times);
        return true;
    }

    Outcome<bool> compareAnswers(const FixedKernel &fixed, const SizedInputs &inputs, std::vector<TimedVariant> &all) {
        std::vector<TensorValue> reference;
        if (inputs.dag().flops() <= m_options.maxReferenceFlops) reference = interpret(inputs.dag(), inputs.values());
        const auto tensors = outputTensors(inputs.dag(), fixed.code);
        std::vector<Bytes> expected;
        for (TimedVariant &one : all) {
            (*one.kernel)(one.arguments->pointers());
            const bool isFixed = one.variant == TimedVariant::kFixed;
            const BuiltKernel &code = isFixed ? fixed.code : m_kernels.variants[one.variant].code;
            const std::vector<Bytes> got = inputs.outputs(code, *one.arguments);
            if (isFixed) expected = got;
            const std::string wrong = reference.empty() ? farFrom(inputs.dag(), tensors, expected, got)
                                                        : wrongAgainstReference(reference, got);
            if (!wrong.empty())
                return Refusal{fmt::format("{} computes something else at {} = {} ({}): {}", m_family.name,
                                           m_family.symbol, fixed.schedule.size,
                                           isFixed ? fixed.schedule.source : m_kernels.variants[one.variant].origin,
                                           wrong)};
            if (isFixed) continue;
            ++m_matrix.answers;
            if (got == expected) ++m_matrix.identical;
        }
        return true;
    }

    const KernelFamily &m_family;
    const KernelVariants &m_kernels;
    const MatrixOptions &m_options;
    std::deque<LoadedKernel> m_loaded;
    CrossMatrix m_matrix;
};

} // namespace

Outcome<CrossMatrix> measureMatrix(const KernelFamily &family, const KernelVariants &kernels,
                                   const MatrixOptions &options) {
    setKernelThreads(family.target.hardware.numCores);
    return MatrixMeasurement(family, kernels, options).measure();
}

Outcome<std::vector<std::vector<std::byte>>> answerAt(const KernelFamily &family, const BuiltKernel &code, bool general,
                                                      int64_t size, uint64_t seed) {
    const auto dag = family.dagAt(size);
    if (!dag) return dag.refusal();
    const SizedInputs inputs(*dag, size, seed);
    const LoadedKernel kernel(code.object, code.launch.entry);
    const auto arguments = inputs.bind(code, general);
    kernel(arguments->pointers());
    return inputs.outputs(code, *arguments);
}

Outcome<std::string> wrongAt(const KernelFamily &family, const std::vector<std::vector<std::byte>> &outputs,
                             int64_t size, uint64_t seed) {
    const auto dag = family.dagAt(size);
    if (!dag) return dag.refusal();
    return wrongAgainstReference(interpret(**dag, randomInputs(**dag, seed)), outputs);
}

} // namespace loopscope
