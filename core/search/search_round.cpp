#include "search/search_round.h"

#include "random.h"
#include "search/evolve/evolve_population.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace loopscope {

namespace {
double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
} // namespace

SearchRounds::SearchRounds(const Task &task, const SearchOptions &options, CostModel &model,
                           std::function<void(const SearchEvent &)> tell)
    : m_task(task), m_options(options), m_model(model), m_tell(std::move(tell)), m_pool(options.threads),
      m_scratch(static_cast<size_t>(m_pool.threads())) {
    const auto start = std::chrono::steady_clock::now();
    SketchOptions sketchOptions = options.sketch;
    m_sketches = generateSketches(task.dag, task.target, sketchOptions,
                                  [this](const SketchStep &step) { m_tell(SketchTried{step}); });
    m_tell(SketchesMade{m_sketches, secondsSince(start)});
}

std::vector<Candidate> SearchRounds::bestMeasured() const {
    auto best = m_valid;
    std::sort(best.begin(), best.end(), [](const auto &a, const auto &b) {
        return a.first != b.first ? a.first < b.first : a.second.key < b.second.key;
    });
    const auto most = static_cast<size_t>(m_options.useMeasuredRatio * m_options.population);
    std::vector<Candidate> result;
    for (size_t i = 0; i < std::min(most, best.size()); ++i) {
        result.push_back(best[i].second);
        result.back().lineage = {};
    }
    return result;
}

void SearchRounds::score(std::vector<Candidate> &candidates) {
    for (const auto &candidate : candidates)
        if (candidate.draft > 0) m_bestDraft = std::min(m_bestDraft, candidate.draft);
    const double seen = static_cast<double>(m_learnt) / m_options.draftTrials;
    const bool off = m_options.randomModel || m_options.draftTrials <= 0;
    const double leaning = off ? 0 : (m_model.trained() ? 1 / (1 + seen) : 4);
    scoreCandidates(candidates, m_model, leaning, m_bestDraft);
}

std::vector<Candidate> SearchRounds::next(int count) {
    ++m_round;
    const auto known = [this](const StateKey &key) { return m_measured.contains(key); };
    const auto start = std::chrono::steady_clock::now();
    auto sampled = samplePopulation(m_task, m_sketches, m_options, m_round, known, m_pool, m_scratch);
    PopulationSampled event{m_round,
                            sampled.attempts,
                            static_cast<int>(sampled.candidates.size()),
                            {sampled.refusals.begin(), sampled.refusals.end()},
                            secondsSince(start)};
    m_tell(event);

    Random random(m_options.seed, (static_cast<uint64_t>(m_round) << 40) + (uint64_t{1} << 39));
    // Nothing measured yet: the estimate's favourites are alike, so more is left to chance.
    const double byChanceShare = m_learnt > 0 ? m_options.epsGreedy : m_options.firstRoundChance;
    const int wantedRandom = static_cast<int>(byChanceShare * count);
    std::vector<Candidate> byChance;
    for (int i = 0; i < 3 * wantedRandom && !sampled.candidates.empty(); ++i)
        byChance.push_back(sampled.candidates[random.index(sampled.candidates.size())]);

    auto population = bestMeasured();
    population.insert(population.end(), sampled.candidates.begin(), sampled.candidates.end());
    const bool chance = m_options.randomModel; // breeding on chance would only cost time
    const int generations = chance ? 0 : (m_learnt > 0 ? m_options.generations : m_options.firstRoundGenerations);
    auto best = evolvePopulation(
        m_task, m_options, m_round, generations, std::move(population), 2 * static_cast<size_t>(count),
        [this](std::vector<Candidate> &candidates) { score(candidates); }, known, m_pool, m_scratch, m_tell);

    std::vector<Candidate> picked;
    std::unordered_set<StateKey> taken;
    size_t nextBest = 0;
    size_t nextRandom = 0;
    while (static_cast<int>(picked.size()) < count) {
        const bool fromBest = static_cast<int>(picked.size()) < count - wantedRandom;
        const Candidate *candidate = nullptr;
        for (int side = 0; side < 2 && !candidate; ++side) {
            if (fromBest == (side == 0)) {
                if (nextBest < best.size()) candidate = &best[nextBest++];
            } else if (nextRandom < byChance.size()) {
                candidate = &byChance[nextRandom++];
            }
        }
        if (!candidate) break;
        if (!known(candidate->key) && taken.insert(candidate->key).second) picked.push_back(*candidate);
    }
    return picked;
}

void SearchRounds::learn(const std::vector<Candidate> &measured, const std::vector<Trial> &trials) {
    std::vector<TrainingSample> batch;
    for (size_t i = 0; i < measured.size(); ++i) {
        m_measured.insert(measured[i].key);
        TrainingSample sample;
        if (measured[i].rows) sample.rows = *measured[i].rows;
        sample.seconds = trials[i].valid() ? trials[i].cost() : 0;
        batch.push_back(std::move(sample));
        if (trials[i].valid()) m_valid.emplace_back(trials[i].cost(), measured[i]);
    }
    if (batch.empty()) return;
    // A large first batch also tells how well the model ranks what it has not seen: it learns one half before the
    // other.
    constexpr size_t kLargeBatch = 32;
    if (!m_model.trained() && batch.size() >= kLargeBatch) {
        const auto half = batch.begin() + static_cast<ptrdiff_t>(batch.size() / 2);
        m_model.update({batch.begin(), half});
        batch.erase(batch.begin(), half);
    }
    const TrainingReport report = m_model.update(batch);
    if (report.pairsRankedRight >= 0) {
        m_rankedSum += report.pairsRankedRight * static_cast<double>(batch.size());
        m_rankedWeight += static_cast<double>(batch.size());
    }
    m_learnt += measured.size();
    m_tell(ModelTrained{m_round, report});
}

std::vector<bool> SearchRounds::resume(const std::vector<Trial> &trials) {
    std::vector<bool> used(trials.size(), false);
    std::vector<Candidate> candidates;
    std::vector<Trial> kept;
    for (size_t i = 0; i < trials.size(); ++i) {
        Candidate candidate;
        candidate.steps = trials[i].steps;
        std::string reason;
        if (evaluate(m_task.dag, m_task.target, candidate, m_scratch.front(), reason)) {
            candidates.push_back(std::move(candidate));
            kept.push_back(trials[i]);
            used[i] = true;
        } else {
            m_tell(SearchNote{fmt::format("trial {} of the log is not used: {}", i, reason)});
        }
    }
    learn(candidates, kept);
    return used;
}

double SearchRounds::pairsRankedRight() const { return m_rankedWeight > 0 ? m_rankedSum / m_rankedWeight : -1; }

} // namespace loopscope
