#include "search/cost/warp_access.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kSectorBytes = 32;
constexpr int kBankBytes = 4;
constexpr int kBanks = 32;
constexpr int kBytesAtOnce = kBanks * kBankBytes;
constexpr int32_t kFarApart = 4099; // elements between what lanes read at places that memory tells

Lanes uniform(int32_t value) {
    Lanes lanes;
    lanes.fill(value);
    return lanes;
}

int32_t floorDiv(int32_t a, int32_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

template <typename Combine> Lanes combined(const Lanes &a, const Lanes &b, Combine &&combine) {
    Lanes lanes{};
    for (size_t i = 0; i < kLanes; ++i) lanes[i] = combine(a[i], b[i]);
    return lanes;
}

Lanes divided(const Lanes &a, const Lanes &b, bool remainder) {
    // Divisors are nearly always one constant.
    return combined(a, b, [=](int32_t x, int32_t y) {
        if (y == 0) return 0;
        const int32_t quotient = floorDiv(x, y);
        return remainder ? x - quotient * y : quotient;
    });
}

int32_t wrapped(int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(value))); }

} // namespace

Lanes laneValues(Expr e, std::span<const LaneVar> vars) {
    switch (e->kind) {
    case ExprKind::IntImm:
        return uniform(wrapped(e->intValue));
    case ExprKind::Var: {
        const auto found = std::find_if(vars.begin(), vars.end(), [&](const LaneVar &v) { return v.var == e.node(); });
        return found == vars.end() ? uniform(0) : found->values;
    }
    case ExprKind::Cast:
        return laneValues(e->arg(0), vars);
    case ExprKind::Add:
        return combined(laneValues(e->arg(0), vars), laneValues(e->arg(1), vars),
                        [](int64_t a, int64_t b) { return wrapped(a + b); });
    case ExprKind::Sub:
        return combined(laneValues(e->arg(0), vars), laneValues(e->arg(1), vars),
                        [](int64_t a, int64_t b) { return wrapped(a - b); });
    case ExprKind::Mul:
        return combined(laneValues(e->arg(0), vars), laneValues(e->arg(1), vars),
                        [](int64_t a, int64_t b) { return wrapped(a * b); });
    case ExprKind::Div:
    case ExprKind::FloorDiv:
        return divided(laneValues(e->arg(0), vars), laneValues(e->arg(1), vars), false);
    case ExprKind::Mod:
    case ExprKind::FloorMod:
        return divided(laneValues(e->arg(0), vars), laneValues(e->arg(1), vars), true);
    case ExprKind::Min:
        return combined(laneValues(e->arg(0), vars), laneValues(e->arg(1), vars),
                        [](int32_t a, int32_t b) { return std::min(a, b); });
    case ExprKind::Max:
        return combined(laneValues(e->arg(0), vars), laneValues(e->arg(1), vars),
                        [](int32_t a, int32_t b) { return std::max(a, b); });
    default: {
        Lanes lanes{};
        for (size_t i = 0; i < kLanes; ++i) lanes[i] = static_cast<int32_t>(i) * kFarApart;
        return lanes;
    }
    }
}

Lanes laneOffsets(const Buffer &buffer, std::span<const Expr> indices, std::span<const LaneVar> vars) {
    // As it will be stored: intermediates shrink to the region that exists at a time.
    const auto &shape = buffer.regionExtent.empty() ? buffer.shape : buffer.regionExtent;
    Lanes offsets = uniform(0);
    int64_t stride = 1;
    for (size_t d = indices.size(); d > 0; --d) {
        const Lanes index = laneValues(indices[d - 1], vars);
        for (size_t i = 0; i < kLanes; ++i) offsets[i] = wrapped(offsets[i] + index[i] * stride);
        stride *= d - 1 < shape.size() ? shape[d - 1] : 1;
    }
    return offsets;
}

int sectorsTouched(const Lanes &offsets, int elementBytes, int bytes, int active) {
    std::array<int64_t, kLanes * 4> sectors{};
    size_t count = 0;
    for (size_t lane = 0; lane < static_cast<size_t>(active); ++lane) {
        const int64_t first = int64_t{offsets[lane]} * elementBytes;
        for (int64_t at = first / kSectorBytes; at <= (first + bytes - 1) / kSectorBytes; ++at)
            if (count < sectors.size() && (count == 0 || sectors[count - 1] != at)) sectors[count++] = at;
    }
    std::sort(sectors.begin(), sectors.begin() + static_cast<ptrdiff_t>(count));
    const auto end = std::unique(sectors.begin(), sectors.begin() + static_cast<ptrdiff_t>(count));
    return std::max(1, static_cast<int>(end - sectors.begin()));
}

int bankRounds(const Lanes &offsets, int elementBytes, int bytes, int active) {
    // Wide accesses are served for a part of the warp at a time.
    const int together = std::clamp(kBytesAtOnce / std::max(bytes, kBankBytes), 1, static_cast<int>(kLanes));
    const int words = std::max(1, bytes / kBankBytes);
    int rounds = 0;
    for (int from = 0; from < active; from += together) {
        std::array<std::array<int64_t, kLanes>, kBanks> asked{};
        std::array<int, kBanks> count{};
        int most = 1;
        for (int lane = from; lane < std::min(active, from + together); ++lane) {
            const int64_t first = int64_t{offsets[static_cast<size_t>(lane)]} * elementBytes / kBankBytes;
            for (int word = 0; word < words; ++word) {
                const int64_t address = first + word;
                const auto bank = static_cast<size_t>(((address % kBanks) + kBanks) % kBanks);
                auto &of = asked[bank];
                const auto end = of.begin() + count[bank];
                if (std::find(of.begin(), end, address) != end || count[bank] == static_cast<int>(kLanes)) continue;
                of[static_cast<size_t>(count[bank]++)] = address;
                most = std::max(most, count[bank]);
            }
        }
        rounds += most;
    }
    return std::max(1, rounds);
}

} // namespace loopscope
