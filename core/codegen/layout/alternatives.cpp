#include "codegen/layout/alternatives.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <tuple>
#include <utility>

namespace loopscope {

namespace {

using Proposal = std::pair<std::vector<LayoutRequest>, double>; // with its share of the cost

const TensorLayouts *tensorOf(const LayoutChoice &choice, const std::string &name) {
    const auto found =
        std::find_if(choice.tensors.begin(), choice.tensors.end(), [&](const auto &of) { return of.tensor == name; });
    return found == choice.tensors.end() ? nullptr : &*found;
}

/// Those of one choice, the best first.
std::vector<Proposal> proposalsOf(const LayoutChoice &choice) {
    std::vector<Proposal> proposals;
    const double before = choice.before.cycles;
    if (!choice.requests.empty()) proposals.emplace_back(choice.requests, choice.after.cycles / before);
    size_t longest = 0;
    for (const TensorLayouts &of : choice.tensors) longest = std::max(longest, of.layouts.size());
    for (size_t rank = 0; rank < longest; ++rank)
        for (const TensorLayouts &of : choice.tensors) {
            if (rank >= of.layouts.size() || !of.layouts[rank].pays) continue;
            const PricedLayout &one = of.layouts[rank];
            proposals.emplace_back(
                std::vector<LayoutRequest>{{.tensor = of.tensor, .layout = one.layout, .readers = one.readers}},
                (one.cost.cycles + one.stage.cycles) / before);
        }
    return proposals;
}

std::string proposalText(const LayoutChoice &choice, const std::vector<LayoutRequest> &requests) {
    std::vector<std::string> texts;
    for (const LayoutRequest &request : requests) {
        const TensorLayouts *of = tensorOf(choice, request.tensor);
        texts.push_back(
            fmt::format("{} {}", request.tensor, request.layout.text(of ? of->axisNames : std::vector<std::string>())));
        if (!request.readers.empty()) texts.back() += fmt::format(" for {}", fmt::join(request.readers, " and "));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// What block lengths and lengths of padding make no difference to. A few layouts that differ in these alone would try
/// one thing several times.
using LayoutForm = std::vector<std::tuple<std::string, std::vector<std::string>, int, bool, bool>>;

LayoutForm formOf(const std::vector<LayoutRequest> &requests) {
    LayoutForm form;
    for (const LayoutRequest &request : requests)
        for (const LayoutPiece &piece : request.layout.pieces())
            form.emplace_back(request.tensor, request.readers, piece.axis, piece.step > 1, piece.padding > 0);
    return form;
}

/// Where a proposal stands: of which choice, and its place there.
struct ProposalPlace {
    size_t choice = 0;
    size_t rank = 0;
};

/// The best of all choices first; those of a form that was there already behind all others.
std::vector<ProposalPlace> inOrder(const std::vector<std::vector<Proposal>> &proposals) {
    size_t longest = 0;
    for (const auto &mine : proposals) longest = std::max(longest, mine.size());
    std::set<LayoutForm> forms;
    std::vector<ProposalPlace> first;
    std::vector<ProposalPlace> later;
    for (size_t rank = 0; rank < longest; ++rank)
        for (size_t c = 0; c < proposals.size(); ++c)
            if (rank < proposals[c].size())
                (forms.insert(formOf(proposals[c][rank].first)).second ? first : later).push_back({c, rank});
    first.insert(first.end(), later.begin(), later.end());
    return first;
}

} // namespace

Outcome<std::vector<LayoutAlternative>> layoutAlternatives(const ComputeDag &dag,
                                                           const std::vector<LayoutChoice> &choices, size_t most) {
    std::vector<std::vector<Proposal>> proposals;
    for (const LayoutChoice &choice : choices) proposals.push_back(proposalsOf(choice));
    std::set<std::string> known = {dag.key()};
    std::vector<LayoutAlternative> found;
    for (const auto &[choice, rank] : inOrder(proposals)) {
        if (found.size() == most) break;
        const auto &[requests, share] = proposals[choice][rank];
        auto rewritten = applyLayouts(dag, requests);
        if (!rewritten) return rewritten.refusal();
        if (!known.insert(ComputeDag::fromWorkload(rewritten->workload)->key()).second) continue;
        found.push_back({.requests = requests,
                         .text = proposalText(choices[choice], requests),
                         .costShare = share,
                         .loops = choice,
                         .rewritten = std::move(rewritten).value()});
    }
    return found;
}

} // namespace loopscope
