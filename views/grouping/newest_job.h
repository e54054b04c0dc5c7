#pragma once
// A job of which only the newest request counts: while one runs, what is asked for next waits, and takes the place of
// what waited before. So a slider that is dragged starts as many jobs as there is time for, and no queue of them.

#include "views/session/jobs.h"

#include <functional>
#include <optional>
#include <utility>

namespace loopscope {

template <typename Result> class NewestJob {
  public:
    using Work = std::function<Result(JobControl &)>;
    using Done = std::function<void(Result)>;
    using Failed = std::function<void(const QString &)>;

    explicit NewestJob(Jobs &jobs, Jobs::Lane lane = Jobs::Lane::WaitedFor) : m_jobs(jobs), m_lane(lane) {
        QObject::connect(&jobs, &Jobs::cancelled, &m_context, [this](int id) {
            if (id == m_job) m_job = 0;
        });
    }
    ~NewestJob() { drop(); }
    NewestJob(const NewestJob &) = delete;
    NewestJob &operator=(const NewestJob &) = delete;

    void want(const QString &title, Work work, Done done, Failed failed = {}) {
        Request request{title, std::move(work), std::move(done), std::move(failed)};
        if (m_job != 0)
            m_next = std::move(request);
        else
            start(std::move(request));
    }
    /// Nobody waits for it any more.
    void drop() {
        m_next.reset();
        m_jobs.cancel(std::exchange(m_job, 0));
    }
    [[nodiscard]] bool busy() const { return m_job != 0; }
    /// Something newer is asked for than what runs or just ended.
    [[nodiscard]] bool outdated() const { return m_next.has_value(); }

  private:
    struct Request {
        QString title;
        Work work;
        Done done;
        Failed failed;
    };
    void start(Request request) {
        m_job = m_jobs.start(
            request.title, &m_context, std::move(request.work),
            [this, done = std::move(request.done)](Result result) {
                m_job = 0;
                done(std::move(result));
                goOn();
            },
            [this, failed = std::move(request.failed)](const QString &problem) {
                m_job = 0;
                if (failed) failed(problem);
                goOn();
            },
            m_lane);
    }
    void goOn() {
        if (m_job != 0 || !m_next) return;
        Request next = std::move(*m_next);
        m_next.reset();
        start(std::move(next));
    }

    Jobs &m_jobs;
    Jobs::Lane m_lane;
    QObject m_context;
    int m_job = 0;
    std::optional<Request> m_next;
};

} // namespace loopscope
