#include "progress.h"

#include "choice.h"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
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

Progress::Progress(double flops)
    : m_flops(flops), m_terminal(isatty(STDERR_FILENO) != 0), m_start(std::chrono::steady_clock::now()) {}

Progress::~Progress() { clear(); }

double Progress::elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
}

void Progress::clear() {
    if (!m_dirty) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    m_dirty = false;
}

void Progress::live(const std::string &line) {
    if (!m_terminal) return;
    std::fprintf(stderr, "\r\033[K%s", line.substr(0, terminalWidth()).c_str());
    std::fflush(stderr);
    m_dirty = true;
}

void Progress::say(const std::string &line) {
    clear();
    std::fprintf(stderr, "%s\n", line.c_str());
}

void Progress::phase(const std::string &what) { live(fmt::format("{:5.1f} s  {}", elapsed(), what)); }

std::string Progress::bestText(double seconds) const {
    if (!std::isfinite(seconds)) return "no valid kernel yet";
    return "best " + timeText(seconds) + speedText(m_flops, seconds);
}

void Progress::on(const SearchEvent &event) {
    std::visit(
        Overloaded{
            [&](const PhaseStarted &e) {
                if (e.phase == SearchPhase::Done) return;
                phase(fmt::format("{}{}{}{}", e.round > 0 ? fmt::format("round {}: ", e.round) : "",
                                  searchPhaseText(e.phase), e.detail.empty() ? "" : ", ", e.detail));
            },
            [](const SketchTried &) {},
            [&](const SketchesMade &e) {
                say(fmt::format("{:5.1f} s  {} sketch{}", elapsed(), e.sketches.size(),
                                e.sketches.size() == 1 ? "" : "es"));
            },
            [&](const PopulationSampled &e) {
                phase(fmt::format("round {}: sampled {} schedules ({} tried)", e.round, e.valid, e.attempts));
            },
            [&](const GenerationEvolved &e) {
                phase(fmt::format("round {}: generation {}, {}, predicted best {:.3f}", e.round, e.generation,
                                  countedText(static_cast<size_t>(e.population), "candidate"), e.bestScore));
            },
            [](const ModelTrained &) {},
            [&](const TrialProgress &e) {
                if (e.stage != TrialStage::Running) return;
                live(fmt::format("{:5.1f} s  trial {}/{}  {}  measuring", elapsed(), e.number, e.total,
                                 bestText(m_best)));
            },
            [&](const TrialFinished &e) {
                m_best = e.bestSeconds;
                if (!e.trial.valid()) {
                    const std::string kind(trialErrorName(e.trial.error));
                    if (m_failures[kind]++ == 0) say(fmt::format("trial {}: {}: {}", e.number, kind, e.trial.reason));
                }
                const std::string last = e.trial.valid()
                                             ? timeText(e.trial.cost()) + (e.trial.unstable ? " (unstable)" : "")
                                             : std::string(trialErrorName(e.trial.error));
                live(fmt::format("{:5.1f} s  trial {}/{}  {}  last {}", elapsed(), e.number, e.total,
                                 bestText(e.bestSeconds), last));
            },
            [&](const RoundFinished &e) {
                int failed = 0;
                for (const auto &[kind, count] : m_failures) failed += count;
                say(fmt::format("{:5.1f} s  round {}: {}, {} failed, {}", elapsed(), e.round, countedText(static_cast<size_t>(e.trials), "trial"), failed,
                                bestText(e.bestSeconds)));
            },
            [&](const FinalistsCompared &e) {
                std::string list;
                for (const ComparedTime &entry : e.entries)
                    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", entry.trial < 0 ? "naive " : "",
                                        timeText(entry.time.seconds));
                m_best = e.entries[e.winner].time.seconds;
                say(fmt::format("{:5.1f} s  the fastest again, interleaved: {}", elapsed(), list));
            },
            [&](const SearchNote &e) { say(e.sentence); },
        },
        event);
}

} // namespace loopscope
