#include "records/export/check_facts.h"

#include "base/fnv_hash.h"
#include "measure/answer/checkable.h"
#include "measure/answer/reference_data.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>

namespace loopscope {

namespace {

/// Which the exported program computes as well.
uint64_t hashOf(const std::vector<TensorValue> &inputs) {
    uint64_t hash = kFnvStart;
    std::vector<std::byte> bytes;
    for (const TensorValue &input : inputs) {
        bytes.resize(input.size() * static_cast<size_t>(dtypeBytes(input.dtype)));
        storeElements(input, bytes.data());
        hash = fnvHash({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, hash);
    }
    return hash;
}

AnswerBound boundOf(const TensorValue &output) {
    AnswerBound bound;
    for (const float one : output.bounds) {
        if (std::isinf(one))
            ++bound.open;
        else
            bound.most = std::max(bound.most, static_cast<double>(one));
    }
    return bound;
}

CheckSet setOf(const CheckedSet &checked) {
    CheckSet set;
    set.inputsHash = hashOf(checked.inputs);
    for (const TensorValue &output : checked.outputs) set.bounds.push_back(boundOf(output));
    return set;
}

} // namespace

Outcome<CheckFacts> checkFacts(const ComputeDag &dag, int threads) {
    try {
        const CheckedSets sets = makeCheckedSets(dag, kCheckSeed, threads);
        CheckFacts facts;
        facts.sets.push_back(setOf(sets.random));
        if (sets.exact) {
            facts.sets.push_back(setOf(*sets.exact));
            facts.sets.back().exact = exactDraws(dag, sets.exactKind);
        }
        const auto extents = indexExtents(dag);
        for (const Tensor *arg : dag.args()) {
            if (!arg->op->isPlaceholder()) continue;
            const auto found = extents.find(arg);
            facts.indexExtents.push_back(found == extents.end() ? 0 : found->second);
        }
        return facts;
    } catch (const Error &problem) {
        return Refusal{problem.what()};
    } catch (const std::bad_alloc &) {
        return Refusal{"there is not memory enough for the inputs and the reference answer; choose smaller extents"};
    }
}

} // namespace loopscope
