#include "logs/step_hash.h"

#include <variant>

namespace loopscope {

namespace {

/// In the order in which a log has the elements.
struct StepAdder {
    StepHash &hash;

    void numbers(auto... values) const { (hash.add(static_cast<uint64_t>(values)), ...); }
    void list(const auto &ids) const {
        for (const auto &id : ids) hash.add(static_cast<uint64_t>(id.value));
        hash.end();
    }

    void operator()(const AnnotateStep &s) const { numbers(s.stage.value, s.iter.value, s.annotation); }
    void operator()(const FuseStep &s) const {
        numbers(s.stage.value);
        list(s.iters);
    }
    void operator()(const PragmaStep &s) const {
        numbers(s.stage.value, s.iter.value);
        hash.addPragma(s.text);
    }
    void operator()(const ReorderStep &s) const {
        numbers(s.stage.value);
        list(s.order);
    }
    void operator()(const SplitStep &s) const {
        numbers(s.stage.value, s.iter.value, s.extent);
        for (const int64_t length : s.lengths) {
            hash.addValue(static_cast<uint64_t>(length));
            hash.end();
        }
        numbers(s.innerToOuter);
    }
    void operator()(const FollowSplitStep &s) const { numbers(s.stage.value, s.iter.value, s.source.value, s.parts); }
    void operator()(const FollowFusedSplitStep &s) const {
        numbers(s.stage.value, s.iter.value);
        list(s.sources);
        numbers(s.level, s.factor);
    }
    void operator()(const StorageAlignStep &s) const { numbers(s.stage.value, s.iter.value, s.factor, s.offset); }
    void operator()(const ComputeAtStep &s) const { numbers(s.stage.value, s.target.value, s.targetIter.value); }
    void operator()(const ComputeInlineStep &s) const { numbers(s.stage.value); }
    void operator()(const ComputeRootStep &s) const { numbers(s.stage.value); }
    void operator()(const CacheReadStep &s) const {
        numbers(s.stage.value);
        hash.add(s.scope);
        list(s.readers);
    }
    void operator()(const CacheWriteStep &s) const {
        numbers(s.stage.value);
        hash.add(s.scope);
    }
    void operator()(const RfactorStep &s) const { numbers(s.stage.value, s.iter.value, s.factorIter); }
};

} // namespace

void addStep(StepHash &hash, const Step &step) {
    hash.add(stepTagNumber(stepTag(step)));
    std::visit(StepAdder{hash}, step);
}

} // namespace loopscope
