#include "codegen/layout/choice.h"

#include "codegen/layout/candidates.h"
#include "language/dag/layout_free.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace loopscope {

namespace {

/// The model is right within so much: layouts that differ by less cost the same.
constexpr double kSameCost = 0.05;

double wholeCycles(const PricedLayout &layout) { return layout.cost.cycles + layout.stage.cycles; }

/// "96.8 G".
std::string cyclesText(double cycles) {
    for (const auto &[unit, name] : {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")})
        if (cycles >= unit) return fmt::format("{:.3g} {}", cycles / unit, name);
    return fmt::format("{:.3g}", cycles);
}

/// Cuts into blocks of other lengths than loops walk the tensor in.
int foreignBlocks(const Layout &layout, const std::vector<std::vector<int64_t>> &tiles) {
    int count = 0;
    for (const LayoutPiece &piece : layout.pieces()) {
        const auto axis = static_cast<size_t>(piece.axis);
        const bool tiled =
            axis < tiles.size() && std::find(tiles[axis].begin(), tiles[axis].end(), piece.step) != tiles[axis].end();
        count += piece.step > 1 && !tiled ? 1 : 0;
    }
    return count;
}

/// The less, the simpler: for all readers, few pieces, little memory, blocks as the loops have them.
using Simplicity = std::tuple<size_t, size_t, int64_t, int>;

Simplicity simplicityOf(const PricedLayout &one, const std::vector<std::vector<int64_t>> &tiles) {
    return {one.readers.size(), one.layout.pieces().size(), one.layout.physicalSize(),
            foreignBlocks(one.layout, tiles)};
}

/// Cheapest first, but those that cost as much as the cheapest by how simple they are.
template <typename Choice, typename Cycles, typename Simple>
void sortByPreference(std::vector<Choice> &choices, Cycles cyclesOf, Simple simpleOf) {
    std::stable_sort(choices.begin(), choices.end(),
                     [&](const auto &a, const auto &b) { return cyclesOf(a) < cyclesOf(b); });
    if (choices.empty()) return;
    const double most = (1 + kSameCost) * cyclesOf(choices.front());
    const auto end =
        std::find_if(choices.begin(), choices.end(), [&](const auto &one) { return cyclesOf(one) > most; });
    std::stable_sort(choices.begin(), end, [&](const auto &a, const auto &b) { return simpleOf(a) < simpleOf(b); });
}

/// A layout taken for some of the accesses.
struct Taken {
    size_t tensor = 0; // of the nest
    std::vector<int> accesses;
    PricedLayout priced;
};

class Chooser {
  public:
    Chooser(const ComputeDag &dag, AccessNest nest, const LayoutChoiceOptions &options)
        : m_dag(dag), m_nest(std::move(nest)), m_options(options) {
        std::map<const Op *, bool> copies;
        for (const NestAccess &access : m_nest.accesses) {
            if (access.op != nullptr && !copies.contains(access.op)) copies[access.op] = isLayoutCopy(*access.op);
            m_byCopy.push_back(!access.store && access.op != nullptr && copies[access.op]);
        }
    }

    LayoutChoice choose() {
        LayoutChoice choice;
        choice.before = priced({});
        m_first = priceAll();
        choice.tensors = m_first;
        // Each tensor is settled once, but for readers that want it otherwise.
        std::vector<Taken> taken = m_options.beam > 1 ? searchBeam() : searchGreedy();
        choice.after = priced(taken);
        for (const Taken &one : taken) {
            choice.after = choice.after + one.priced.stage;
            const NestTensor &tensor = m_nest.tensors[one.tensor];
            choice.requests.push_back(
                {.tensor = tensorText(*tensor.tensor), .layout = one.priced.layout, .readers = one.priced.readers});
        }
        tellChoice(choice, taken);
        return choice;
    }

  private:
    [[nodiscard]] std::vector<int> accessesOf(size_t tensor) const {
        std::vector<int> found;
        for (size_t a = 0; a < m_nest.accesses.size(); ++a)
            if (m_nest.accesses[a].tensor == static_cast<int>(tensor)) found.push_back(static_cast<int>(a));
        return found;
    }

    [[nodiscard]] NestCost costWith(const std::vector<Taken> &taken) const {
        NestCost cost = m_asItIs;
        for (const Taken &one : taken)
            cost.place(one.accesses, one.priced.layout, one.priced.by == LaidOutBy::CopyStage);
        return cost;
    }

    [[nodiscard]] LayoutCost priced(const std::vector<Taken> &taken) const { return costWith(taken).total(); }

    /// It may lie otherwise: somebody reads it, and it is no output, which lies as its caller has it.
    [[nodiscard]] bool movable(size_t tensor) const {
        const NestTensor &it = m_nest.tensors[tensor];
        if (it.tensor == nullptr || !it.movable || it.shape.size() < 2 || it.shape != it.tensor->shape) return false;
        for (const int a : accessesOf(tensor))
            if (const NestAccess &access = m_nest.accesses[static_cast<size_t>(a)];
                !access.store && access.op != nullptr && access.op != it.tensor->op && // a scan reads itself
                !m_byCopy[static_cast<size_t>(a)])
                return true;
        return false;
    }

    [[nodiscard]] std::vector<std::string> readersOf(size_t tensor) const {
        std::vector<std::string> names;
        for (const int a : accessesOf(tensor)) {
            const NestAccess &access = m_nest.accesses[static_cast<size_t>(a)];
            if (access.op == nullptr || access.op == m_nest.tensors[tensor].tensor->op) continue;
            if (m_byCopy[static_cast<size_t>(a)]) continue;
            if (std::find(names.begin(), names.end(), access.op->name) == names.end()) names.push_back(access.op->name);
        }
        return names;
    }

    /// Accesses (by number) in the outermost loops that also hold one of this tensor.
    [[nodiscard]] std::vector<bool> accessesBeside(size_t tensor) const {
        const auto outermost = [&](const NestAccess &access) {
            int loop = access.around;
            while (loop >= 0 && m_nest.loops[static_cast<size_t>(loop)].parent >= 0)
                loop = m_nest.loops[static_cast<size_t>(loop)].parent;
            return loop;
        };
        std::set<int> roots;
        for (const int a : accessesOf(tensor)) roots.insert(outermost(m_nest.accesses[static_cast<size_t>(a)]));
        std::vector<bool> beside;
        for (const NestAccess &access : m_nest.accesses) beside.push_back(roots.contains(outermost(access)));
        return beside;
    }

    /// Whose reads a layout may be for: all readers' together, else one's; of one that has its own already, no more.
    [[nodiscard]] std::vector<std::vector<std::string>> demandsOf(size_t tensor,
                                                                  const std::vector<Taken> &taken) const {
        const std::vector<std::string> readers = readersOf(tensor);
        std::set<std::string> served;
        bool untouched = true;
        for (const Taken &one : taken) {
            if (one.tensor != tensor) continue;
            untouched = false;
            served.insert(one.priced.readers.begin(), one.priced.readers.end());
            if (one.priced.readers.empty()) return {};
        }
        std::vector<std::vector<std::string>> demands;
        if (untouched) demands.emplace_back();
        if (readers.size() > 1)
            for (const std::string &reader : readers)
                if (!served.contains(reader)) demands.push_back({reader});
        return demands;
    }

    /// How often an element is fetched by its readers; less than once where they read a part.
    [[nodiscard]] double fetchesOf(size_t tensor) const {
        double loads = 0;
        for (const int a : accessesOf(tensor)) {
            const NestAccess &access = m_nest.accesses[static_cast<size_t>(a)];
            if (access.op != m_nest.tensors[tensor].tensor->op) loads += m_nest.tripsOf(access.loop) * access.count;
        }
        double elements = 1;
        for (const int64_t extent : m_nest.tensors[tensor].shape) elements *= static_cast<double>(extent);
        return loads / elements;
    }

    /// Layouts of a tensor beside what is taken already, with which each access costs so much; cheapest first.
    [[nodiscard]] TensorLayouts priceTensor(size_t tensor, const std::vector<Taken> &taken,
                                            const std::vector<LayoutCost> &each) const {
        const NestTensor &it = m_nest.tensors[tensor];
        TensorLayouts result;
        result.tensor = tensorText(*it.tensor);
        result.axisNames = axisNamesOf(m_dag, *it.tensor);
        result.constant = it.tensor->op->isPlaceholder() && isLayoutFree(m_dag, it.tensor);
        result.fetches = fetchesOf(tensor);
        const std::vector<int> all = accessesOf(tensor);
        for (const int a : all) result.cost = std::move(result.cost) + each[static_cast<size_t>(a)];
        const auto tiles = tileSizesOf(m_nest, all);
        const auto candidates =
            layoutCandidates(it.shape, std::max<int64_t>(m_options.model.vectorBytes / it.elementBytes, 2), tiles);
        for (const std::vector<std::string> &demand : demandsOf(tensor, taken))
            for (const Layout &layout : candidates)
                result.layouts.push_back(priceLayout(tensor, layout, demand, taken, each, result).priced);
        sortByPreference(result.layouts, wholeCycles,
                         [&](const PricedLayout &one) { return simplicityOf(one, tiles); });
        return result;
    }

    [[nodiscard]] Taken priceLayout(size_t tensor, const Layout &layout, const std::vector<std::string> &demand,
                                    const std::vector<Taken> &taken, const std::vector<LayoutCost> &each,
                                    const TensorLayouts &of) const {
        const NestTensor &it = m_nest.tensors[tensor];
        Taken one{.tensor = tensor, .accesses = {}, .priced = {.layout = layout, .readers = demand}};
        one.priced.by = demand.empty() ? wayOf(tensor, of.constant) : LaidOutBy::CopyStage;
        for (const int a : accessesOf(tensor)) {
            const NestAccess &access = m_nest.accesses[static_cast<size_t>(a)];
            if (m_byCopy[static_cast<size_t>(a)]) continue;
            const bool own = access.op == it.tensor->op; // its producer's
            const bool demanded =
                demand.empty() ||
                (access.op != nullptr && std::find(demand.begin(), demand.end(), access.op->name) != demand.end());
            if (own ? one.priced.by == LaidOutBy::Producer : demanded) one.accesses.push_back(a);
        }
        std::vector<Taken> with = taken;
        with.push_back(one);
        // What other nests of loops miss stays.
        const std::vector<bool> beside = accessesBeside(tensor);
        const std::vector<LayoutCost> changed = costWith(with).perAccess(&beside);
        double now = 0;
        for (size_t a = 0; a < each.size(); ++a) {
            now += each[a].cycles;
            one.priced.cost = std::move(one.priced.cost) + (beside[a] ? changed[a] : each[a]);
        }
        one.priced.saving = now - one.priced.cost.cycles;
        if (one.priced.by == LaidOutBy::CopyStage) one.priced.stage = stageCost(layout, it.elementBytes);
        const bool free = one.priced.by != LaidOutBy::CopyStage;
        // What copies a tensor that is read once walks it as its reader does: tiling that walk saves as much.
        const bool readAgain = free || of.fetches > 1.5;
        one.priced.pays = readAgain && one.priced.saving > m_options.gain * one.priced.stage.cycles &&
                          one.priced.saving > m_options.minShare * now;
        return one;
    }

    [[nodiscard]] LaidOutBy wayOf(size_t tensor, bool constant) const {
        const Op &op = *m_nest.tensors[tensor].tensor->op;
        for (const int a : accessesOf(tensor))
            if (m_byCopy[static_cast<size_t>(a)]) return LaidOutBy::CopyStage; // which reads it as it lies
        if (op.isPlaceholder()) return constant ? LaidOutBy::Prepack : LaidOutBy::CopyStage;
        return mayStoreOtherwise(m_dag, op) ? LaidOutBy::Producer : LaidOutBy::CopyStage;
    }

    [[nodiscard]] LayoutCost stageCost(const Layout &layout, int64_t elementBytes) const {
        return copyCost(layout, elementBytes, m_options.model);
    }

    [[nodiscard]] std::vector<size_t> movableTensors() const {
        std::vector<size_t> found;
        for (size_t tensor = 0; tensor < m_nest.tensors.size(); ++tensor)
            if (movable(tensor)) found.push_back(tensor);
        return found;
    }

    /// With nothing taken; the dearest first.
    [[nodiscard]] std::vector<TensorLayouts> priceAll() const {
        const std::vector<LayoutCost> each = m_asItIs.perAccess();
        std::vector<TensorLayouts> all;
        for (const size_t tensor : movableTensors()) all.push_back(priceTensor(tensor, {}, each));
        std::stable_sort(all.begin(), all.end(),
                         [](const auto &a, const auto &b) { return a.cost.cycles > b.cost.cycles; });
        return all;
    }

    /// Tensors of which a layout may save enough, the dearest first: no more can be saved than the loops around their
    /// accesses cost.
    [[nodiscard]] std::vector<size_t> worthPricing(const std::vector<LayoutCost> &each) const {
        double all = 0;
        for (const LayoutCost &cost : each) all += cost.cycles;
        std::vector<std::pair<double, size_t>> found;
        for (const size_t tensor : movableTensors()) {
            double own = 0;
            for (const int a : accessesOf(tensor)) own += each[static_cast<size_t>(a)].cycles;
            double most = 0;
            const std::vector<bool> beside = accessesBeside(tensor);
            for (size_t a = 0; a < each.size(); ++a) most += beside[a] ? each[a].cycles : 0;
            if (most > m_options.minShare * all) found.emplace_back(own, tensor);
        }
        std::stable_sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
        std::vector<size_t> tensors;
        for (const auto &[own, tensor] : found) tensors.push_back(tensor);
        return tensors;
    }

    [[nodiscard]] size_t tensorNamed(const std::string &name) const {
        for (size_t tensor = 0; tensor < m_nest.tensors.size(); ++tensor)
            if (m_nest.tensors[tensor].tensor != nullptr && tensorText(*m_nest.tensors[tensor].tensor) == name)
                return tensor;
        return 0;
    }

    [[nodiscard]] Taken takenOf(const TensorLayouts &of, const PricedLayout &layout,
                                const std::vector<Taken> &taken) const {
        return priceLayout(tensorNamed(of.tensor), layout.layout, layout.readers, taken, costWith(taken).perAccess(),
                           of);
    }

    /// The layouts of this tensor that are worth it, cheapest first.
    [[nodiscard]] std::vector<Taken> payingOf(const TensorLayouts &of, const std::vector<Taken> &taken,
                                              size_t most) const {
        std::vector<Taken> found;
        for (const PricedLayout &layout : of.layouts)
            if (layout.pays && found.size() < most) found.push_back(takenOf(of, layout, taken));
        return found;
    }

    /// Those of the dearest tensor; of the next one where there is none. The others are not priced then.
    [[nodiscard]] std::vector<Taken> nextOf(const std::vector<Taken> &taken, size_t most) const {
        if (taken.empty()) {
            for (const TensorLayouts &of : m_first)
                if (auto found = payingOf(of, taken, most); !found.empty()) return found;
            return {};
        }
        const std::vector<LayoutCost> each = costWith(taken).perAccess();
        for (const size_t tensor : worthPricing(each))
            if (auto found = payingOf(priceTensor(tensor, taken, each), taken, most); !found.empty()) return found;
        return {};
    }

    [[nodiscard]] std::vector<Taken> searchGreedy() const {
        std::vector<Taken> taken;
        for (;;) {
            std::vector<Taken> next = nextOf(taken, 1);
            if (next.empty()) return taken;
            taken.push_back(std::move(next.front()));
        }
    }

    [[nodiscard]] double wholeCost(const std::vector<Taken> &taken) const {
        double cycles = priced(taken).cycles;
        for (const Taken &one : taken) cycles += one.priced.stage.cycles;
        return cycles;
    }

    /// What was taken on one way through the beam.
    struct BeamState {
        std::vector<Taken> taken;
        double cycles = 0;
        Simplicity simplicity = {};
    };

    [[nodiscard]] BeamState extended(const BeamState &state, Taken next) const {
        BeamState longer = state;
        const Simplicity more = simplicityOf(next.priced, tileSizesOf(m_nest, accessesOf(next.tensor)));
        longer.simplicity = {
            std::get<0>(state.simplicity) + std::get<0>(more), std::get<1>(state.simplicity) + std::get<1>(more),
            std::get<2>(state.simplicity) + std::get<2>(more), std::get<3>(state.simplicity) + std::get<3>(more)};
        longer.taken.push_back(std::move(next));
        longer.cycles = wholeCost(longer.taken);
        return longer;
    }

    /// Of the ways that nothing can be added to, the best; as in the greedy choice, the simplest of those that cost the
    /// same.
    [[nodiscard]] std::vector<Taken> searchBeam() const {
        const auto width = static_cast<size_t>(m_options.beam);
        const auto sort = [](std::vector<BeamState> &states) {
            sortByPreference(
                states, [](const BeamState &state) { return state.cycles; },
                [](const BeamState &state) { return state.simplicity; });
        };
        std::vector<BeamState> beam = {{.taken = {}, .cycles = wholeCost({}), .simplicity = {}}};
        std::vector<BeamState> ended;
        while (!beam.empty()) {
            std::vector<BeamState> longer;
            for (const BeamState &state : beam) {
                std::vector<Taken> next = nextOf(state.taken, width);
                if (next.empty()) ended.push_back(state);
                for (Taken &one : next) longer.push_back(extended(state, std::move(one)));
            }
            sort(longer);
            if (longer.size() > width) longer.resize(width);
            beam = std::move(longer);
        }
        sort(ended);
        return ended.front().taken;
    }

    void tellChoice(LayoutChoice &choice, const std::vector<Taken> &taken) const {
        for (TensorLayouts &of : choice.tensors) {
            const size_t number = tensorNamed(of.tensor);
            for (const Taken &one : taken) {
                if (one.tensor != number) continue;
                for (size_t i = 0; i < of.layouts.size(); ++i)
                    if (of.layouts[i].layout == one.priced.layout && of.layouts[i].readers == one.priced.readers)
                        of.taken.push_back(i);
                of.why += (of.why.empty() ? "" : "; ") + whyTaken(one, of);
            }
            if (of.why.empty()) of.why = whyNot(of);
        }
    }

    [[nodiscard]] static std::string whyTaken(const Taken &one, const TensorLayouts &of) {
        const std::string layout =
            one.priced.layout.text(of.axisNames) +
            (one.priced.readers.empty() ? "" : fmt::format(" for {}", fmt::join(one.priced.readers, ", ")));
        const std::string way = fmt::format("{} by {}", layout, laidOutByText(one.priced.by));
        if (one.priced.by != LaidOutBy::CopyStage)
            return fmt::format("{} saves {} cycles and costs no call anything", way, cyclesText(one.priced.saving));
        return fmt::format("{} saves {} cycles, and the copy costs {}", way, cyclesText(one.priced.saving),
                           cyclesText(one.priced.stage.cycles));
    }

    [[nodiscard]] std::string whyNot(const TensorLayouts &of) const {
        if (of.layouts.empty()) return "no layout is to be tried";
        const PricedLayout &best = of.layouts.front();
        if (best.saving <= 0) return "the loops read it in the order it lies in; no layout is cheaper";
        if (best.by == LaidOutBy::CopyStage && of.fetches <= 1.5)
            return "each element is fetched about once: a stage that copies it would walk it as its reader does; tile "
                   "the loops instead";
        return fmt::format("the best, {}, saves {} cycles; bringing it into it costs {}, and a layout must "
                           "save {:.3g} times that and {:.3g} % of all",
                           best.layout.text(of.axisNames), cyclesText(best.saving), cyclesText(best.stage.cycles),
                           m_options.gain, 100 * m_options.minShare);
    }

    const ComputeDag &m_dag;
    const AccessNest m_nest;
    const LayoutChoiceOptions &m_options;
    const NestCost m_asItIs = NestCost(m_nest, m_options.model);
    /// By access: it is of a stage that copies the tensor into a layout of its own, and wants no other.
    std::vector<bool> m_byCopy;
    std::vector<TensorLayouts> m_first; // with nothing taken
};

} // namespace

Outcome<LayoutChoice> chooseLayouts(const LoopState &state, const LayoutChoiceOptions &options) {
    auto nest = accessNestOf(state);
    if (!nest) return nest.refusal();
    return Chooser(*state.dag(), std::move(nest).value(), options).choose();
}

Outcome<ChosenWorkload> applyLayouts(const ComputeDag &dag, const std::vector<LayoutRequest> &requests) {
    ChosenWorkload chosen;
    chosen.text = printWorkload(dag.name(), dag.ops(), dag.args());
    chosen.workload = parseWorkload(chosen.text, {});
    for (const LayoutRequest &request : requests) {
        auto rewritten = rewriteForLayout(*ComputeDag::fromWorkload(chosen.workload), request);
        if (!rewritten) return rewritten.refusal();
        chosen.workload = std::move(rewritten->workload);
        chosen.text = std::move(rewritten->text);
        if (rewritten->prepack) chosen.prepacks.push_back(std::move(*rewritten->prepack));
    }
    return chosen;
}

} // namespace loopscope
