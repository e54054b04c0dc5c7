#pragma once
// What is open, what runs, and what is known: the one object behind all views. Views read its values and call its
// commands; they hear of changes by signals, always on the UI thread. The search has a thread of its own, everything
// else that takes time is a job; the trials of a running search arrive in batches.

#include "views/session/document.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/schedule_forms.h"
#include "views/session/selection.h"
#include "views/settings/settings.h"

#include <QObject>
#include <QTimer>

#include <map>
#include <memory>
#include <vector>

namespace loopscope {

class SearchThread;
struct KernelListing; // measure/listing.h
struct MachinePeaks;  // measure/machine_peaks.h
using ListingPtr = std::shared_ptr<const KernelListing>;

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
    void close(int id);
    /// Empty on success, else a sentence.
    QString saveText(const QString &path);
    /// Analysed shortly after the last change.
    void setText(const QString &text);
    void setParams(const ParamOverrides &params);
    void setTarget(const QString &text);

    // --- Search ---------------------------------------------------------------------------------------------------
    void setSetup(const SearchSetup &setup);
    /// From the beginning: trials so far stay as logged trials of the document and are learnt from.
    void startSearch();
    void pauseSearch();
    void resumeSearch();
    void stopSearch();
    void continueSearch(int moreTrials);
    [[nodiscard]] bool searching() const; // in any document
    /// Why startSearch would do nothing now; empty when it can start.
    [[nodiscard]] QString whyNotSearch() const;
    /// Checked and timed again, interleaved when there are several; samples are added to the entries and the log.
    void remeasure(const std::vector<int> &trials);
    void loadLog(const QString &path);
    void setPinned(int trial, bool pinned);
    void setNote(int trial, const QString &note);

    // --- Forms of a schedule of the current document ----------------------------------------------------------------
    /// Null while being made (formsReady follows); asked for again it costs nothing.
    FormsPtr forms(const ScheduleRef &ref);
    /// IR, assembly and its summary; null while being made (listingReady follows). `problem` says why there is none.
    ListingPtr listing(const ScheduleRef &ref, QString *problem = nullptr);
    /// The steps of a schedule; empty for the naive one.
    [[nodiscard]] Steps stepsOf(const ScheduleRef &ref) const;

    // --- The machine ----------------------------------------------------------------------------------------------
    /// Null until measured (peaksReady follows); kept between starts.
    [[nodiscard]] const MachinePeaks *peaks() const { return m_peaks.get(); }
    void measurePeaks();

    // --- Session files --------------------------------------------------------------------------------------------
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
    void formsReady(const loopscope::ScheduleRef &ref);
    void listingReady(const loopscope::ScheduleRef &ref);
    void peaksReady();
    void opened(const QString &path, bool ok);

  private:
    friend class SearchThread;
    struct KernelListing; // measure/listing.h
    struct MachinePeaks;  // measure/machine_peaks.h
    struct FormsCache;
    Document *documentOf(int id);
    Document &add(std::unique_ptr<Document> document);
    void show(Document *document);
    void openWorkload(const QString &path, const QByteArray &bytes);
    void openLog(const QString &path);
    void analyse(Document &document);
    void taskChanged(Document &document);
    void drainSearch();
    void runSearch(int trials);
    void addTrials(Document &document, std::vector<TrialEntry> entries);
    void updateBest(Document &document);
    void say(const QString &path, const std::exception &error);

    Settings &m_settings;
    Messages m_messages;
    Jobs m_jobs{m_messages};
    Selection m_selection;
    std::vector<std::unique_ptr<Document>> m_documents;
    Document *m_current = nullptr;
    int m_nextId = 1;
    std::unique_ptr<SearchThread> m_search;
    QTimer m_drain;
    QTimer m_analyseSoon;
    std::unique_ptr<FormsCache> m_forms;
    std::unique_ptr<MachinePeaks> m_peaks;
};

} // namespace loopscope

Q_DECLARE_METATYPE(loopscope::ScheduleRef)
Q_DECLARE_METATYPE(loopscope::Selected)
