#include "records/logs/noted_records.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace loopscope {

namespace {

/// Records of one task with the same steps: they have one name.
using NamedAlike = std::pair<uint32_t, uint64_t>;

NamedAlike alikeOf(const LogRow &row) { return {row.task, row.steps}; }

/// The record of that line; SIZE_MAX: there is none.
size_t recordOfLine(const LogDocument &log, uint32_t line) {
    size_t first = 0;
    size_t last = log.size();
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (log.row(middle).line < line)
            first = middle + 1;
        else
            last = middle;
    }
    return first < log.size() && log.row(first).line == line ? first : SIZE_MAX;
}

class NameSearch {
  public:
    NameSearch(const LogDocument &log, const LogNotes &notes) : m_log(log) {
        for (const auto &[name, note] : notes.records) {
            const size_t record = note.line > 0 ? recordOfLine(log, note.line) : SIZE_MAX;
            if (record != SIZE_MAX && recordName(log.record(record)) == name)
                remember(log.row(record), note);
            else
                m_sought[name] = note;
        }
    }

    /// Reads records until each name is found.
    void readAll(const std::atomic<bool> *cancelled) {
        std::map<NamedAlike, bool> read;
        for (size_t record = 0; record < m_log.size() && !m_sought.empty(); ++record) {
            if (cancelled != nullptr && *cancelled) return;
            const NamedAlike alike = alikeOf(m_log.row(record));
            if (m_noted.contains(alike) || std::exchange(read[alike], true)) continue;
            const auto found = m_sought.find(recordName(m_log.record(record)));
            if (found == m_sought.end()) continue;
            remember(m_log.row(record), found->second);
            m_sought.erase(found);
        }
    }

    [[nodiscard]] NotedRecords taken() && {
        NotedRecords noted;
        noted.lost = m_sought.size();
        if (m_noted.empty()) return noted;
        for (size_t first = 0; first < m_log.size();) {
            const std::span<const LogRow> rows = m_log.rowsFrom(first);
            for (size_t i = 0; i < rows.size(); ++i)
                if (const auto found = m_noted.find(alikeOf(rows[i])); found != m_noted.end())
                    noted.all.emplace_back(static_cast<uint32_t>(first + i), found->second);
            first += rows.size();
        }
        return noted;
    }

  private:
    /// A name says nothing of the machine, tasks do.
    void remember(const LogRow &row, const RecordNote &note) {
        const std::vector<LogTask> &tasks = m_log.tasks();
        const LogTask &own = tasks[row.task];
        for (uint32_t task = 0; task < tasks.size(); ++task)
            if (tasks[task].key == own.key && tasks[task].target == own.target &&
                tasks[task].layoutRewrite == own.layoutRewrite)
                m_noted[{task, row.steps}] = note;
    }

    const LogDocument &m_log;
    std::map<NamedAlike, RecordNote> m_noted;
    std::map<std::string, RecordNote> m_sought; // by name
};

} // namespace

const RecordNote *NotedRecords::of(uint32_t record) const {
    const auto found = std::lower_bound(all.begin(), all.end(), record,
                                        [](const auto &noted, uint32_t number) { return noted.first < number; });
    return found != all.end() && found->first == record ? &found->second : nullptr;
}

NotedRecords notedRecords(const LogDocument &log, const LogNotes &notes, const std::atomic<bool> *cancelled) {
    if (notes.records.empty()) return {};
    NameSearch search(log, notes);
    search.readAll(cancelled);
    if (cancelled != nullptr && *cancelled) return {};
    return std::move(search).taken();
}

bool asksForNotes(const LogFilterNode &filter) {
    using Kind = LogFilterNode::Kind;
    using Text = LogFilterNode::Text;
    using Flag = LogFilterNode::Flag;
    if (filter.kind == Kind::Text && (filter.field == Text::Note || filter.field == Text::Tag)) return true;
    if (filter.kind == Kind::Flag && (filter.flag == Flag::Pinned || filter.flag == Flag::Noted)) return true;
    return std::any_of(filter.children.begin(), filter.children.end(), asksForNotes);
}

} // namespace loopscope
