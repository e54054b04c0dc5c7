#pragma once
// All that is known of a log without its text, put together from the blocks in their order.

#include "records/logs/block_index.h"
#include "records/logs/log_row.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

class LogIndex {
  public:
    /// Reads text of the log, for comments that stand in a block before their record.
    using Read = std::function<std::string(uint64_t begin, uint64_t end)>;
    void add(BlockIndex block, const Read &read);
    /// An entry that no line stands for: what else kept the log from being read whole.
    void addProblem(const std::string &sentence);

    [[nodiscard]] size_t size() const { return m_size; }
    [[nodiscard]] const LogRow &row(size_t record) const { return m_chunks[record >> kChunkBits][record & kChunkMask]; }
    [[nodiscard]] std::span<const LogRow> rowsFrom(size_t record) const;
    [[nodiscard]] const std::vector<LogTask> &tasks() const { return m_tasks; }
    [[nodiscard]] const std::vector<LogReason> &reasons() const { return m_reasons; }
    [[nodiscard]] size_t structures() const { return m_structureOf.size(); }
    [[nodiscard]] const std::vector<SkippedLine> &unreadable() const { return m_unreadable; }
    [[nodiscard]] size_t unreadableLines() const { return m_unreadableLines; }
    [[nodiscard]] size_t comments() const { return m_comments; }
    [[nodiscard]] size_t emptyLines() const { return m_emptyLines; }
    [[nodiscard]] size_t lines() const { return m_lines; }
    [[nodiscard]] uint64_t end() const { return m_end; } // of what was indexed
    /// What is indexed next begins there.
    void skip(uint64_t to) { m_end = m_pending = to; }

    /// Takes back the last block, of one line that holds no record.
    void undo(const BlockIndex &line);

  private:
    static constexpr size_t kChunkBits = 14;
    static constexpr size_t kChunkMask = (size_t{1} << kChunkBits) - 1;
    void addRow(const LogRow &row);
    uint32_t taskNumber(const LogTask &task);
    uint16_t reasonNumber(const std::string &pattern);
    void readPending(LogRow &row, const Read &read);

    std::vector<std::unique_ptr<LogRow[]>> m_chunks; // 16384 rows each
    size_t m_size = 0;
    std::vector<LogTask> m_tasks;
    std::unordered_map<std::string, uint32_t> m_taskOf;
    std::unordered_map<uint64_t, uint32_t> m_structureOf;
    std::vector<LogReason> m_reasons;
    std::unordered_map<std::string, uint16_t> m_reasonOf;
    std::vector<SkippedLine> m_unreadable;
    size_t m_unreadableLines = 0;
    size_t m_comments = 0;
    size_t m_emptyLines = 0;
    size_t m_lines = 0;
    uint64_t m_end = 0;
    uint64_t m_pending = 0;       // BlockIndex::pending of all so far
    uint64_t m_pendingBefore = 0; // the last block
};

} // namespace loopscope
