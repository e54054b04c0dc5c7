#include "views/logs/task_resolutions.h"

#include "views/session/jobs.h"
#include "views/session/samples.h"
#include "views/session/text.h"
#include "views/settings/settings.h"

#include <QFileInfo>

#include <algorithm>
#include <exception>
#include <utility>

namespace loopscope {

namespace {

const QString kAdded = QStringLiteral("logs/workloads");

struct Looked {
    std::shared_ptr<const Resolver> resolver;
    ResolvedTask task;
};

} // namespace

TaskResolutions::TaskResolutions(Jobs &jobs, Settings &settings, QObject *parent)
    : QObject(parent), m_jobs(jobs), m_settings(settings) {
    for (const QString &samples : sampleFolders())
        if (QFileInfo(samples).isDir()) m_workloads << samples;
    for (const QString &path : m_settings.value(kAdded).toStringList())
        if (QFileInfo::exists(path)) m_workloads << path;
    connect(&m_jobs, &Jobs::cancelled, this, [this](int job) {
        if (job != m_job) return;
        m_job = 0;
        for (const Wanted &one : m_wanted) m_known.erase(one.key);
        m_wanted.clear();
        Q_EMIT resolved();
    });
}

const ResolvedTask *TaskResolutions::of(const LogTask &task) const {
    const auto found = m_known.find(task.key);
    return found == m_known.end() ? nullptr : &found->second;
}

void TaskResolutions::takeFolder(const QString &path) {
    if (m_workloads.contains(path) || !QFileInfo::exists(path)) return;
    m_workloads << path;
    m_resolver = nullptr;
}

void TaskResolutions::resolve(const OpenLog &log) {
    if (!log.log) return;
    takeFolder(QFileInfo(log.path).absolutePath());
    int number = 0;
    for (const LogTask &task : log.tasks()) {
        ++number;
        const bool waits =
            std::any_of(m_wanted.begin(), m_wanted.end(), [&](const auto &w) { return w.key == task.key; });
        if (waits || of(task) != nullptr) continue;
        m_wanted.push_back({task.key, task.best, log.log, number, static_cast<int>(log.tasks().size())});
    }
    if (m_job == 0) next();
}

void TaskResolutions::addWorkload(const QString &path, const OpenLog &log) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QStringList added = m_settings.value(kAdded).toStringList();
    added.removeAll(absolute);
    added.prepend(absolute);
    constexpr qsizetype kMaxKept = 50;
    m_settings.setValue(kAdded, QStringList(added.mid(0, kMaxKept)));
    m_workloads.removeAll(absolute); // it may have changed
    takeFolder(absolute);
    std::erase_if(m_known, [](const auto &entry) { return entry.second.workload == nullptr; });
    resolve(log);
}

void TaskResolutions::next() {
    if (m_wanted.empty()) return;
    const Wanted wanted = m_wanted.front();
    m_job = m_jobs.start(
        tr("Looking for the workload of task %1 of %2").arg(wanted.number).arg(wanted.of), this,
        [wanted, resolver = m_resolver, workloads = m_workloads](JobControl &control) {
            Looked looked{resolver, {}};
            if (!looked.resolver) {
                ResolverOptions options;
                for (const QString &path : workloads) options.workloads.push_back(std8(path));
                looked.resolver = std::make_shared<const Resolver>(std::move(options));
            }
            Steps steps;
            if (const auto log = wanted.log.lock(); log && wanted.best != SIZE_MAX) {
                const std::shared_lock reading(log->reading);
                steps = log->document.record(wanted.best).trial.steps.unpack();
            }
            const auto found = steps.empty() ? looked.resolver->resolve(wanted.key, &control.cancelFlag())
                                             : looked.resolver->resolve(wanted.key, steps, &control.cancelFlag());
            if (found)
                looked.task.workload = *found;
            else
                looked.task.why = qt(found.why());
            return looked;
        },
        [this, key = wanted.key](const Looked &looked) {
            m_job = 0;
            if (!m_resolver) m_resolver = looked.resolver;
            m_known[key] = looked.task;
            if (!m_wanted.empty() && m_wanted.front().key == key) m_wanted.pop_front();
            next();
            Q_EMIT resolved();
        },
        [this, key = wanted.key](const QString &problem) {
            m_job = 0;
            m_known[key] = {nullptr, problem};
            if (!m_wanted.empty() && m_wanted.front().key == key) m_wanted.pop_front();
            next();
            Q_EMIT resolved();
        });
}

} // namespace loopscope
