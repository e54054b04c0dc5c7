#include "records/bundle/bundle_measurer.h"

#include "base/isolate/child_process.h"
#include "base/outcome.h"
#include "records/bundle/command_run.h"
#include "records/bundle/expected_answer.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

namespace loopscope {

namespace {

constexpr auto kLookForResults = std::chrono::milliseconds(200);
constexpr auto kTimeToArrive = std::chrono::seconds(3);

std::string candidatesText(size_t count) { return fmt::format("{} candidate{}", count, count == 1 ? "" : "s"); }

/// A trial of a candidate that nothing was run of has no time yet.
Trial dated(Trial trial) {
    if (trial.timestamp == 0) trial.timestamp = static_cast<int64_t>(std::time(nullptr));
    return trial;
}

/// Looks for results only after the file has changed.
class ResultsWatch {
  public:
    explicit ResultsWatch(std::string path) : m_path(std::move(path)) {}
    bool changed() {
        std::error_code none;
        const auto time = std::filesystem::last_write_time(m_path, none);
        if (none || time == m_last) return false;
        m_last = time;
        return true;
    }

  private:
    std::string m_path;
    std::filesystem::file_time_type m_last{};
};

} // namespace

BundleMeasurer::BundleMeasurer(const Task &task, BundleMeasurerOptions options)
    : m_task(task), m_options(std::move(options)) {}

void BundleMeasurer::say(const std::string &sentence) const {
    if (m_options.say) m_options.say(sentence);
}

bool BundleMeasurer::prepare(const std::atomic<bool> *cancel) {
    if (!m_answer.empty()) return true;
    for (const BundleRound &round : bundleRounds(m_options.folder)) {
        if (!round.bundle.isOf(m_task) || round.bundle.seed != m_options.seed) continue;
        m_answer = round.bundle.answer;
        return true;
    }
    const int threads =
        m_options.threads > 0 ? m_options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    m_answer = expectedAnswer(*m_task.dag, m_options.seed, threads).dump();
    return cancel == nullptr || !*cancel;
}

BundleRound BundleMeasurer::written(const std::vector<Steps> &candidates, int turns) {
    prepare(nullptr);
    BundleOptions options;
    options.seed = m_options.seed;
    options.turns = turns;
    BundleRound round = addRound(m_options.folder, makeBundle(m_task, m_answer, candidates, options));
    m_lastRound = round.path;
    return round;
}

void BundleMeasurer::await(BundleRound &round, const std::function<void(size_t, const Trial &)> &onTrial,
                           const MeasureWatch &watch) {
    size_t next = 0;
    const auto handOver = [&] {
        for (; next < round.trials.size() && round.trials[next]; ++next) {
            m_machine = round.trials[next]->machine;
            onTrial(next, dated(round.trials[next]->trial));
        }
    };
    handOver();
    if (round.open() == 0 || !m_options.wait || watch.cancelled()) return;
    std::optional<CommandRun> command;
    if (m_options.command.empty()) {
        say(fmt::format("{} waits for results of {}: run `make -C {} run` on the machine they are for (all of the "
                        "folder may be copied there) and bring its results.json back to {}",
                        round.name(), candidatesText(round.open()), round.path, round.resultsPath()));
    } else {
        const std::string text = commandFor(m_options.command, round.path);
        say(fmt::format("{} waits for results of {}: {}", round.name(), candidatesText(round.open()), text));
        command.emplace(text);
    }
    const auto tellWait = [&] {
        if (m_options.waits) m_options.waits(round);
    };
    tellWait();
    ResultsWatch results(round.resultsPath());
    auto changed = std::chrono::steady_clock::now();
    bool unread = false;
    while (round.open() > 0 && !watch.cancelled()) {
        if (watch.paused()) { // what comes meanwhile is taken afterwards; a command goes on
            std::this_thread::sleep_for(kLookForResults);
            changed = std::chrono::steady_clock::now();
            continue;
        }
        const std::optional<int> status = command ? command->ended() : std::nullopt; // before the last look
        const bool news = results.changed();
        if (news) changed = std::chrono::steady_clock::now();
        if (news || unread || status) {
            try {
                round.readAgain();
                unread = false;
            } catch (const Error &) { // it may be on its way from another machine, half of it here
                unread = true;
                if (status || std::chrono::steady_clock::now() - changed > kTimeToArrive) throw;
            }
            if (!unread) {
                handOver();
                tellWait();
            }
        }
        if (round.open() == 0) break;
        if (status)
            throw Error(fmt::format("the command of {} {} and left {} without a result; what came is kept, and the "
                                    "search can be continued with the same folder",
                                    round.name(), endingText(*status), candidatesText(round.open())));
        std::this_thread::sleep_for(kLookForResults);
    }
}

void BundleMeasurer::measure(const std::vector<Steps> &candidates,
                             const std::function<void(size_t index, const Trial &trial)> &onTrial,
                             const MeasureWatch &watch) {
    if (candidates.empty()) return;
    BundleRound round = written(candidates, 0);
    await(round, onTrial, watch);
}

std::vector<TurnSamples> BundleMeasurer::measureInterleaved(const std::vector<Steps> &candidates, int rounds,
                                                            const MeasureWatch &watch) {
    std::vector<TurnSamples> turns(candidates.size());
    if (candidates.empty() || !m_options.wait) return turns;
    BundleRound round = written(candidates, rounds);
    await(round, [&](size_t index, const Trial &trial) { turns[index].seconds = trial.seconds; }, watch);
    return turns;
}

void BundleMeasurer::finishRounds(const std::function<void(const Trial &trial)> &onTrial, const MeasureWatch &watch) {
    for (BundleRound &round : bundleRounds(m_options.folder)) {
        if (watch.cancelled()) return;
        if (!round.bundle.isOf(m_task) || round.bundle.turns > 0) continue;
        await(round, [&](size_t, const Trial &trial) { onTrial(trial); }, watch);
    }
}

} // namespace loopscope
