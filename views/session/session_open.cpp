// Opening: what kind of file it is, whose log it is. Broken files become messages; nothing else is disturbed.

#include "views/session/session.h"

#include "measure/disassembly.h"
#include "outcome.h"
#include "record/record.h"
#include "timing/machine_peaks.h"
#include "views/session/analysis.h"
#include "views/session/log_trials.h"
#include "views/session/representation_cache.h"
#include "views/session/samples.h"
#include "views/session/session_file.h"
#include "views/session/standing.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <sys/stat.h>

namespace loopscope {

namespace {

enum class FileKind : uint8_t { Workload, Log, SessionFile };

/// By what stands in it, as logs of other programs have all kinds of suffixes; where nothing stands in it, by its
/// suffix.
FileKind kindOf(const QByteArray &start, const QString &suffix) {
    for (const QByteArray &line : start.split('\n')) {
        const QByteArray text = line.trimmed();
        if (text.isEmpty() || text.startsWith('#')) continue;
        if (!text.startsWith('{')) return FileKind::Workload;
        return start.contains("\"loopscope_session\"") ? FileKind::SessionFile : FileKind::Log;
    }
    return suffix == QLatin1String("json") || suffix == QLatin1String("log") ? FileKind::Log : FileKind::Workload;
}

constexpr qint64 kLargestText = 16 << 20; // of a workload; far beyond what anybody writes

struct FileStart {
    QByteArray bytes; // of a workload: all
    FileKind kind = FileKind::Workload;
    QString problem;
};

/// Such as /dev/zero, which has no end.
bool isDevice(const QString &path) {
    struct stat info {};
    return ::stat(QFile::encodeName(path).constData(), &info) == 0 && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode));
}

FileStart readStart(const QString &path) {
    FileStart start;
    const QFileInfo info(path);
    QFile file(path);
    if (info.isDir()) {
        start.problem = QStringLiteral("is a folder; open a workload (.te), a tuning log, or a session (.loopscope)");
    } else if (isDevice(path)) {
        start.problem = QStringLiteral("is a device; open a workload (.te), a tuning log, or a session (.loopscope)");
    } else if (!file.open(QIODevice::ReadOnly)) {
        start.problem = QStringLiteral("cannot be read: %1").arg(file.errorString());
    } else {
        start.bytes = file.read(1 << 16);
        start.kind = kindOf(start.bytes, info.suffix());
        if (start.kind == FileKind::Workload && info.suffix() == QLatin1String("json"))
            start.problem = QStringLiteral("is neither a tuning log nor a session: its first line is no record");
        else if (start.kind == FileKind::Workload && info.suffix() != QLatin1String("te") && start.bytes.contains('\0'))
            start.problem = QStringLiteral("is neither a workload, nor a tuning log, nor a session");
        else if (start.kind == FileKind::Workload && info.size() > kLargestText)
            start.problem = QStringLiteral("has %1; a workload of more than %2 is not read")
                                .arg(bytesText(info.size()), bytesText(kLargestText));
        else if (start.kind == FileKind::Workload)
            start.bytes += file.read(kLargestText + 1);
        if (start.problem.isEmpty() && start.bytes.size() > kLargestText) // of a pipe, which does not tell its size
            start.problem =
                QStringLiteral("has more than %1; a larger workload is not read").arg(bytesText(kLargestText));
    }
    return start;
}

/// The key with the largest count; the first of equals.
QString mostOf(const std::map<QString, int> &counts) {
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto &a, const auto &b) { return a.second < b.second; })
        ->first;
}

} // namespace

void Session::failToOpen(const QString &path, const QString &problem, const QString &detail) {
    m_messages.add({Message::Severity::Failure, problem, detail, path, 0, 0, -1, {}, QStringLiteral("open")});
    Q_EMIT opened(path, false);
}

void Session::open(const QStringList &paths) {
    for (const QString &given : paths) {
        const QString path = QFileInfo(given).absoluteFilePath();
        const FileStart start = readStart(path);
        if (!start.problem.isEmpty()) {
            failToOpen(path, QStringLiteral("%1 %2").arg(path, start.problem), {});
            continue;
        }
        switch (start.kind) {
        case FileKind::Workload:
            openWorkload(path, start.bytes);
            break;
        case FileKind::Log:
            m_pendingLogs.push_back({path, 0, false, {}, {}});
            break;
        case FileKind::SessionFile: {
            QByteArray window;
            const bool ok = loadSession(path, &window);
            Q_EMIT opened(path, ok);
            break;
        }
        }
    }
    openPendingLogs();
}

void Session::openWorkload(const QString &path, const QByteArray &bytes) {
    m_settings.addRecentFile(path);
    const bool sample = isSample(path);
    for (const auto &document : m_documents) {
        if ((sample ? document->origin : document->path) != path || document->modified) continue;
        // Open already: the file may have changed since.
        if (m_current != document.get()) setCurrent(document->id);
        const QString text = QString::fromUtf8(bytes);
        if (document->text != text || document->problem) {
            document->text = text;
            document->savedText = text;
            analyse(*document);
        }
        Q_EMIT opened(path, true);
        return;
    }
    Document &document = add(path, QString::fromUtf8(bytes));
    if (sample) {
        document.origin = path; // a copy without a file: saving asks where, and the sample stays as it is shipped
        document.path.clear();
    }
    document.savedText = document.text;
    document.targetText = m_settings.value(QStringLiteral("defaults/target"), QStringLiteral("llvm")).toString();
    show(&document);
    analyse(document);
    Q_EMIT opened(path, true);
}

void Session::loadLog(const QString &path) {
    m_pendingLogs.push_back({QFileInfo(path).absoluteFilePath(), m_current ? m_current->taskId : 0, false, {}, {}});
    openPendingLogs();
}

/// A log waits until every open workload is understood, as only then is known whose it is.
void Session::openPendingLogs() {
    const bool waiting =
        std::any_of(m_documents.begin(), m_documents.end(), [](const auto &document) { return document->analysing; });
    if (waiting || !m_understanding.empty()) return;
    const auto pending = std::exchange(m_pendingLogs, {});
    for (const PendingLog &log : pending) openLog(log);
}

void Session::openLog(const PendingLog &pending) {
    struct Candidate {
        int task;
        std::shared_ptr<const Task> of;
        std::vector<Sketch> sketches;
    };
    std::vector<Candidate> candidates;
    if (pending.task != 0 && !taskOf(pending.task)) return; // closed meanwhile
    for (const auto &document : m_documents) {
        auto place = document.get() == m_current ? candidates.begin() : candidates.end();
        for (const TaskState *state : tasksOf(*document)) {
            if ((pending.task != 0 && state->taskId != pending.task) || !state->task) continue;
            taskOf(state->taskId)->loadingLog = true;
            place = candidates.insert(place, {state->taskId, state->task, state->sketches}) + 1;
        }
    }
    QStringList files;
    if (pending.task == 0) {
        for (const QString &folder : {QFileInfo(pending.path).absolutePath(), samplesFolder()})
            for (const auto &file : QDir(folder).entryInfoList({QStringLiteral("*.te")}, QDir::Files, QDir::Name))
                if (!folder.isEmpty()) files << file.absoluteFilePath();
        for (const QString &file : m_settings.recentFiles())
            if (file.endsWith(QLatin1String(".te")) && QFileInfo::exists(file)) files << file;
        files.removeDuplicates();
    }
    struct Found {
        int task = 0;
        QString workload; // to be opened first
        QString target;   // of the log, where that of the task or the workload is another
        LogTrials trials;
        std::vector<UnknownTask> unknown; // nobody's
        QString badTarget;                // of the log
        QString why;
    };
    const auto job = std::make_shared<int>(0);
    const auto finished = [this, job] { logRead(*job); };
    *job = m_jobs.start(
        QStringLiteral("Reading %1").arg(QFileInfo(pending.path).fileName()), this,
        [pending, candidates, files](JobControl &control) {
            const RecordLog log = loadRecordLog(std8(pending.path));
            auto found = std::make_shared<Found>();
            for (const auto &candidate : candidates) {
                LogTrials trials = trialsOfLog(log, *candidate.of, candidate.sketches, control.cancelFlag());
                const bool hit = !trials.entries.empty();
                if (!hit && found->why.isEmpty()) found->why = trials.firstForeign;
                if (!hit && !trials.otherTargets.empty())
                    found->why = QStringLiteral("its trials were measured on another target: %1")
                                     .arg(mostOf(trials.otherTargets));
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
                    found->badTarget =
                        QStringLiteral("its target `%1` is none: %2").arg(found->target, qt(error.what()));
                    found->why = found->badTarget;
                    if (pending.task == 0) found->unknown = unknownTasks(log, control.cancelFlag());
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
                found->workload = workloadOfLog(log, files, control.cancelFlag(), &found->badTarget);
            if (!found->badTarget.isEmpty()) found->why = found->badTarget;
            if (!found->workload.isEmpty()) found->target = qt(log.records.front().targetText);
            if (found->workload.isEmpty() && pending.task == 0)
                found->unknown = unknownTasks(log, control.cancelFlag());
            return found;
        },
        [this, pending, finished](const std::shared_ptr<Found> &found) {
            Document *owner = found->task != 0 ? documentOfTask(found->task) : nullptr;
            if (owner && !found->target.isEmpty() && pending.target.isEmpty() && !pending.restoring) {
                openWithTarget(pending, *owner, found->target);
            } else if (owner && found->target.isEmpty()) {
                PendingLog known = pending;
                known.task = found->task;
                attachLog(known, std::move(found->trials));
            } else if (!found->workload.isEmpty() && pending.target.isEmpty()) {
                const FileStart start = readStart(found->workload);
                m_messages.note(
                    QStringLiteral("%1 was tuned from %2, which is open now").arg(pending.path, found->workload));
                openWorkload(found->workload, start.bytes);
                const bool sameKind = m_current->targetText.startsWith(QLatin1String("cuda")) ==
                                      found->target.startsWith(QLatin1String("cuda"));
                if (!sameKind)
                    openWithTarget(pending, *m_current, found->target);
                else
                    m_pendingLogs.push_back(pending); // which tells whether the target suits
            } else if (!found->unknown.empty()) {
                openUnknown(pending, std::move(found->unknown), found->badTarget);
                Q_EMIT opened(pending.path, true);
            } else {
                failToOpen(pending.path, QStringLiteral("%1: no trial of this log can be shown").arg(pending.path),
                           found->why);
            }
            finished();
        },
        [this, pending, finished](const QString &problem) {
            failToOpen(pending.path, problem, {});
            finished();
        });
    m_readingLogs[*job] = pending;
}

/// A cancelled job hands over nothing: what waited for it must not wait on.
void Session::readingCancelled(int job) {
    for (const auto &document : m_documents) {
        if (document->analysisJob != job || !document->analysing) continue;
        ++document->version;
        document->analysing = false;
        document->analysisJob = 0;
        document->problem =
            Problem{QStringLiteral("reading the workload was cancelled; change it, or open it again, to have it read"),
                    {},
                    {},
                    0,
                    0};
        if (document.get() == m_current) Q_EMIT problemChanged();
        openPendingLogs();
        return;
    }
    const auto reading = m_readingLogs.find(job);
    if (reading == m_readingLogs.end()) return;
    m_messages.note(
        QStringLiteral("Reading %1 was cancelled; open it again to see its trials").arg(reading->second.path));
    Q_EMIT opened(reading->second.path, false);
    logRead(job);
}

/// One way or another: nothing of it is awaited any more.
void Session::logRead(int job) {
    m_readingLogs.erase(job);
    for (const auto &document : m_documents) {
        document->loadingLog = false;
        for (TaskState &other : document->others) other.loadingLog = false;
    }
    if (!m_pendingLogs.empty()) openPendingLogs();
}

/// Its trials belong to a task of their own: the workload on the log's target, which is shown once it is understood.
void Session::openWithTarget(PendingLog pending, Document &document, const QString &target) {
    m_messages.note(QStringLiteral("%1 was measured on another target, which %2 is shown on now: %3")
                        .arg(pending.path, document.name, target));
    if (&document != m_current) setCurrent(document.id);
    pending.target = target;
    pending.task = 0;
    m_pendingLogs.push_back(std::move(pending));
    document.targetText = target;
    analyse(document);
}

void Session::attachLog(const PendingLog &pending, LogTrials trials) {
    TaskState &state = *taskOf(pending.task);
    state.loadingLog = false;
    if (!trials.skipped.empty())
        m_messages.add({Message::Severity::Warning,
                        trials.skipped.size() == 1
                            ? QStringLiteral("%1: a line was skipped").arg(pending.path)
                            : QStringLiteral("%1: %2 lines were skipped").arg(pending.path).arg(trials.skipped.size()),
                        skippedText(trials.skipped), pending.path, trials.skipped.front().line});
    state.skippedLogLines += static_cast<int>(trials.skipped.size());
    if (trials.foreign > 0)
        m_messages.add({Message::Severity::Note,
                        QStringLiteral("%1: %2 of other tasks")
                            .arg(pending.path, countedText(static_cast<size_t>(trials.foreign), "record")),
                        trials.firstForeign, pending.path});
    for (const auto &[target, count] : trials.otherTargets)
        m_messages.note(QStringLiteral("%1: %2 of %3 %4 on another target and kept apart: %5")
                            .arg(pending.path, trialCountText(static_cast<size_t>(count)), state.name,
                                 count == 1 ? QStringLiteral("is") : QStringLiteral("are"), target));
    // The same log again: only what it has gained.
    std::vector<TrialEntry *> here;
    std::vector<RecordPlace> known;
    for (auto &entry : state.trials)
        if (entry.logPath == pending.path && entry.logRecord >= 0) {
            here.push_back(&entry);
            known.push_back({entry.logRecord, entry.recordName});
        }
    std::vector<RecordPlace> read;
    for (auto &entry : trials.entries) {
        entry.logPath = pending.path;
        read.push_back({entry.logRecord, entry.recordName});
    }
    const std::vector<int> again = findRecords(read, known);
    AncestorTable none;
    for (const size_t trial : restoreTrials(pending.known, none, pending.path, trials.entries)) {
        TrialEntry &entry = trials.entries[trial];
        if (entry.valid() && state.flops() > 0) entry.gflops = state.flops() / entry.seconds() * 1e-9;
    }
    const size_t before = state.trials.size();
    std::vector<TrialEntry> entries;
    entries.reserve(trials.entries.size());
    for (size_t i = 0; i < again.size(); ++i) {
        TrialEntry &entry = trials.entries[i];
        if (again[i] < 0)
            entries.push_back(std::move(entry));
        else
            here[static_cast<size_t>(again[i])]->logRecord = entry.logRecord; // others wrote to the log meanwhile
    }
    if (state.logPath.isEmpty()) state.logPath = pending.path;
    m_settings.addRecentFile(pending.path);
    addTrials(state, std::move(entries));
    // The log says which won a comparison; what it knew then does not beat the winner by a first time.
    if (before == 0 && trials.winner >= 0 && !pending.restoring) { // a session knows more
        takeComparison(state, {{trials.winner, trials.winnerTime}});
        state.decided = trials.decided;
    }
    updateBest(state);
    restoreEntries(state, pending.path);
    if (isShown(state)) {
        Q_EMIT searchChanged();
        if (before == 0 && state.best >= 0 && m_selection.now().schedule.kind != ScheduleRef::Kind::Trial)
            m_selection.selectSchedule({ScheduleRef::Kind::Trial, state.best});
    }
    // Whoever opens a log wants to see it.
    if (!pending.restoring && !isShown(state) && documentOfTask(state.taskId) == m_current) showTask(state.taskId);
    Q_EMIT opened(pending.path, true);
}

/// A log of tasks that nobody here knows the workloads of: a document of its own, with a task for each of the log's.
void Session::openUnknown(const PendingLog &pending, std::vector<UnknownTask> tasks, const QString &more) {
    const QString &path = pending.path;
    QJsonArray known = pending.known;
    for (const auto &document : m_documents)
        if (document->logTask && document->logPath == path) {
            if (known.isEmpty()) known = trialsToJson(*document);
            close(document->id); // read anew
            break;
        }
    m_settings.addRecentFile(path);
    Document &document = add({}, {});
    document.savedText = QString(QLatin1String(""));
    AncestorTable none;
    for (size_t i = 0; i < tasks.size(); ++i) {
        TaskState kept;
        if (i > 0) kept.taskId = m_nextId++;
        TaskState &state = i == 0 ? static_cast<TaskState &>(document) : kept;
        state.name = tasks[i].name;
        state.source.targetText = tasks[i].task.target;
        state.logTask = std::move(tasks[i].task);
        state.logPath = path;
        state.trials = std::move(tasks[i].entries);
        restoreTrials(known, none, path, state.trials);
        updateBest(state);
        if (i > 0) document.others.push_back(std::move(kept));
    }
    sayUnknown(document, more);
    show(&document);
    Q_EMIT problemChanged();
    bestSelected();
}

/// Why there is nothing but the log, for every view that would show more.
void Session::sayUnknown(Document &document, const QString &more) {
    document.targetText = document.source.targetText;
    document.problem = Problem{
        QStringLiteral("the workload of this log is not known: neither the open ones, nor the samples, nor the files "
                       "beside the log, nor those opened lately have its task") +
            (more.isEmpty() ? QString() : QStringLiteral(". ") + more),
        {},
        document.logPath,
        0,
        0};
}

void Session::findWorkload(const QString &path) {
    if (!m_current || !m_current->logTask) return;
    const QString log = m_current->logPath;
    m_jobs.start(
        QStringLiteral("Reading %1").arg(QFileInfo(path).fileName()), this,
        [path, log, wanted = *m_current->logTask](JobControl &) {
            const Task task =
                makeTask(ComputeDag::fromWorkload(loadWorkload(std8(path))), parseTarget(std8(wanted.target)));
            for (const Record &record : loadRecordLog(std8(log)).records) {
                if (qt(record.key) != wanted.key || qt(record.targetText) != wanted.target) continue;
                const auto matches = recordMatches(record, task);
                return matches ? QString() : qt(matches.why());
            }
            return QStringLiteral("%1 has no record of the task any more").arg(log);
        },
        [this, path, log, id = m_current->id](const QString &why) {
            Document *document = documentOf(id);
            if (!document || !document->logTask) return;
            if (!why.isEmpty()) {
                sayUnknown(*document, QStringLiteral("%1 is another task: %2").arg(QFileInfo(path).fileName(), why));
                if (document == m_current) Q_EMIT problemChanged();
                return;
            }
            const FileStart start = readStart(path);
            const QJsonArray known = trialsToJson(*document);
            if (document->others.empty()) close(id); // all that it holds is read into the workload's document
            openWorkload(path, start.bytes);
            m_pendingLogs.push_back({log, m_current->taskId, false, {}, known});
            openPendingLogs();
        });
}

} // namespace loopscope
