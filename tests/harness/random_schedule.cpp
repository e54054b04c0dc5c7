#include "harness/random_schedule.h"

#include "harness/sample_dags.h"
#include "schedule/bound_inference.h"
#include "schedule/stage_facts.h"

#include <optional>

namespace loopscope {

namespace {

class Drawer {
  public:
    Drawer(const DagPtr &dag, Random &random, const RandomScheduleOptions &options)
        : m_state(dag), m_random(random), m_options(options) {}

    LoopState run() {
        for (int i = 0; i < m_options.attempts; ++i) tryStep();
        return std::move(m_state);
    }

  private:
    int below(size_t n) { return static_cast<int>(m_random.index(n)); }
    bool chance(double p) { return m_random.uniform() < p; }

    void tryStep() {
        const StageId stage(below(m_state.stageCount()));
        const std::optional<Step> step = draw(stage);
        if (!step) return;
        const bool rfactor = std::holds_alternative<RfactorStep>(*step);
        LoopState base = m_state;
        if (rfactor) { // directly follows a split of the loop it factors
            Outcome<LoopState> split = base.apply(m_splitBefore);
            if (!split) return;
            base = *split;
        }
        Outcome<LoopState> next = base.apply(*step);
        if (!next || !bounded(*next)) return;
        m_state = *next;
    }

    bool bounded(const LoopState &state) const {
        Outcome<BoundedState> bounds = inferBounds(state, std::make_shared<ExprArena>());
        if (!bounds) return false;
        if (m_options.maxIterations == 0) return true;
        double all = 0;
        for (size_t i = 0; i < state.stageCount(); ++i) {
            double runs = 1;
            AttachPoint at{StageId(i), IterId(bounds->state.stage(StageId(i)).iters.size())};
            at.iter.value -= 1;
            for (; at.stage.value >= 0; at = state.attachedTo(at.stage))
                for (int loop = 0; loop <= at.iter.value; ++loop)
                    runs *= static_cast<double>(bounds->state.stage(at.stage).iters[static_cast<size_t>(loop)].extent);
            all += runs;
        }
        return all <= static_cast<double>(m_options.maxIterations);
    }

    int64_t length(int64_t extent) {
        const int64_t most = extent > 0 ? std::min<int64_t>(extent + 1, 12) : 6;
        return 1 + static_cast<int64_t>(m_random.below(static_cast<uint64_t>(most)));
    }

    std::string scope() {
        if (m_options.shared && chance(0.6)) return "shared";
        return chance(0.5) ? "local" : "global";
    }

    SplitStep drawSplit(StageId stage, IterId iter) {
        SplitStep split{stage, iter, m_state.stage(stage).iters[iter.index()].extent, {}, chance(0.75)};
        const int parts = 1 + below(3);
        for (int i = 0; i < parts; ++i) split.lengths.push_back(length(split.extent));
        return split;
    }

    std::optional<Step> draw(StageId stage) {
        const Stage &target = m_state.stage(stage);
        const size_t loops = target.iters.size();
        const bool grow = m_options.cacheAndRfactor && static_cast<int>(m_state.stageCount()) < m_options.maxStages;
        const int kind = below(20);
        if (kind == 0) return ComputeInlineStep{stage};
        if (kind == 1) return ComputeRootStep{stage};
        if (kind <= 4) return drawComputeAt(stage);
        if (kind == 5 && grow && chance(0.5)) return CacheWriteStep{stage, scope()};
        if (kind == 6 && grow && chance(0.5)) return drawCacheRead(stage);
        if (loops == 0) return kind == 7 ? std::optional<Step>(FuseStep{stage, {}}) : std::nullopt;
        const IterId iter(below(loops));
        switch (kind) {
        case 7:
        case 8:
        case 9:
        case 10:
            if (static_cast<int>(loops) + 3 > m_options.maxLoops) return std::nullopt;
            return drawSplit(stage, iter);
        case 11:
        case 12: {
            FuseStep fuse{stage, {}};
            const int count = 1 + below(3);
            for (int i = 0; i < count; ++i) fuse.iters.push_back(IterId(iter.value + i));
            return fuse;
        }
        case 13:
        case 14: {
            ReorderStep reorder{stage, {}};
            for (size_t i = 0; i < loops; ++i) reorder.order.push_back(IterId(i));
            for (size_t i = loops; i > 1; --i)
                if (chance(0.7)) std::swap(reorder.order[i - 1], reorder.order[m_random.index(i)]);
            return reorder;
        }
        case 15: {
            static constexpr Annotation choices[] = {Annotation::Unroll, Annotation::Vectorize, Annotation::Parallel};
            return AnnotateStep{stage, iter, choices[m_options.parallel ? m_random.index(3) : 0]};
        }
        case 16:
            return PragmaStep{stage, IterId(0), "auto_unroll_max_step$" + std::to_string(below(5) * 16)};
        case 17:
            return drawFollow(stage, iter);
        case 18:
            return StorageAlignStep{stage, iter, 1 + below(32), below(4)};
        default:
            if (!grow || !target.op->reduction) return std::nullopt;
            m_splitBefore = drawSplit(stage, iter);
            return RfactorStep{stage, IterId(iter.value + below(m_splitBefore.lengths.size() + 1)),
                               below(target.op->axes.size() + 1)};
        }
    }

    std::optional<Step> drawComputeAt(StageId stage) {
        std::vector<StageId> targets = consumers(m_state, stage);
        if (targets.empty()) return std::nullopt;
        StageId target = targets[m_random.index(targets.size())];
        while (m_state.attachedTo(target).stage.value >= 0 && chance(0.4)) target = m_state.attachedTo(target).stage;
        const size_t loops = m_state.stage(target).iters.size();
        if (loops == 0) return std::nullopt;
        return ComputeAtStep{stage, target, IterId(below(loops))};
    }

    std::optional<Step> drawCacheRead(StageId stage) {
        CacheReadStep step{stage, scope(), {}};
        for (const int reader : m_state.dag()->access(stage.index()).consumers)
            if (chance(0.8)) step.readers.push_back(StageId(reader));
        return step;
    }

    std::optional<Step> drawFollow(StageId stage, IterId iter) {
        std::vector<StepId> splits;
        for (size_t i = 0; i < m_state.steps().size(); ++i)
            if (std::holds_alternative<SplitStep>(m_state.steps()[i])) splits.push_back(StepId(i));
        if (splits.empty()) return std::nullopt;
        const StepId source = splits[m_random.index(splits.size())];
        const auto lengths = std::get<SplitStep>(m_state.steps()[source.index()]).lengths.size();
        if (static_cast<int>(m_state.stage(stage).iters.size() + lengths) > m_options.maxLoops) return std::nullopt;
        if (chance(0.6)) return FollowSplitStep{stage, iter, source, 1 + below(lengths)};
        FollowFusedSplitStep step{stage, iter, {source}, below(lengths), chance(0.5)};
        if (chance(0.4)) step.sources.push_back(splits[m_random.index(splits.size())]);
        return step;
    }

    LoopState m_state;
    Random &m_random;
    RandomScheduleOptions m_options;
    SplitStep m_splitBefore;
};

/// Reads of one producer by three consumers at different places, one of them shifted and one transposed.
DagPtr severalConsumersDag() {
    DagBuilder builder;
    const Tensor &a = builder.placeholder("A", {13, 11});
    const Axis i = axis("i", 13), j = axis("j", 11);
    const Tensor &b = builder.compute("B", {i, j}, load(a, {i.var, j.var}) * 2);
    const Axis ci = axis("i", 11), cj = axis("j", 13);
    const Tensor &c = builder.compute("C", {ci, cj}, load(b, {cj.var, ci.var}) + 1);
    const Axis di = axis("i", 9), dj = axis("j", 9);
    const Tensor &d = builder.compute("D", {di, dj}, load(b, {di.var + 3, dj.var}) + load(b, {di.var, dj.var + 2}));
    const Axis ei = axis("i", 9), ej = axis("j", 9);
    const Tensor &e = builder.compute(
        "E", {ei, ej}, load(c, {ei.var, ej.var}) * load(d, {ei.var, ej.var}) + load(b, {ei.var, ej.var}));
    return builder.build({&e}, "several_consumers");
}

/// The sum of all elements, scaled: rank 0 in between.
DagPtr totalDag() {
    DagBuilder builder;
    const Tensor &a = builder.placeholder("A", {7, 5});
    const Axis i = axis("i", 7), j = axis("j", 5);
    const Tensor &total = builder.reduce("total", {}, ReduceKind::Sum, {i, j}, load(a, {i.var, j.var}));
    const Axis oi = axis("i", 7), oj = axis("j", 5);
    const Tensor &out = builder.compute("out", {oi, oj}, load(a, {oi.var, oj.var}) * load(total, {}));
    return builder.build({&out}, "total");
}

/// Indices with floor division and modulo, read backwards and with a stride.
DagPtr reshapeDag() {
    DagBuilder builder;
    const Tensor &a = builder.placeholder("A", {6, 10});
    const Axis i = axis("i", 6), j = axis("j", 10);
    const Tensor &b = builder.compute("B", {i, j}, load(a, {i.var, j.var}) + 1);
    const Axis k = axis("k", 60);
    const Tensor &flat = builder.compute("flat", {k}, load(b, {floorDiv(k.var, 10), floorMod(k.var, 10)}));
    const Axis r = axis("r", 29);
    const Tensor &picked = builder.compute("picked", {r}, load(flat, {makeInt(59) - r.var * 2}));
    return builder.build({&picked}, "reshape");
}

} // namespace

RandomScheduleOptions optionsOfKernels(uint64_t stream) {
    RandomScheduleOptions options;
    options.attempts = 8 + static_cast<int>(stream % 24);
    options.parallel = stream % 8 == 0;
    options.shared = true;
    options.maxIterations = 6000;
    return options;
}

LoopState randomSchedule(const DagPtr &dag, Random &random, const RandomScheduleOptions &options) {
    return Drawer(dag, random, options).run();
}

std::vector<DagPtr> smallDags() {
    return {
        matmulDag(7, 5, 11),
        matmulBiasReluDag(6, 13, 8),
        matmulChainDag(7),
        batchMatmulDag(2, 5, 4, 6),
        conv2dBiasReluNchwDag(1, 5, 6, 4, 3, 3, 1, 1),
        conv2dBiasReluNhwcDag(9, 7, 3, 4, 3, 2, 1),
        conv2dNhwcDag(1, 7, 7, 3, 4, 3, 2, 1),
        conv1dNlcDag(1, 17, 4, 6, 3, 2, 1),
        depthwiseNhwcDag(1, 8, 7, 5, 3, 1, 1),
        softmaxDag(5, 13),
        argmaxDag(4, 11),
        rowMinDag(5, 31),
        elementwiseDag(9, 7),
        severalConsumersDag(),
        totalDag(),
        reshapeDag(),
    };
}

} // namespace loopscope
