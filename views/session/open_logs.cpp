#include "views/session/open_logs.h"

#include "base/outcome.h"
#include "views/session/jobs.h"
#include "views/session/log_trials.h"
#include "views/session/messages.h"
#include "views/session/text.h"
#include "views/settings/settings.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kGlance = 2000;    // records shown while a log is indexed
constexpr int kPollMs = 60;         // how often the window looks at what a job has
constexpr int kLookMs = 500;        // how often files are looked at
constexpr qint64 kAtOnce = 8 << 20; // bytes that are indexed between two frames

LogGlance glanceAt(const LogDocument &log) {
    LogGlance glance;
    glance.records = log.size();
    glance.tasks = log.tasks();
    const size_t count = std::min(kGlance, log.size());
    glance.rows.reserve(count);
    for (size_t i = 0; i < count; ++i) glance.rows.push_back(log.row(i));
    return glance;
}

} // namespace

QString OpenLog::name() const { return QFileInfo(path).fileName(); }

struct OpenLogs::Indexing {
    std::mutex mutex;
    std::optional<LogGlance> glance; // not taken yet
    std::atomic<double> progress{0};
};

OpenLogs::OpenLogs(Settings &settings, Messages &messages, Jobs &jobs)
    : m_settings(settings), m_messages(messages), m_jobs(jobs) {
    m_poll.setInterval(kPollMs);
    m_look.setInterval(kLookMs);
    connect(&m_poll, &QTimer::timeout, this, &OpenLogs::poll);
    connect(&m_look, &QTimer::timeout, this, &OpenLogs::look);
    connect(&m_jobs, &Jobs::cancelled, this, &OpenLogs::jobCancelled);
}

OpenLogs::~OpenLogs() = default;

const OpenLog *OpenLogs::find(int id) const {
    const auto found = std::find_if(m_logs.begin(), m_logs.end(), [id](const auto &log) { return log->id == id; });
    return found == m_logs.end() ? nullptr : found->get();
}

OpenLog *OpenLogs::opened(int id) {
    const auto found = std::find_if(m_logs.begin(), m_logs.end(), [id](const auto &log) { return log->id == id; });
    return found == m_logs.end() ? nullptr : found->get();
}

void OpenLogs::open(const QString &path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    const auto found =
        std::find_if(m_logs.begin(), m_logs.end(), [&](const auto &log) { return log->path == absolute; });
    if (found != m_logs.end()) {
        const OpenLog &log = **found;
        const int id = log.id;
        if (log.replaced || log.state == OpenLog::State::Failed || log.state == OpenLog::State::Cancelled) reopen(id);
        setCurrent(id);
        Q_EMIT openedByUser(id);
        return;
    }
    OpenLog &log = add(absolute);
    m_settings.addRecentFile(absolute);
    const int id = log.id;
    Q_EMIT listChanged();
    setCurrent(id);
    Q_EMIT openedByUser(id);
}

int OpenLogs::restore(const QString &path, const LogPlace &place) {
    const auto found = std::find_if(m_logs.begin(), m_logs.end(), [&](const auto &log) { return log->path == path; });
    if (found != m_logs.end()) return (*found)->id; // somebody is there already
    OpenLog &log = add(path);
    log.place = place;
    const int id = log.id;
    Q_EMIT listChanged();
    if (m_current == 0) setCurrent(id);
    return id;
}

OpenLog &OpenLogs::add(const QString &path) {
    m_logs.push_back(std::make_unique<OpenLog>());
    OpenLog &log = *m_logs.back();
    log.id = m_nextId++;
    log.path = path;
    start(log);
    m_look.start();
    return log;
}

void OpenLogs::reopen(int id) {
    OpenLog *log = opened(id);
    if (log == nullptr) return;
    if (log->state == OpenLog::State::Indexing) m_jobs.cancel(log->job);
    start(*log);
    Q_EMIT logChanged(id);
}

void OpenLogs::cancel(int id) {
    if (const OpenLog *log = find(id); log != nullptr && log->state == OpenLog::State::Indexing)
        m_jobs.cancel(log->job);
}

void OpenLogs::start(OpenLog &log) {
    const QFileInfo file(log.path);
    log.state = OpenLog::State::Indexing;
    log.progress = 0;
    log.problem.clear();
    log.replaced = false;
    log.glance = {};
    log.log.reset();
    log.bytes = file.size();
    log.changed = file.lastModified();
    const auto indexing = std::make_shared<Indexing>();
    const int id = log.id;
    log.job = m_jobs.start(
        tr("Indexing %1").arg(log.name()), this,
        [indexing, path = std8(log.path)](JobControl &control) {
            LogDocument::Options options;
            options.cancelled = &control.cancelFlag();
            options.progress = [&](uint64_t done, uint64_t of) {
                if (of == 0) return;
                const double share = static_cast<double>(done) / static_cast<double>(of);
                control.progress(share);
                indexing->progress = share;
            };
            options.grown = [&](const LogDocument &soFar) {
                LogGlance glance = glanceAt(soFar);
                const std::lock_guard lock(indexing->mutex);
                indexing->glance = std::move(glance);
            };
            return std::make_shared<FollowedLog>(LogDocument::open(path, options));
        },
        [this, id](std::shared_ptr<FollowedLog> followed) {
            OpenLog *done = opened(id);
            if (done == nullptr) return; // closed meanwhile
            done->log = std::move(followed);
            done->glance = {};
            ended(*done, OpenLog::State::Ready, {});
        },
        [this, id](const QString &problem) {
            OpenLog *failed = opened(id);
            if (failed == nullptr) return;
            m_messages.add({Message::Severity::Failure, problem, {}, failed->path, 0, 0, -1, {}, {}});
            ended(*failed, OpenLog::State::Failed, problem);
        });
    std::erase_if(m_indexing, [id](const auto &entry) { return entry.first == id; });
    m_indexing.emplace_back(id, indexing);
    m_poll.start();
}

/// What the jobs have told since the last time.
void OpenLogs::poll() {
    for (const auto &[id, indexing] : m_indexing) {
        OpenLog *log = opened(id);
        if (log == nullptr || log->state != OpenLog::State::Indexing) continue;
        std::optional<LogGlance> glance;
        {
            const std::lock_guard lock(indexing->mutex);
            glance = std::exchange(indexing->glance, std::nullopt);
        }
        const bool further = std::exchange(log->progress, indexing->progress.load()) != indexing->progress;
        if (glance) log->glance = std::move(*glance);
        if (glance || further) Q_EMIT logChanged(id);
    }
}

void OpenLogs::ended(OpenLog &log, OpenLog::State state, const QString &problem) {
    const int id = log.id;
    log.state = state;
    log.problem = problem;
    log.job = 0;
    std::erase_if(m_indexing, [id](const auto &entry) { return entry.first == id; });
    if (m_indexing.empty()) m_poll.stop();
    Q_EMIT logChanged(id);
}

/// It keeps the first records that were seen.
void OpenLogs::jobCancelled(int job) {
    for (const auto &log : m_logs)
        if (log->state == OpenLog::State::Indexing && log->job == job)
            return ended(*log, OpenLog::State::Cancelled,
                         tr("Indexing was cancelled; read it anew to see all of its records"));
}

void OpenLogs::close(int id) {
    const auto found = std::find_if(m_logs.begin(), m_logs.end(), [id](const auto &log) { return log->id == id; });
    if (found == m_logs.end()) return;
    const auto gone = std::move(*found);
    const auto next = m_logs.erase(found);
    if (gone->state == OpenLog::State::Indexing) m_jobs.cancel(gone->job);
    std::erase_if(m_indexing, [id](const auto &entry) { return entry.first == id; });
    if (m_logs.empty()) m_look.stop();
    if (m_current == id) {
        m_current = m_logs.empty() ? 0 : next == m_logs.end() ? m_logs.back()->id : (*next)->id;
        Q_EMIT listChanged();
        Q_EMIT currentChanged();
    } else {
        Q_EMIT listChanged();
    }
}

void OpenLogs::setCurrent(int id) {
    if (id == m_current || find(id) == nullptr) return;
    m_current = id;
    Q_EMIT currentChanged();
}

void OpenLogs::setPlace(int id, const LogPlace &place) {
    OpenLog *log = opened(id);
    if (log == nullptr || log->place == place) return;
    log->place = place;
    Q_EMIT placeChanged(id);
}

void OpenLogs::look() {
    for (size_t i = 0; i < m_logs.size(); ++i) {
        OpenLog &log = *m_logs[i];
        if (log.state != OpenLog::State::Ready || log.replaced || !log.log) continue;
        const QFileInfo file(log.path);
        if (file.exists() && file.size() == log.bytes && file.lastModified() == log.changed) continue;
        follow(log);
    }
}

/// What was appended is mostly little: it is indexed at once, or, while a job reads the log, the next time.
void OpenLogs::follow(OpenLog &log) {
    const std::unique_lock writing(log.log->reading, std::try_to_lock);
    if (!writing.owns_lock()) return;
    const QFileInfo file(log.path);
    const qint64 added = file.size() - log.bytes;
    const int id = log.id;
    if (added > kAtOnce) return reopen(id); // as much as another log: with progress, and to be cancelled
    log.bytes = file.size();
    log.changed = file.lastModified();
    LogDocument::Change change{};
    try {
        change = log.log->document.follow();
    } catch (const std::exception &error) {
        log.problem = qt(error.what());
        log.replaced = true;
        Q_EMIT logChanged(id);
        return;
    }
    if (change == LogDocument::Change::Grown) {
        Q_EMIT logGrown(id);
    } else if (change == LogDocument::Change::Replaced) {
        log.replaced = true;
        log.problem = file.exists() ? tr("%1 was replaced or cut; read it anew to see what it is now").arg(log.path)
                                    : tr("%1 is gone; what is shown cannot be read any more").arg(log.path);
        m_messages.add({Message::Severity::Warning, log.problem, {}, log.path, 0, 0, -1, {}, {}});
        Q_EMIT logChanged(id);
    }
}

} // namespace loopscope
