#include "views/session/session_file.h"

#include "views/session/file_start.h"

#include "views/session/edits_json.h"
#include "views/session/locks_json.h"
#include "views/session/session_extra.h"
#include "views/session/session_json.h"
#include "views/session/session_text.h"
#include "views/session/text.h"

#include <QFile>
#include <QJsonDocument>
#include <QSaveFile>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

QJsonObject selectionToJson(const Selected &selected) {
    QJsonArray trials;
    for (const int trial : selected.trials) trials.append(trial);
    return {{jsonKey("schedule"), static_cast<int>(selected.schedule.kind)},
            {jsonKey("number"), selected.schedule.number},
            {jsonKey("stage"), selected.stage},
            {jsonKey("iterator"), selected.iterator},
            {jsonKey("step"), selected.step},
            {jsonKey("node"), selected.node},
            {jsonKey("derivation"), selected.derivation},
            {jsonKey("trials"), trials}};
}

Selected selectionFromJson(const QJsonObject &json) {
    Selected selected;
    const int kind = json[jsonKey("schedule")].toInt();
    if (kind >= 0 && kind <= static_cast<int>(ScheduleRef::Kind::Edited))
        selected.schedule = {static_cast<ScheduleRef::Kind>(kind), json[jsonKey("number")].toInt()};
    selected.stage = json[jsonKey("stage")].toString();
    selected.iterator = json[jsonKey("iterator")].toString();
    selected.step = json[jsonKey("step")].toInt(-1);
    selected.node = json[jsonKey("node")].toInt(-1);
    selected.derivation = json[jsonKey("derivation")].toInt(-1);
    for (const auto &trial : json[jsonKey("trials")].toArray()) selected.trials.push_back(trial.toInt());
    return selected;
}

QJsonArray paramsToJson(const ParamOverrides &params) {
    QJsonArray array;
    for (const auto &[name, value] : params) array.append(QJsonArray{qt(name), static_cast<qint64>(value)});
    return array;
}

ParamOverrides paramsFromJson(const QJsonArray &array) {
    ParamOverrides params;
    for (const auto &param : array)
        params.emplace_back(std8(param.toArray().at(0).toString()), param.toArray().at(1).toInteger());
    return params;
}

/// Trials come later, with their logs.
void taskFromJson(const QJsonObject &json, TaskState &state) {
    state.name = json[jsonKey("name")].toString();
    state.setup = setupFromJson(json[jsonKey("setup")].toObject());
    state.logPath = json[jsonKey("log")].toString();
    state.naiveSeconds = json[jsonKey("naive_seconds")].toDouble(-1);
    state.naiveCompared = intervalFromJson(json[jsonKey("naive_compared")].toArray());
    state.naiveComparison = json[jsonKey("naive_comparison")].toInt(-1);
    state.comparisons = std::max(0, json[jsonKey("comparisons")].toInt());
    state.winner = json[jsonKey("winner")].toInt(-1);
    state.decided = json[jsonKey("decided")].toInt();
    state.search.ended = json[jsonKey("search_ended")].toString();
    state.search.elapsed = json[jsonKey("search_elapsed")].toDouble();
    state.search.done = json[jsonKey("search_done")].toInt();
    state.search.total = json[jsonKey("search_total")].toInt();
    if (!state.search.ended.isEmpty()) state.search.state = SearchState::Finished;
    state.rounds = roundsFromJson(json[jsonKey("rounds")].toArray());
}

/// Of a schedule made by hand its number in the file; the naive one where it was dropped.
Selected asSaved(const Document *shown, Selected selected) {
    if (shown != nullptr) selected.schedule = savedRef(*shown, selected.schedule);
    return selected;
}

} // namespace

SessionFile::SessionFile(const SessionFileParts &parts) : m_parts(parts) {
    connect(&m_parts.documents, &Documents::understood, this, &SessionFile::restoreSelection);
    connect(&m_parts.documents, &Documents::settled, this, [this] { // tasks that are not shown
        std::vector<int> tasks;
        for (const Restoring &restoring : m_restoring) tasks.push_back(restoring.task);
        for (const int id : tasks)
            if (const TaskState *state = m_parts.store.task(id); state && state->task) restoreSelection(id);
    });
    connect(&m_parts.documents, &Documents::taskForgotten, this, &SessionFile::forget);
    connect(&m_parts.logs, &LogOpening::trialsRead, this, &SessionFile::restoreEntries);
}

TaskSnapshot SessionFile::taskSnapshot(const TaskState &state) const {
    TaskSnapshot snapshot = snapshotOf(state);
    const auto waiting = std::find_if(m_restoring.begin(), m_restoring.end(),
                                      [&](const Restoring &restoring) { return restoring.task == state.taskId; });
    if (waiting != m_restoring.end() && !waiting->edits.isEmpty()) { // its text is not understood yet
        snapshot.facts[jsonKey("edits")] = waiting->edits;
        snapshot.facts[jsonKey("draft")] = waiting->draft;
    } else {
        addEdits(snapshot, state);
    }
    return snapshot;
}

SessionSnapshot::Shown SessionFile::documentSnapshot(const Document &document) const {
    SessionSnapshot::Shown shown{taskSnapshot(document), {}};
    QJsonObject &json = shown.task.facts;
    json[jsonKey("path")] = document.path;
    if (document.modified) json[jsonKey("edited")] = true;
    if (!document.origin.isEmpty()) json[jsonKey("origin")] = document.origin;
    if (document.logTask) json[jsonKey("unknown")] = true; // opened anew from its log
    json[jsonKey("target")] = document.targetText;
    json[jsonKey("params")] = paramsToJson(document.params);
    if (document.modified || document.path.isEmpty()) json[jsonKey("text")] = document.text;
    for (const TaskState &state : document.others) {
        TaskSnapshot &other = shown.others.emplace_back(taskSnapshot(state));
        other.facts[jsonKey("target")] = state.source.targetText;
        other.facts[jsonKey("params")] = paramsToJson(state.source.params);
        other.facts[jsonKey("text")] = state.source.text;
    }
    return shown;
}

SessionSnapshot SessionFile::snapshot(const QByteArray &window) const {
    SessionSnapshot snapshot;
    int current = -1;
    for (const auto &document : m_parts.store.all()) {
        if (document.get() == m_parts.documents.current()) current = static_cast<int>(snapshot.documents.size());
        snapshot.documents.push_back(documentSnapshot(*document));
    }
    snapshot.facts = {
        {jsonKey("loopscope_session"), kSessionVersion},
        {jsonKey("current"), current},
        {jsonKey("selection"), selectionToJson(asSaved(m_parts.documents.current(), m_parts.selection.now()))},
        {jsonKey("window"), QString::fromLatin1(window.toBase64())}};
    for (const SessionExtra *extra : findChildren<SessionExtra *>(Qt::FindDirectChildrenOnly))
        if (const QJsonValue value = extra->save(); !value.isNull()) snapshot.facts[extra->key()] = value;
    return snapshot;
}

QJsonObject SessionFile::json(const QByteArray &window) const { return snapshot(window).json(); }

QString SessionFile::save(const QString &path, const QByteArray &window) const {
    QSaveFile file(path);
    const QByteArray bytes = QJsonDocument(json(window)).toJson(QJsonDocument::Compact);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return QStringLiteral("%1: cannot be written: %2").arg(path, file.errorString());
    return {};
}

QString SessionFile::problemOf(const QString &path) {
    const auto [bytes, problem] = readWhole(path);
    return problem.isEmpty() ? readSessionText(bytes).problem : problem;
}

bool SessionFile::load(const QString &path, QByteArray *window, Reading reading) {
    const auto say = [&](Message::Severity severity, const QString &text, const QString &why) {
        m_parts.messages.add({severity, text, why, path});
    };
    const QString refused = QStringLiteral("%1: the session cannot be opened").arg(path);
    const FileBytes file = readWhole(path);
    if (!file.problem.isEmpty()) {
        say(Message::Severity::Failure, refused, file.problem);
        return false;
    }
    const auto [root, problem] = readSessionText(file.bytes);
    if (!problem.isEmpty() && reading == Reading::Whole) {
        say(Message::Severity::Failure, refused, problem);
        if (const QString holds = sessionHolds(root); !holds.isEmpty()) Q_EMIT partlyReadable(path, problem, holds);
        return false;
    }
    if (!problem.isEmpty())
        say(Message::Severity::Warning, QStringLiteral("%1: what could be read of it is open").arg(path), problem);
    if (window) *window = QByteArray::fromBase64(root[jsonKey("window")].toString().toLatin1());
    const int current = root[jsonKey("current")].toInt(-1);
    const Selected selection = selectionFromJson(root[jsonKey("selection")].toObject());
    Document *shown = nullptr;
    std::vector<Document *> documents;
    int index = 0;
    for (const auto &value : root[jsonKey("documents")].toArray()) {
        const bool wasShown = index++ == current;
        Document *document = readDocument(value.toObject(), path, wasShown ? &selection : nullptr);
        if (!document) continue;
        if (wasShown) shown = document;
        documents.push_back(document);
    }
    if (shown) m_parts.documents.show(shown);
    for (Document *document : documents) {
        m_parts.reader.read(*document);
        for (const TaskState &other : document->others) m_parts.reader.understand(other);
    }
    for (SessionExtra *extra : findChildren<SessionExtra *>(Qt::FindDirectChildrenOnly))
        extra->load(root[extra->key()], path);
    m_parts.logs.openPending(); // those that wait for no workload
    return true;
}

void SessionFile::readTask(const QJsonObject &json, TaskState &state) {
    taskFromJson(json, state);
    if (const int lost = locksFromJson(json[jsonKey("locks")].toObject(), state); lost > 0)
        m_parts.messages.warn(QStringLiteral("%1 of %2 cannot be read: the session file is damaged")
                                  .arg(countedText(static_cast<size_t>(lost), "lock", "locks"), state.name));
}

/// Null when there is no document of it: a log is opened anew, a file that is gone is told.
Document *SessionFile::readDocument(const QJsonObject &json, const QString &path, const Selected *selection) {
    if (json[jsonKey("unknown")].toBool()) {
        QJsonArray known = json[jsonKey("trials")].toArray();
        for (const auto &other : json[jsonKey("other_tasks")].toArray())
            for (const auto &trial : other.toObject()[jsonKey("trials")].toArray()) known.append(trial);
        m_parts.logs.expect({json[jsonKey("log")].toString(), 0, false, {}, known});
        return nullptr;
    }
    const QString file = json[jsonKey("path")].toString();
    const QString origin = json[jsonKey("origin")].toString();
    QString text = json[jsonKey("text")].toString();
    const bool modified = json.contains(jsonKey("text"));
    const FileBytes workload = readWhole(file.isEmpty() ? origin : file);
    const QString savedText = QString::fromUtf8(workload.bytes);
    if (!modified) {
        if (!workload.problem.isEmpty()) {
            m_parts.messages.add({Message::Severity::Failure,
                                  QStringLiteral("%1 is not there any more: %2").arg(file, workload.problem),
                                  QStringLiteral("The session %1 names it.").arg(path), file});
            return nullptr;
        }
        text = savedText;
    }
    Document &document = m_parts.store.add(file, text);
    document.origin = origin;
    readTask(json, document);
    document.savedText = savedText;
    document.modified = modified && text != savedText;
    document.targetText = json[jsonKey("target")].toString(QStringLiteral("llvm"));
    document.params = paramsFromJson(json[jsonKey("params")].toArray());
    await(document.taskId, json, selection);
    for (const auto &value : json[jsonKey("other_tasks")].toArray()) {
        const QJsonObject other = value.toObject();
        TaskState state;
        state.taskId = m_parts.store.freshId();
        readTask(other, state);
        state.source = {other[jsonKey("text")].toString(), paramsFromJson(other[jsonKey("params")].toArray()),
                        other[jsonKey("target")].toString(QStringLiteral("llvm"))};
        await(state.taskId, other, nullptr);
        document.others.push_back(std::move(state));
    }
    return &document;
}

/// `selection`: what is selected once the trials are there; null for a task that is not shown.
void SessionFile::await(int task, const QJsonObject &json, const Selected *selection) {
    m_restoring.push_back({task,
                           json[jsonKey("trials")].toArray(),
                           json[jsonKey("ancestors")].toArray(),
                           json[jsonKey("edits")].toArray(),
                           json[jsonKey("draft")].toObject(),
                           {},
                           selection ? *selection : Selected{},
                           selection != nullptr});
    // The logs in the order in which their trials came.
    QStringList logs;
    for (const auto &trial : m_restoring.back().trials) logs << trial.toObject()[jsonKey("log")].toString();
    logs.removeDuplicates();
    for (const QString &log : logs)
        if (!log.isEmpty()) m_parts.logs.expect({log, task, true});
}

SessionFile::Restoring *SessionFile::restoringOf(int taskId) {
    const auto found = std::find_if(m_restoring.begin(), m_restoring.end(),
                                    [&](const Restoring &restoring) { return restoring.task == taskId; });
    return found == m_restoring.end() ? nullptr : &*found;
}

SessionFile::Restoring SessionFile::takeRestoring(int taskId) {
    Restoring taken = std::move(*restoringOf(taskId));
    forget(taskId);
    return taken;
}

void SessionFile::forget(int taskId) {
    std::erase_if(m_restoring, [taskId](const Restoring &restoring) { return restoring.task == taskId; });
}

/// The steps of schedules made by hand mean something once there is a task they are of.
void SessionFile::restoreEdits(int taskId) {
    Restoring *found = restoringOf(taskId);
    TaskState *state = m_parts.store.task(taskId);
    if (!found || !state || !state->task || found->edits.isEmpty()) return;
    ReadEdits read = editsFromJson(state->task->dag, std::exchange(found->edits, {}));
    if (read.lost > 0)
        m_parts.messages.warn(
            QStringLiteral("%1 of %2 cannot be read: the session file is damaged")
                .arg(countedText(static_cast<size_t>(read.lost), "schedule made by hand", "schedules made by hand"),
                     state->name));
    found->selection.schedule = read.ref(found->selection.schedule);
    found->trialsOfEdits = std::move(read.trialNames);
    if (const QString text = found->draft[jsonKey("text")].toString(); !text.isEmpty())
        state->draft = ScriptDraft{read.ref(selectionFromJson(found->draft).schedule), text};
    m_parts.edits.restore(*state, std::move(read.nodes));
}

/// A restored task without trials is complete once it is understood; one with trials waits for its logs.
void SessionFile::restoreSelection(int taskId) {
    restoreEdits(taskId);
    const Restoring *found = restoringOf(taskId);
    if (found && found->trials.isEmpty()) select(takeRestoring(taskId));
}

void SessionFile::select(const Restoring &restoring) {
    const Document *shown = m_parts.documents.current();
    if (!restoring.select || !shown || shown->taskId != restoring.task) return;
    Selected selected = restoring.selection;
    const ScheduleRef &ref = selected.schedule; // of a damaged file: anything
    const bool there = ref.kind == ScheduleRef::Kind::Naive ||
                       (ref.number >= 0 && static_cast<size_t>(ref.number) < shown->count(ref.kind)) ||
                       ref.kind == ScheduleRef::Kind::Sketch; // sketches come after the task
    if (!there || ref.number < 0) selected.schedule = {};
    std::erase_if(selected.trials,
                  [&](int trial) { return trial < 0 || static_cast<size_t>(trial) >= shown->trials.size(); });
    m_parts.selection.reset(std::move(selected));
}

/// A log of a restored task has been read: what the session file knows of its trials is put back.
void SessionFile::restoreEntries(int taskId, const QString &logPath) {
    const Restoring *found = restoringOf(taskId);
    if (!found) return;
    TaskState &state = *m_parts.store.task(taskId);
    AncestorTable ancestors;
    ancestors.read(found->ancestors);
    const double flops = state.flops();
    const QStringList awaited = m_parts.logs.awaited(taskId);
    const bool more = std::any_of(found->trials.begin(), found->trials.end(), [&](const auto &trial) {
        const QString log = trial.toObject()[jsonKey("log")].toString();
        return log != logPath && awaited.contains(log);
    });
    const std::vector<size_t> kept = restoreTrials(found->trials, ancestors, logPath, state.trials);
    for (const size_t trial : kept) {
        TrialEntry &entry = state.trials[trial];
        if (entry.valid() && flops > 0) entry.gflops = flops / entry.seconds() * 1e-9;
    }
    // Records of measuring again stand in the log as well; the session counts them with their trial.
    const auto ofLog = std::count_if(state.trials.begin(), state.trials.end(),
                                     [&](const TrialEntry &entry) { return entry.logPath == logPath; });
    if (kept.size() < static_cast<size_t>(ofLog)) {
        std::vector<char> known(state.trials.size(), 0);
        for (const size_t trial : kept) known[trial] = 1;
        const bool again = std::any_of(state.trials.begin(), state.trials.end(),
                                       [](const TrialEntry &entry) { return !entry.later->again.empty(); });
        if (again) {
            std::vector<TrialEntry> trials;
            for (size_t i = 0; i < state.trials.size(); ++i)
                if (known[i] || state.trials[i].logPath != logPath) trials.push_back(std::move(state.trials[i]));
            state.trials = std::move(trials);
        }
    }
    if (more) return;
    const Restoring restoring = takeRestoring(taskId);
    m_parts.trials.tellReset(state);
    if (m_parts.store.isShown(state)) Q_EMIT restored();
    state.best = -1;
    m_parts.trials.updateBest(state);
    for (size_t i = 0; i < restoring.trialsOfEdits.size() && i < state.edited.size(); ++i) {
        const QString &name = restoring.trialsOfEdits[i];
        const auto became = std::find_if(state.trials.begin(), state.trials.end(), [&](const TrialEntry &entry) {
            return !name.isEmpty() && entry.recordName() == name;
        });
        if (became != state.trials.end())
            state.edited[i].measured.trial = static_cast<int>(became - state.trials.begin());
    }
    restoreBaseline(state, restoring.trials);
    select(restoring);
}

void SessionFile::restoreBaseline(TaskState &state, const QJsonArray &trials) {
    const auto marked = markedBaseline(trials, state.trials);
    if (!marked) return;
    m_parts.trials.setBaseline(state, *marked);
    if (state.baseline < 0)
        m_parts.messages.warn(QStringLiteral("%1 has no baseline any more: the trial that was it does not stand in its "
                                             "log; choose another")
                                  .arg(state.name));
}

} // namespace loopscope
