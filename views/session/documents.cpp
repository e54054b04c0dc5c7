#include "views/session/documents.h"

#include "views/session/samples.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>
#include <utility>

namespace loopscope {

Documents::Documents(DocumentStore &store, WorkloadReader &reader, Selection &selection, Settings &settings,
                     Messages &messages)
    : m_store(store), m_reader(reader), m_selection(selection), m_settings(settings), m_messages(messages) {
    connect(&m_reader, &WorkloadReader::wasRead, this, &Documents::take);
    connect(&m_reader, &WorkloadReader::problemChanged, this, &Documents::problemChanged);
    connect(&m_reader, &WorkloadReader::sketchesChanged, this, &Documents::sketchesChanged);
    connect(&m_reader, &WorkloadReader::settled, this, &Documents::settled);
}

std::vector<const Document *> Documents::all() const {
    std::vector<const Document *> list;
    for (const auto &document : m_store.all()) list.push_back(document.get());
    return list;
}

void Documents::show(Document *document) {
    m_reader.readNow();
    m_store.setCurrent(document);
    m_selection.reset();
    Q_EMIT documentsChanged();
    Q_EMIT documentChanged();
}

void Documents::setCurrent(int id) {
    Document *document = m_store.find(id);
    if (!document || document == m_store.current()) return;
    show(document);
    selectBest();
}

void Documents::selectBest() {
    const Document *shown = current();
    if (shown && shown->best >= 0) m_selection.selectSchedule({ScheduleRef::Kind::Trial, shown->best});
}

void Documents::tellProblem(const Document &document) {
    if (&document == current()) Q_EMIT problemChanged();
}

void Documents::showTask(int taskId) {
    Document *document = m_store.ofTask(taskId);
    if (!document) return;
    m_reader.readNow();
    if (document->taskId != taskId) {
        m_reader.abandon(*document);
        document->problem.reset();
        forgetTask(showTaskOf(*document, taskId));
        if (document->logTask)
            markUnknown(*document);
        else if (!document->task || document->sketches.empty())
            m_reader.read(*document);
        if (document == m_store.current()) return tellTaskShown();
    }
    setCurrent(document->id);
}

/// The document shown has gone from one task to another: a number that a view keeps names another trial now.
void Documents::tellTaskShown() {
    Q_EMIT taskLeft();
    m_selection.reset();
    Q_EMIT documentsChanged();
    Q_EMIT documentChanged();
    Q_EMIT problemChanged();
    Q_EMIT sketchesChanged();
    Q_EMIT taskShown();
    selectBest();
}

void Documents::forgetTask(int taskId) {
    if (taskId == 0) return;
    m_reader.stopDeriving(taskId);
    Q_EMIT taskForgotten(taskId);
}

void Documents::close(int id) {
    const Document *closing = m_store.find(id);
    if (!closing) return;
    for (const TaskState *state : tasksOf(*closing)) forgetTask(state->taskId);
    const bool shown = closing == m_store.current();
    if (shown) m_reader.stopWaiting();
    const auto &documents = m_store.all();
    const auto found =
        std::find_if(documents.begin(), documents.end(), [id](const auto &document) { return document->id == id; });
    const auto at = static_cast<size_t>(found - documents.begin());
    const std::unique_ptr<Document> closed = m_store.remove(id); // lives until the views have let go of it
    if (shown) {
        show(documents.empty() ? nullptr : documents[std::min(at, documents.size() - 1)].get());
    } else {
        Q_EMIT documentsChanged();
    }
}

void Documents::openText(const QString &name, const QString &text) {
    Document &document = m_store.add({}, text);
    document.name = name;
    document.modified = true;
    show(&document);
    m_reader.read(document);
}

void Documents::openWorkload(const QString &path, const QByteArray &bytes) {
    m_settings.addRecentFile(path);
    const bool sample = isSample(path);
    for (const auto &document : m_store.all()) {
        if ((sample ? document->origin : document->path) != path || document->modified) continue;
        // Open already: the file may have changed since.
        if (m_store.current() != document.get()) setCurrent(document->id);
        const QString text = QString::fromUtf8(bytes);
        if (document->text != text || document->problem) {
            document->text = text;
            document->savedText = text;
            m_reader.read(*document);
        }
        Q_EMIT workloadOpened(path);
        return;
    }
    Document &document = m_store.add(path, QString::fromUtf8(bytes));
    if (sample) {
        document.origin = path; // a copy without a file: saving asks where, and the sample stays as it is shipped
        document.path.clear();
    }
    document.savedText = document.text;
    document.targetText = m_settings.value(QStringLiteral("defaults/target"), QStringLiteral("llvm")).toString();
    show(&document);
    m_reader.read(document);
    Q_EMIT workloadOpened(path);
}

QString Documents::saveText(const QString &path) {
    Document *shown = m_store.current();
    if (!shown) return QStringLiteral("no workload is open that could be saved");
    QSaveFile file(path);
    const QByteArray bytes = shown->text.toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return QStringLiteral("%1: cannot be written: %2").arg(path, file.errorString());
    shown->path = QFileInfo(path).absoluteFilePath();
    shown->origin.clear();
    shown->savedText = shown->text;
    shown->modified = false;
    m_settings.addRecentFile(shown->path);
    Q_EMIT documentsChanged();
    return {};
}

void Documents::setText(const QString &text) {
    Document *shown = m_store.current();
    if (!shown || shown->text == text || shown->logTask) return;
    shown->text = text;
    const bool before = std::exchange(shown->modified, shown->savedText.isNull() || text != shown->savedText);
    m_reader.readSoon();
    if (before != shown->modified) Q_EMIT documentsChanged();
}

void Documents::setParams(const ParamOverrides &params) {
    Document *shown = m_store.current();
    if (!shown || shown->params == params || shown->logTask) return;
    shown->params = params;
    m_reader.read(*shown);
}

void Documents::setTarget(const QString &text) {
    Document *shown = m_store.current();
    if (!shown || shown->targetText == text || shown->logTask) return;
    shown->targetText = text;
    m_reader.read(*shown);
}

void Documents::take(int id, const TaskSource &source, const std::shared_ptr<Analysis> &analysis) {
    Document &document = *m_store.find(id);
    document.problem = std::move(analysis->problem);
    if (document.problem) {
        tellProblem(document);
        Q_EMIT settled();
        return;
    }
    const bool shown = &document == current();
    const bool sameTask = isTask(document, *analysis->task);
    const bool another = document.task && !sameTask;
    const SketchOptions asked = document.setup.options.sketch;
    if (another) {
        if (!document.trials.empty())
            m_messages.note(QStringLiteral("%1 is another task now; %2 stays with its %3")
                                .arg(document.name, taskTitle(document), taskProgressText(document)));
        forgetTask(enterTask(document, *analysis->task, m_store.freshId()));
    }
    document.source = source;
    document.workload = std::move(analysis->workload);
    document.task = std::move(analysis->task);
    document.dagText = std::move(analysis->dagText);
    document.sketches = std::move(analysis->sketches);
    document.derivation = std::move(analysis->derivation);
    document.sketchProblem = std::move(analysis->sketchProblem);
    if (!document.workload->name.empty()) document.name = qt(document.workload->name);
    m_reader.stopDeriving(document.taskId);
    if (analysis->sketchesPending) m_reader.deriveSketches(document);
    Q_EMIT taskRemade(document.taskId);
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
    if (!own.sameRules(asked)) m_reader.read(document);
    Q_EMIT understood(document.taskId);
    Q_EMIT settled();
}

} // namespace loopscope
