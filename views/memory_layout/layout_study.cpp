#include "views/memory_layout/layout_study.h"

#include "codegen/layout/nest_cost.h"
#include "views/session/text.h"

#include <QObject>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

const Tensor *tensorNamed(const ComputeDag &dag, const std::string &name) {
    for (const OpPtr &op : dag.ops())
        for (const auto &output : op->outputs)
            if (tensorText(*output) == name) return output.get();
    return nullptr;
}

/// Of the nest, to that tensor.
std::vector<int> accessesTo(const AccessNest &nest, const std::string &tensor) {
    std::vector<int> accesses;
    for (size_t a = 0; a < nest.accesses.size(); ++a)
        if (nest.tensors[static_cast<size_t>(nest.accesses[a].tensor)].name == tensor)
            accesses.push_back(static_cast<int>(a));
    return accesses;
}

/// The axis that the vectors of the accesses go along; without any, that of the innermost loop.
int vectorAxisOf(const AccessNest &nest, const std::vector<int> &accesses, int rank) {
    for (const bool vectors : {true, false})
        for (const int number : accesses) {
            const NestAccess &access = nest.accesses[static_cast<size_t>(number)];
            std::vector<int> path = nest.pathOf(access.around);
            std::ranges::reverse(path);
            for (const int loop : path) {
                if (vectors && !nest.loops[static_cast<size_t>(loop)].vectorized) continue;
                for (size_t axis = 0; axis < access.index.size(); ++axis)
                    for (const IndexPart &part : access.index[axis])
                        for (const auto &[of, coefficient] : part.terms)
                            if (of == loop && coefficient != 0) return static_cast<int>(axis);
            }
        }
    return rank - 1;
}

LayoutCandidate typedCandidate(const WeighedLayouts &weighed, const std::string &tensor, const Layout &layout,
                               int64_t elementBytes) {
    LayoutCandidate candidate;
    candidate.layout = layout.canonical();
    candidate.words = QObject::tr("as typed");
    const auto rewritten = rewriteForLayout(*weighed.dag, {tensor, candidate.layout});
    if (rewritten)
        candidate.by = rewritten->by;
    else
        candidate.problem = qt(rewritten.why());
    NestCost cost(*weighed.nest, weighed.model);
    cost.place(accessesTo(*weighed.nest, tensor), candidate.layout, true);
    candidate.cost = cost.total();
    if (candidate.by == LaidOutBy::CopyStage) candidate.stage = copyCost(candidate.layout, elementBytes, weighed.model);
    return candidate;
}

} // namespace

WeighedLayoutsPtr weighLayouts(const DagPtr &dag, const LoopState &state, const Target &target) {
    auto weighed = std::make_shared<WeighedLayouts>();
    weighed->dag = dag;
    weighed->model = memoryModelOf(target);
    Outcome<AccessNest> nest = accessNestOf(state);
    if (!nest) {
        weighed->problem = asSentence(qt(nest.why()));
        return weighed;
    }
    weighed->nest = std::move(nest).value();
    LayoutChoiceOptions options;
    options.model = weighed->model;
    Outcome<LayoutChoice> choice = chooseLayouts(state, options);
    if (choice)
        weighed->choice = std::move(choice).value();
    else
        weighed->problem = asSentence(qt(choice.why()));
    return weighed;
}

QStringList layoutTensors(const WeighedLayouts &weighed) {
    QStringList names;
    for (const TensorLayouts &layouts : weighed.choice.tensors) {
        const Tensor *tensor = tensorNamed(*weighed.dag, layouts.tensor);
        if (tensor != nullptr && tensor->shape.size() > 1) names << qt(layouts.tensor);
    }
    return names;
}

LayoutStudy studyOf(const WeighedLayouts &weighed, const QString &tensor, const std::vector<Layout> &typed) {
    LayoutStudy study;
    study.tensor = tensor;
    const std::string name = std8(tensor);
    const Tensor *studied = tensorNamed(*weighed.dag, name);
    const auto layouts = std::ranges::find(weighed.choice.tensors, name, &TensorLayouts::tensor);
    if (studied == nullptr || layouts == weighed.choice.tensors.end()) return study;
    for (const std::string &axis : layouts->axisNames) study.axes.push_back(qt(axis));
    study.shape = studied->shape;
    study.elementBytes = dtypeBytes(studied->dtype);
    study.lanes = std::max<int64_t>(2, weighed.model.vectorBytes / study.elementBytes);
    study.vectorAxis =
        vectorAxisOf(*weighed.nest, accessesTo(*weighed.nest, name), static_cast<int>(study.shape.size()));
    for (const MemoryLevel &level : weighed.model.levels) study.levels << qt(level.name);

    LayoutCandidate now;
    now.layout = Layout::identity(study.shape);
    now.words = QObject::tr("as it is");
    now.cost = weighed.choice.before;
    study.candidates.push_back(std::move(now));
    for (size_t l = 0; l < layouts->layouts.size(); ++l) {
        const PricedLayout &priced = layouts->layouts[l];
        LayoutCandidate candidate;
        candidate.layout = priced.layout;
        candidate.readers = priced.readers;
        if (!priced.readers.empty()) {
            QStringList readers;
            for (const std::string &reader : priced.readers) readers << qt(reader);
            candidate.words = QObject::tr("for %1 alone").arg(readers.join(QStringLiteral(", ")));
        }
        candidate.cost = priced.cost;
        candidate.stage = priced.stage;
        candidate.by = priced.by;
        if (!layouts->taken.empty() && layouts->taken.front() == l)
            study.best = static_cast<int>(study.candidates.size());
        study.candidates.push_back(std::move(candidate));
    }
    for (const Layout &layout : typed) {
        const auto same = [&](const LayoutCandidate &other) { return other.layout.sameAddresses(layout); };
        if (std::ranges::none_of(study.candidates, same))
            study.candidates.push_back(typedCandidate(weighed, name, layout, study.elementBytes));
    }
    for (LayoutCandidate &candidate : study.candidates) candidate.text = qt(candidate.layout.text(layouts->axisNames));
    study.why = asSentence(qt(layouts->why));
    return study;
}

} // namespace loopscope
