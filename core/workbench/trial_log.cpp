#include "workbench/trial_log.h"

namespace loopscope {

std::unique_ptr<TrialLog> TrialLog::open(const std::string &path, const Tell &tell, const std::atomic<bool> *cancel) {
    static const std::atomic<bool> never{false};
    auto log = std::make_unique<TrialLog>();
    log->m_path = path;
    if (path.empty()) return log;
    log->m_writer = writerWhenFree(path, tell, cancel != nullptr ? *cancel : never);
    return log->m_writer ? std::move(log) : nullptr;
}

size_t TrialLog::append(const Record &record) {
    if (m_writer) m_writer->append(record);
    return m_records++;
}

void TrialLog::remark(const std::string &text) {
    if (m_writer) m_writer->appendRemark(text);
}

void TrialLog::verdict(const std::vector<ComparedTime> &compared, int winner, const TimeInterval &time,
                       const std::function<std::string(int trial)> &nameOf) {
    if (m_writer) m_writer->appendVerdict(nameOf(winner), time, runnerUp(compared, winner, nameOf));
}

} // namespace loopscope
