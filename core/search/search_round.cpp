#include "search/search_round.h"

#include "base/random.h"
#include "search/cost/draft_estimate.h"
#include "search/evolve/evolve_population.h"
#include "search/evolve/neighbours.h"
#include "search/pick_candidates.h"
#include "search/sketch/sketch.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace loopscope {

namespace {
constexpr size_t kHall = 256; // of all generations, to pick from

double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
} // namespace

SearchRounds::SearchRounds(const Task &task, int number, const SearchOptions &options, CostModel &model,
                           ScoringThreads &threads, std::function<void(const SearchEvent &)> tell, SearchBudget &watch)
    : m_task(task), m_number(number), m_options(options), m_model(model), m_threads(threads), m_tell(std::move(tell)),
      m_watch(watch) {
    if (!m_watch.proceed()) return;
    m_tell(PhaseStarted{SearchPhase::Sketching, 0, {}});
    const auto start = std::chrono::steady_clock::now();
    m_sketches = generateSketches(
        task.dag, task.target, options.sketch, [this](const SketchStep &step) { m_tell(SketchTried{step}); },
        &m_watch.stopped);
    if (!m_watch.stopped) m_tell(SketchesMade{m_sketches, secondsSince(start)});
    if (!m_watch.stopped && wantsEstimate() && draftEstimateFor(task.target.kind) == nullptr)
        m_tell(SearchNote{"there is no analytic estimate for this kind of target: until the model has learnt from "
                          "measurements, candidates are chosen by chance"});
}

std::optional<Refusal> SearchRounds::lock(const std::vector<Steps> &schedules) {
    if (!m_options.locks || m_watch.stopped) return std::nullopt;
    constexpr size_t kMaxMeasured = 4;
    std::vector<Steps> from = schedules;
    for (size_t i = 0; i < std::min(m_best.size(), kMaxMeasured); ++i) from.push_back(m_best[i].second.steps);
    auto within = lockedStart(m_task, m_sketches, m_options, from, m_threads.scratch.front(), &m_watch.stopped);
    if (!within) return within.refusal();
    for (const auto &[sketch, why] : within->leftOut)
        m_tell(SearchNote{fmt::format("sketch {} is left out: {}", sketch, why)});
    m_within = std::move(within).value();
    return std::nullopt;
}

std::vector<Candidate> SearchRounds::bestMeasured() const {
    std::vector<Candidate> result;
    for (const auto &[seconds, candidate] : m_best) result.push_back(candidate);
    return result;
}

void SearchRounds::remember(const Candidate &candidate, double seconds, int trial, int round) {
    const auto before = [](const auto &a, const auto &b) {
        return a.first != b.first ? a.first < b.first : a.second.key < b.second.key;
    };
    std::pair<double, Candidate> entry(seconds, candidate);
    Candidate &parent = entry.second;
    parent.lineage = {};
    parent.ancestry = makeOrigin(parent.steps);
    parent.ancestry->round = round;
    parent.ancestry->sketch = parent.sketch;
    parent.ancestry->trial = trial;
    parent.ancestry->score = parent.score;
    m_best.insert(std::upper_bound(m_best.begin(), m_best.end(), entry, before), std::move(entry));
    const auto most = static_cast<size_t>(m_options.useMeasuredRatio * m_options.population);
    if (m_best.size() > most) m_best.pop_back();
}

double SearchRounds::leaning() const {
    if (!wantsEstimate() || draftEstimateFor(m_task.target.kind) == nullptr) return 0;
    return m_model.trained() ? 1 / (1 + static_cast<double>(m_learnt) / m_options.draftTrials) : 4;
}

void SearchRounds::score(std::vector<Candidate> &candidates) {
    for (const auto &candidate : candidates)
        if (candidate.draft > 0) m_bestDraft = std::min(m_bestDraft, candidate.draft);
    scoreCandidates(candidates, m_model, leaning(), m_bestDraft);
}

void SearchRounds::rememberTrial(const Candidate &candidate, const Trial &trial, int number, int round) {
    if (!trial.valid()) return;
    if (!trial.seconds.empty())
        remember(candidate, trial.cost(), number, round);
    else if (m_learnt == 0 && candidate.draft > 0)
        remember(candidate, candidate.draft, number, round); // nothing is timed: by what is estimated
}

size_t SearchRounds::bestPredicted(const std::vector<Steps> &schedules) {
    std::vector<Candidate> candidates(schedules.size());
    std::string reason;
    for (size_t i = 0; i < schedules.size(); ++i) {
        candidates[i].steps = schedules[i];
        (void)evaluate(m_task.dag, m_task.target, candidates[i], m_threads.scratch.front(), reason);
    }
    score(candidates);
    const auto best = std::max_element(candidates.begin(), candidates.end(),
                                       [](const auto &a, const auto &b) { return a.score < b.score; });
    return static_cast<size_t>(best - candidates.begin());
}

std::vector<Candidate> SearchRounds::besideTheBest() {
    constexpr double kWorthRefining = 1.15; // times the least time
    constexpr size_t kMost = 4;
    constexpr size_t kDraws = 192; // of each: finds most of what is one change away, and some of what is two
    std::vector<Candidate> fastest;
    for (const auto &[seconds, candidate] : m_best) {
        if (fastest.size() == kMost || seconds > kWorthRefining * m_best.front().first) break;
        fastest.push_back(candidate);
    }
    auto near = neighboursOf(
        fastest, m_task, m_options, m_round, kDraws, [this](const StateKey &key) { return m_measured.contains(key); },
        m_threads.pool, m_threads.scratch, &m_watch.stopped);
    score(near);
    std::sort(near.begin(), near.end(),
              [](const auto &a, const auto &b) { return a.score != b.score ? a.score > b.score : a.key < b.key; });
    return near;
}

std::vector<Candidate> SearchRounds::next(int count) {
    if (!m_watch.proceed()) return {};
    ++m_round;
    m_tell(PhaseStarted{SearchPhase::Sampling, m_round, {}});
    const auto known = [this](const StateKey &key) { return m_measured.contains(key); };
    const auto start = std::chrono::steady_clock::now();
    auto sampled = samplePopulation(m_task, m_sketches, m_options, m_round, known, m_threads.pool, m_threads.scratch,
                                    &m_watch.stopped, m_within ? &*m_within : nullptr);
    if (m_watch.stopped) return {};
    m_tell(PopulationSampled{m_round,
                             sampled.attempts,
                             static_cast<int>(sampled.candidates.size()),
                             {sampled.refusals.begin(), sampled.refusals.end()},
                             sampled.validOfSketch,
                             secondsSince(start)});

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
    if (!m_watch.proceed()) return {};
    m_tell(PhaseStarted{SearchPhase::Evolving, m_round,
                        fmt::format("{} schedules, {} generations", population.size(), generations)});
    const auto best = evolvePopulation(
        m_task, m_options, m_round, generations, std::move(population), std::max(2 * static_cast<size_t>(count), kHall),
        [this](std::vector<Candidate> &candidates) { score(candidates); }, known, m_threads.pool, m_threads.scratch,
        m_tell, &m_watch);
    if (m_watch.stopped) return {};
    const int wantedNear = chance ? 0 : std::min(static_cast<int>(m_options.refineShare * count), count - wantedRandom);
    const auto near = wantedNear > 0 ? besideTheBest() : std::vector<Candidate>();
    if (m_watch.stopped) return {};
    // Drawn before they were scored.
    for (auto &candidate : byChance) candidate.score = candidate.lineage.score = candidate.ancestry->score;

    // The model promises a share of the best speed, the estimate as many times that as it weighs.
    const double scale = chance ? 0 : 1 + leaning();
    DiversePicks picks(scale * m_options.kinship, scale * m_options.crowding);
    const auto pick = [&](const std::vector<Candidate> &from, int most) {
        picks.pick(from, static_cast<size_t>(std::max(0, std::min(most, count - static_cast<int>(picks.size())))));
    };
    pick(best, count - wantedRandom - (near.empty() ? 0 : wantedNear));
    pick(near, wantedNear);
    pick(byChance, wantedRandom);
    pick(best, count);
    pick(near, count);
    pick(byChance, count);
    return picks.take();
}

Outcome<Candidate> SearchRounds::admitted(const Steps &schedule) {
    Candidate candidate;
    candidate.steps = schedule;
    candidate.sketch = sketchOf(candidate.steps, m_sketches);
    std::string reason;
    if (!evaluateLocked(m_options, m_task.dag, m_task.target, candidate, m_threads.scratch.front(), reason))
        return Refusal{"is not used: " + reason};
    if (!m_measured.insert(candidate.key).second) return Refusal{"was measured before"};
    candidate.ancestry = makeOrigin(candidate.steps);
    candidate.ancestry->round = m_round + 1;
    candidate.ancestry->sketch = candidate.sketch;
    return candidate;
}

Outcome<Candidate> SearchRounds::given(const Steps &schedule) {
    auto candidate = admitted(schedule);
    if (!candidate) return Refusal{"it " + candidate.why()};
    std::vector<Candidate> alone = {std::move(candidate).value()};
    score(alone);
    alone.front().lineage.score = alone.front().ancestry->score = alone.front().score;
    return std::move(alone.front());
}

std::vector<Candidate> SearchRounds::given(const std::vector<Steps> &schedules) {
    std::vector<Candidate> candidates;
    for (size_t i = 0; i < schedules.size(); ++i) {
        auto candidate = admitted(schedules[i]);
        if (candidate)
            candidates.push_back(std::move(candidate).value());
        else
            m_tell(SearchNote{fmt::format("schedule {} to start from {}", i + 1, candidate.why())});
    }
    if (candidates.empty()) return candidates; // an untrained model's word is a draw, which none may take for nothing
    score(candidates);
    for (Candidate &candidate : candidates) candidate.lineage.score = candidate.ancestry->score = candidate.score;
    return candidates;
}

void SearchRounds::begun(const std::vector<Candidate> &candidates) {
    for (const Candidate &candidate : candidates) m_measured.insert(candidate.key);
}

void SearchRounds::learn(const std::vector<Candidate> &measured, const std::vector<Trial> &trials, int first,
                         int round) {
    for (size_t i = 0; i < measured.size(); ++i)
        rememberTrial(measured[i], trials[i], first + static_cast<int>(i), round);
    train(measured, trials, round);
}

void SearchRounds::train(const std::vector<Candidate> &measured, const std::vector<Trial> &trials, int round) {
    if (measured.empty() || !m_watch.proceed()) return;
    // A time that others' work may have decided would mislead the model. It counts while hardly any other is known.
    constexpr size_t kEnough = 8;
    const auto sure = [](const Trial &trial) { return trial.valid() && !trial.unstable && !trial.seconds.empty(); };
    m_sure += static_cast<size_t>(std::count_if(trials.begin(), trials.end(), sure));
    // Answers that were checked without a time tell the model nothing of times; failures alone would tell it only that.
    const auto untimed = [](const Trial &trial) { return trial.valid() && trial.seconds.empty(); };
    if (m_learnt == 0 && std::any_of(trials.begin(), trials.end(), untimed) &&
        std::none_of(trials.begin(), trials.end(), [](const Trial &trial) { return !trial.seconds.empty(); }))
        return;
    std::vector<TrainingSample> batch;
    for (size_t i = 0; i < measured.size(); ++i) {
        if (untimed(trials[i]) || (trials[i].valid() && trials[i].unstable && m_sure >= kEnough)) continue;
        TrainingSample sample;
        sample.task = m_number;
        if (measured[i].rows) sample.rows = *measured[i].rows;
        sample.seconds = trials[i].valid() ? trials[i].cost() : 0;
        batch.push_back(std::move(sample));
    }
    if (batch.empty()) return;
    const size_t learnt = m_learnt + batch.size();
    m_tell(PhaseStarted{SearchPhase::Training, round, fmt::format("{} trial{}", learnt, learnt == 1 ? "" : "s")});
    // A large first batch also tells how well the model ranks what it has not seen: it learns one half before the
    // other.
    constexpr size_t kLargeBatch = 32;
    if (!m_model.trained() && batch.size() >= kLargeBatch) {
        const auto half = batch.begin() + static_cast<ptrdiff_t>(batch.size() / 2);
        m_model.update({batch.begin(), half}, &m_watch.stopped);
        batch.erase(batch.begin(), half);
    }
    const TrainingReport report = m_model.update(batch, &m_watch.stopped);
    if (m_watch.stopped) return;
    if (report.pairsRankedRight >= 0) {
        m_rankedSum += report.pairsRankedRight * static_cast<double>(batch.size());
        m_rankedWeight += static_cast<double>(batch.size());
    }
    m_learnt = learnt;
    m_tell(ModelTrained{round, report});
}

std::vector<bool> SearchRounds::resume(std::span<const Trial> trials, bool timing) {
    std::vector<bool> used(trials.size(), false);
    if (trials.empty() || !m_watch.proceed()) return used;
    m_tell(PhaseStarted{SearchPhase::Training, 0,
                        fmt::format("reading {} trial{} of the log", trials.size(), trials.size() == 1 ? "" : "s")});
    std::vector<Candidate> candidates(trials.size());
    std::vector<std::string> reasons(trials.size());
    m_threads.pool.forEach(trials.size(), [&](size_t i, int worker) {
        if (m_watch.stopped) return;
        candidates[i].steps = trials[i].steps.unpack();
        candidates[i].sketch = sketchOf(candidates[i].steps, m_sketches);
        evaluate(m_task.dag, m_task.target, candidates[i], m_threads.scratch[static_cast<size_t>(worker)], reasons[i]);
    });
    if (m_watch.stopped) return used;
    std::vector<Candidate> kept;
    std::vector<Trial> keptTrials;
    for (size_t i = 0; i < trials.size(); ++i) {
        if (!candidates[i].rows) {
            m_tell(SearchNote{fmt::format("trial {} of the log is not used: {}", i, reasons[i])});
            continue;
        }
        std::string broken;
        used[i] = keepsLocks(m_options, m_task.dag, candidates[i], broken);
        const bool checkedOnly = trials[i].valid() && trials[i].seconds.empty();
        if (!timing || !checkedOnly) m_measured.insert(candidates[i].key);
        if (used[i]) rememberTrial(candidates[i], trials[i], static_cast<int>(i) + 1, m_round);
        kept.push_back(std::move(candidates[i]));
        keptTrials.push_back(trials[i]);
    }
    train(kept, keptTrials, m_round);
    return used;
}

double SearchRounds::pairsRankedRight() const { return m_rankedWeight > 0 ? m_rankedSum / m_rankedWeight : -1; }

} // namespace loopscope
