#include "deploy/dispatch/size_guard.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

bool SizeGuard::holds(int64_t size) const {
    return size >= least && size <= most && std::ranges::binary_search(rests, size % modulus);
}

std::string SizeGuard::text(const std::string &symbol) const {
    std::string text = least == most ? fmt::format("{} = {}", symbol, least)
                       : least <= 1  ? fmt::format("{} <= {}", symbol, most)
                                     : fmt::format("{} <= {} <= {}", least, symbol, most);
    if (modulus == 1 || least == most) return text;
    text += fmt::format(" and {} mod {} is ", symbol, modulus);
    for (size_t i = 0; i < rests.size();) {
        size_t last = i;
        while (last + 1 < rests.size() && rests[last + 1] == rests[last] + 1) ++last;
        text += fmt::format("{}{}", i == 0 ? "" : ", ", rests[i]);
        if (last > i) text += fmt::format("..{}", rests[last]);
        i = last + 1;
    }
    return text;
}

size_t SizeGuard::runs() const {
    size_t count = 0;
    for (size_t i = 0; i < rests.size(); ++i) count += i == 0 || rests[i] != rests[i - 1] + 1 ? 1 : 0;
    return count;
}

bool SizeGuard::disjointWith(const SizeGuard &other) const {
    for (int64_t size = std::max(least, other.least); size <= std::min(most, other.most); ++size)
        if (holds(size) && other.holds(size)) return false;
    return true;
}

SizeGuard guardFor(int64_t least, int64_t most, const std::vector<bool> &allowed, const std::vector<bool> &wanted) {
    SizeGuard best = {least, most, 1, {}};
    int64_t bestCover = 0;
    constexpr size_t kMaxRuns = 4; // what is longer nobody reads
    for (int64_t modulus = 1; modulus <= 128; modulus = modulus < 64 ? modulus + 1 : 2 * modulus) {
        SizeGuard guard = {least, most, modulus, {}};
        int64_t cover = 0;
        for (int64_t rest = 0; rest < modulus; ++rest) {
            const int64_t first = least + (rest - least % modulus + modulus) % modulus;
            int64_t covered = 0;
            bool all = first <= most;
            for (int64_t size = first; size <= most && all; size += modulus) {
                all = allowed[static_cast<size_t>(size - 1)];
                covered += wanted[static_cast<size_t>(size - 1)] ? 1 : 0;
            }
            if (!all || covered == 0) continue;
            guard.rests.push_back(rest);
            cover += covered;
        }
        if (cover <= bestCover || guard.runs() > kMaxRuns) continue;
        bestCover = cover;
        best = std::move(guard);
    }
    if (bestCover != 1) return best;
    int64_t only = least; // the one size is said as such
    while (only <= most && !best.holds(only)) ++only;
    int64_t next = only + 1;
    while (next <= most && !best.holds(next)) ++next;
    return next > most ? SizeGuard{only, only, 1, {0}} : best;
}

} // namespace loopscope
