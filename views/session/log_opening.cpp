#include "views/session/log_opening.h"

#include "base/outcome.h"
#include "records/logs/log_document.h"
#include "records/record/record.h"
#include "records/resolve/resolver.h"
#include "views/session/file_start.h"
#include "views/session/log_trials.h"
#include "views/session/samples.h"
#include "views/session/session_json.h"
#include "views/session/standing.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

/// The key with the largest count; the first of equals.
QString mostOf(const std::map<QString, int> &counts) {
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto &a, const auto &b) { return a.second < b.second; })
        ->first;
}

/// A task whose log it may be.
struct LogCandidate {
    int task;
    std::shared_ptr<const Task> of;
    std::vector<Sketch> sketches;
};
struct LogFound {
    int task = 0;
    QString workload;       // to be opened first
    ResolutionPtr resolved; // the same, where it is no file: what a key of the log means
    QString target;         // of the log, where that of the task or the workload is another
    LogTrials trials;
    std::vector<UnknownTask> unknown; // nobody's
    bool tooMany = false;             // more records than become trials unasked
    QString badTarget;                // of the log
    QString why;
};

/// The same schedule, measured in the same second, with the same times.
using TrialIdentity = std::tuple<uint64_t, int64_t, TrialError, std::vector<double>>;
TrialIdentity identityOf(const TrialEntry &entry) {
    const Trial &trial = entry.trial;
    return {entry.recordHash, trial.timestamp, trial.error, trial.seconds};
}

constexpr qint64 kSurelyFew = 20 << 20; // bytes: shorter lines than a hundred are no records

/// Whether it has more records than become trials unasked. No more of it is looked at than tells.
bool hasMany(const QString &path, const std::atomic<bool> &cancelled) {
    std::atomic<bool> enough{false};
    LogDocument::Options options;
    options.cancelled = &enough;
    options.threads = 1; // another is indexing it
    options.grown = [&](const LogDocument &soFar) {
        if (cancelled || soFar.size() > LogOpening::kMaxUnasked) enough = true;
    };
    return LogDocument::open(std8(path), options).size() > LogOpening::kMaxUnasked;
}

/// What the first tasks of the log compute, by their keys alone; a key that means nothing known takes seconds to look
/// at.
void resolveFirst(LogFound &found, const RecordLog &log, const std::atomic<bool> &cancelled) {
    constexpr size_t kLookedAt = 3;
    const Resolver resolver;
    std::vector<std::string> keys;
    for (const Record &record : log.records) {
        if (!record.trial.valid() || std::find(keys.begin(), keys.end(), record.key) != keys.end()) continue;
        if (keys.size() == kLookedAt || cancelled) return;
        keys.push_back(record.key);
        const auto resolved = resolver.resolve(record.key, record.trial.steps.unpack(), &cancelled);
        if (!resolved) continue;
        try {
            (void)parseTarget(std8(loggedTarget(record)));
        } catch (const Error &) {
            continue; // there it could not be shown
        }
        found.resolved = *resolved;
        found.target = loggedTarget(record);
        return;
    }
}

/// Whose log it is, and its trials; the first of the candidates it has records of. `files` are workloads to try else.
std::shared_ptr<LogFound> whoseLog(const PendingLog &pending, const std::vector<LogCandidate> &candidates,
                                   const QStringList &files, const std::atomic<bool> &cancelled) {
    auto found = std::make_shared<LogFound>();
    if (!pending.large && !pending.restoring && QFileInfo(pending.path).size() > kSurelyFew) {
        found->tooMany = hasMany(pending.path, cancelled);
        if (found->tooMany || cancelled) return found;
    }
    const RecordLog log = loadRecordLog(std8(pending.path));
    for (const auto &candidate : candidates) {
        LogTrials trials = trialsOfLog(log, *candidate.of, candidate.sketches, cancelled);
        const bool hit = !trials.entries.empty();
        if (!hit && found->why.isEmpty()) found->why = trials.firstForeign;
        if (!hit && !trials.otherTargets.empty())
            found->why =
                QStringLiteral("its trials were measured on another target: %1").arg(mostOf(trials.otherTargets));
        if (!hit && found->target.isEmpty() && !trials.otherTargets.empty()) {
            found->task = candidate.task; // unless one of the others has the target, too
            found->target = mostOf(trials.otherTargets);
        }
        if (!hit) {
            if (pending.task != 0) found->trials = std::move(trials);
            continue;
        }
        found->task = candidate.task;
        found->target.clear();
        found->trials = std::move(trials);
        return found;
    }
    if (!found->target.isEmpty()) {
        try {
            (void)parseTarget(std8(found->target));
        } catch (const Error &error) {
            found->badTarget = QStringLiteral("its target `%1` is none: %2").arg(found->target, qt(error.what()));
            found->why = found->badTarget;
            if (pending.task == 0) found->unknown = unknownTasks(log, cancelled);
            found->task = 0;
            found->target.clear();
        }
        return found;
    }
    if (candidates.empty() && pending.task != 0)
        found->why = QStringLiteral("the workload is not understood");
    else if (log.records.empty())
        found->why = log.skipped.empty() ? QStringLiteral("the log has no records") : skippedText(log.skipped);
    else
        found->workload = workloadOfLog(log, files, cancelled, &found->badTarget);
    if (!found->badTarget.isEmpty()) found->why = found->badTarget;
    if (!found->workload.isEmpty()) found->target = qt(log.records.front().targetText);
    const bool unknown = found->workload.isEmpty() && pending.task == 0;
    if (unknown && pending.target.isEmpty() && !pending.restoring) resolveFirst(*found, log, cancelled);
    if (unknown && !found->resolved) found->unknown = unknownTasks(log, cancelled);
    return found;
}

/// Shown afterwards. Another log of it may have opened it before.
void openResolved(const LogParts &parts, const Resolution &workload) {
    const QString text = qt(workload.te);
    for (const auto &document : parts.store.all())
        if (document->text == text) return parts.documents.setCurrent(document->id);
    parts.documents.openText(qt(workload.operators.empty() ? workload.name : workload.operators), text);
}

} // namespace

LogOpening::LogOpening(const LogParts &parts) : m_parts(parts) {
    connect(&m_parts.jobs, &Jobs::cancelled, this, &LogOpening::jobCancelled);
    connect(&m_parts.documents, &Documents::settled, this, &LogOpening::openPending);
}

void LogOpening::openPending() {
    if (m_parts.reader.busy()) return;
    const auto pending = std::exchange(m_pending, {});
    for (const PendingLog &log : pending) open(log);
}

QStringList LogOpening::awaited(int taskId) const {
    QStringList paths;
    for (const PendingLog &log : m_pending)
        if (log.task == taskId) paths << log.path;
    for (const auto &[job, log] : m_reading)
        if (log.task == taskId) paths << log.path;
    return paths;
}

QStringList LogOpening::workloadsNear(const QString &path) const {
    QStringList files;
    for (const QString &folder : QStringList{QFileInfo(path).absolutePath()} + sampleFolders())
        for (const auto &file : QDir(folder).entryInfoList({QStringLiteral("*.te")}, QDir::Files, QDir::Name))
            files << file.absoluteFilePath();
    for (const QString &file : m_parts.settings.recentFiles())
        if (file.endsWith(QLatin1String(".te")) && QFileInfo::exists(file)) files << file;
    files.removeDuplicates();
    return files;
}

void LogOpening::open(const PendingLog &pending) {
    std::vector<LogCandidate> candidates;
    if (pending.task != 0 && !m_parts.store.task(pending.task)) return; // closed meanwhile
    for (const auto &document : m_parts.store.all()) {
        auto place = document.get() == m_parts.store.current() ? candidates.begin() : candidates.end();
        for (const TaskState *state : tasksOf(*document)) {
            if ((pending.task != 0 && state->taskId != pending.task) || !state->task) continue;
            m_parts.store.task(state->taskId)->loadingLog = true;
            place = candidates.insert(place, {state->taskId, state->task, state->sketches}) + 1;
        }
    }
    const QStringList files = pending.task == 0 ? workloadsNear(pending.path) : QStringList();
    const auto job = std::make_shared<int>(0);
    const auto finished = [this, job] { wasRead(*job); };
    *job = m_parts.jobs.start(
        QStringLiteral("Reading %1").arg(QFileInfo(pending.path).fileName()), this,
        [pending, candidates, files](JobControl &control) {
            return whoseLog(pending, candidates, files, control.cancelFlag());
        },
        [this, pending, finished](const std::shared_ptr<LogFound> &found) {
            if (found->tooMany) {
                m_parts.messages.note(
                    QStringLiteral("%1 has more than %2, which did not become trials unasked: Logs shows them")
                        .arg(pending.path, countedText(kMaxUnasked, "record")));
                Q_EMIT tooLarge(pending.path);
                Q_EMIT opened(pending.path);
                return finished();
            }
            Document *owner = found->task != 0 ? m_parts.store.ofTask(found->task) : nullptr;
            if (owner && !found->target.isEmpty() && pending.target.isEmpty() && !pending.restoring) {
                openWithTarget(pending, *owner, found->target);
            } else if (owner && found->target.isEmpty()) {
                PendingLog known = pending;
                known.task = found->task;
                attach(known, std::move(found->trials));
            } else if (!found->workload.isEmpty() && pending.target.isEmpty()) {
                const FileStart start = readStart(found->workload);
                m_parts.messages.note(
                    QStringLiteral("%1 was tuned from %2, which is open now").arg(pending.path, found->workload));
                m_parts.documents.openWorkload(found->workload, start.bytes);
                const bool sameKind = m_parts.store.current()->targetText.startsWith(QLatin1String("cuda")) ==
                                      found->target.startsWith(QLatin1String("cuda"));
                if (!sameKind)
                    openWithTarget(pending, *m_parts.store.current(), found->target);
                else
                    m_pending.push_back(pending); // which tells whether the target suits
            } else if (found->resolved) {
                m_parts.messages.note(QStringLiteral("%1 was tuned for %2, which is what the key of a task means")
                                          .arg(pending.path, qt(found->resolved->name)));
                openResolved(m_parts, *found->resolved);
                Document &document = *m_parts.store.current();
                PendingLog known = pending;
                known.target = found->target;
                m_pending.push_back(std::move(known));
                if (document.targetText != found->target) {
                    document.targetText = found->target;
                    m_parts.reader.read(document);
                }
            } else if (!found->unknown.empty()) {
                openUnknown(pending, std::move(found->unknown), found->badTarget);
                Q_EMIT opened(pending.path);
            } else {
                Q_EMIT failed(pending.path, QStringLiteral("%1: no trial of this log can be shown").arg(pending.path),
                              found->why);
            }
            finished();
        },
        [this, pending, finished](const QString &problem) {
            Q_EMIT failed(pending.path, problem, {});
            finished();
        });
    m_reading[*job] = pending;
}

/// A cancelled job hands over nothing: what waited for it must not wait on.
void LogOpening::jobCancelled(int job) {
    const auto reading = m_reading.find(job);
    if (reading == m_reading.end()) return;
    m_parts.messages.note(
        QStringLiteral("Reading %1 was cancelled; open it again to see its trials").arg(reading->second.path));
    Q_EMIT cancelled(reading->second.path);
    wasRead(job);
}

/// One way or another: nothing of it is awaited any more.
void LogOpening::wasRead(int job) {
    m_reading.erase(job);
    for (const auto &document : m_parts.store.all()) {
        document->loadingLog = false;
        for (TaskState &other : document->others) other.loadingLog = false;
    }
    if (!m_pending.empty()) openPending();
}

/// Its trials belong to a task of their own: the workload on the log's target, which is shown once it is understood.
void LogOpening::openWithTarget(PendingLog pending, Document &document, const QString &target) {
    m_parts.messages.note(QStringLiteral("%1 was measured on another target, which %2 is shown on now: %3")
                              .arg(pending.path, document.name, target));
    if (&document != m_parts.store.current()) m_parts.documents.setCurrent(document.id);
    pending.target = target;
    pending.task = 0;
    m_pending.push_back(std::move(pending));
    document.targetText = target;
    m_parts.reader.read(document);
}

void LogOpening::attach(const PendingLog &pending, LogTrials trials) {
    TaskState &state = *m_parts.store.task(pending.task);
    state.loadingLog = false;
    if (!trials.skipped.empty())
        m_parts.messages.add(
            {Message::Severity::Warning,
             trials.skipped.size() == 1
                 ? QStringLiteral("%1: a line was skipped").arg(pending.path)
                 : QStringLiteral("%1: %2 lines were skipped").arg(pending.path).arg(trials.skipped.size()),
             skippedText(trials.skipped), pending.path, trials.skipped.front().line});
    state.skippedLogLines += static_cast<int>(trials.skipped.size());
    if (trials.foreign > 0)
        m_parts.messages.add({Message::Severity::Note,
                              QStringLiteral("%1: %2 of other tasks")
                                  .arg(pending.path, countedText(static_cast<size_t>(trials.foreign), "record")),
                              trials.firstForeign, pending.path});
    for (const auto &[target, count] : trials.otherTargets)
        m_parts.messages.note(QStringLiteral("%1: %2 of %3 %4 on another target and kept apart: %5")
                                  .arg(pending.path, trialCountText(static_cast<size_t>(count)), state.name,
                                       count == 1 ? QStringLiteral("is") : QStringLiteral("are"), target));
    // The same log again: only what it has gained.
    std::vector<TrialEntry *> here;
    std::vector<RecordPlace> known;
    for (auto &entry : state.trials)
        if (entry.logPath == pending.path && entry.logRecord >= 0) {
            here.push_back(&entry);
            known.push_back({entry.logRecord, entry.recordName()});
        }
    std::vector<RecordPlace> read;
    for (auto &entry : trials.entries) {
        entry.logPath = pending.path;
        read.push_back({entry.logRecord, entry.recordName()});
    }
    const std::vector<int> again = findRecords(read, known);
    AncestorTable none;
    for (const size_t trial : restoreTrials(pending.known, none, pending.path, trials.entries)) {
        TrialEntry &entry = trials.entries[trial];
        if (entry.valid() && state.flops() > 0) entry.gflops = state.flops() / entry.seconds() * 1e-9;
    }
    const size_t before = state.trials.size();
    std::set<TrialIdentity> elsewhere; // of other logs, of which this one may be a copy
    for (const auto &entry : state.trials)
        if (entry.logPath != pending.path && entry.recordHash != 0) elsewhere.insert(identityOf(entry));
    size_t copies = 0;
    std::vector<TrialEntry> entries;
    entries.reserve(trials.entries.size());
    for (size_t i = 0; i < again.size(); ++i) {
        TrialEntry &entry = trials.entries[i];
        if (again[i] >= 0)
            here[static_cast<size_t>(again[i])]->logRecord = entry.logRecord; // others wrote to the log meanwhile
        else if (elsewhere.contains(identityOf(entry)))
            ++copies;
        else
            entries.push_back(std::move(entry));
    }
    if (copies > 0 && !pending.restoring)
        m_parts.messages.note(QStringLiteral("%1: %2 of its %3 are trials of %4 already, measured in the same second")
                                  .arg(pending.path)
                                  .arg(copies)
                                  .arg(countedText(trials.entries.size(), "record"), state.name));
    if (state.logPath.isEmpty()) state.logPath = pending.path;
    m_parts.settings.addRecentFile(pending.path);
    m_parts.trials.add(state, std::move(entries));
    // The log says which won a comparison; what it knew then does not beat the winner by a first time.
    if (before == 0 && trials.winner >= 0 && !pending.restoring) { // a session knows more
        takeComparison(state, {{trials.winner, trials.winnerTime}});
        state.decided = trials.decided;
    }
    m_parts.trials.updateBest(state);
    if (const auto baseline = markedBaseline(pending.known, state.trials)) m_parts.trials.setBaseline(state, *baseline);
    Q_EMIT trialsRead(state.taskId, pending.path);
    if (m_parts.store.isShown(state)) {
        Q_EMIT attached();
        if (!pending.restoring && before == 0 && state.best >= 0 &&
            m_parts.selection.now().schedule.kind != ScheduleRef::Kind::Trial)
            m_parts.selection.selectSchedule({ScheduleRef::Kind::Trial, state.best});
    }
    // Whoever opens a log wants to see it.
    if (!pending.restoring && !m_parts.store.isShown(state) &&
        m_parts.store.ofTask(state.taskId) == m_parts.store.current())
        m_parts.documents.showTask(state.taskId);
    Q_EMIT opened(pending.path);
}

/// A log of tasks that nobody here knows the workloads of: a document of its own, with a task for each of the log's.
void LogOpening::openUnknown(const PendingLog &pending, std::vector<UnknownTask> tasks, const QString &more) {
    const QString &path = pending.path;
    QJsonArray known = pending.known;
    for (const auto &document : m_parts.store.all())
        if (document->logTask && document->logPath == path) {
            if (known.isEmpty()) known = trialsToJson(*document);
            m_parts.documents.close(document->id); // read anew
            break;
        }
    m_parts.settings.addRecentFile(path);
    Document &document = m_parts.store.add({}, {});
    document.savedText = QString(QLatin1String(""));
    AncestorTable none;
    for (size_t i = 0; i < tasks.size(); ++i) {
        TaskState kept;
        if (i > 0) kept.taskId = m_parts.store.freshId();
        TaskState &state = i == 0 ? static_cast<TaskState &>(document) : kept;
        state.name = tasks[i].name;
        state.source.targetText = tasks[i].task.target;
        state.logTask = std::move(tasks[i].task);
        state.logPath = path;
        m_parts.trials.share(tasks[i].entries);
        state.trials = std::move(tasks[i].entries);
        restoreTrials(known, none, path, state.trials);
        state.baseline = markedBaseline(known, state.trials).value_or(-1);
        m_parts.trials.updateBest(state);
        if (i > 0) document.others.push_back(std::move(kept));
    }
    markUnknown(document, more);
    m_parts.documents.show(&document);
    m_parts.documents.tellProblem(document);
    m_parts.documents.selectBest();
}

void LogOpening::findWorkload(const QString &path) {
    const Document *shown = m_parts.store.current();
    if (!shown || !shown->logTask) return;
    const QString log = shown->logPath;
    m_parts.jobs.start(
        QStringLiteral("Reading %1").arg(QFileInfo(path).fileName()), this,
        [path, log, wanted = *shown->logTask](JobControl &) {
            const Task task =
                makeTask(ComputeDag::fromWorkload(loadWorkload(std8(path))), parseTarget(std8(wanted.target)));
            for (const Record &record : loadRecordLog(std8(log)).records) {
                if (qt(record.key) != wanted.key || qt(record.targetText) != wanted.target) continue;
                const auto matches = recordMatches(record, task);
                return matches ? QString() : qt(matches.why());
            }
            return QStringLiteral("%1 has no record of the task any more").arg(log);
        },
        [this, path, log, id = shown->id](const QString &why) {
            Document *document = m_parts.store.find(id);
            if (!document || !document->logTask) return;
            if (!why.isEmpty()) {
                markUnknown(*document, QStringLiteral("%1 is another task: %2").arg(QFileInfo(path).fileName(), why));
                m_parts.documents.tellProblem(*document);
                return;
            }
            const FileStart start = readStart(path);
            const QJsonArray known = trialsToJson(*document);
            if (document->others.empty())
                m_parts.documents.close(id); // all that it holds is read into the workload's document
            m_parts.documents.openWorkload(path, start.bytes);
            m_pending.push_back({log, m_parts.store.current()->taskId, false, {}, known});
            openPending();
        });
}

} // namespace loopscope
