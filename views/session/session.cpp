#include "views/session/session.h"

#include "measure/listing.h"
#include "measure/machine_peaks.h"
#include "views/session/analysis.h"
#include "views/session/forms_cache.h"
#include "views/session/log_trials.h"
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
    : QObject(parent), m_settings(settings), m_forms(std::make_unique<FormsCache>()) {
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

Document &Session::add(const QString &path, const QString &text) {
    auto document = std::make_unique<Document>();
    document->id = m_nextId++;
    document->path = path;
    document->name = QFileInfo(path).completeBaseName();
    document->text = text;
    m_documents.push_back(std::move(document));
    return *m_documents.back();
}

void Session::show(Document *document) {
    m_current = document;
    m_selection.reset();
    Q_EMIT documentsChanged();
    Q_EMIT documentChanged();
}

void Session::setCurrent(int id) {
    Document *document = documentOf(id);
    if (!document || document == m_current) return;
    show(document);
    if (document->best >= 0) m_selection.selectSchedule({ScheduleRef::Kind::Trial, document->best});
}

void Session::close(int id) {
    const auto found =
        std::find_if(m_documents.begin(), m_documents.end(), [id](const auto &document) { return document->id == id; });
    if (found == m_documents.end()) return;
    if (m_search && m_searchDocument == id) abandonSearch();
    if (const auto sketches = m_sketchJobs.find(id); sketches != m_sketchJobs.end()) {
        const int job = sketches->second;
        m_sketchJobs.erase(sketches);
        m_jobs.cancel(job);
    }
    forgetForms(id);
    const bool shown = found->get() == m_current;
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
    m_current->savedText = m_current->text;
    m_current->modified = false;
    m_settings.addRecentFile(m_current->path);
    Q_EMIT documentsChanged();
    return {};
}

void Session::setText(const QString &text) {
    if (!m_current || m_current->text == text) return;
    m_current->text = text;
    const bool before =
        std::exchange(m_current->modified, m_current->savedText.isNull() || text != m_current->savedText);
    m_analyseSoon.start();
    if (before != m_current->modified) Q_EMIT documentsChanged();
}

void Session::setParams(const ParamOverrides &params) {
    if (!m_current || m_current->params == params) return;
    m_current->params = params;
    analyse(*m_current);
}

void Session::setTarget(const QString &text) {
    if (!m_current || m_current->targetText == text) return;
    m_current->targetText = text;
    analyse(*m_current);
}

void Session::setSetup(const SearchSetup &setup) {
    if (!m_current) return;
    const SketchOptions before = m_current->setup.options.sketch;
    m_current->setup = setup;
    const SketchOptions &now = setup.options.sketch;
    if (before.inlineMore != now.inlineMore || before.packInputs != now.packInputs) analyse(*m_current);
    Q_EMIT searchChanged();
}

// --- Analysis -------------------------------------------------------------------------------------------------------

void Session::analyse(Document &document) {
    document.analysing = true;
    const int version = ++document.version;
    AnalysisInput input{std8(document.text),       std8(document.path),           document.params,
                        std8(document.targetText), document.setup.options.sketch, document.setup.layoutRewrite};
    if (const auto sketches = m_sketchJobs.find(document.id); sketches != m_sketchJobs.end()) {
        const int job = sketches->second;
        m_sketchJobs.erase(sketches);
        m_jobs.cancel(job);
    }
    m_jobs.start(
        QStringLiteral("Reading %1").arg(document.name), this,
        [input = std::move(input)](JobControl &control) {
            return std::make_shared<Analysis>(analyseWorkload(input, kSketchesWithin, &control.cancelFlag()));
        },
        [this, id = document.id, version](const std::shared_ptr<Analysis> &analysis) {
            const Document *document = documentOf(id);
            if (document && document->version == version) takeAnalysis(id, std::move(*analysis));
        });
    if (&document == m_current) Q_EMIT problemChanged();
}

void Session::takeAnalysis(int id, Analysis analysis) {
    Document &document = *documentOf(id);
    const bool shown = &document == m_current;
    document.analysing = false;
    document.problem = std::move(analysis.problem);
    if (document.problem) {
        if (shown) Q_EMIT problemChanged();
        openPendingLogs();
        return;
    }
    const bool sameTask = document.task && document.task->key == analysis.task->key &&
                          document.task->target.text() == analysis.task->target.text();
    const bool otherTrials = document.task && document.task->key != analysis.task->key && !document.trials.empty();
    document.workload = std::move(analysis.workload);
    document.task = std::move(analysis.task);
    document.dagText = std::move(analysis.dagText);
    document.sketches = std::move(analysis.sketches);
    document.derivation = std::move(analysis.derivation);
    document.sketchProblem = std::move(analysis.sketchProblem);
    if (!document.workload->name.empty()) document.name = qt(document.workload->name);
    if (analysis.sketchesPending) deriveSketchesOf(document);
    forgetForms(id);
    if (otherTrials) {
        m_messages.note(QStringLiteral("%1 is another task now; its %2 trials stay in %3 and left the window")
                            .arg(document.name)
                            .arg(document.trials.size())
                            .arg(document.trials.front().logPath));
        if (m_search && m_searchDocument == id) stopSearch();
        dropTrials(document);
    }
    if (shown) {
        Q_EMIT documentsChanged();
        if (!sameTask) m_selection.reset();
        Q_EMIT documentChanged();
        Q_EMIT problemChanged();
        Q_EMIT sketchesChanged();
    }
    restoreSelection(document);
    openPendingLogs();
}

void Session::deriveSketchesOf(Document &document) {
    document.sketchProblem = QStringLiteral("they are being derived");
    const int version = document.version;
    m_sketchJobs[document.id] = m_jobs.start(
        QStringLiteral("Deriving the sketches of %1").arg(document.name), this,
        [task = document.task, options = document.setup.options.sketch](JobControl &control) {
            return std::make_shared<SketchAnalysis>(
                deriveSketches(*task, options, std::numeric_limits<double>::infinity(), &control.cancelFlag()));
        },
        [this, id = document.id, version](const std::shared_ptr<SketchAnalysis> &analysis) {
            m_sketchJobs.erase(id);
            Document *document = documentOf(id);
            if (!document || document->version != version) return;
            document->sketches = std::move(analysis->sketches);
            document->derivation = std::move(analysis->derivation);
            document->sketchProblem = std::move(analysis->problem);
            if (document == m_current) Q_EMIT sketchesChanged();
        });
}

void Session::dropTrials(Document &document) {
    document.trials.clear();
    document.rounds.clear();
    document.best = -1;
    document.logPath.clear();
    document.naiveSeconds = -1;
    document.search = {};
    document.skippedLogLines = 0;
    if (&document != m_current) return;
    if (m_selection.now().schedule.kind == ScheduleRef::Kind::Trial) m_selection.reset();
    Q_EMIT trialsReset();
    Q_EMIT roundsChanged();
    Q_EMIT bestChanged(-1);
    Q_EMIT searchChanged();
}

void Session::forgetTrials() {
    if (!m_current || (m_search && m_searchDocument == m_current->id)) return;
    forgetForms(m_current->id);
    dropTrials(*m_current);
}

// --- Trials ---------------------------------------------------------------------------------------------------------

void Session::addTrials(Document &document, std::vector<TrialEntry> entries) {
    if (entries.empty()) return;
    const int first = static_cast<int>(document.trials.size());
    document.trials.insert(document.trials.end(), std::make_move_iterator(entries.begin()),
                           std::make_move_iterator(entries.end()));
    if (&document == m_current) Q_EMIT trialsAdded(first, static_cast<int>(document.trials.size()) - first);
}

void Session::updateBest(Document &document, int verdict) {
    int best = verdict;
    if (best < 0)
        for (size_t i = 0; i < document.trials.size(); ++i)
            if (document.trials[i].valid() &&
                (best < 0 || document.trials[i].seconds() < document.trials[static_cast<size_t>(best)].seconds()))
                best = static_cast<int>(i);
    if (best == document.best) return;
    document.best = best;
    if (&document == m_current) Q_EMIT bestChanged(best);
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
