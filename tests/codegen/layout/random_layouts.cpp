#include "random_layouts.h"

#include "language/interpret/interpreter.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace loopscope {

namespace {

bool sameNumbers(const TensorValue &a, const TensorValue &b) {
    if (a.integers != b.integers || a.floats.size() != b.floats.size()) return false;
    for (size_t i = 0; i < a.floats.size(); ++i)
        if (a.floats[i] != b.floats[i] && !(std::isnan(a.floats[i]) && std::isnan(b.floats[i]))) return false;
    return true;
}

} // namespace

Layout drawnLayout(Random &random, const std::vector<int64_t> &shape) {
    std::vector<LayoutPiece> pieces;
    for (size_t d = 0; d < shape.size(); ++d) {
        std::set<int64_t> steps = {1};
        for (size_t cuts = random.index(3); cuts > 0; --cuts)
            if (shape[d] > 2) steps.insert(1 + static_cast<int64_t>(random.below(static_cast<uint64_t>(shape[d] - 1))));
        for (const int64_t step : steps)
            pieces.push_back({.axis = static_cast<int>(d),
                              .step = step,
                              .padding = random.below(6) == 0 ? static_cast<int64_t>(random.below(3)) : 0});
    }
    for (size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[random.index(i)]);
    return Layout::of(shape, pieces).value();
}

bool sameAnswers(const ComputeDag &dag, const RewrittenWorkload &rewritten, uint64_t seed) {
    std::vector<TensorValue> inputs = randomInputs(dag, seed);
    const auto expected = interpret(dag, inputs);
    const DagPtr other = ComputeDag::fromWorkload(rewritten.workload);
    if (rewritten.prepack) {
        const DagPtr prepack = ComputeDag::fromWorkload(*rewritten.prepack);
        const std::string &constant = prepack->args().front()->name;
        for (size_t i = 0; i < inputs.size(); ++i)
            if (dag.args()[i]->name == constant && dag.args()[i]->op->isPlaceholder())
                inputs[i] = interpret(*prepack, {inputs[i]}).front();
    }
    const auto answers = interpret(*other, inputs);
    return answers.size() == expected.size() &&
           std::equal(answers.begin(), answers.end(), expected.begin(), sameNumbers);
}

int copiesIn(const ComputeDag &dag) {
    return static_cast<int>(
        std::count_if(dag.ops().begin(), dag.ops().end(), [](const OpPtr &op) { return isLayoutCopy(*op); }));
}

} // namespace loopscope
