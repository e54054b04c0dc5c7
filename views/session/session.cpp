#include "views/session/session.h"

#include "views/session/logs_in_session.h"
#include "views/session/network_searches_in_session.h"
#include "views/session/network_tuning.h"
#include "views/session/networks_in_session.h"
#include "views/session/open_logs.h"
#include "views/session/open_networks.h"

namespace loopscope {

Session::Session(Settings &settings)
    : m_settings(settings), m_openLogs(std::make_unique<OpenLogs>(settings, m_messages, m_jobs)),
      m_openNetworks(std::make_unique<OpenNetworks>(settings, m_messages, m_jobs)),
      m_tuning(std::make_unique<NetworkTuning>(NetworkTuning::Parts{
          *m_openNetworks, m_peaks, settings, m_messages, m_jobs, [this] { return m_search.machineUse(); }})) {
    qRegisterMetaType<ScheduleRef>();
    qRegisterMetaType<Selected>();
    connectParts();
    new LogsInSession(*m_openLogs, m_messages, &m_file);
    new NetworksInSession(*m_openNetworks, m_messages, &m_file);
    new NetworkSearchesInSession(*m_openNetworks, *m_tuning, &m_file);
}

Session::~Session() = default;

QString machineUseOf(const NetworkTuning *tuning) { return tuning != nullptr ? tuning->machineUse() : QString(); }

/// What a change in one part means to the others. Views connect later, and hear of a change when it is complete.
void Session::connectParts() {
    const auto connect = [](auto *from, auto signal, auto *to, auto slot) { QObject::connect(from, signal, to, slot); };
    // A task that is left for good.
    connect(&m_documents, &Documents::taskForgotten, &m_search, &SearchRunner::forgetTask);
    connect(&m_documents, &Documents::taskForgotten, &m_representations, &RepresentationCache::forget);
    connect(&m_documents, &Documents::taskForgotten, &m_explanations, &Explanations::forget);
    connect(&m_documents, &Documents::taskShown, &m_edits, &EditedSchedules::nodesChanged);
    connect(&m_documents, &Documents::taskShown, &m_scheduling, &Scheduling::changed);
    // What can be done to its schedules, and what is learnt of it.
    connect(&m_documents, &Documents::taskShown, &m_moves, &MovePredictions::forget);
    connect(&m_documents, &Documents::sketchesChanged, &m_moves, &MovePredictions::forget);
    connect(&m_trials, &TaskTrials::trialsReset, &m_moves, &MovePredictions::forget);
    connect(&m_trials, &TaskTrials::trialsAdded, &m_moves, &MovePredictions::refresh);
    // Its numbers mean something else: another task is shown, it was read anew, its trials leave.
    connect(&m_documents, &Documents::taskLeft, &m_trials, &TaskTrials::trialsReset);
    connect(&m_documents, &Documents::taskShown, &m_trials, &TaskTrials::roundsChanged);
    connect(&m_documents, &Documents::taskShown, &m_search, &SearchRunner::searchChanged);
    connect(&m_documents, &Documents::taskRemade, &m_representations, &RepresentationCache::forget);
    connect(&m_documents, &Documents::taskRemade, &m_explanations, &Explanations::forget);
    connect(&m_trials, &TaskTrials::aboutToDrop, &m_representations, &RepresentationCache::forget);
    connect(&m_trials, &TaskTrials::aboutToDrop, &m_explanations, &Explanations::forget);
    // The state of the search is also how many trials there are, and in which log.
    connect(&m_logs, &LogOpening::attached, &m_search, &SearchRunner::searchChanged);
    // One search at a time: a network's ends, a workload's may begin.
    connect(m_tuning.get(), &NetworkTuning::machineUseChanged, &m_search, &SearchRunner::searchChanged);
    connect(&m_file, &SessionFile::restored, &m_search, &SearchRunner::searchChanged);
}

} // namespace loopscope
