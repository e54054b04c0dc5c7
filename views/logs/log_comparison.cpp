#include "views/logs/log_comparison.h"

#include "views/logs/task_resolutions.h"
#include "views/session/session.h"
#include "views/session/text.h"

#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

/// Of the file itself, whatever links lead to it.
QString fileItself(const QString &path) {
    const QString itself = QFileInfo(path).canonicalFilePath();
    return itself.isEmpty() ? path : itself; // it is gone
}

} // namespace

QString whyNotComparable(const OpenLog &log) {
    switch (log.state) {
    case OpenLog::State::Indexing:
        return QStringLiteral("%1 is still being indexed").arg(log.name());
    case OpenLog::State::Cancelled:
        return QStringLiteral("%1 is known by its first records only, since indexing was cancelled; read it anew")
            .arg(log.name());
    case OpenLog::State::Failed:
        return QStringLiteral("%1 cannot be read: %2").arg(log.name(), log.problem);
    case OpenLog::State::Ready:
        break;
    }
    if (log.replaced) return log.problem;
    if (log.records() == 0) return QStringLiteral("%1 holds no record that could be read").arg(log.name());
    return {};
}

QString whyNoComparison(const OpenLogs &logs) {
    size_t comparable = 0;
    QString why;
    for (const auto &log : logs.all()) {
        const QString whyNot = whyNotComparable(*log);
        comparable += whyNot.isEmpty() ? 1 : 0;
        if (why.isEmpty()) why = whyNot;
    }
    if (comparable >= 2) return {};
    if (logs.all().size() < 2) return QStringLiteral("Comparing takes two logs; open another one");
    return QStringLiteral("Comparing takes two logs that can be read: %1").arg(why);
}

struct LogComparison::Compared {
    LogDiff diff;
    std::vector<size_t> records; // of each log when it was read
};

LogComparison::LogComparison(Session &session, TaskResolutions &resolutions, QObject *parent)
    : QObject(parent), m_session(session), m_resolutions(resolutions) {
    connect(&resolutions, &TaskResolutions::resolved, this, [this] {
        if (m_state == State::Looking) return goOn();
        if (m_state == State::Ready) Q_EMIT outdatedChanged();
    });
    connect(&session.jobs(), &Jobs::cancelled, this, [this](int job) {
        if (m_job != 0 && job == m_job) end(State::Cancelled);
    });
    const OpenLogs &open = session.logs();
    for (const auto signal : {&OpenLogs::logChanged, &OpenLogs::logGrown})
        connect(&open, signal, this, &LogComparison::outdatedChanged);
    connect(&open, &OpenLogs::listChanged, this, &LogComparison::outdatedChanged);
}

QString LogComparison::refusal(const std::vector<const OpenLog *> &logs) const {
    if (logs.size() < 2) return tr("Comparing takes two logs; choose another one");
    for (size_t i = 0; i < logs.size(); ++i) {
        for (size_t k = 0; k < i; ++k) {
            if (logs[i] == logs[k])
                return tr("%1 is not compared with itself; choose another log").arg(logs[i]->name());
            if (fileItself(logs[i]->path) == fileItself(logs[k]->path))
                return tr("%1 and %2 are one file, which is not compared with itself; choose another log")
                    .arg(logs[k]->path, logs[i]->path);
        }
        if (const QString why = whyNotComparable(*logs[i]); !why.isEmpty()) return why;
    }
    return {};
}

QString LogComparison::compare(const std::vector<const OpenLog *> &logs) {
    if (const QString why = refusal(logs); !why.isEmpty()) return why;
    m_session.jobs().cancel(std::exchange(m_job, 0));
    m_logs.clear();
    m_diff.reset();
    m_state = State::Looking;
    m_problem.clear();
    for (const OpenLog *log : logs) {
        m_logs.push_back({log->path, log->name(), log->log, log->records(), {}});
        m_resolutions.resolve(*log);
    }
    Q_EMIT changed();
    goOn();
    return {};
}

QString LogComparison::again() {
    if (const QString why = whyNotAgain(); !why.isEmpty()) return why;
    return compare(openNow());
}

QString LogComparison::whyNotAgain() const {
    const auto logs = openNow();
    for (size_t i = 0; i < logs.size(); ++i)
        if (logs[i] == nullptr) return tr("%1 is closed; open it to compare anew").arg(m_logs[i].name);
    return refusal(logs);
}

/// Null for those that were closed.
std::vector<const OpenLog *> LogComparison::openNow() const {
    std::vector<const OpenLog *> logs;
    for (const ComparedLog &compared : m_logs) {
        const auto &all = m_session.logs().all();
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const auto &log) { return log->path == compared.path; });
        logs.push_back(found == all.end() ? nullptr : found->get());
    }
    return logs;
}

size_t LogComparison::lookedAt(size_t &of) const {
    size_t known = 0;
    of = 0;
    for (const OpenLog *log : openNow()) {
        if (log == nullptr) continue;
        of += log->tasks().size();
        for (const LogTask &task : log->tasks()) known += m_resolutions.of(task) != nullptr ? 1 : 0;
    }
    return known;
}

/// Once it is known what the tasks compute, or that nobody looks any more.
void LogComparison::goOn() {
    size_t tasks = 0;
    if (lookedAt(tasks) < tasks && m_resolutions.busy()) {
        Q_EMIT changed();
        return;
    }
    start();
}

std::vector<DiffWorkload> LogComparison::workloadsOf(const OpenLog &log) const {
    std::vector<DiffWorkload> workloads;
    for (const LogTask &task : log.tasks()) {
        const ResolvedTask *known = m_resolutions.of(task);
        workloads.push_back(known != nullptr && known->workload
                                ? DiffWorkload{known->workload->name, known->workload->dag}
                                : DiffWorkload{});
    }
    return workloads;
}

void LogComparison::start() {
    const auto logs = openNow();
    std::vector<std::shared_ptr<const FollowedLog>> followed;
    DiffOptions options;
    options.weights = m_weights;
    for (size_t i = 0; i < logs.size(); ++i) {
        if (logs[i] == nullptr || !logs[i]->log)
            return end(State::Failed, tr("%1 was closed, or is read anew, before it was compared").arg(m_logs[i].name));
        m_logs[i].workloads = workloadsOf(*logs[i]);
        m_logs[i].log = logs[i]->log;
        options.workloads.push_back(m_logs[i].workloads);
        followed.push_back(logs[i]->log);
    }
    m_state = State::Comparing;
    m_job = m_session.jobs().start(
        tr("Comparing %1 with %2").arg(m_logs[0].name, m_logs[1].name), this,
        [followed, options](JobControl &control) mutable {
            std::vector<std::shared_lock<std::shared_mutex>> reading;
            std::vector<const LogDocument *> documents;
            Compared compared;
            for (const auto &log : followed) {
                reading.emplace_back(log->reading);
                documents.push_back(&log->document);
                compared.records.push_back(log->document.size());
            }
            options.cancelled = &control.cancelFlag();
            options.progress = [&](size_t done, size_t of) {
                control.progress(static_cast<double>(done) / static_cast<double>(of));
            };
            compared.diff = diffLogs(documents, options);
            return compared;
        },
        [this](Compared compared) {
            m_job = 0;
            for (size_t i = 0; i < m_logs.size(); ++i) m_logs[i].records = compared.records[i];
            m_diff = std::move(compared.diff);
            weighTasks(*m_diff, m_weights); // others may have been chosen meanwhile
            end(State::Ready);
        },
        [this](const QString &problem) { end(State::Failed, problem); });
    Q_EMIT changed();
}

void LogComparison::end(State state, const QString &problem) {
    m_state = state;
    m_problem = problem;
    m_job = 0;
    Q_EMIT changed();
}

void LogComparison::cancel() {
    if (m_state == State::Looking) return end(State::Cancelled);
    m_session.jobs().cancel(m_job); // which is heard of
}

void LogComparison::close() {
    m_session.jobs().cancel(std::exchange(m_job, 0));
    m_logs.clear();
    m_diff.reset();
    end(State::None);
}

void LogComparison::weigh(const DiffWeights &weights) {
    m_weights = weights;
    if (!m_diff) return;
    weighTasks(*m_diff, weights);
    Q_EMIT changed();
}

QString LogComparison::doing() const {
    if (m_state == State::Looking) {
        size_t tasks = 0;
        const size_t known = lookedAt(tasks);
        return tr("Looking for what the tasks compute: %1 of %2").arg(known).arg(tasks);
    }
    QStringList names;
    for (const ComparedLog &log : m_logs) names << log.name;
    return names.isEmpty() ? QString() : tr("Comparing %1").arg(names.join(tr(" with ")));
}

double LogComparison::progress() const {
    if (m_state == State::Looking) {
        size_t tasks = 0;
        const size_t known = lookedAt(tasks);
        return tasks == 0 ? -1 : static_cast<double>(known) / static_cast<double>(tasks);
    }
    for (const JobInfo &job : m_session.jobs().running())
        if (job.id == m_job) return job.progress;
    return -1;
}

const OpenLog *LogComparison::asCompared(size_t log) const {
    const OpenLog *now = openNow()[log];
    return now != nullptr && !now->replaced && now->log && now->log == m_logs[log].log.lock() ? now : nullptr;
}

QString LogComparison::outdated() const {
    if (m_state != State::Ready) return {};
    QStringList sentences;
    const auto logs = openNow();
    bool known = false; // of more tasks what they compute
    for (size_t i = 0; i < logs.size(); ++i) {
        const ComparedLog &compared = m_logs[i];
        const OpenLog *now = logs[i];
        if (now == nullptr)
            sentences << tr("%1 was closed since").arg(compared.name);
        else if (now->state == OpenLog::State::Ready && now->replaced)
            sentences << now->problem;
        else if (now->log != compared.log.lock())
            sentences << tr("%1 was read anew since").arg(compared.name);
        else if (now->records() > compared.records)
            sentences << tr("%1 has %2 since")
                             .arg(compared.name, countedText(now->records() - compared.records, "new record"));
        else
            for (size_t task = 0; task < compared.workloads.size() && task < now->tasks().size(); ++task) {
                const ResolvedTask *resolved = m_resolutions.of(now->tasks()[task]);
                known = known || (compared.workloads[task].dag == nullptr && resolved != nullptr && resolved->workload);
            }
    }
    if (known) sentences << tr("It is known of more tasks now what they compute");
    return sentences.isEmpty() ? QString() : sentences.join(QStringLiteral(". ")) + u'.';
}

} // namespace loopscope
