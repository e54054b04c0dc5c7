#include "views/session/jobs.h"

#include "base/outcome.h"
#include "language/tensor/mapped_file.h"
#include "measure/timing/machine_use.h"
#include "views/session/memory.h"
#include "views/session/messages.h"

#include <QElapsedTimer>
#include <QMetaObject>

#include <algorithm>
#include <exception>

namespace loopscope {

namespace {

constexpr int kNoticeableWait = 300;     // ms
constexpr uint kStackBytes = 64U << 20U; // only what is used becomes memory

/// The other process that this one waits for; empty mostly. Touched on the UI thread only.
QString &machineHolder() {
    static QString holder;
    return holder;
}

} // namespace

struct Jobs::Job {
    int id = 0;
    QString title;
    JobControl control;
    QPointer<QObject> receiver;
    bool hasReceiver = false;
    std::function<void()> done;
    std::function<void(const QString &)> failed;
    QElapsedTimer since;
    std::atomic<bool> waiting{false}; // for its turn on the machine
};

Jobs::Jobs(Messages &messages, QObject *parent) : QObject(parent), m_messages(messages) {
    // One thread for what the user looks at, one for what takes long; the search has its own.
    m_pool.setMaxThreadCount(std::max(2, QThread::idealThreadCount()));
    m_waitedFor.setMaxThreadCount(1);
    // Loop programs are walked recursively, and those of a network of a thousand stages are a thousand statements deep.
    for (QThreadPool *pool : {&m_pool, &m_waitedFor}) pool->setStackSize(kStackBytes);
    // Also of the search's own thread, which is no job.
    onMachineWait([this](const std::string &holder) {
        const auto tell = [this, holder = QString::fromStdString(holder)] {
            machineHolder() = holder;
            if (!holder.isEmpty())
                m_messages.note(QStringLiteral("Waiting for %1, which uses this machine: what is timed beside it would "
                                               "be wrong")
                                    .arg(holder));
            Q_EMIT changed();
        };
        QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
    });
}

Jobs::~Jobs() {
    onMachineWait(nullptr);
    for (const auto &job : m_jobs) job->control.m_cancelled = true;
    m_pool.waitForDone();
    m_waitedFor.waitForDone();
}

int Jobs::run(const QString &title, QObject *receiver, std::function<void(JobControl &)> work,
              std::function<void()> done, std::function<void(const QString &)> failed, Lane lane) {
    auto job = std::make_shared<Job>();
    job->id = m_nextId++;
    job->title = title;
    job->receiver = receiver;
    job->hasReceiver = receiver != nullptr;
    job->done = std::move(done);
    job->failed = std::move(failed);
    job->since.start();
    m_jobs.push_back(job);
    // The job keeps itself alive; this outlives the pool's threads, as the destructor waits for them.
    QThreadPool &pool = lane == Lane::WaitedFor ? m_waitedFor : m_pool;
    pool.start([this, job, work = std::move(work)]() mutable {
        QString problem;
        try {
            // It is work (measure/timing/machine_use.h): it waits while a kernel is timed, here or in another process,
            // and no kernel is timed while it runs; one that measures something itself has the machine meanwhile.
            job->waiting = true;
            const auto use = MachineUse::begin(MachineUse::Kind::Work, &job->control.cancelFlag());
            job->waiting = false;
            const LossWatch losses;
            if (use && !job->control.cancelled()) work(job->control);
            losses.check();
        } catch (const std::bad_alloc &) {
            problem = outOfMemoryText(job->title);
        } catch (const std::exception &error) {
            problem = QString::fromUtf8(error.what());
            if (problem.isEmpty()) problem = QStringLiteral("failed without a reason");
        }
        work = nullptr; // what it captured goes before the result is handed over
        QMetaObject::invokeMethod(this, [this, id = job->id, problem] { finish(id, problem); }, Qt::QueuedConnection);
    });
    Q_EMIT changed();
    return job->id;
}

void Jobs::finish(int id, const QString &problem) {
    const auto found = std::find_if(m_jobs.begin(), m_jobs.end(), [id](const auto &job) { return job->id == id; });
    if (found == m_jobs.end()) return;
    const auto job = *found;
    m_jobs.erase(found);
    const bool wanted = !job->control.cancelled() && !(job->hasReceiver && job->receiver.isNull());
    if (wanted) {
        if (problem.isEmpty()) {
            m_messages.succeeded(job->title);
            job->done();
        } else if (job->failed) {
            job->failed(problem);
        } else {
            m_messages.fail(QStringLiteral("%1: %2").arg(job->title, problem), {}, job->title);
        }
    }
    Q_EMIT changed();
}

void Jobs::cancel(int id) {
    const auto found = std::find_if(m_jobs.begin(), m_jobs.end(), [id](const auto &job) { return job->id == id; });
    if (found == m_jobs.end() || (*found)->control.m_cancelled.exchange(true)) return;
    Q_EMIT changed();
    Q_EMIT cancelled(id);
}

void Jobs::cancelAll() {
    for (const auto &job : running()) cancel(job.id);
}

std::vector<JobInfo> Jobs::running() const {
    std::vector<JobInfo> list;
    for (const auto &job : m_jobs) {
        if (job->control.cancelled()) continue;
        QString title = job->title;
        if (job->waiting && job->since.elapsed() > kNoticeableWait)
            title += machineHolder().isEmpty() ? QStringLiteral(", waiting while a kernel is timed")
                                               : QStringLiteral(", waiting for %1").arg(machineHolder());
        list.push_back({job->id, title, job->control.m_progress, static_cast<double>(job->since.elapsed()) / 1e3});
    }
    return list;
}

} // namespace loopscope
