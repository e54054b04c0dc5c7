// Session files (.loopscope): JSON that names the workloads and their logs, and keeps what logs have no place for:
// where a candidate came from, rounds, pins, notes, the selection, the window. Trials themselves stay in their logs.

#include "views/session/session_file.h"

#include "measure/disassembly.h"
#include "timing/machine_peaks.h"
#include "views/session/analysis.h"
#include "views/session/log_trials.h"
#include "views/session/representation_cache.h"
#include "views/session/session.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSaveFile>

namespace loopscope {

namespace {

constexpr int kVersion = 1;

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
    if (kind >= 0 && kind <= static_cast<int>(ScheduleRef::Kind::Trial))
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
        params.emplace_back(std8(param.toArray()[0].toString()), param.toArray()[1].toInteger());
    return params;
}

QJsonObject taskToJson(const TaskState &state) {
    QJsonObject json{{jsonKey("name"), state.name},
                     {jsonKey("log"), state.logPath},
                     {jsonKey("naive_seconds"), state.naiveSeconds},
                     {jsonKey("naive_compared"), intervalToJson(state.naiveCompared)},
                     {jsonKey("naive_comparison"), state.naiveComparison},
                     {jsonKey("comparisons"), state.comparisons},
                     {jsonKey("winner"), state.winner},
                     {jsonKey("decided"), state.decided},
                     {jsonKey("best"), state.best},
                     {jsonKey("setup"), setupToJson(state.setup)},
                     {jsonKey("search_ended"), state.search.ended},
                     {jsonKey("search_elapsed"), state.search.elapsed},
                     {jsonKey("search_done"), state.search.done},
                     {jsonKey("search_total"), state.search.total},
                     {jsonKey("rounds"), roundsToJson(state.rounds)}};
    AncestorTable ancestors;
    QJsonArray trials;
    for (const auto &entry : state.trials) trials.append(entryToJson(entry, ancestors));
    json[jsonKey("trials")] = trials;
    json[jsonKey("ancestors")] = ancestors.json;
    return json;
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

QJsonObject documentToJson(const Document &document) {
    QJsonObject json = taskToJson(document);
    json[jsonKey("path")] = document.path;
    if (document.modified) json[jsonKey("edited")] = true;
    if (!document.origin.isEmpty()) json[jsonKey("origin")] = document.origin;
    if (document.logTask) json[jsonKey("unknown")] = true; // opened anew from its log
    json[jsonKey("target")] = document.targetText;
    json[jsonKey("params")] = paramsToJson(document.params);
    if (document.modified || document.path.isEmpty()) json[jsonKey("text")] = document.text;
    QJsonArray others;
    for (const TaskState &state : document.others) {
        QJsonObject other = taskToJson(state);
        other[jsonKey("target")] = state.source.targetText;
        other[jsonKey("params")] = paramsToJson(state.source.params);
        other[jsonKey("text")] = state.source.text;
        others.append(other);
    }
    if (!others.isEmpty()) json[jsonKey("other_tasks")] = others;
    return json;
}

} // namespace

QJsonObject Session::sessionJson(const QByteArray &window) const {
    QJsonArray documents;
    int current = -1;
    for (const auto &document : m_documents) {
        if (document.get() == m_current) current = static_cast<int>(documents.size());
        documents.append(documentToJson(*document));
    }
    return {{jsonKey("loopscope_session"), kVersion},
            {jsonKey("documents"), documents},
            {jsonKey("current"), current},
            {jsonKey("selection"), selectionToJson(m_selection.now())},
            {jsonKey("window"), QString::fromLatin1(window.toBase64())}};
}

QString Session::saveSession(const QString &path, const QByteArray &window) const {
    QSaveFile file(path);
    const QByteArray bytes = QJsonDocument(sessionJson(window)).toJson(QJsonDocument::Compact);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return QStringLiteral("%1: cannot be written: %2").arg(path, file.errorString());
    return {};
}

bool Session::loadSession(const QString &path, QByteArray *window) {
    const auto refuse = [&](const QString &why) {
        m_messages.add(
            {Message::Severity::Failure, QStringLiteral("%1: the session cannot be opened").arg(path), why, path});
        return false;
    };
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return refuse(file.errorString());
    QJsonParseError error;
    const QByteArray bytes = file.readAll();
    const QJsonObject root = QJsonDocument::fromJson(bytes, &error).object();
    if (error.error != QJsonParseError::NoError)
        return refuse(
            QStringLiteral("%1, at byte %2 of %3").arg(error.errorString()).arg(error.offset).arg(bytes.size()));
    const int version = root[jsonKey("loopscope_session")].toInt();
    if (version != kVersion)
        return refuse(QStringLiteral("it has version %1; this program reads version %2").arg(version).arg(kVersion));
    if (window) *window = QByteArray::fromBase64(root[jsonKey("window")].toString().toLatin1());
    const int currentIndex = root[jsonKey("current")].toInt(-1);
    int index = 0;
    int shown = 0;
    std::vector<int> read;
    for (const auto &value : root[jsonKey("documents")].toArray()) {
        const QJsonObject json = value.toObject();
        if (json[jsonKey("unknown")].toBool()) {
            QJsonArray known = json[jsonKey("trials")].toArray();
            for (const auto &other : json[jsonKey("other_tasks")].toArray())
                for (const auto &trial : other.toObject()[jsonKey("trials")].toArray()) known.append(trial);
            m_pendingLogs.push_back({json[jsonKey("log")].toString(), 0, false, {}, known});
            ++index;
            continue;
        }
        const QString file = json[jsonKey("path")].toString();
        const QString origin = json[jsonKey("origin")].toString();
        QString text = json[jsonKey("text")].toString();
        const bool modified = json.contains(jsonKey("text"));
        QString savedText;
        QFile workload(file.isEmpty() ? origin : file);
        if (workload.open(QIODevice::ReadOnly)) savedText = QString::fromUtf8(workload.readAll());
        if (!modified) {
            if (!workload.isOpen()) {
                m_messages.add({Message::Severity::Failure,
                                QStringLiteral("%1 is not there any more: %2").arg(file, workload.errorString()),
                                QStringLiteral("The session %1 names it.").arg(path), file});
                ++index;
                continue;
            }
            text = savedText;
        }
        Document &document = add(file, text);
        document.origin = origin;
        taskFromJson(json, document);
        document.savedText = savedText;
        document.modified = modified && text != savedText;
        document.targetText = json[jsonKey("target")].toString(QStringLiteral("llvm"));
        document.params = paramsFromJson(json[jsonKey("params")].toArray());
        Selected selection;
        const bool current = index++ == currentIndex;
        if (current) {
            shown = document.id;
            selection = selectionFromJson(root[jsonKey("selection")].toObject());
        }
        const auto await = [&](int task, const QJsonObject &of, bool select) {
            m_restoring.push_back({task, of[jsonKey("trials")].toArray(), of[jsonKey("ancestors")].toArray(),
                                   of[jsonKey("best")].toInt(-1), select ? selection : Selected{}, select});
            // The logs in the order in which their trials came.
            QStringList logs;
            for (const auto &trial : m_restoring.back().trials) logs << trial.toObject()[jsonKey("log")].toString();
            logs.removeDuplicates();
            for (const QString &log : logs)
                if (!log.isEmpty()) m_pendingLogs.push_back({log, task, true, {}, {}});
        };
        await(document.taskId, json, current);
        for (const auto &value : json[jsonKey("other_tasks")].toArray()) {
            const QJsonObject other = value.toObject();
            TaskState state;
            state.taskId = m_nextId++;
            taskFromJson(other, state);
            state.source = {other[jsonKey("text")].toString(), paramsFromJson(other[jsonKey("params")].toArray()),
                            other[jsonKey("target")].toString(QStringLiteral("llvm"))};
            await(state.taskId, other, false);
            document.others.push_back(std::move(state));
        }
        read.push_back(document.id);
    }
    if (Document *document = documentOf(shown)) show(document);
    for (const int id : read) {
        analyse(*documentOf(id));
        for (const TaskState &other : documentOf(id)->others) understand(other);
    }
    openPendingLogs(); // those that wait for no workload
    return true;
}

/// A restored task without trials is complete once it is understood; one with trials waits for its logs.
void Session::restoreSelection(const TaskState &state) {
    const auto found = std::find_if(m_restoring.begin(), m_restoring.end(),
                                    [&](const auto &restoring) { return restoring.task == state.taskId; });
    if (found == m_restoring.end() || !found->trials.isEmpty()) return;
    const Restoring restoring = std::move(*found);
    m_restoring.erase(found);
    if (restoring.select && isShown(state)) m_selection.reset(restoring.selection);
}

/// The task of a kept state, without its sketches: enough to read its logs. Going there makes the rest.
void Session::understand(const TaskState &state) {
    const int id = state.taskId;
    const auto done = [this, id](const QString &name, const QString &problem) {
        m_understanding.erase(id);
        if (!problem.isEmpty()) m_messages.fail(QStringLiteral("A task of %1 is not understood").arg(name), problem);
        openPendingLogs();
    };
    AnalysisInput input{std8(state.source.text),       {}, state.source.params,
                        std8(state.source.targetText), {}, state.setup.layoutRewrite};
    m_understanding[id] = m_jobs.start(
        QStringLiteral("Reading %1").arg(state.name), this,
        [input = std::move(input)](JobControl &control) {
            return std::make_shared<Analysis>(analyseWorkload(input, 0, &control.cancelFlag()));
        },
        [this, id, name = state.name, done](const std::shared_ptr<Analysis> &analysis) {
            TaskState *state = taskOf(id);
            if (state && !state->task && !analysis->problem) {
                state->workload = std::move(analysis->workload);
                state->task = std::move(analysis->task);
                state->dagText = std::move(analysis->dagText);
            }
            done(name, analysis->problem ? analysis->problem->sentence : QString());
        },
        [done, name = state.name](const QString &problem) { done(name, problem); });
}

/// A log of a restored task has been read: what the session file knows of its trials is put back.
void Session::restoreEntries(TaskState &state, const QString &logPath) {
    const auto found = std::find_if(m_restoring.begin(), m_restoring.end(),
                                    [&](const auto &restoring) { return restoring.task == state.taskId; });
    if (found == m_restoring.end()) return;
    AncestorTable ancestors;
    ancestors.read(found->ancestors);
    const double flops = state.flops();
    const auto awaited = [&](const PendingLog &pending) {
        return pending.task == state.taskId && pending.path != logPath &&
               std::any_of(found->trials.begin(), found->trials.end(), [&](const auto &trial) {
                   return trial.toObject()[jsonKey("log")].toString() == pending.path;
               });
    };
    const bool more = // logs still to come
        std::any_of(m_pendingLogs.begin(), m_pendingLogs.end(), awaited) ||
        std::any_of(m_readingLogs.begin(), m_readingLogs.end(),
                    [&](const auto &reading) { return awaited(reading.second); });
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
                                       [](const TrialEntry &entry) { return !entry.again.empty(); });
        if (again) {
            std::vector<TrialEntry> trials;
            for (size_t i = 0; i < state.trials.size(); ++i)
                if (known[i] || state.trials[i].logPath != logPath) trials.push_back(std::move(state.trials[i]));
            state.trials = std::move(trials);
        }
    }
    if (!more) {
        const Restoring restoring = std::move(*found);
        m_restoring.erase(found);
        if (isShown(state)) {
            Q_EMIT trialsReset();
            Q_EMIT roundsChanged();
            Q_EMIT searchChanged();
        }
        state.best = -1;
        updateBest(state);
        if (restoring.select && isShown(state)) m_selection.reset(restoring.selection);
    }
}

} // namespace loopscope
