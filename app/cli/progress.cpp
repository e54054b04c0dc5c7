#include "progress.h"

#include "choice.h"
#include "output.h"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace loopscope {

namespace {

template <typename... Handlers> struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <typename... Handlers> Overloaded(Handlers...) -> Overloaded<Handlers...>;

size_t terminalWidth() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col - 1u;
    return 99;
}

} // namespace

Progress::Progress(const std::vector<ProgressTask> &tasks)
    : m_terminal(isatty(STDERR_FILENO) != 0), m_start(std::chrono::steady_clock::now()) {
    for (const ProgressTask &task : tasks)
        m_tasks.push_back({tasks.size() > 1 ? task.name + ": " : "", task.flops, {}});
}

Progress::~Progress() { clear(); }

double Progress::elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
}

void Progress::clear() {
    if (!m_dirty) return;
    sayLive({});
    m_dirty = false;
}

void Progress::live(const std::string &line) {
    if (!m_terminal) return;
    sayLive(line.substr(0, terminalWidth()));
    m_dirty = true;
}

void Progress::say(const std::string &line) {
    clear();
    sayLine(line);
}

void Progress::phase(const std::string &what) { live(fmt::format("{:5.1f} s  {}", elapsed(), what)); }

std::string Progress::Standing::bestText(double seconds) const {
    if (!std::isfinite(seconds) && untimed > 0) return fmt::format("{} right, not timed", untimed);
    if (!std::isfinite(seconds)) return "no valid kernel yet";
    return "best " + timeText(seconds) + speedText(flops, seconds);
}

void Progress::on(const SearchEvent &event) {
    Standing &task = m_tasks[std::visit([](const auto &e) { return static_cast<size_t>(e.task); }, event)];
    std::visit(Overloaded{
                   [&](const PhaseStarted &e) {
                       if (e.phase == SearchPhase::Done) return;
                       phase(fmt::format("{}{}{}{}{}", task.label,
                                         e.round > 0 ? fmt::format("round {}: ", e.round) : "",
                                         searchPhaseText(e.phase), e.detail.empty() ? "" : ", ", e.detail));
                   },
                   [](const SketchTried &) {},
                   [&](const SketchesMade &e) {
                       say(fmt::format("{:5.1f} s  {}{} sketch{}", elapsed(), task.label, e.sketches.size(),
                                       e.sketches.size() == 1 ? "" : "es"));
                   },
                   [&](const PopulationSampled &e) {
                       phase(fmt::format("{}round {}: sampled {} schedules ({} tried)", task.label, e.round, e.valid,
                                         e.attempts));
                   },
                   [&](const GenerationEvolved &e) {
                       phase(fmt::format("{}round {}: generation {}, {}, predicted best {:.3f}", task.label, e.round,
                                         e.generation, countedText(static_cast<size_t>(e.population), "candidate"),
                                         e.bestScore));
                   },
                   [](const ModelTrained &) {},
                   [&](const TrialProgress &e) {
                       if (e.stage != TrialStage::Running) return;
                       live(fmt::format("{:5.1f} s  {}trial {}/{}  {}  measuring", elapsed(), task.label, e.number,
                                        e.total, task.bestText(task.best)));
                   },
                   [&](const TrialFinished &e) {
                       task.best = e.bestSeconds;
                       if (!e.trial.valid()) {
                           const std::string kind(trialErrorName(e.trial.error));
                           if (task.failures[kind]++ == 0)
                               say(fmt::format("{}trial {}: {}: {}", task.label, e.number, kind, e.trial.reason));
                       }
                       const bool untimed = e.trial.valid() && e.trial.seconds.empty();
                       task.untimed += untimed ? 1 : 0;
                       const std::string last = untimed ? "right"
                                                : e.trial.valid()
                                                    ? timeText(e.trial.cost()) + (e.trial.unstable ? " (unstable)" : "")
                                                    : std::string(trialErrorName(e.trial.error));
                       live(fmt::format("{:5.1f} s  {}trial {}/{}  {}  last {}", elapsed(), task.label, e.number,
                                        e.total, task.bestText(e.bestSeconds), last));
                   },
                   [&](const RoundFinished &e) {
                       int failed = 0;
                       for (const auto &[kind, count] : task.failures) failed += count;
                       say(fmt::format("{:5.1f} s  {}round {}: {}, {} failed, {}", elapsed(), task.label, e.round,
                                       countedText(static_cast<size_t>(e.trials), "trial"), failed,
                                       task.bestText(e.bestSeconds)));
                   },
                   [&](const FinalistsCompared &e) {
                       std::string list;
                       for (const ComparedTime &entry : e.entries)
                           list += fmt::format("{}{}{}", list.empty() ? "" : ", ", entry.trial < 0 ? "naive " : "",
                                               timeText(entry.time.seconds));
                       task.best = e.entries[e.winner].time.seconds;
                       say(fmt::format("{:5.1f} s  {}the fastest again, interleaved: {}", elapsed(), task.label, list));
                   },
                   [](const TaskSwitched &) {}, // every line names its task
                   [&](const TaskPicked &e) {
                       if (!e.why.empty()) live(fmt::format("{:5.1f} s  {}next, as {}", elapsed(), task.label, e.why));
                   },
                   [](const ScheduleOffered &) {}, // nobody can while a command runs
                   [&](const StageMerged &e) {
                       say(fmt::format("{:5.1f} s  {}{}merge {}: {} {} {}, saves {}", elapsed(), task.label,
                                       e.attempt > 1 ? fmt::format("way {}, ", e.attempt) : "", e.number, e.stage,
                                       e.inlining ? "inlined into" : "computed in the tiles of",
                                       fmt::join(e.into, ", "), e.benefit));
                   },
                   [&](const SearchNote &e) { say(task.label + e.sentence); },
               },
               event);
}

} // namespace loopscope
