#include "views/search_progress/round_scores.h"

#include "search/cost/cost_model.h"
#include "views/session/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace loopscope {

std::vector<PredictedTrial> predictedTrials(const std::vector<TrialEntry> &trials) {
    double best = std::numeric_limits<double>::infinity();
    for (const auto &entry : trials) best = std::min(best, entry.seconds());
    std::vector<PredictedTrial> points;
    for (size_t i = 0; i < trials.size(); ++i) {
        const auto &entry = trials[i];
        if (!std::isfinite(entry.predicted) || entry.untimed()) continue; // there is nothing to compare with
        const double seconds = entry.seconds();
        const bool failed = !std::isfinite(seconds) || seconds <= 0;
        points.push_back({static_cast<int>(i), entry.round, entry.predicted, failed ? 0 : best / seconds, failed});
    }
    return points;
}

std::vector<RankQuality> rankQuality(const std::vector<TrialEntry> &trials) {
    struct Round {
        std::vector<float> scores;
        std::vector<double> seconds;
    };
    std::map<int, Round> rounds;
    for (const auto &entry : trials) {
        if (!std::isfinite(entry.predicted) || !std::isfinite(entry.seconds())) continue;
        rounds[entry.round].scores.push_back(entry.predicted);
        rounds[entry.round].seconds.push_back(entry.seconds());
    }
    std::vector<RankQuality> list;
    for (const auto &[number, round] : rounds)
        list.push_back({number, static_cast<int>(round.scores.size()), pairsRankedRight(round.scores, round.seconds)});
    return list;
}

QString generationTable(const std::vector<RoundInfo> &rounds) {
    QString text = QStringLiteral("round,generation,population,invalid,best,median\n");
    for (const auto &round : rounds)
        for (const auto &generation : round.generations)
            text += QStringLiteral("%1,%2,%3,%4,%5,%6\n")
                        .arg(round.round)
                        .arg(generation.generation)
                        .arg(generation.population)
                        .arg(generation.invalid)
                        .arg(generation.best)
                        .arg(generation.median);
    return text;
}

namespace {

using ReasonCounts = std::vector<std::pair<std::string, int>>;

void appendReasons(QStringList &lines, const QString &title, ReasonCounts reasons) {
    if (reasons.empty()) return;
    lines << title;
    std::stable_sort(reasons.begin(), reasons.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    constexpr size_t kMost = 12; // what a tooltip holds
    for (size_t i = 0; i < reasons.size() && i < kMost; ++i)
        lines << QStringLiteral("%1 \u00d7 %2").arg(reasons[i].second).arg(qt(reasons[i].first));
    if (reasons.size() > kMost) lines << QStringLiteral("and %1 reasons more").arg(reasons.size() - kMost);
}

} // namespace

RoundRefusals refusalsOf(const RoundInfo &round) {
    RoundRefusals lost;
    std::map<std::string, int> reasons;
    for (const GenerationInfo &generation : round.generations) {
        if (generation.generation > 0) lost.bred += generation.population;
        lost.children += generation.invalid;
        for (const auto &[reason, count] : generation.refusals) reasons[reason] += count;
    }
    const auto most = std::max_element(reasons.begin(), reasons.end(),
                                       [](const auto &a, const auto &b) { return a.second < b.second; });
    if (most != reasons.end()) lost.mostFrequent = qt(most->first);
    if (round.sampled) appendReasons(lost.all, QStringLiteral("Sampled schedules:"), round.sampled->refusals);
    appendReasons(lost.all, QStringLiteral("Children:"), {reasons.begin(), reasons.end()});
    return lost;
}

std::vector<OutlinePoint> violin(const std::vector<ScoreBin> &bins, double centre, double halfWidth) {
    int most = 0;
    for (const auto &bin : bins) most = std::max(most, bin.count);
    if (most == 0) return {};
    // Few members are still to be seen beside thousands: never thinner than a hair.
    const auto width = [&](int count) {
        return count == 0 ? 0 : halfWidth * std::max(0.03, static_cast<double>(count) / most);
    };
    std::vector<OutlinePoint> outline;
    for (const auto &bin : bins) {
        outline.push_back({centre + width(bin.count), bin.lower});
        outline.push_back({centre + width(bin.count), bin.upper});
    }
    for (auto bin = bins.rbegin(); bin != bins.rend(); ++bin) {
        outline.push_back({centre - width(bin->count), bin->upper});
        outline.push_back({centre - width(bin->count), bin->lower});
    }
    outline.push_back(outline.front());
    return outline;
}

} // namespace loopscope
