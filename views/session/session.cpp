#include "views/session/session.h"

#include "measure/disassembly.h"
#include "timing/machine_peaks.h"
#include "views/session/analysis.h"
#include "views/session/log_trials.h"
#include "views/session/representation_cache.h"
#include "views/session/standing.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {
constexpr int kAnalyseAfter = 250;      // ms without a keystroke
constexpr int kDrainEvery = 33;         // ms
constexpr double kSketchesWithin = 0.5; // seconds that the task waits for its sketches
} // namespace

Session::Session(Settings &settings, QObject *parent)
    : QObject(parent), m_settings(settings), m_representations(std::make_unique<RepresentationCache>()) {
    qRegisterMetaType<ScheduleRef>();
    qRegisterMetaType<Selected>();
    m_analyseSoon.setSingleShot(true);
    m_analyseSoon.setInterval(kAnalyseAfter);
    connect(&m_analyseSoon, &QTimer::timeout, this, [this] {
        if (m_current) analyse(*m_current);
    });
    m_drain.setInterval(kDrainEvery);
    connect(&m_drain, &QTimer::timeout, this, &Session::drainSearch);
    connect(&m_jobs, &Jobs::cancelled, this, &Session::jobCancelled);
    connect(this, &Session::opened, this, [this](const QString & /*path*/, bool ok) {
        if (ok) m_messages.succeeded(QStringLiteral("open"));
    });
    loadPeaks();
}

Session::~Session() {
    m_search.reset(); // cancels, waits; what was measured is in its log
}

std::vector<const Document *> Session::documents() const {
    std::vector<const Document *> list;
    for (const auto &document : m_documents) list.push_back(document.get());
    return list;
}

Document *Session::documentOf(int id) {
    for (const auto &document : m_documents)
        if (document->id == id) return document.get();
    return nullptr;
}

Document *Session::documentOfTask(int taskId) {
    for (const auto &document : m_documents)
        if (loopscope::taskOf(*document, taskId)) return document.get();
    return nullptr;
}

TaskState *Session::taskOf(int taskId) {
    Document *document = documentOfTask(taskId);
    return document ? loopscope::taskOf(*document, taskId) : nullptr;
}

Document &Session::add(const QString &path, const QString &text) {
    auto document = std::make_unique<Document>();
    document->id = m_nextId++;
    document->taskId = m_nextId++;
    document->path = path;
    document->name = QFileInfo(path).completeBaseName();
    document->text = text;
    m_documents.push_back(std::move(document));
    return *m_documents.back();
}

void Session::show(Document *document) {
    analyseNow();
    m_current = document;
    m_selection.reset();
    Q_EMIT documentsChanged();
    Q_EMIT documentChanged();
}

void Session::setCurrent(int id) {
    Document *document = documentOf(id);
    if (!document || document == m_current) return;
    show(document);
    bestSelected();
}

void Session::bestSelected() {
    if (m_current && m_current->best >= 0) m_selection.selectSchedule({ScheduleRef::Kind::Trial, m_current->best});
}

void Session::showTask(int taskId) {
    Document *document = documentOfTask(taskId);
    if (!document) return;
    analyseNow();
    if (document->taskId != taskId) {
        ++document->version; // an analysis under way is of what was left
        document->analysing = false;
        document->analysisJob = 0;
        document->problem.reset();
        forgetTask(showTaskOf(*document, taskId));
        if (document->logTask)
            sayUnknown(*document);
        else if (!document->task || document->sketches.empty())
            analyse(*document);
        if (document == m_current) return tellTaskShown();
    }
    setCurrent(document->id);
}

/// The document shown has gone from one task to another: a number that a view keeps names another trial now.
void Session::tellTaskShown() {
    Q_EMIT trialsReset();
    m_selection.reset();
    Q_EMIT documentsChanged();
    Q_EMIT documentChanged();
    Q_EMIT problemChanged();
    Q_EMIT sketchesChanged();
    Q_EMIT roundsChanged();
    Q_EMIT searchChanged();
    bestSelected();
}

/// A task that was left for good: what was being made for it has nobody to go to.
void Session::forgetTask(int taskId) {
    if (taskId == 0) return;
    if (const auto sketches = m_sketchJobs.find(taskId); sketches != m_sketchJobs.end()) {
        const int job = sketches->second;
        m_sketchJobs.erase(sketches);
        m_jobs.cancel(job);
    }
    forgetRepresentations(taskId);
    std::erase_if(m_restoring, [taskId](const Restoring &restoring) { return restoring.task == taskId; });
}

void Session::close(int id) {
    const auto found =
        std::find_if(m_documents.begin(), m_documents.end(), [id](const auto &document) { return document->id == id; });
    if (found == m_documents.end()) return;
    for (const TaskState *state : tasksOf(**found)) {
        if (m_search && m_searchTask == state->taskId) abandonSearch();
        forgetTask(state->taskId);
    }
    const bool shown = found->get() == m_current;
    if (shown) m_analyseSoon.stop();
    const auto at = static_cast<size_t>(found - m_documents.begin());
    const std::unique_ptr<Document> closed = std::move(*found); // lives until the views have let go of it
    m_documents.erase(found);
    if (shown) {
        show(m_documents.empty() ? nullptr : m_documents[std::min(at, m_documents.size() - 1)].get());
    } else {
        Q_EMIT documentsChanged();
    }
}

void Session::openText(const QString &name, const QString &text) {
    Document &document = add({}, text);
    document.name = name;
    document.modified = true;
    show(&document);
    analyse(document);
}

QString Session::saveText(const QString &path) {
    if (!m_current) return QStringLiteral("no workload is open that could be saved");
    QSaveFile file(path);
    const QByteArray bytes = m_current->text.toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return QStringLiteral("%1: cannot be written: %2").arg(path, file.errorString());
    m_current->path = QFileInfo(path).absoluteFilePath();
    m_current->origin.clear();
    m_current->savedText = m_current->text;
    m_current->modified = false;
    m_settings.addRecentFile(m_current->path);
    Q_EMIT documentsChanged();
    return {};
}

void Session::setText(const QString &text) {
    if (!m_current || m_current->text == text || m_current->logTask) return;
    m_current->text = text;
    const bool before =
        std::exchange(m_current->modified, m_current->savedText.isNull() || text != m_current->savedText);
    m_analyseSoon.start();
    if (before != m_current->modified) Q_EMIT documentsChanged();
}

void Session::setParams(const ParamOverrides &params) {
    if (!m_current || m_current->params == params || m_current->logTask) return;
    m_current->params = params;
    analyse(*m_current);
}

void Session::setTarget(const QString &text) {
    if (!m_current || m_current->targetText == text || m_current->logTask) return;
    m_current->targetText = text;
    analyse(*m_current);
}

void Session::setSetup(const SearchSetup &setup) {
    if (!m_current) return;
    const SketchOptions before = m_current->setup.options.sketch;
    m_current->setup = setup;
    const SketchOptions &now = setup.options.sketch;
    const bool others = before.inlineMore != now.inlineMore || before.packInputs != now.packInputs;
    if (others && !m_current->logTask) analyse(*m_current);
    Q_EMIT searchChanged();
}

// --- Analysis -------------------------------------------------------------------------------------------------------

void Session::analyseNow() {
    if (!m_analyseSoon.isActive()) return;
    m_analyseSoon.stop();
    if (m_current) analyse(*m_current);
}

void Session::analyse(Document &document) {
    if (&document == m_current) m_analyseSoon.stop();
    document.analysing = true;
    const int version = ++document.version;
    const QString &path = document.path.isEmpty() ? document.origin : document.path;
    AnalysisInput input{std8(document.text),
                        std8(path),
                        document.params,
                        std8(document.targetText),
                        document.setup.options.sketch,
                        document.setup.layoutRewrite};
    TaskSource source{document.text, document.params, document.targetText};
    document.analysisJob = m_jobs.start(
        QStringLiteral("Reading %1").arg(document.name), this,
        [input = std::move(input)](JobControl &control) {
            return std::make_shared<Analysis>(analyseWorkload(input, kSketchesWithin, &control.cancelFlag()));
        },
        [this, id = document.id, version, source = std::move(source)](const std::shared_ptr<Analysis> &analysis) {
            const Document *document = documentOf(id);
            if (document && document->version == version) takeAnalysis(id, source, std::move(*analysis));
        });
    if (&document == m_current) Q_EMIT problemChanged();
}

void Session::takeAnalysis(int id, const TaskSource &source, Analysis analysis) {
    Document &document = *documentOf(id);
    const bool shown = &document == m_current;
    document.analysing = false;
    document.analysisJob = 0;
    document.problem = std::move(analysis.problem);
    if (document.problem) {
        if (shown) Q_EMIT problemChanged();
        openPendingLogs();
        return;
    }
    const bool sameTask = isTask(document, *analysis.task);
    const bool another = document.task && !sameTask;
    const SketchOptions asked = document.setup.options.sketch;
    if (another) {
        if (!document.trials.empty())
            m_messages.note(QStringLiteral("%1 is another task now; %2 stays with its %3")
                                .arg(document.name, taskTitle(document), taskProgressText(document)));
        forgetTask(enterTask(document, *analysis.task, m_nextId++));
    }
    document.source = source;
    document.workload = std::move(analysis.workload);
    document.task = std::move(analysis.task);
    document.dagText = std::move(analysis.dagText);
    document.sketches = std::move(analysis.sketches);
    document.derivation = std::move(analysis.derivation);
    document.sketchProblem = std::move(analysis.sketchProblem);
    if (!document.workload->name.empty()) document.name = qt(document.workload->name);
    if (const auto sketches = m_sketchJobs.find(document.taskId); sketches != m_sketchJobs.end()) {
        const int job = sketches->second;
        m_sketchJobs.erase(sketches);
        m_jobs.cancel(job);
    }
    if (analysis.sketchesPending) deriveSketchesOf(document);
    forgetRepresentations(document.taskId);
    if (shown && another) {
        tellTaskShown();
    } else if (shown) {
        Q_EMIT documentsChanged();
        if (!sameTask) m_selection.reset();
        Q_EMIT documentChanged();
        Q_EMIT problemChanged();
        Q_EMIT sketchesChanged();
    }
    const SketchOptions &own = document.setup.options.sketch; // a kept task has a setup of its own
    if (own.inlineMore != asked.inlineMore || own.packInputs != asked.packInputs) analyse(document);
    restoreSelection(document);
    openPendingLogs();
}

void Session::deriveSketchesOf(TaskState &state) {
    state.sketchProblem = QStringLiteral("they are being derived");
    m_sketchJobs[state.taskId] = m_jobs.start(
        QStringLiteral("Deriving the sketches of %1").arg(state.name), this,
        [task = state.task, options = state.setup.options.sketch](JobControl &control) {
            return std::make_shared<SketchAnalysis>(
                deriveSketches(*task, options, std::numeric_limits<double>::infinity(), &control.cancelFlag()));
        },
        [this, id = state.taskId](const std::shared_ptr<SketchAnalysis> &analysis) {
            m_sketchJobs.erase(id);
            TaskState *state = taskOf(id);
            if (!state) return;
            state->sketches = std::move(analysis->sketches);
            state->derivation = std::move(analysis->derivation);
            state->sketchProblem = std::move(analysis->problem);
            if (isShown(*state)) Q_EMIT sketchesChanged();
        });
}

void Session::dropTrials(TaskState &state) {
    state.trials.clear();
    state.rounds.clear();
    state.best = -1;
    state.logPath.clear();
    state.naiveSeconds = -1;
    state.naiveCompared = {};
    state.naiveComparison = state.winner = -1;
    state.comparisons = state.decided = 0;
    state.search = {};
    state.skippedLogLines = 0;
    if (!isShown(state)) return;
    if (m_selection.now().schedule.kind == ScheduleRef::Kind::Trial) m_selection.reset();
    Q_EMIT trialsReset();
    Q_EMIT roundsChanged();
    Q_EMIT bestChanged(-1);
    Q_EMIT searchChanged();
}

void Session::forgetTrials() {
    if (!m_current || (m_search && m_searchTask == m_current->taskId)) return;
    forgetRepresentations(m_current->taskId);
    dropTrials(*m_current);
}

// --- Trials ---------------------------------------------------------------------------------------------------------

void Session::addTrials(TaskState &state, std::vector<TrialEntry> entries) {
    if (entries.empty()) return;
    const int first = static_cast<int>(state.trials.size());
    state.trials.insert(state.trials.end(), std::make_move_iterator(entries.begin()),
                        std::make_move_iterator(entries.end()));
    if (isShown(state)) Q_EMIT trialsAdded(first, static_cast<int>(state.trials.size()) - first);
}

void Session::updateBest(TaskState &state) {
    const int best = bestTrial(state);
    if (best == state.best) return;
    state.best = best;
    if (isShown(state)) Q_EMIT bestChanged(best);
}

void Session::setPinned(int trial, bool pinned) {
    if (!m_current || trial < 0 || static_cast<size_t>(trial) >= m_current->trials.size()) return;
    m_current->trials[static_cast<size_t>(trial)].pinned = pinned;
    Q_EMIT trialsChanged({trial});
}

void Session::setNote(int trial, const QString &note) {
    if (!m_current || trial < 0 || static_cast<size_t>(trial) >= m_current->trials.size()) return;
    m_current->trials[static_cast<size_t>(trial)].note = note;
    Q_EMIT trialsChanged({trial});
}

} // namespace loopscope
