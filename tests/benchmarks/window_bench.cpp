// How long the window's event handlers take while a search runs and trials stream in, and how its memory grows. A
// watchdog times every event that is handled; answers are scripted, all else is the real window: evolution on its own
// thread, every view, every plot.
//
//     window_bench [--trials 5000] [--passes 2] [--sample FILE] [--log FILE]
//
// with QT_QPA_PLATFORM=offscreen where there is no display. Prints the longest handlers with what they were, quantiles,
// the share above 16 and 50 ms, and memory while the trials come, once the search has ended, and after the trials were
// forgotten. A short search goes first: what is needed once, however many trials there are, is told apart. All passes
// are held against what was allocated then, so that room which one leaves to the next counts in both; how much that is
// is told, too.

#include "harness/scripted_measurer.h"
#include "views/main_window/dock_host.h"
#include "views/main_window/main_window.h"
#include "views/main_window/window_layouts.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QMetaEnum>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <malloc.h>
#include <string>

using namespace loopscope;

namespace {

constexpr const char *kDocks[] = {"dag", "sketches", "search", "code", "trials"};
constexpr int kWarmUp = 256; // trials: a few rounds, each view shown more than once

struct Handler {
    double ms = 0;
    double cpuMs = 0;
    QString what;
};

/// Of this thread: what the handler itself used, however busy the machine is.
double threadMs() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// Times every event; an event handled within another one counts with it.
class WatchedApplication : public QApplication {
  public:
    using QApplication::QApplication;
    bool notify(QObject *receiver, QEvent *event) override {
        // Objects of other threads get their events there.
        if (QThread::currentThread() != thread()) return QApplication::notify(receiver, event);
        if (m_depth++ > 0) {
            const bool handled = QApplication::notify(receiver, event);
            --m_depth;
            return handled;
        }
        const int type = event->type();
        const QString name = QString::fromLatin1(receiver->metaObject()->className());
        QElapsedTimer clock;
        clock.start();
        const double cpuBefore = threadMs();
        const bool handled = QApplication::notify(receiver, event);
        const double cpuMs = threadMs() - cpuBefore;
        const double ms = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
        --m_depth;
        if (watching) {
            times.push_back(ms);
            cpuTimes.push_back(cpuMs);
            if (ms > 10) {
                const char *key = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
                slow.push_back({ms, cpuMs, QStringLiteral("%1 %2").arg(name, QLatin1String(key ? key : "?"))});
            }
        }
        return handled;
    }
    bool watching = false;
    std::vector<double> times; // wall
    std::vector<double> cpuTimes;
    std::vector<Handler> slow;

  private:
    int m_depth = 0;
};

double residentMiB() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word)
        if (word == "VmRSS:") {
            double kib = 0;
            status >> kib;
            return kib / 1024;
        }
    return 0;
}

/// What is allocated: resident memory also has what was freed, and how it lies scattered depends on the run.
double allocatedMiB() {
    const struct mallinfo2 heap = mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd) / (1024 * 1024);
}

void print(const char *title, const char *clock, std::vector<double> &times) {
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
        return times.empty() ? 0.0 : times[static_cast<size_t>(share * static_cast<double>(times.size() - 1))];
    };
    const auto above = [&](double ms) { return times.end() - std::upper_bound(times.begin(), times.end(), ms); };
    std::printf("%s, %s time: %zu events, median %.3f ms, 99 %% %.2f ms, 99.9 %% %.2f ms, longest %.1f ms; %td above "
                "16 ms, %td "
                "above 50 ms\n",
                title, clock, times.size(), at(0.5), at(0.99), at(0.999), at(1), above(16), above(50));
    times = {}; // its memory, too: what comes next counts the window's
}

void report(const char *title, WatchedApplication &application) {
    print(title, "wall", application.times);
    print(title, "processor", application.cpuTimes);
    std::sort(application.slow.begin(), application.slow.end(),
              [](const Handler &a, const Handler &b) { return a.ms > b.ms; });
    for (size_t i = 0; i < std::min<size_t>(12, application.slow.size()); ++i)
        std::printf("    %6.1f ms, %6.1f ms of the processor  %s\n", application.slow[i].ms, application.slow[i].cpuMs,
                    qPrintable(application.slow[i].what));
    application.slow.clear();
}

template <typename Condition> bool waitFor(Condition condition, int limitMs) {
    QElapsedTimer clock;
    clock.start();
    while (!condition()) {
        if (clock.elapsed() > limitMs) return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    }
    return true;
}

struct Memory {
    double resident = residentMiB();
    double allocated = allocatedMiB();
};

/// What is kept since `before`, and since before any search (`cold`).
void print(const char *when, const Memory &cold, const Memory &before, size_t trials) {
    const Memory now;
    const double each = 1024 / std::max<double>(1, static_cast<double>(trials));
    std::printf("memory %s: %.0f MiB before, %.0f MiB now: %.1f KiB a trial\n", when, before.resident, now.resident,
                (now.resident - before.resident) * each);
    std::printf("allocated %s: %.2f MiB before, %.2f MiB now: %.2f KiB a trial; %.2f with what any search needs once\n",
                when, before.allocated, now.allocated, (now.allocated - before.allocated) * each,
                (now.allocated - cold.allocated) * each);
}

/// Searches once with a user who looks around meanwhile; false with a word on standard error when it does not end.
bool stream(WatchedApplication &application, Session &session, MainWindow &window, int trials) {
    application.watching = true;
    QElapsedTimer clock;
    clock.start();
    session.search().start();
    const size_t every = std::max<size_t>(1, static_cast<size_t>(trials) / 20);
    size_t next = every;
    int lap = 0;
    const bool done = waitFor(
        [&] {
            const size_t count = session.document()->trials.size();
            if (count >= next) {
                std::printf("%6zu trials after %5.1f s: %.0f MiB, %.0f allocated\n", count,
                            static_cast<double>(clock.elapsed()) * 1e-3, residentMiB(), allocatedMiB());
                next += every;
                window.docks().showDock(QLatin1String(kDocks[lap++ % std::size(kDocks)]), false);
                session.selection().selectSchedule({ScheduleRef::Kind::Trial, static_cast<int>(count) - 1});
            }
            return !session.search().underWay();
        },
        900000);
    if (!done) {
        std::fprintf(stderr, "the search did not end\n");
        return false;
    }
    std::printf("%zu trials in %.1f s, %zu rounds\n", session.document()->trials.size(),
                static_cast<double>(clock.elapsed()) * 1e-3, session.document()->rounds.size());
    report("streaming", application);
    return true;
}

/// From a schedule made to all that can be done to it next, predicted, as the menu of a loop has it.
void reportMoves(Session &session, MainWindow &window) {
    window.docks().showDock(QStringLiteral("loops"), true);
    const ScheduleRef naive{ScheduleRef::Kind::Naive, 0};
    const auto predicted = [&](const ScheduleRef &ref) {
        const OfferedMovesPtr moves = session.moves().of(ref);
        return moves && !moves->predictedBy.isEmpty();
    };
    if (!waitFor([&] { return predicted(naive); }, 20000)) return;
    const OfferedMovesPtr offered = session.moves().of(naive);
    std::vector<double> times;
    size_t moves = 0;
    for (const Step &step : offered->moves) {
        if (!std::holds_alternative<SplitStep>(step) || times.size() == 15) continue;
        waitFor([&] { return session.jobs().running().empty(); }, 20000);
        QElapsedTimer clock;
        clock.start();
        if (!session.edits().apply(naive, step).isEmpty()) continue;
        const ScheduleRef shown = session.selection().now().schedule;
        if (!waitFor([&] { return predicted(shown); }, 20000)) return;
        times.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
        moves = std::max(moves, session.moves().of(shown)->moves.size());
    }
    if (times.empty()) return;
    std::sort(times.begin(), times.end());
    std::printf("a schedule shown until its moves (up to %zu) are predicted: median %.0f ms, most %.0f ms of %zu\n",
                moves, times[times.size() / 2], times.back(), times.size());
    session.selection().selectSchedule(naive);
}

/// What keeping all this in case of a crash takes: of the window, and of the thread that writes.
void reportKeeping(Session &session) {
    constexpr int kChains = 25;
    constexpr int kLong = 20;
    const ScheduleRef naive{ScheduleRef::Kind::Naive, 0};
    const OfferedMovesPtr offered = session.moves().of(naive);
    const Step *split = nullptr;
    for (size_t i = 0; offered && split == nullptr && i < offered->moves.size(); ++i)
        if (std::holds_alternative<SplitStep>(offered->moves[i])) split = &offered->moves[i];
    if (split == nullptr) return;
    for (int chain = 0; chain < kChains; ++chain) {
        SplitStep step = std::get<SplitStep>(*split);
        step.lengths = {chain + 1};
        ScheduleRef at = naive;
        for (int i = 0; i < kLong; ++i) {
            auto steps = session.edits().stepsOf(at);
            if (!steps) return;
            step.extent = steps->state().stage(step.stage).iters[step.iter.index()].extent;
            steps->insert(steps->size(), step);
            at = {ScheduleRef::Kind::Edited, session.edits().edit(at, std::move(*steps), QStringLiteral("split"))};
            step.lengths = {1};
        }
    }
    waitFor([&] { return session.jobs().running().empty(); }, 60000);
    double copied = 1e9;
    double written = 1e9;
    qsizetype bytes = 0;
    for (int i = 0; i < 5; ++i) {
        QElapsedTimer clock;
        clock.start();
        const SessionSnapshot snapshot = session.file().snapshot({});
        copied = std::min(copied, static_cast<double>(clock.nsecsElapsed()) * 1e-6);
        clock.start();
        bytes = QJsonDocument(snapshot.json()).toJson(QJsonDocument::Compact).size();
        written = std::min(written, static_cast<double>(clock.nsecsElapsed()) * 1e-6);
    }
    std::printf("keeping %zu trials and %zu schedules made by hand: %.1f ms of the window, %.0f ms of a job, %.1f MB\n",
                session.document()->trials.size(), session.document()->edited.size(), copied, written,
                static_cast<double>(bytes) * 1e-6);
}

} // namespace

int main(int argc, char **argv) {
    WatchedApplication application(argc, argv);
    QCommandLineParser parser;
    const QCommandLineOption trialsOption(QStringLiteral("trials"), {}, QStringLiteral("n"), QStringLiteral("5000"));
    const QCommandLineOption sampleOption(QStringLiteral("sample"), {}, QStringLiteral("file"),
                                          QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/conv2d_bias_relu.te"));
    const QCommandLineOption passesOption(QStringLiteral("passes"), {}, QStringLiteral("n"), QStringLiteral("2"));
    const QCommandLineOption logOption(QStringLiteral("log"), {}, QStringLiteral("file"));
    parser.addOptions({trialsOption, sampleOption, passesOption, logOption});
    parser.addHelpOption();
    parser.process(application);
    const int trials = parser.value(trialsOption).toInt();

    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("loopscope.ini")));
    Theme theme;
    theme.apply(application, ThemeChoice::Light);
    Actions actions;
    Session session(settings);
    session.search().setMeasurerFactory([](const Task &, const MeasureOptions &) {
        auto measurer = std::make_unique<ScriptedMeasurer>();
        measurer->fault = [n = 0](const Steps &) mutable {
            return ++n % 9 == 4 ? TrialError::WrongAnswer : n % 31 == 7 ? TrialError::RunTimeout : TrialError::None;
        };
        return measurer;
    });
    MainWindow window({session, settings, theme, actions});
    window.resize(1600, 1000);
    window.show();
    window.openFiles({parser.value(sampleOption)}, false);
    if (!waitFor([&] { return session.document() && session.document()->task; }, 20000)) {
        std::fprintf(stderr, "the sample was not understood\n");
        return 1;
    }
    waitFor([&] { return session.jobs().running().empty(); }, 20000);
    while (window.docks().makeNextView()) QCoreApplication::processEvents();
    // Fonts, icons and pictures of views that are seen for the first time are no memory of trials.
    for (const char *dock : kDocks) {
        window.docks().showDock(QLatin1String(dock), false);
        waitFor([&] { return session.jobs().running().empty(); }, 20000);
    }
    waitFor([&] { return session.jobs().running().empty(); }, 20000);
    reportMoves(session, window);

    SearchSetup setup = session.document()->setup;
    setup.options.trialsPerRound = 64;
    setup.options.population = 512; // trials are to stream, not the search to be long
    setup.options.generations = 2;

    const int passes = std::max(1, parser.value(passesOption).toInt());
    QString log;
    int pass = 0;
    const auto searchOnce = [&](int count, const Memory &cold, const Memory &before) {
        setup.options.trials = count;
        session.search().setSetup(setup);
        if (!stream(application, session, window, count)) return false;
        print("with the trials", cold, before, session.document()->trials.size());
        log = session.document()->logPath;
        if (count == trials && pass == passes) reportKeeping(session);
        session.search().forgetTrials();
        waitFor([&] { return session.jobs().running().empty(); }, 20000);
        report("forgetting", application);
        malloc_trim(0);
        return true;
    };
    std::printf("-- first of all, %d trials\n", kWarmUp);
    const Memory cold;
    if (!searchOnce(kWarmUp, cold, cold)) return 1;
    const Memory before;
    for (pass = 1; pass <= passes; ++pass) {
        std::printf("-- pass %d\n", pass);
        if (!searchOnce(trials, cold, before)) return 1;
        print("after forgetting them", cold, before, static_cast<size_t>(trials));
    }

    session.files().loadLog(parser.isSet(logOption) ? parser.value(logOption) : log);
    waitFor([&] { return session.jobs().running().empty() && !session.document()->trials.empty(); }, 60000);
    for (int i = 0; i < 20; ++i) {
        QElapsedTimer pause;
        pause.start();
        waitFor([&] { return pause.elapsed() > 50; }, 100);
    }
    std::printf("%zu trials read from the log\n", session.document()->trials.size());
    report("reading the log", application);
    return 0;
}
