// Decisions about layouts as text and as JSON.

#include "deploy/network/layout_choice.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

std::string costText(double cost, const std::string &unit) {
    return unit == "s" ? fmt::format("{:.4g} ms", 1e3 * cost) : fmt::format("{:.4g} cycles", cost);
}

} // namespace

std::string NetworkLayouts::text() const {
    std::string text;
    for (const LayoutDecision &decision : decisions) {
        text += fmt::format("{} '{}' ({}): {}, {}\n", decision.op, decision.node, layoutRoleName(decision.role),
                            dataLayoutName(decision.chosen), decision.because);
        if (!decision.with.empty()) continue;
        for (const LayoutOffer &offer : decision.offers)
            text += fmt::format("    {}: {} ({}{}), transforms {}\n", dataLayoutName(offer.layout),
                                costText(offer.kernel.cost, unit), offer.kernel.source,
                                offer.kernel.kernel.empty() ? "" : ", " + offer.kernel.kernel,
                                costText(offer.transforms, unit));
    }
    for (const LayoutTransform &transform : transforms)
        text += fmt::format("'{}' is brought to {}: {} ({})\n", transform.value, dataLayoutName(transform.to),
                            costText(transform.cost, unit), transform.source);
    return text + summary + "\n";
}

Json NetworkLayouts::json() const {
    Json nodes = Json::array();
    for (const LayoutDecision &decision : decisions) {
        Json offers = Json::array();
        for (const LayoutOffer &offer : decision.offers)
            offers.push_back({{"layout", dataLayoutName(offer.layout)},
                              {"cost", offer.kernel.cost},
                              {"source", offer.kernel.source},
                              {"kernel", offer.kernel.kernel},
                              {"transforms", offer.transforms}});
        nodes.push_back({{"node", decision.node},
                         {"operator", decision.op},
                         {"role", layoutRoleName(decision.role)},
                         {"layouts", std::move(offers)},
                         {"kernel_of", decision.with.empty() ? Json(nullptr) : Json(decision.with)},
                         {"chosen", dataLayoutName(decision.chosen)},
                         {"because", decision.because}});
    }
    Json moved = Json::array();
    for (const LayoutTransform &transform : transforms)
        moved.push_back({{"value", transform.value},
                         {"to", dataLayoutName(transform.to)},
                         {"cost", transform.cost},
                         {"source", transform.source}});
    const auto known = [&](double cost) { return priced ? Json(cost) : Json(nullptr); };
    return {{"nodes", std::move(nodes)},
            {"transforms", std::move(moved)},
            {"unit", priced ? Json(unit) : Json(nullptr)},
            {"cost", known(cost)},
            {"cost_channels_first", known(first)},
            {"cost_channels_last", known(last)},
            {"heuristic", heuristic},
            {"summary", summary}};
}

} // namespace loopscope
