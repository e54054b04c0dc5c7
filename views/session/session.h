#pragma once
// What is open, what runs, and what is known: the one object behind all views. Views read its values and call its
// commands; they hear of changes by signals, always on the UI thread. The search has a thread of its own, everything
// else that takes time is a job; the trials of a running search arrive in batches.

#include "views/session/document.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/representations.h"
#include "views/session/search_thread.h"
#include "views/session/selection.h"
#include "views/settings/settings.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QObject>
#include <QTimer>

#include <map>
#include <memory>
#include <vector>

namespace loopscope {

struct Disassembly; // measure/disassembly.h
using DisassemblyPtr = std::shared_ptr<const Disassembly>;

class Session : public QObject {
    Q_OBJECT

  public:
    explicit Session(Settings &settings, QObject *parent = nullptr);
    ~Session() override; // stops the search, keeps what was measured

    [[nodiscard]] Settings &settings() { return m_settings; }
    [[nodiscard]] Messages &messages() { return m_messages; }
    [[nodiscard]] Jobs &jobs() { return m_jobs; }
    [[nodiscard]] Selection &selection() { return m_selection; }

    // --- Documents ------------------------------------------------------------------------------------------------
    /// The one shown; null when nothing is open.
    [[nodiscard]] const Document *document() const { return m_current; }
    [[nodiscard]] std::vector<const Document *> documents() const;
    /// Workloads (.te), tuning logs (.json, .log), sessions (.loopscope), told apart by content. What cannot be opened
    /// becomes a message (and `opened` false); the others open all the same.
    void open(const QStringList &paths);
    /// A workload that has no file yet.
    void openText(const QString &name, const QString &text);
    void setCurrent(int id);
    /// Another task of an open document, which is shown with it; unknown ones are ignored.
    void showTask(int taskId);
    void close(int id);
    /// Empty on success, else a sentence.
    QString saveText(const QString &path);
    /// Analysed shortly after the last change. Another task may come of it, as of parameters and target: the one before
    /// stays with the document, trials, search and all.
    void setText(const QString &text);
    void setParams(const ParamOverrides &params);
    void setTarget(const QString &text);

    // --- Search ---------------------------------------------------------------------------------------------------
    void setSetup(const SearchSetup &setup);
    /// Until SearchSetup's trials are reached; the document's trials count and are learnt from.
    void startSearch();
    void pauseSearch();
    void resumeSearch();
    void stopSearch();
    void continueSearch(int moreTrials);
    /// The document's trials leave the window (their logs stay); the next search begins a new log.
    void forgetTrials();
    [[nodiscard]] bool searching() const;                // any task
    [[nodiscard]] const TaskState *searchedTask() const; // shown or not; null while nothing is searched
    /// Instead of isolated children; for tests and benchmarks.
    void setMeasurerFactory(MeasurerFactory factory) { m_makeMeasurer = std::move(factory); }
    /// Why startSearch would do nothing now; empty when it can start.
    [[nodiscard]] QString whyNotSearch() const;
    /// The same for continueSearch, which raises the number of trials.
    [[nodiscard]] QString whyNotContinue() const;
    /// Checked and timed again, interleaved when there are several; samples are added to the entries and the log.
    void remeasure(const std::vector<int> &trials);
    [[nodiscard]] bool remeasuring() const { return m_remeasuring; } // searchChanged tells when it ends
    void loadLog(const QString &path);
    /// The document shown is a log of an unknown workload, and this (.te) may be it. It is opened with the log's trials
    /// when it is; when it is not, Document::problem says why.
    void findWorkload(const QString &path);
    void setPinned(int trial, bool pinned);
    void setNote(int trial, const QString &note);

    // --- Forms of a schedule of the current document ----------------------------------------------------------------
    /// Null while being made (representationsReady follows); asked for again it costs nothing.
    RepresentationsPtr representations(const ScheduleRef &ref);
    /// IR, assembly and its summary; null while being made (disassemblyReady follows). `problem` says why there is
    /// none.
    DisassemblyPtr disassembly(const ScheduleRef &ref, QString *problem = nullptr);
    /// After a failure that may not last (cancelled, worker missing).
    void retryDisassembly(const ScheduleRef &ref);
    /// The wait for it is over: disassemblyReady follows, with "compiling was cancelled" as the problem.
    void cancelDisassembly(const ScheduleRef &ref);
    /// The steps of a schedule; empty for the naive one.
    [[nodiscard]] Steps stepsOf(const ScheduleRef &ref) const;

    // --- The machine ----------------------------------------------------------------------------------------------
    /// Of this processor and as many cores as the current document's target has; null until measured, which the first
    /// search does by itself (peaksReady follows). Kept between starts.
    [[nodiscard]] const MachinePeaks *peaks() const;
    void measurePeaks();
    void setPeaksMeasurer(PeaksMeasurer measure) { m_measurePeaks = std::move(measure); } // for tests
    [[nodiscard]] bool measuringPeaks() const { return m_peaksJob != 0; }

    // --- Session files --------------------------------------------------------------------------------------------
    [[nodiscard]] QJsonObject sessionJson(const QByteArray &window) const;
    /// A session that was opened is not complete yet: its logs are being read.
    [[nodiscard]] bool restoring() const {
        return !m_restoring.empty() || !m_pendingLogs.empty() || !m_readingLogs.empty();
    }
    /// `window` is the window's own state, kept as it is. Empty on success, else a sentence.
    QString saveSession(const QString &path, const QByteArray &window) const;
    /// False with a message when the file is no session.
    bool loadSession(const QString &path, QByteArray *window);

  signals:
    void documentsChanged(); // opened, closed, renamed, modified
    void documentChanged();  // another one is shown, or its task is another: read everything anew
    void problemChanged();   // Document::problem, analysing
    void sketchesChanged();  // sketches, derivation
    void searchChanged();    // SearchStatus, setup
    void trialsAdded(int first, int count);
    void trialsChanged(std::vector<int> trials); // pinned, measured again, noted
    void trialsReset();
    void roundsChanged(); // rounds, generations
    void bestChanged(int trial);
    void representationsReady(const loopscope::ScheduleRef &ref);
    void disassemblyReady(const loopscope::ScheduleRef &ref);
    void peaksReady();
    void opened(const QString &path, bool ok);

  private:
    struct RepresentationCache;
    struct PendingLog {
        QString path;
        int task = 0; // 0 = the one it belongs to
        bool restoring = false;
        QString target;   // the workload was given this target for the log's sake already
        QJsonArray known; // what is known of its trials besides: pins, notes; by log and record (session_file.h)
    };
    /// What a session file says of a task whose logs are still being read.
    struct Restoring {
        int task = 0;
        QJsonArray trials;
        QJsonArray ancestors;
        int best = -1;
        Selected selection;
        bool select = false;
    };
    Document *documentOf(int id);
    TaskState *taskOf(int taskId);
    Document *documentOfTask(int taskId);
    [[nodiscard]] bool isShown(const TaskState &state) const { return m_current && m_current->taskId == state.taskId; }
    Document &add(const QString &path, const QString &text);
    void show(Document *document);
    // Opening (session_open.cpp)
    void openWorkload(const QString &path, const QByteArray &bytes);
    void failToOpen(const QString &path, const QString &problem, const QString &detail);
    void openLog(const PendingLog &pending);
    void openPendingLogs();
    void openUnknown(const PendingLog &pending, std::vector<struct UnknownTask> tasks, const QString &more);
    void sayUnknown(Document &document, const QString &more = {});
    void attachLog(const PendingLog &pending, struct LogTrials trials);
    void openWithTarget(PendingLog pending, Document &document, const QString &target);
    void analyse(Document &document);
    void analyseNow(); // what was typed last and waits for more
    void takeAnalysis(int id, const TaskSource &source, struct Analysis analysis);
    void deriveSketchesOf(TaskState &state);
    void forgetTask(int taskId);
    void bestSelected();
    void tellTaskShown();
    // Search (session_search.cpp)
    void abandonSearch();
    void drainSearch();
    void take(TaskState &state, struct SearchDigest &digest, const SessionEvent &event);
    void endSearch(TaskState &state, const struct SearchEnded &end);
    void addTrials(TaskState &state, std::vector<TrialEntry> entries);
    void updateBest(TaskState &state);
    void dropTrials(TaskState &state);
    void runSearch();
    void takeRemeasured(TaskState &state, const std::vector<int> &numbers, const std::vector<Trial> &measured);
    void understand(const TaskState &state);
    void restoreSelection(const TaskState &state);
    void restoreEntries(TaskState &state, const QString &logPath);
    [[nodiscard]] int layoutRewriteOf(const ScheduleRef &ref) const;
    [[nodiscard]] bool exists(const ScheduleRef &ref) const;
    void loadPeaks();
    void takePeaks(const std::shared_ptr<const MachinePeaks> &peaks, const QString &problem);
    void jobCancelled(int job);
    void readingCancelled(int job);
    void logRead(int job);
    void forgetRepresentations(int taskId);

    Settings &m_settings;
    Messages m_messages;
    Selection m_selection;
    std::vector<std::unique_ptr<Document>> m_documents;
    Document *m_current = nullptr;
    int m_nextId = 1; // of documents and of tasks
    QTimer m_drain;
    QTimer m_analyseSoon;
    std::map<int, int> m_sketchJobs; // task -> job that derives its many sketches
    std::vector<PendingLog> m_pendingLogs;
    std::map<int, PendingLog> m_readingLogs; // job -> what it reads
    std::vector<Restoring> m_restoring;
    std::map<int, int> m_understanding; // restored task -> job that reads it
    MeasurerFactory m_makeMeasurer = makeWorkerMeasurer;
    std::unique_ptr<SearchThread> m_search;
    int m_searchTask = 0;
    bool m_remeasuring = false;
    int m_remeasureJob = 0;
    std::unique_ptr<RepresentationCache> m_representations;
    std::vector<MachinePeaks> m_peaks; // by processor and cores
    PeaksMeasurer m_measurePeaks = measureMachinePeaks;
    int m_peaksJob = 0;
    Jobs m_jobs{m_messages}; // last: its threads end before what they work on goes
};

} // namespace loopscope
