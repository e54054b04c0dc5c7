#include "fabricated_trials.h"

#include "language/target/target.h"
#include "search/annotate/sample_population.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace loopscope {

namespace {

/// Complete schedules of the document's sketches, the same ones every time.
std::vector<Candidate> sample(const Document &document, unsigned seed) {
    SearchOptions options;
    options.seed = seed;
    options.population = 128;
    options.minInitialPopulation = 64;
    ThreadPool pool(1);
    std::vector<Scratch> scratch(1);
    return samplePopulation(
               *document.task, document.sketches, options, 1, [](const StateKey &) { return false; }, pool, scratch)
        .candidates;
}

} // namespace

std::unique_ptr<Document> fabricateDocument(int trials, unsigned seed) {
    auto document = std::make_unique<Document>();
    document->id = 1;
    document->name = QStringLiteral("matmul_relu");
    auto workload = std::make_shared<Workload>(loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/matmul_relu.te"));
    document->workload = workload;
    document->task = std::make_shared<Task>(
        makeTask(ComputeDag::fromWorkload(*workload), parseTarget("llvm -mcpu=skylake-avx512 -num-cores=8")));
    document->sketches = generateSketches(document->task->dag, document->task->target);
    fabricateTrials(*document, trials, seed);
    return document;
}

void fabricateTrials(Document &document, int count, unsigned seed) {
    const std::vector<Candidate> candidates = count > 0 ? sample(document, seed) : std::vector<Candidate>();
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::normal_distribution<double> normal(0, 1);
    static const std::array<const char *, 7> mutations{"",       "tile-size", "tile-size", "parallel",
                                                       "unroll", "vectorize", "crossover"};
    const int before = static_cast<int>(document.trials.size());
    for (int i = 0; i < count; ++i) {
        TrialEntry entry;
        const int number = before + i;
        const Candidate &candidate = candidates[static_cast<size_t>(random()) % candidates.size()];
        entry.trial.steps = candidate.steps;
        entry.sketch = candidate.sketch;
        entry.round = number / 16 + 1;
        entry.generation = static_cast<int>(random() % 5);
        entry.mutation = QLatin1String(mutations[random() % mutations.size()]);
        entry.predicted = static_cast<float>(uniform(random));
        entry.elapsed = 1.3 * (number + 1);
        entry.trial.buildSeconds = 0.05 + 0.4 * uniform(random);
        entry.trial.runSeconds = 0.4 + 0.2 * uniform(random);
        entry.trial.timestamp = 1700000000 + number;
        const double kind = uniform(random);
        if (kind < 0.03) {
            entry.trial.error = TrialError::WrongAnswer;
            entry.trial.maxError = 3.5 + 200 * uniform(random);
            entry.trial.reason = "wrong answer: D[" + std::to_string(random() % 512) + ", " +
                                 std::to_string(random() % 512) + "] is 17.25, the reference says 16.125";
        } else if (kind < 0.07) {
            entry.trial.error = TrialError::RunTimeout;
            entry.trial.reason = "the kernel ran longer than 10 s and was ended";
        } else if (kind < 0.1) {
            entry.trial.error = TrialError::RuntimeDevice;
            entry.trial.reason = "the kernel wrote past the end of C: " + std::to_string(random() % 4096) + " bytes";
        } else if (kind < 0.12) {
            entry.trial.error = TrialError::Instantiation;
            entry.trial.reason =
                "AN cannot vectorize loop 3 (j.3) of stage 2 (C), \"innermost\": it has 4096 iterations";
        } else {
            const double seconds = 1.1e-3 * (1 + 6 * std::exp(-number / 400.0) * uniform(random) + 3 * uniform(random));
            const double noise = uniform(random) < 0.05 ? 0.2 : 0.008;
            for (int s = 0; s < 9; ++s)
                entry.trial.seconds.push_back(seconds * (1 + noise * std::fabs(normal(random))));
            entry.trial.unstable = noise > 0.1;
            entry.trial.maxError = 0.02 * uniform(random);
            entry.gflops = document.flops() / entry.seconds() / 1e9;
        }
        document.trials.push_back(std::move(entry));
        const auto best = static_cast<size_t>(document.best);
        if (document.trials.back().valid() &&
            (document.best < 0 || document.trials.back().seconds() < document.trials[best].seconds()))
            document.best = number;
    }
}

} // namespace loopscope
