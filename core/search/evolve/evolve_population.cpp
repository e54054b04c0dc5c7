#include "search/evolve/evolve_population.h"

#include "search/evolve/mutation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <unordered_set>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;

bool better(const Candidate &a, const Candidate &b) { return a.score != b.score ? a.score > b.score : a.key < b.key; }

/// Parents in proportion to their score; all alike when no score is positive.
class Roulette {
  public:
    explicit Roulette(const std::vector<Candidate> &population) {
        double sum = 0;
        for (const auto &candidate : population) {
            sum += std::isfinite(candidate.score) ? std::max(candidate.score, 0.0F) : 0;
            m_sums.push_back(sum);
        }
    }
    size_t draw(Random &random) const {
        if (m_sums.back() <= 0) return random.index(m_sums.size());
        const double ticket = random.uniform() * m_sums.back();
        const auto found = std::upper_bound(m_sums.begin(), m_sums.end(), ticket);
        return std::min(static_cast<size_t>(found - m_sums.begin()), m_sums.size() - 1);
    }

  private:
    std::vector<double> m_sums;
};

/// The best so far, without doubles.
class Hall {
  public:
    explicit Hall(size_t keep) : m_keep(keep) {}
    void offer(const Candidate &candidate) {
        if (m_best.size() == m_keep && !better(candidate, m_best.back())) return;
        if (!m_keys.insert(candidate.key).second) return;
        m_best.insert(std::upper_bound(m_best.begin(), m_best.end(), candidate, better), candidate);
        if (m_best.size() > m_keep) {
            m_keys.erase(m_best.back().key);
            m_best.pop_back();
        }
    }
    std::vector<Candidate> take() { return std::move(m_best); }

  private:
    size_t m_keep;
    std::vector<Candidate> m_best; // sorted
    std::unordered_set<StateKey> m_keys;
};

/// One child; falls back to a copy of its parent when no change worked out.
Candidate makeChild(const Task &task, const SearchOptions &options, const std::vector<Candidate> &population,
                    const Roulette &roulette, Random &random, Scratch &scratch, std::string &refusal) {
    constexpr int kAttempts = 4;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const size_t parent = roulette.draw(random);
        const Candidate &from = population[parent];
        Candidate child;
        child.sketch = from.sketch;
        child.lineage.parent = static_cast<int>(parent);
        std::optional<Steps> steps;
        if (random.uniform() < options.crossoverProbability) {
            const size_t second = roulette.draw(random);
            child.lineage.parent2 = static_cast<int>(second);
            child.lineage.mutation = "crossover";
            steps = crossover(from.steps, population[second].steps, random);
            if (steps && !splitAgain(task.dag, *steps).empty()) steps = withFittingLengths(task.dag, std::move(*steps));
        } else if (random.uniform() < options.mutationProbability) {
            auto mutated = mutate({task.dag, task.target, options, random, scratch, from.locked.get()}, from.steps);
            child.lineage.mutation = mutated.mutation;
            steps = std::move(mutated.steps);
        } else {
            Candidate copy = from;
            copy.lineage = child.lineage;
            return copy;
        }
        if (!steps) continue;
        child.steps = std::move(*steps);
        std::string reason;
        if (evaluateLocked(options, task.dag, task.target, child, scratch, reason)) {
            if (from.ancestry) {
                child.ancestry = makeDescendant(from.ancestry, from.steps, child.steps);
                if (child.lineage.parent2 >= 0)
                    child.ancestry->parent2 = population[static_cast<size_t>(child.lineage.parent2)].ancestry;
            }
            return child;
        }
        if (refusal.empty()) refusal = std::move(reason);
    }
    const size_t parent = roulette.draw(random);
    Candidate copy = population[parent];
    copy.lineage = {};
    copy.lineage.parent = static_cast<int>(parent);
    return copy;
}

} // namespace

void scoreCandidates(std::vector<Candidate> &candidates, CostModel &model, double leaning, double bestDraft) {
    FeatureMatrix matrix;
    size_t rows = 0;
    for (const auto &candidate : candidates) rows += candidate.rows ? candidate.rows->size() : 0;
    matrix.values.reserve(rows * kFeatureCount);
    for (const auto &candidate : candidates) {
        if (candidate.rows)
            for (const auto &row : *candidate.rows) matrix.values.insert(matrix.values.end(), row.begin(), row.end());
        matrix.programEnd.push_back(static_cast<uint32_t>(matrix.rows()));
    }
    std::vector<float> scores;
    model.predict(matrix, scores);
    for (size_t i = 0; i < candidates.size(); ++i) {
        const double draft = candidates[i].draft > 0 ? std::min(1.0, bestDraft / candidates[i].draft) : 0;
        candidates[i].score = static_cast<float>(static_cast<double>(scores[i]) + leaning * draft);
        candidates[i].lineage.score = candidates[i].score;
        // Once: a copy shares its original's link, and whoever heard of a measured one may be reading it.
        if (Ancestor *own = candidates[i].ancestry.get(); own && std::isnan(own->score))
            own->score = candidates[i].score;
    }
}

std::vector<Candidate> evolvePopulation(const Task &task, const SearchOptions &options, int round, int generations,
                                        std::vector<Candidate> population, size_t keep, const Scorer &score,
                                        const std::function<bool(const StateKey &)> &known, ThreadPool &pool,
                                        std::vector<Scratch> &scratch,
                                        const std::function<void(const SearchEvent &)> &tell, SearchBudget *watch) {
    Hall hall(keep);
    if (population.empty()) return {};
    for (int generation = 0;; ++generation) {
        if (watch && !watch->proceed()) return {};
        const auto start = Clock::now();
        std::map<std::string, int> refusals;
        if (generation > 0) {
            const Roulette roulette(population);
            const auto size = static_cast<size_t>(options.population);
            std::vector<Candidate> next(size);
            std::vector<std::string> refused(size);
            pool.forEach(
                size,
                [&](size_t i, int worker) {
                    if (watch && watch->stopped) return;
                    Random random(options.seed,
                                  (static_cast<uint64_t>(round) << 40) + (static_cast<uint64_t>(generation) << 32) + i);
                    next[i] = makeChild(task, options, population, roulette, random,
                                        scratch[static_cast<size_t>(worker)], refused[i]);
                    next[i].lineage.generation = generation;
                    if (const auto mutation = next[i].lineage.mutation; next[i].ancestry && !mutation.empty()) {
                        next[i].ancestry->round = round;
                        next[i].ancestry->generation = generation;
                        next[i].ancestry->mutation = mutation;
                    }
                },
                8);
            if (watch && watch->stopped) return {};
            for (const std::string &reason : refused)
                if (!reason.empty()) ++refusals[reason];
            population = std::move(next);
        }
        score(population);
        std::vector<float> scores;
        for (const auto &candidate : population) {
            scores.push_back(candidate.score);
            if (!known(candidate.key)) hall.offer(candidate);
        }
        int invalid = 0;
        for (const auto &[reason, count] : refusals) invalid += count;
        GenerationEvolved event{round,  generation, static_cast<int>(population.size()), invalid, 0, 0,
                                scores, 0,          {refusals.begin(), refusals.end()}};
        const auto middle = scores.begin() + static_cast<ptrdiff_t>(scores.size() / 2);
        std::nth_element(scores.begin(), middle, scores.end());
        event.medianScore = *middle;
        event.bestScore = *std::max_element(middle, scores.end());
        event.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        tell(event);
        if (generation == generations) break;
    }
    return hall.take();
}

} // namespace loopscope
