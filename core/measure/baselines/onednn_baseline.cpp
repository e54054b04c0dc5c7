#include "measure/baselines/onednn_plan.h"
#include "measure/baselines/open_baselines.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <functional>

namespace loopscope {

namespace {

using Plan = std::unique_ptr<DnnlPlan>;
using Library = std::shared_ptr<const DnnlLibrary>;

/// How a residual is added: read by the primitive from where it lies, or copied into the result first, to which the
/// primitive adds.
enum class Adding : uint8_t { FromMemory, InPlace };
constexpr int kResidualArgument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;

Plan planMatmul(const Library &dnnl, const MatmulProblem &problem, const BaselineBuffers &buffers, int threads,
                Adding adding) {
    auto plan = std::make_unique<DnnlPlan>(dnnl, threads);
    // One product is two-dimensional: oneDNN treats it better than a batch of one.
    const bool batched = problem.batch > 1;
    auto extents = [&](int64_t rows, int64_t columns) {
        std::vector<int64_t> result{rows, columns};
        if (batched) result.insert(result.begin(), problem.batch);
        return result;
    };
    auto strides = [&](const MatrixLayout &layout) {
        std::vector<int64_t> result{layout.row, layout.column};
        if (batched) result.insert(result.begin(), layout.batch);
        return result;
    };
    const dnnl_memory_desc_t a = describeMemory(*dnnl, extents(problem.m, problem.k), strides(problem.a));
    const dnnl_memory_desc_t b = describeMemory(*dnnl, extents(problem.k, problem.n), strides(problem.b));
    const dnnl_memory_desc_t c = describeMemory(*dnnl, extents(problem.m, problem.n), strides(problem.c));
    const dnnl_memory_desc_t anyB = anyLayout(*dnnl, extents(problem.k, problem.n));
    const std::vector<int64_t> biasExtents =
        batched ? std::vector<int64_t>{1, 1, problem.n} : std::vector<int64_t>{1, problem.n};
    const dnnl_memory_desc_t bias = describeMemory(*dnnl, biasExtents, std::vector<int64_t>(biasExtents.size(), 1));

    dnnl_matmul_desc_t operation;
    requireDnnl(
        dnnl->matmul_desc_init(&operation, &a, problem.constantB ? &anyB : &b, problem.tail.bias ? &bias : nullptr, &c),
        "describing a matrix product");
    const bool fromMemory = problem.tail.residual && adding == Adding::FromMemory;
    const DnnlPrimitiveDesc desc = plan->choose(&operation, problem.tail, fromMemory ? &c : nullptr);
    const DnnlMemory weights =
        plan->input(plan->memory(b, buffers.weights), b, plan->wanted(desc, dnnl_query_weights_md), true);
    std::vector<std::pair<int, DnnlMemory>> arguments{{DNNL_ARG_SRC, plan->memory(a, buffers.data)},
                                                      {DNNL_ARG_WEIGHTS, weights},
                                                      {DNNL_ARG_DST, plan->memory(c, buffers.out)}};
    if (problem.tail.bias) arguments.emplace_back(DNNL_ARG_BIAS, plan->memory(bias, buffers.bias));
    if (problem.tail.residual) {
        const DnnlMemory residual = plan->memory(c, buffers.residual);
        if (fromMemory)
            arguments.emplace_back(kResidualArgument, residual);
        else
            plan->addReorder(residual, c, arguments[2].second, c);
    }
    plan->addPrimitive(desc, arguments);
    return plan;
}

Plan planSoftmax(const Library &dnnl, const SoftmaxProblem &problem, const BaselineBuffers &buffers, int threads) {
    auto plan = std::make_unique<DnnlPlan>(dnnl, threads);
    const dnnl_memory_desc_t rows = describeMemory(*dnnl, {problem.rows, problem.columns}, {problem.columns, 1});
    dnnl_softmax_desc_t operation;
    requireDnnl(dnnl->softmax_forward_desc_init(&operation, dnnl_forward_inference, &rows, 1), "describing a softmax");
    const DnnlPrimitiveDesc desc = plan->choose(&operation, {}, nullptr);
    plan->addPrimitive(
        desc, {{DNNL_ARG_SRC, plan->memory(rows, buffers.data)}, {DNNL_ARG_DST, plan->memory(rows, buffers.out)}});
    return plan;
}

Plan planNorm(const Library &dnnl, const NormProblem &problem, const BaselineBuffers &buffers, int threads) {
    auto plan = std::make_unique<DnnlPlan>(dnnl, threads);
    const dnnl_memory_desc_t data = describeMemory(*dnnl, {problem.batch, problem.count}, {problem.count, 1});
    const dnnl_memory_desc_t out = describeMemory(*dnnl, {problem.batch, 1}, {1, 1});
    dnnl_reduction_desc_t operation;
    requireDnnl(dnnl->reduction_desc_init(&operation, dnnl_reduction_norm_lp_sum, &data, &out, 2.0F, 0.0F),
                "describing a norm");
    const DnnlPrimitiveDesc desc = plan->choose(&operation, {}, nullptr);
    plan->addPrimitive(
        desc, {{DNNL_ARG_SRC, plan->memory(data, buffers.data)}, {DNNL_ARG_DST, plan->memory(out, buffers.out)}});
    return plan;
}

/// A product that stands for its factors: a normal number where they are.
float foldedProduct(float a, float b) {
    const float product = a * b;
    if (std::isnormal(a) && std::isnormal(b) && !std::isnormal(product))
        throw Error(fmt::format("oneDNN takes a scale as part of the weights, and {} times {} leaves float32", a, b));
    return product;
}

/// Scale and offset folded into weights and bias, as inference programs do with a batch normalisation:
/// (x*w + b)*s + o = x*(w*s) + (b*s + o).
struct FoldedWeights {
    std::shared_ptr<std::vector<float>> weights; // null: the caller's
    std::shared_ptr<std::vector<float>> bias;    // null: none
};

FoldedWeights foldTail(const ConvProblem &problem, const BaselineBuffers &buffers) {
    FoldedWeights folded;
    const BaselineTail &tail = problem.tail;
    if (tail.bias || tail.offset) {
        folded.bias = std::make_shared<std::vector<float>>(size_t(problem.outChannels), 0.0F);
        for (size_t c = 0; c < folded.bias->size(); ++c) {
            float value = tail.bias ? buffers.bias[c] : 0.0F;
            if (tail.scale) value = foldedProduct(value, buffers.scale[c]);
            if (tail.offset) value += buffers.offset[c];
            (*folded.bias)[c] = value;
        }
    }
    if (!tail.scale) return folded;
    const size_t size = bufferSizes(problem).weights;
    folded.weights = std::make_shared<std::vector<float>>(buffers.weights, buffers.weights + size);
    const int64_t outPerGroup = problem.outChannels / problem.groups;
    std::array<int64_t, 3> kernel{1, 1, 1};
    for (size_t i = 0; i < problem.axes.size(); ++i) kernel[i] = problem.axes[i].kernel;
    const WeightLayout &layout = problem.weights;
    for (int64_t channel = 0; channel < problem.outChannels; ++channel) {
        const int64_t base = channel / outPerGroup * layout.group + channel % outPerGroup * layout.out;
        for (int64_t in = 0; in < problem.inChannels / problem.groups; ++in)
            for (int64_t x = 0; x < kernel[0]; ++x)
                for (int64_t y = 0; y < kernel[1]; ++y)
                    for (int64_t z = 0; z < kernel[2]; ++z) {
                        float &weight = (*folded.weights)[size_t(base + in * layout.in + x * layout.spatial[0] +
                                                                 y * layout.spatial[1] + z * layout.spatial[2])];
                        weight = foldedProduct(weight, buffers.scale[channel]);
                    }
    }
    return folded;
}

/// `libraryLayout`: activations in the layout oneDNN likes best, with the changes of layout made, and counted, in every
/// run. Otherwise in the workload's layout.
Plan planConv(const Library &dnnl, const ConvProblem &problem, const BaselineBuffers &buffers,
              const FoldedWeights &folded, int threads, bool libraryLayout, Adding adding) {
    auto plan = std::make_unique<DnnlPlan>(dnnl, threads);
    std::vector<int64_t> dataExtents{problem.batch, problem.inChannels};
    std::vector<int64_t> dataStrides{problem.data.image, problem.data.channel};
    std::vector<int64_t> outExtents{problem.batch, problem.outChannels};
    std::vector<int64_t> outStrides{problem.out.image, problem.out.channel};
    std::vector<int64_t> weightExtents{problem.outChannels / problem.groups, problem.inChannels / problem.groups};
    std::vector<int64_t> weightStrides{problem.weights.out, problem.weights.in};
    if (problem.groups > 1) {
        weightExtents.insert(weightExtents.begin(), problem.groups);
        weightStrides.insert(weightStrides.begin(), problem.weights.group);
    }
    dnnl_dims_t strides{};
    dnnl_dims_t dilations{};
    dnnl_dims_t padBefore{};
    dnnl_dims_t padAfter{};
    for (size_t i = 0; i < problem.axes.size(); ++i) {
        const ConvAxis &axis = problem.axes[i];
        dataExtents.push_back(axis.input);
        dataStrides.push_back(problem.data.spatial[i]);
        outExtents.push_back(axis.output);
        outStrides.push_back(problem.out.spatial[i]);
        weightExtents.push_back(axis.kernel);
        weightStrides.push_back(problem.weights.spatial[i]);
        strides[i] = axis.stride;
        dilations[i] = axis.dilation - 1; // oneDNN counts the skipped elements
        padBefore[i] = axis.padBefore;
        padAfter[i] = axis.padAfter;
    }
    const dnnl_memory_desc_t data = describeMemory(*dnnl, dataExtents, dataStrides);
    const dnnl_memory_desc_t out = describeMemory(*dnnl, outExtents, outStrides);
    const dnnl_memory_desc_t weights = describeMemory(*dnnl, weightExtents, weightStrides);
    const dnnl_memory_desc_t anyWeights = anyLayout(*dnnl, weightExtents);
    const dnnl_memory_desc_t dataAsked = libraryLayout ? anyLayout(*dnnl, dataExtents) : data;
    const dnnl_memory_desc_t outAsked = libraryLayout ? anyLayout(*dnnl, outExtents) : out;
    const dnnl_memory_desc_t bias = describeMemory(*dnnl, {problem.outChannels}, {1});
    const dnnl_memory_desc_t *biasAsked = folded.bias != nullptr ? &bias : nullptr;

    const bool fromMemory = problem.tail.residual && adding == Adding::FromMemory;
    DnnlPrimitiveDesc desc;
    if (problem.transposed) {
        dnnl_deconvolution_desc_t operation;
        requireDnnl(dnnl->dilated_deconvolution_forward_desc_init(
                        &operation, dnnl_forward_inference, dnnl_deconvolution_direct, &dataAsked, &anyWeights,
                        biasAsked, &outAsked, strides, dilations, padBefore, padAfter),
                    "describing a transposed convolution");
        desc = plan->choose(&operation, problem.tail, fromMemory ? &out : nullptr);
    } else {
        dnnl_convolution_desc_t operation;
        requireDnnl(dnnl->dilated_convolution_forward_desc_init(
                        &operation, dnnl_forward_inference, dnnl_convolution_direct, &dataAsked, &anyWeights, biasAsked,
                        &outAsked, strides, dilations, padBefore, padAfter),
                    "describing a convolution");
        desc = plan->choose(&operation, problem.tail, fromMemory ? &out : nullptr);
    }
    const float *weightValues = folded.weights != nullptr ? folded.weights->data() : buffers.weights;
    const DnnlMemory packed =
        plan->input(plan->memory(weights, weightValues), weights, plan->wanted(desc, dnnl_query_weights_md), true);
    const DnnlMemory source =
        plan->input(plan->memory(data, buffers.data), data, plan->wanted(desc, dnnl_query_src_md), false);
    const dnnl_memory_desc_t outWanted = plan->wanted(desc, dnnl_query_dst_md);
    const DnnlMemory target = plan->memory(out, buffers.out);
    const bool direct = dnnl->memory_desc_equal(&out, &outWanted) != 0;
    const DnnlMemory computed = direct ? target : plan->memory(outWanted);
    std::vector<std::pair<int, DnnlMemory>> arguments{
        {DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, computed}};
    if (folded.bias != nullptr) arguments.emplace_back(DNNL_ARG_BIAS, plan->memory(bias, folded.bias->data()));
    if (problem.tail.residual) {
        const DnnlMemory residual = plan->memory(out, buffers.residual);
        if (fromMemory)
            arguments.emplace_back(kResidualArgument, residual);
        else
            plan->addReorder(residual, out, computed, outWanted);
    }
    plan->addPrimitive(desc, arguments);
    if (!direct) plan->addReorder(computed, outWanted, target, out);
    plan->keep(folded.weights);
    plan->keep(folded.bias);
    return plan;
}

double shortestRun(PreparedBaseline &baseline) {
    using Clock = std::chrono::steady_clock;
    double shortest = 1e30;
    for (int i = 0; i < 6; ++i) {
        const Clock::time_point start = Clock::now();
        baseline.run();
        shortest = std::min(shortest, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return shortest;
}

/// Whichever runs faster stands for the library; those that it has no implementation of, or one that only shows what is
/// meant, take no part while there is another. Throws the last one's Error where there is none.
Plan fastest(const std::vector<std::function<Plan()>> &ways) {
    Plan best;
    double shortest = 0;
    std::exception_ptr none;
    for (const auto &way : ways) {
        Plan plan;
        try {
            plan = way();
        } catch (const Error &) {
            none = std::current_exception();
            continue;
        }
        if (best && plan->isReference()) continue;
        const double seconds = ways.size() > 1 && !plan->isReference() ? shortestRun(*plan) : 1e30;
        if (best && seconds >= shortest) continue;
        best = std::move(plan);
        shortest = seconds;
    }
    if (!best) std::rethrow_exception(none);
    return best;
}

Plan planBestMatmul(const Library &dnnl, const MatmulProblem &problem, const BaselineBuffers &buffers, int threads) {
    const auto way = [&](Adding adding) {
        return [&, adding] { return planMatmul(dnnl, problem, buffers, threads, adding); };
    };
    if (!problem.tail.residual) return way(Adding::InPlace)();
    return fastest({way(Adding::InPlace), way(Adding::FromMemory)});
}

/// In the workload's layout oneDNN may only have a slow fallback, where changing the layout there and back pays.
Plan planBestConv(const Library &dnnl, const ConvProblem &problem, const BaselineBuffers &buffers, int threads) {
    const FoldedWeights folded = foldTail(problem, buffers);
    const auto way = [&](bool libraryLayout, Adding adding) {
        return [&, libraryLayout, adding] {
            return planConv(dnnl, problem, buffers, folded, threads, libraryLayout, adding);
        };
    };
    if (problem.tail.residual)
        return fastest({way(false, Adding::InPlace), way(false, Adding::FromMemory), way(true, Adding::InPlace)});
    Plan best = way(true, Adding::InPlace)();
    if (!best->reorders()) return best;
    Plan plain;
    try {
        plain = way(false, Adding::InPlace)();
    } catch (const Error &) {
        return best; // no implementation at all for the workload's layout
    }
    return shortestRun(*plain) <= shortestRun(*best) ? std::move(plain) : std::move(best);
}

class OneDnnBaseline : public Baseline {
  public:
    explicit OneDnnBaseline(Library dnnl) : m_dnnl(std::move(dnnl)) {}

    [[nodiscard]] BaselineKind kind() const override { return BaselineKind::OneDnn; }
    [[nodiscard]] std::string name() const override {
        const dnnl_version_t &version = *m_dnnl->version();
        return "oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
               std::to_string(version.patch);
    }
    [[nodiscard]] double restSeconds() const override { return 0.02; } // libgomp's workers poll for some ms

    [[nodiscard]] Outcome<std::unique_ptr<PreparedBaseline>>
    prepare(const BaselineProblem &problem, const BaselineBuffers &buffers, int threads) const override {
        if (threads > 1) m_dnnl->spreadWorkers(threads);
        try {
            if (const auto *matmul = std::get_if<MatmulProblem>(&problem)) {
                if (matmul->tail.scale || matmul->tail.offset)
                    return Refusal{"oneDNN fuses a bias and a relu into a matrix product, not a scale or an offset "
                                   "per column"};
                return std::unique_ptr<PreparedBaseline>(planBestMatmul(m_dnnl, *matmul, buffers, threads));
            }
            if (const auto *softmax = std::get_if<SoftmaxProblem>(&problem))
                return std::unique_ptr<PreparedBaseline>(planSoftmax(m_dnnl, *softmax, buffers, threads));
            if (const auto *norm = std::get_if<NormProblem>(&problem)) {
                if (norm->count == 1) return Refusal{"oneDNN has no reduction of single elements"};
                return std::unique_ptr<PreparedBaseline>(planNorm(m_dnnl, *norm, buffers, threads));
            }
            return std::unique_ptr<PreparedBaseline>(
                planBestConv(m_dnnl, std::get<ConvProblem>(problem), buffers, threads));
        } catch (const Error &error) {
            return Refusal{std::string(error.what()) + " (" + describe(problem) + ")"};
        }
    }

  private:
    Library m_dnnl;
};

} // namespace

Outcome<std::shared_ptr<const Baseline>> openOneDnn(bool /*ownChoice*/) {
    Outcome<Library> library = DnnlLibrary::open();
    if (!library) return library.refusal();
    return std::shared_ptr<const Baseline>(std::make_shared<OneDnnBaseline>(*library));
}

} // namespace loopscope
