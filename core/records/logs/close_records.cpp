#include "records/logs/close_records.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace loopscope {

double noiseOf(const LogRow &row) {
    if (row.repeats < 2) return kMinScatter;
    const auto spread = static_cast<double>(row.spread);
    return row.unstable ? std::max(spread, kMinScatter) : spread;
}

CloseToBest closeToBest(const LogDocument &log, std::span<const uint32_t> records) {
    CloseToBest found;
    const auto faster = [&](uint32_t a, uint32_t b) {
        if (log.row(a).isBetterThan(log.row(b))) return true;
        return !log.row(b).isBetterThan(log.row(a)) && a < b;
    };
    std::unordered_map<uint64_t, uint32_t> fastest; // of each list of steps
    for (const uint32_t record : records) {
        const LogRow &row = log.row(record);
        if (row.failed() || !std::isfinite(row.seconds)) continue; // the executor's records have no times
        const auto [known, fresh] = fastest.try_emplace(row.steps, record);
        if (!fresh && faster(record, known->second)) known->second = record;
        if (found.best == UINT32_MAX || faster(record, found.best)) found.best = record;
    }
    if (found.best == UINT32_MAX) return found;
    const LogRow &best = log.row(found.best);
    found.others = fastest.size() - 1;
    for (const auto &[steps, record] : fastest) {
        if (record == found.best) continue;
        const LogRow &row = log.row(record);
        if (row.ofNetwork != best.ofNetwork) continue; // their times do not compare
        const CloseRecord one{record, best.seconds > 0 ? row.seconds / best.seconds - 1 : 0,
                              std::max(noiseOf(best), noiseOf(row))};
        if (one.behind <= one.noise) found.close.push_back(one);
        if (found.second.noise == 0 || faster(record, found.second.record)) found.second = one;
    }
    std::sort(found.close.begin(), found.close.end(),
              [&](const CloseRecord &a, const CloseRecord &b) { return faster(a.record, b.record); });
    found.guessed = best.repeats < 2 || std::any_of(
                                            found.close.begin(), found.close.end(),
                                            [&](const CloseRecord &one) { return log.row(one.record).repeats < 2; });
    return found;
}

std::vector<CloseToBest> closeToBest(const LogDocument &log) {
    std::vector<std::vector<uint32_t>> records(log.tasks().size());
    for (size_t first = 0; first < log.size();) {
        const std::span<const LogRow> rows = log.rowsFrom(first);
        for (size_t i = 0; i < rows.size(); ++i) records[rows[i].task].push_back(static_cast<uint32_t>(first + i));
        first += rows.size();
    }
    std::vector<CloseToBest> found;
    found.reserve(records.size());
    for (const std::vector<uint32_t> &ofTask : records) found.push_back(closeToBest(log, ofTask));
    return found;
}

} // namespace loopscope
