#include "workbench/measure_again.h"

#include "search/naive_schedule.h"
#include "workbench/tuning_run.h"

#include <algorithm>

namespace loopscope {

namespace {

void compareInTurn(const AgainOrder &order, double naiveSeconds, Measurer &measurer, const MeasureWatch &watch,
                   AgainResult &result) {
    std::vector<Steps> candidates;
    std::vector<size_t> places; // of the candidates in the order
    for (size_t i = 0; i < order.candidates.size(); ++i) {
        if (!result.measured[i].valid()) continue;
        candidates.push_back(order.candidates[i]);
        places.push_back(i);
    }
    if (naiveTakesPart(naiveSeconds)) candidates.push_back(naiveSteps(order.task));
    if (candidates.size() < 2) return;
    const auto samples = measurer.measureInterleaved(candidates, kComparingRounds, watch);
    for (size_t i = 0; i < samples.size(); ++i) {
        const TimeInterval time = quartileInterval(samples[i].seconds, samples[i].least);
        if (!time.known()) continue;
        const bool naive = i >= places.size();
        result.compared.push_back({naive ? -1 : order.numbers[places[i]], time});
        if (!naive) result.measured[places[i]].seconds = samples[i].seconds;
    }
}

void writeAgain(const AgainOrder &order, const AgainResult &result, TrialLog &log) {
    for (const Trial &trial : result.measured) log.append(order.task, trial);
    const ComparedTime *winner = nullptr;
    for (const ComparedTime &entry : result.compared)
        if (entry.trial >= 0 && (winner == nullptr || entry.time.seconds < winner->time.seconds)) winner = &entry;
    if (!order.decides || winner == nullptr) return;
    log.verdict(result.compared, winner->trial, winner->time, [&](int trial) {
        const auto at = std::ranges::find(order.numbers, trial) - order.numbers.begin();
        return recordName(makeRecord(order.task, result.measured[static_cast<size_t>(at)]));
    });
}

} // namespace

AgainResult measureAgain(const AgainOrder &order, Measurer &measurer, TrialLog &log, const MeasureWatch &watch,
                         const std::function<void(double share)> &progress) {
    constexpr double kAlone = 0.6; // of the time, more or less; the comparison takes the rest
    AgainResult result;
    result.measured.resize(order.candidates.size());
    size_t done = 0;
    measurer.measure(
        order.candidates,
        [&](size_t index, const Trial &trial) {
            result.measured[index] = trial;
            progress(static_cast<double>(++done) / static_cast<double>(order.candidates.size()) * kAlone);
        },
        watch);
    double naiveSeconds = order.naiveSeconds;
    if (naiveSeconds < 0 && !watch.cancelled())
        if (const Trial naive = measureNaive(measurer, order.task, watch); naive.valid()) naiveSeconds = naive.cost();
    if (watch.cancelled()) return result;
    compareInTurn(order, naiveSeconds, measurer, watch, result);
    if (!watch.cancelled()) writeAgain(order, result, log);
    return result;
}

} // namespace loopscope
