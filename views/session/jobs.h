#pragma once
// Work off the UI thread: everything that takes longer than a blink. A job has a title that the status line shows, can
// be cancelled, reports progress, and hands its result over on the UI thread; a cancelled job hands over nothing. What
// a job throws becomes a message.

#include <QObject>
#include <QPointer>
#include <QString>
#include <QThreadPool>

#include <atomic>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

namespace loopscope {

class Messages;

/// The worker's end of a job.
class JobControl {
  public:
    [[nodiscard]] bool cancelled() const { return m_cancelled; }
    [[nodiscard]] const std::atomic<bool> &cancelFlag() const { return m_cancelled; }
    void progress(double share) { m_progress = share; } // 0 to 1

  private:
    friend class Jobs;
    std::atomic<bool> m_cancelled{false};
    std::atomic<double> m_progress{-1};
};

struct JobInfo {
    int id = 0;
    QString title; // "laying out the ComputeDAG"
    double progress = -1;
    double seconds = 0; // since it began
};

class Jobs : public QObject {
    Q_OBJECT

  public:
    explicit Jobs(Messages &messages, QObject *parent = nullptr);
    ~Jobs() override; // cancels all, waits

    /// Runs work(control) on a thread of the pool, then done(result) here, unless cancelled or `receiver` is gone. An
    /// Error or exception thrown by work goes to `failed(sentence)` when given, to the messages otherwise.
    /// What somebody waits for has a thread of its own, which nothing that takes long may use.
    enum class Lane : uint8_t { Any, WaitedFor };
    template <typename Work, typename Done>
    int start(const QString &title, QObject *receiver, Work work, Done done,
              std::function<void(const QString &)> failed = nullptr, Lane lane = Lane::Any) {
        using Result = std::invoke_result_t<Work, JobControl &>;
        auto result = std::make_shared<std::unique_ptr<Result>>();
        return run(
            title, receiver,
            [work = std::move(work), result](JobControl &control) mutable {
                *result = std::make_unique<Result>(work(control));
            },
            [done = std::move(done), result]() mutable { done(std::move(**result)); }, std::move(failed), lane);
    }
    void cancel(int id); // unknown ids are ignored: the job may just have ended
    void cancelAll();
    [[nodiscard]] std::vector<JobInfo> running() const;

  signals:
    void changed(); // a job began or ended
    void cancelled(int id);

  private:
    struct Job;
    int run(const QString &title, QObject *receiver, std::function<void(JobControl &)> work, std::function<void()> done,
            std::function<void(const QString &)> failed, Lane lane);
    void finish(int id, const QString &problem);

    Messages &m_messages;
    QThreadPool m_pool;
    QThreadPool m_waitedFor;
    std::vector<std::shared_ptr<Job>> m_jobs;
    int m_nextId = 1;
};

} // namespace loopscope
