#pragma once
// The records of a log as a file, in the order they are shown: base units, full precision. A million takes a while, so
// that it is a job's; a file that was not finished is none.

#include "views/logs/noted_log.h"
#include "views/session/open_logs.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace loopscope {

class JobControl;

/// Numbers of records in the order they are shown; nothing: all, in the order of the log.
using RecordOrder = std::optional<std::vector<uint32_t>>;

/// All that a file is made of, for any thread.
struct RecordsToWrite {
    std::shared_ptr<FollowedLog> log; // null: the glance is all there is
    LogGlance glance;
    RecordOrder order;
    size_t count = 0;
    NotedRecordsPtr notes;
};

/// The suffix decides, ".tsv" or else commas. Empty on success, else a sentence; nothing is written once `control` is
/// cancelled.
QString writeRecords(const RecordsToWrite &records, const QString &path, JobControl *control = nullptr);

/// The same in jobs; one that is cancelled says so.
class RecordExport : public QObject {
    Q_OBJECT

  public:
    RecordExport(Jobs &jobs, Messages &messages, QObject *parent);
    /// `done` hears why it failed, or an empty text; nothing of a cancelled job.
    void start(RecordsToWrite records, const QString &path, std::function<void(const QString &problem)> done);

  private:
    Jobs &m_jobs;
    Messages &m_messages;
    std::map<int, QString> m_running; // jobs and what they write
};

} // namespace loopscope
