#include "views/session/workload_reader.h"

#include "views/session/text.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace loopscope {

namespace {
constexpr int kAnalyseAfter = 250;      // ms without a keystroke
constexpr double kSketchesWithin = 0.5; // seconds that the task waits for its sketches
} // namespace

WorkloadReader::WorkloadReader(DocumentStore &documents, Messages &messages, Jobs &jobs)
    : m_documents(documents), m_messages(messages), m_jobs(jobs) {
    m_soon.setSingleShot(true);
    m_soon.setInterval(kAnalyseAfter);
    connect(&m_soon, &QTimer::timeout, this, [this] {
        if (m_documents.current()) read(*m_documents.current());
    });
    connect(&m_jobs, &Jobs::cancelled, this, &WorkloadReader::jobCancelled);
}

bool WorkloadReader::busy() const {
    const auto &all = m_documents.all();
    return !m_understanding.empty() ||
           std::any_of(all.begin(), all.end(), [](const auto &document) { return document->analysing; });
}

void WorkloadReader::readNow() {
    if (!m_soon.isActive()) return;
    m_soon.stop();
    if (m_documents.current()) read(*m_documents.current());
}

void WorkloadReader::read(Document &document) {
    if (&document == m_documents.current()) m_soon.stop();
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
            Document *document = m_documents.find(id);
            if (!document || document->version != version) return;
            document->analysing = false;
            document->analysisJob = 0;
            Q_EMIT wasRead(id, source, analysis);
        });
    if (&document == m_documents.current()) Q_EMIT problemChanged();
}

void WorkloadReader::abandon(Document &document) {
    ++document.version;
    document.analysing = false;
    document.analysisJob = 0;
}

void WorkloadReader::deriveSketches(TaskState &state) {
    state.sketchProblem = QStringLiteral("they are being derived");
    m_sketchJobs[state.taskId] = m_jobs.start(
        QStringLiteral("Deriving the sketches of %1").arg(state.name), this,
        [task = state.task, options = state.setup.options.sketch](JobControl &control) {
            return std::make_shared<SketchAnalysis>(loopscope::deriveSketches(
                *task, options, std::numeric_limits<double>::infinity(), &control.cancelFlag()));
        },
        [this, id = state.taskId](const std::shared_ptr<SketchAnalysis> &analysis) {
            m_sketchJobs.erase(id);
            TaskState *state = m_documents.task(id);
            if (!state) return;
            state->sketches = std::move(analysis->sketches);
            state->derivation = std::move(analysis->derivation);
            state->sketchProblem = std::move(analysis->problem);
            if (m_documents.isShown(*state)) Q_EMIT sketchesChanged();
        });
}

void WorkloadReader::stopDeriving(int taskId) {
    const auto sketches = m_sketchJobs.find(taskId);
    if (sketches == m_sketchJobs.end()) return;
    const int job = sketches->second;
    m_sketchJobs.erase(sketches);
    m_jobs.cancel(job);
}

void WorkloadReader::understand(const TaskState &state) {
    const int id = state.taskId;
    const auto done = [this, id](const QString &name, const QString &problem) {
        m_understanding.erase(id);
        if (!problem.isEmpty()) m_messages.fail(QStringLiteral("A task of %1 is not understood").arg(name), problem);
        Q_EMIT settled();
    };
    AnalysisInput input{std8(state.source.text),       {}, state.source.params,
                        std8(state.source.targetText), {}, state.setup.layoutRewrite};
    m_understanding[id] = m_jobs.start(
        QStringLiteral("Reading %1").arg(state.name), this,
        [input = std::move(input)](JobControl &control) {
            return std::make_shared<Analysis>(analyseWorkload(input, 0, &control.cancelFlag()));
        },
        [this, id, name = state.name, done](const std::shared_ptr<Analysis> &analysis) {
            TaskState *state = m_documents.task(id);
            if (state && !state->task && !analysis->problem) {
                state->workload = std::move(analysis->workload);
                state->task = std::move(analysis->task);
                state->dagText = std::move(analysis->dagText);
            }
            done(name, analysis->problem ? analysis->problem->sentence : QString());
        },
        [done, name = state.name](const QString &problem) { done(name, problem); });
}

/// A cancelled job hands over nothing: what waited for it must not wait on.
void WorkloadReader::jobCancelled(int job) {
    for (const auto &document : m_documents.all()) {
        if (document->analysisJob != job || !document->analysing) continue;
        abandon(*document);
        document->problem =
            Problem{QStringLiteral("reading the workload was cancelled; change it, or open it again, to have it read"),
                    {},
                    {},
                    0,
                    0,
                    true};
        if (document.get() == m_documents.current()) Q_EMIT problemChanged();
        Q_EMIT settled();
        return;
    }
    if (std::erase_if(m_understanding, [job](const auto &reading) { return reading.second == job; }) > 0)
        Q_EMIT settled();
    for (auto it = m_sketchJobs.begin(); it != m_sketchJobs.end(); ++it) {
        if (it->second != job) continue;
        TaskState *state = m_documents.task(it->first);
        m_sketchJobs.erase(it);
        if (!state) return;
        state->sketchProblem = QStringLiteral("their derivation was cancelled");
        if (m_documents.isShown(*state)) Q_EMIT sketchesChanged();
        return;
    }
}

} // namespace loopscope
