#pragma once
// Options of a search, with the defaults of TVM's auto_scheduler unless said otherwise. The command line and the
// settings page are built from this.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace loopscope {

class ScheduleLocks;

/// What shapes the sketches.
struct SketchOptions {
    const char *cpuTiling = "SSRSRS"; // S = one level of every spatial loop, R = of every reduce loop
    const char *gpuTiling = "SSSRRSRS";
    /// Beyond Ansor: ops that are not strictly inlineable (a branch, exp, transpose) may also be inlined when that
    /// repeats no work; adds sketches after Ansor's own. Off gives exactly Ansor's list.
    bool inlineMore = false;
    /// Beyond Ansor: large inputs of a tiled reduction may be copied tile by tile into the order they are read in; adds
    /// sketches after Ansor's own.
    bool packInputs = false;
    /// Beyond Ansor: a reduction may be tiled with the loop that alone runs through its weights innermost, so that
    /// vectors run over output channels where rows are short; adds sketches after Ansor's own.
    bool vectorizeWeights = false;
    /// Beyond Ansor: a cheap stage in front of a tiled reduction may be computed in tiles of its own; adds sketches
    /// after Ansor's own.
    bool keepPrologues = false;
    /// With more unfinished sketches than this nobody could try them all: each goes on with its first alternative
    /// alone, and the trace says so. A chain of a dozen matrix products would have half a million; Ansor derives them.
    size_t maxUnfinished = 4096;
    /// Beyond 25 stages fewer, by the square of their number: every sketch holds them all and is walked stage by stage.
    size_t maxStageSteps = maxUnfinished * 25 * 25;
    /// Whether both ask for the same rules beyond Ansor's.
    [[nodiscard]] bool sameRules(const SketchOptions &other) const {
        return inlineMore == other.inlineMore && packInputs == other.packInputs &&
               vectorizeWeights == other.vectorizeWeights && keepPrologues == other.keepPrologues;
    }
};

struct SearchOptions {
    SketchOptions sketch{.inlineMore = true, .packInputs = true, .vectorizeWeights = true, .keepPrologues = true};
    int trials = 64;             // candidates to measure
    uint64_t seed = 0;           // same seed, same candidates in the same order
    int threads = 0;             // of search and compilation; 0 = as many as cores
    double timeLimitSeconds = 0; // 0 = none; without any valid trial a search may take twice as long
    double spentSeconds = 0;     // of the time limit, before the search began
    int trialsPerRound = 0;      // measured before the model is retrained; 0 = as roundSize says
    double epsGreedy = 0.05;     // share of each batch drawn from the initial population
    // Beyond Ansor: what is measured together is not all of one kind. In shares of the best speed:
    double kinship = 0.2;     // twice what a candidate loses that is one step from one already picked
    double crowding = 0.1;    // what a candidate loses when all picked are from its sketch
    double refineShare = 0.5; // beyond Ansor: of each batch, a change or two away from the fastest measured
    int population = 2048;    // of one generation
    int generations = 4;
    int minInitialPopulation = 50;
    double useMeasuredRatio = 0.2; // of the population, best measured states
    double mutationProbability = 0.85;
    double crossoverProbability = 0.05; // beyond Ansor: children of two parents of one sketch
    int maxInnermostSplitFactor = 64;
    int maxVectorizeSize = 16;
    bool changeComputeLocation = true;
    bool splitForVectors = true; // beyond Ansor: long innermost loops of untiled stages are split into vectors
    bool freeThreads = true;  // beyond Ansor, GPUs: threads and what each fetches at once are drawn within the limits
    bool guardedTiles = true; // beyond Ansor: lengths that do not divide, where an extent has few divisors
    bool randomModel = false;
    double draftTrials = 24;       // the analytic estimate weighs half as much once so many trials are learnt; 0 = off
    double firstRoundChance = 0.3; // share of the first batch drawn at random, as nothing is learnt yet
    int firstRoundGenerations = 2; // bred on the analytic estimate alone
    int finalists = 4;             // re-measured interleaved before one is declared best
    double naiveSeconds = 0;       // of the naive schedule, which then takes part in that comparison; 0 = it does not
    /// What every candidate has to have (schedule/locks/schedule_locks.h); null: nothing.
    std::shared_ptr<const ScheduleLocks> locks = nullptr;

    static constexpr int kSmallestRound = 16;
    static constexpr int kLargestRound = 64; // Ansor's
    /// Trials of the round that begins after `measured` ones. Each round costs a retraining and a bred population,
    /// which pays while the model knows little: a search of 64 trials is to learn from its first ones. Later only a
    /// good deal more than is known changes what the model says, so rounds grow to Ansor's. The number of trials asked
    /// for makes no difference: a search that is continued goes on as a longer one would have.
    [[nodiscard]] int roundSize(int measured) const {
        return trialsPerRound > 0 ? trialsPerRound : std::clamp(measured / 4, kSmallestRound, kLargestRound);
    }
};

} // namespace loopscope
