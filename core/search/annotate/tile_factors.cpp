#include "search/annotate/tile_factors.h"

#include <algorithm>
#include <map>
#include <utility>

namespace loopscope {

namespace {

/// Divisors per extent, and how many tuples of a length have a product that divides it: small tables, one per thread.
struct FactorTables {
    std::map<int64_t, std::vector<int64_t>> divisorsOf;
    std::map<std::pair<int64_t, size_t>, std::pair<int64_t, double>> tuples; // (extent, count) -> (limit, tuples)

    const std::vector<int64_t> &of(int64_t n) {
        auto &list = divisorsOf[n];
        if (list.empty()) {
            for (int64_t d = 1; d * d <= n; ++d)
                if (n % d == 0) {
                    list.push_back(d);
                    if (d * d != n) list.push_back(n / d);
                }
            std::sort(list.begin(), list.end());
        }
        return list;
    }

    /// Number of tuples (l1..ln) whose product divides `extent` with ln <= limit.
    double count(int64_t extent, size_t n, int64_t limit) {
        if (n == 0) return 1;
        const auto known = tuples.find({extent, n});
        if (known != tuples.end() && known->second.first == limit) return known->second.second;
        double total = 0;
        if (n == 1) {
            for (const int64_t d : of(extent))
                if (d <= limit) ++total;
        } else {
            const std::vector<int64_t> list = of(extent);
            for (const int64_t d : list) total += count(extent / d, n - 1, limit);
        }
        tuples[{extent, n}] = {limit, total};
        return total;
    }
};

FactorTables &tables() {
    static thread_local FactorTables instance;
    return instance;
}

std::vector<int64_t> drawDividing(int64_t extent, size_t count, int64_t limit, Random &random) {
    FactorTables &table = tables();
    std::vector<int64_t> lengths;
    int64_t left = extent;
    for (size_t i = 0; i < count; ++i) {
        // Weighting each factor by the tuples that follow it makes whole tuples equally likely.
        const size_t after = count - i - 1;
        double ticket = random.uniform() * table.count(left, count - i, limit);
        int64_t chosen = 1;
        for (const int64_t d : std::vector<int64_t>(table.of(left))) {
            if (after == 0 && d > limit) break;
            chosen = d;
            ticket -= after == 0 ? 1 : table.count(left / d, after, limit);
            if (ticket < 0) break;
        }
        lengths.push_back(chosen);
        left /= chosen;
    }
    return lengths;
}

constexpr int64_t kRound[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

/// Lengths from a list of round numbers; the product of all is kept within a quarter of waste.
std::vector<int64_t> drawGuarded(int64_t extent, size_t count, int64_t limit, Random &random) {
    for (int attempt = 0; attempt < 16; ++attempt) {
        std::vector<int64_t> lengths(count);
        int64_t product = 1;
        for (size_t i = count; i > 0; --i) {
            const int64_t length = kRound[random.index(std::size(kRound))];
            lengths[i - 1] = i == count ? std::min(length, limit) : length;
            product *= lengths[i - 1];
        }
        const int64_t covered = (extent + product - 1) / product * product;
        if (product <= extent && (covered - extent) * 4 <= extent) return lengths;
    }
    return std::vector<int64_t>(count, 1);
}

/// Lengths of the places left open in `lengths`, such that the outermost loop has `outer` iterations (0: as many as it
/// takes), where no tuple divides.
void drawGuardedAround(int64_t extent, int64_t outer, const std::vector<size_t> &open, std::vector<int64_t> &lengths,
                       int64_t limit, Random &random) {
    for (int attempt = 0; attempt < 32; ++attempt) {
        for (const size_t at : open) {
            const int64_t length = kRound[random.index(std::size(kRound))];
            lengths[at] = at + 1 == lengths.size() ? std::min(length, limit) : length;
        }
        int64_t product = 1;
        for (const int64_t length : lengths) product *= length;
        if (outer > 0) { // the first open one makes up for what the others leave
            const int64_t others = product / lengths[open.front()];
            const int64_t needed = (extent + outer - 1) / outer;
            lengths[open.front()] = std::max<int64_t>(1, (needed + others - 1) / others);
            product = others * lengths[open.front()];
        }
        const int64_t made = (extent + product - 1) / product;
        if (outer > 0 ? made == outer : product <= extent && (made * product - extent) * 4 <= extent) return;
    }
    for (const size_t at : open) lengths[at] = 1;
}

} // namespace

std::vector<int64_t> drawTileLengthsAround(int64_t extent, const std::vector<int64_t> &decided,
                                           const TileLimits &limits, Random &random) {
    std::vector<int64_t> lengths(decided.begin() + 1, decided.end());
    const int64_t outer = decided.front();
    std::vector<size_t> open;
    int64_t fixed = std::max<int64_t>(outer, 1);
    for (size_t i = 0; i < lengths.size(); ++i) {
        if (lengths[i] == 0) open.push_back(i);
        fixed *= std::max<int64_t>(lengths[i], 1);
    }
    if (open.size() == lengths.size() && outer == 0) return drawTileLengths(extent, lengths.size(), limits, random);
    if (open.empty()) return lengths;
    const bool exact = extent % fixed == 0;
    const bool guard = limits.guarded && !tilesExactly(extent, limits) && random.below(2) == 0;
    if (!exact || guard) {
        drawGuardedAround(extent, outer, open, lengths, limits.maxInnermost, random);
        return lengths;
    }
    // With the outermost decided, the first open one takes what the others leave.
    const int64_t rest = extent / fixed;
    const size_t drawn = outer > 0 ? open.size() - 1 : open.size();
    const int64_t limit = open.back() + 1 == lengths.size() ? limits.maxInnermost : rest;
    const auto factors = drawDividing(rest, drawn, limit, random);
    int64_t left = rest;
    for (size_t i = 0; i < drawn; ++i) {
        lengths[open[open.size() - drawn + i]] = factors[i];
        left /= factors[i];
    }
    if (outer > 0) lengths[open.front()] = left;
    return lengths;
}

std::vector<int64_t> divisors(int64_t n) { return tables().of(n); }

bool tilesExactly(int64_t extent, const TileLimits &limits) {
    if (extent <= limits.maxInnermost / 4) return true;
    const auto &list = tables().of(extent);
    const int64_t most = std::min(limits.maxInnermost, extent / 2);
    return std::any_of(list.begin(), list.end(), [&](int64_t d) { return d >= 3 && d <= most; });
}

std::vector<int64_t> drawTileLengths(int64_t extent, size_t count, const TileLimits &limits, Random &random) {
    if (limits.guarded && !tilesExactly(extent, limits)) {
        // A short prime loop may also well stay whole.
        const bool whole = extent <= limits.maxInnermost && random.below(2) == 0;
        if (!whole) return drawGuarded(extent, count, limits.maxInnermost, random);
    }
    return drawDividing(extent, count, limits.maxInnermost, random);
}

} // namespace loopscope
