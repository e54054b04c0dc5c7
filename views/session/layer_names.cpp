#include "views/session/layer_names.h"

#include "views/session/network_contents.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace loopscope {

namespace {

constexpr std::string_view kPartEnds = "/.";
constexpr std::string_view kWordEnds = "/._";

bool hasParts(std::string_view name) { return name.find_first_of(kPartEnds) != std::string_view::npos; }

/// "fire2/squeeze1x1" of "fire2/squeeze1x1_w_0": without what tells the weights of one layer apart. A number goes with
/// the word before it alone: "res2_0" keeps its own.
std::string_view withoutRole(std::string_view weights) {
    constexpr std::array<std::string_view, 14> kRoles{"w",    "b",   "weight", "bias", "bn",      "s",     "scale",
                                                      "mean", "var", "riv",    "rm",   "running", "gamma", "beta"};
    const auto cut = [](std::string_view name, std::string_view &last) {
        const size_t at = name.find_last_of(kWordEnds);
        if (at == std::string_view::npos || at == 0) return false;
        last = name.substr(at + 1);
        return true;
    };
    std::string_view last;
    std::string_view name = weights;
    if (cut(name, last) && (last == "0" || last == "1")) name.remove_suffix(last.size() + 1);
    bool found = false;
    while (cut(name, last) && std::ranges::find(kRoles, last) != kRoles.end()) {
        name.remove_suffix(last.size() + 1);
        found = true;
    }
    return found ? name : weights;
}

/// That a node stands in by what it reads; empty: nothing says so.
std::string layerOfInputs(const GraphFunction &function, const Node &node, const std::vector<std::string> &layers) {
    for (const ValueId input : node.inputs)
        if (const HostTensor *constant = function.constant(input); constant != nullptr && constant->elements() > 1)
            return std::string(withoutRole(function.value(input).name));
    int latest = -1;
    for (const ValueId input : node.inputs)
        if (input.value >= 0) latest = std::max(latest, function.value(input).producer.value);
    return latest >= 0 ? layers[static_cast<size_t>(latest)] : std::string();
}

} // namespace

std::map<std::string, std::string> layerNames(const GraphFunction &asInFile) {
    std::map<std::string, std::string> names;
    bool told = false; // by names of nodes
    for (size_t i = 0; i < asInFile.nodeCount(); ++i)
        told = told || std::ranges::any_of(sourcesOf(asInFile.node(NodeId(i))), hasParts);
    std::vector<std::string> layers; // by node
    for (size_t i = 0; i < asInFile.nodeCount(); ++i) {
        const Node &node = asInFile.node(NodeId(i));
        std::string layer = told ? std::string() : layerOfInputs(asInFile, node, layers);
        for (const std::string &source : sourcesOf(node))
            names.try_emplace(source, layer.empty() || layer == source ? source : layer + "/" + source);
        layers.push_back(std::move(layer));
    }
    return names;
}

} // namespace loopscope
