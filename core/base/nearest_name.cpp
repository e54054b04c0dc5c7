#include "base/nearest_name.h"

#include <algorithm>
#include <cctype>

namespace loopscope {

namespace {

/// Damerau-Levenshtein distance (a swap of neighbours is one mistake), letters compared without case.
size_t editDistance(std::string_view a, std::string_view b) {
    const auto same = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    };
    std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
    for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        for (size_t j = 1; j <= b.size(); ++j) {
            cost[i][j] = std::min(
                {cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

} // namespace

std::string nearestName(std::string_view name, const std::vector<std::string> &candidates) {
    constexpr size_t longest = 64; // the table is quadratic in the length
    if (name.size() > longest) return {};
    const size_t allowed = name.size() <= 2 ? 1 : std::max<size_t>(2, name.size() / 3);
    std::string best;
    size_t bestDistance = allowed + 1;
    for (const std::string &candidate : candidates) {
        if (candidate.size() > longest || candidate == name) continue;
        const size_t distance = editDistance(name, candidate);
        if (distance < bestDistance && distance < std::max(name.size(), candidate.size())) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string> &candidates) {
    const std::string nearest = nearestName(name, candidates);
    return nearest.empty() ? nearest : " (did you mean `" + nearest + "`?)";
}

} // namespace loopscope
