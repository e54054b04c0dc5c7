#pragma once
// What is open, what runs, and what is known: the one object behind all views, put together from parts that own one
// thing each. Views read their values and call their commands; they hear of changes by the parts' signals, always on
// the UI thread. The search has a thread of its own, everything else that takes time is a job; the trials of a running
// search arrive in batches.

#include "views/session/documents.h"
#include "views/session/edited_schedules.h"
#include "views/session/explanations.h"
#include "views/session/jobs.h"
#include "views/session/locks.h"
#include "views/session/log_opening.h"
#include "views/session/measured_peaks.h"
#include "views/session/messages.h"
#include "views/session/move_predictions.h"
#include "views/session/open_files.h"
#include "views/session/representation_cache.h"
#include "views/session/scheduling.h"
#include "views/session/search_runner.h"
#include "views/session/selection.h"
#include "views/session/session_file.h"
#include "views/session/task_trials.h"
#include "views/settings/settings.h"

#include <memory>

namespace loopscope {

class OpenLogs;
class OpenNetworks;
class NetworkTuning;

/// NetworkTuning::machineUse; of none, empty.
[[nodiscard]] QString machineUseOf(const NetworkTuning *tuning);

class Session {
  public:
    explicit Session(Settings &settings);
    ~Session();
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    [[nodiscard]] Settings &settings() { return m_settings; }
    [[nodiscard]] Messages &messages() { return m_messages; }
    [[nodiscard]] Jobs &jobs() { return m_jobs; }
    [[nodiscard]] Selection &selection() { return m_selection; }
    /// What is open and which of it is shown.
    [[nodiscard]] Documents &documents() { return m_documents; }
    [[nodiscard]] const Documents &documents() const { return m_documents; }
    /// The document shown, which everybody asks for; null when nothing is open.
    [[nodiscard]] const Document *document() const { return m_documents.current(); }
    [[nodiscard]] OpenFiles &files() { return m_files; }
    /// Tuning logs, which are documents of their own (views/session/open_logs.h).
    [[nodiscard]] OpenLogs &logs() { return *m_openLogs; }
    /// Networks, which are, too (views/session/open_networks.h).
    [[nodiscard]] OpenNetworks &networks() { return *m_openNetworks; }
    /// The search of one of them (views/session/network_tuning.h).
    [[nodiscard]] NetworkTuning &tuning() { return *m_tuning; }
    [[nodiscard]] TaskTrials &trials() { return m_trials; }
    [[nodiscard]] const TaskTrials &trials() const { return m_trials; }
    /// Schedules made by hand, of the task shown.
    [[nodiscard]] EditedSchedules &edits() { return m_edits; }
    [[nodiscard]] const EditedSchedules &edits() const { return m_edits; }
    /// What can be done to a schedule next, and what it is worth.
    [[nodiscard]] MovePredictions &moves() { return m_moves; }
    [[nodiscard]] const MovePredictions &moves() const { return m_moves; }
    /// What the searches of the task shown keep.
    [[nodiscard]] Locks &locks() { return m_locks; }
    [[nodiscard]] const Locks &locks() const { return m_locks; }
    /// Schedules that no search makes, and where searches of the task shown begin.
    [[nodiscard]] Scheduling &scheduling() { return m_scheduling; }
    [[nodiscard]] SearchRunner &search() { return m_search; }
    [[nodiscard]] const SearchRunner &search() const { return m_search; }
    /// Forms of the schedules of the document shown.
    [[nodiscard]] RepresentationCache &representations() { return m_representations; }
    /// Why schedules of the task shown are as fast as they are.
    [[nodiscard]] Explanations &explanations() { return m_explanations; }
    [[nodiscard]] MeasuredPeaks &peaks() { return m_peaks; }
    /// All that is open as a file.
    [[nodiscard]] SessionFile &file() { return m_file; }
    [[nodiscard]] const SessionFile &file() const { return m_file; }

  private:
    void connectParts();

    // Each works on those above it; what goes first was made last, and no part outlives what it works on.
    Settings &m_settings;
    Messages m_messages;
    Jobs m_jobs{m_messages};
    Selection m_selection;
    DocumentStore m_store;
    WorkloadReader m_reader{m_store, m_messages, m_jobs};
    Documents m_documents{m_store, m_reader, m_selection, m_settings, m_messages};
    TaskTrials m_trials{m_store, m_selection};
    EditedSchedules m_edits{m_store, m_selection};
    MovePredictions m_moves{m_store, m_edits, m_messages, m_jobs};
    Locks m_locks{m_store, m_selection, m_edits};
    Scheduling m_scheduling{{m_store, m_edits, m_locks, m_selection, m_messages, m_jobs}};
    RepresentationCache m_representations{m_store, m_messages, m_jobs};
    Explanations m_explanations{m_store, m_edits, m_jobs};
    MeasuredPeaks m_peaks{m_store, m_settings, m_messages, m_jobs,
                          [this] { return m_search.underWay() || !machineUseOf(m_tuning.get()).isEmpty(); }};
    SearchRunner m_search{{m_store, m_reader, m_trials, m_edits, m_peaks, m_selection, m_settings, m_messages, m_jobs,
                           [this] { return machineUseOf(m_tuning.get()); }}};
    LogOpening m_logs{{m_store, m_reader, m_documents, m_trials, m_selection, m_settings, m_messages, m_jobs}};
    SessionFile m_file{{m_store, m_reader, m_documents, m_trials, m_edits, m_logs, m_selection, m_messages}};
    std::unique_ptr<OpenLogs> m_openLogs;
    std::unique_ptr<OpenNetworks> m_openNetworks;
    std::unique_ptr<NetworkTuning> m_tuning;
    OpenFiles m_files{m_store, m_documents, m_edits, m_logs, *m_openLogs, *m_openNetworks, m_file, m_messages};
};

} // namespace loopscope
