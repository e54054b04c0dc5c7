#include "records/logs/log_index.h"

#include "records/record/log_text.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

std::span<const LogRow> LogIndex::rowsFrom(size_t record) const {
    if (record >= m_size) return {};
    const size_t inChunk = record & kChunkMask;
    return {m_chunks[record >> kChunkBits].get() + inChunk, std::min(kChunkMask + 1 - inChunk, m_size - record)};
}

void LogIndex::add(BlockIndex block, const Read &read) {
    std::vector<uint32_t> taskOf;
    taskOf.reserve(block.tasks.size());
    for (const LogTask &task : block.tasks) taskOf.push_back(taskNumber(task));
    std::vector<uint32_t> structureOf;
    structureOf.reserve(block.structures.size());
    for (const uint64_t hash : block.structures)
        structureOf.push_back(
            m_structureOf.try_emplace(hash, static_cast<uint32_t>(m_structureOf.size())).first->second);
    std::vector<uint16_t> reasonOf;
    reasonOf.reserve(block.reasons.size());
    for (const std::string &pattern : block.reasons) reasonOf.push_back(reasonNumber(pattern));

    for (LogRow &row : block.rows) {
        row.line += static_cast<uint32_t>(m_lines);
        row.task = taskOf[row.task];
        row.structure = structureOf[row.structure];
        if (row.reason > 0) row.reason = reasonOf[row.reason - 1U];
        if (&row == &block.rows.front() && block.beginsWithRecord && m_pending < block.begin) readPending(row, read);
        addRow(row);
    }
    for (SkippedLine &line : block.unreadable) {
        line.line += static_cast<int>(m_lines);
        if (m_unreadable.size() < kMaxBrokenLines) m_unreadable.push_back(std::move(line));
    }
    m_unreadableLines += block.unreadableLines;
    m_comments += block.comments;
    m_emptyLines += block.emptyLines;
    m_lines += block.lines;
    m_end = block.end;
    m_pendingBefore = m_pending;
    if (!block.commentsOnly || m_pending >= block.begin) m_pending = block.pending;
}

void LogIndex::addProblem(const std::string &sentence) {
    m_unreadable.push_back({static_cast<int>(m_lines) + 1, sentence});
    ++m_unreadableLines;
}

void LogIndex::undo(const BlockIndex &line) {
    if (line.unreadableLines > 0 && m_unreadable.size() == m_unreadableLines) m_unreadable.pop_back();
    m_unreadableLines -= line.unreadableLines;
    m_comments -= line.comments;
    m_emptyLines -= line.emptyLines;
    m_lines -= line.lines;
    m_end = line.begin;
    m_pending = m_pendingBefore;
}

void LogIndex::addRow(const LogRow &row) {
    if ((m_size & kChunkMask) == 0) m_chunks.push_back(std::make_unique<LogRow[]>(kChunkMask + 1));
    m_chunks.back()[m_size & kChunkMask] = row;
    LogTask &task = m_tasks[row.task];
    ++task.records;
    if (row.failed()) {
        ++task.failures;
    } else if (std::isfinite(row.seconds) && // it was timed
               (task.best == SIZE_MAX || row.isBetterThan(this->row(task.best)))) {
        task.best = m_size;
    }
    if (row.reason > 0) {
        LogReason &reason = m_reasons[row.reason - 1U];
        ++reason.records;
        reason.first = std::min(reason.first, m_size);
    }
    ++m_size;
}

uint32_t LogIndex::taskNumber(const LogTask &task) {
    const auto [at, fresh] = m_taskOf.try_emplace(taskIdentity(task), static_cast<uint32_t>(m_tasks.size()));
    if (fresh) m_tasks.push_back(task);
    return at->second;
}

uint16_t LogIndex::reasonNumber(const std::string &pattern) {
    if (const auto known = m_reasonOf.find(pattern); known != m_reasonOf.end()) return known->second;
    const std::string name = m_reasons.size() < kMaxReasons ? pattern : std::string(kOtherReasons);
    const auto [at, fresh] = m_reasonOf.try_emplace(name, static_cast<uint16_t>(m_reasons.size() + 1));
    if (fresh) m_reasons.push_back({name, 0, SIZE_MAX});
    return at->second;
}

void LogIndex::readPending(LogRow &row, const Read &read) {
    if (row.offset - m_pending > kMaxLineBytes) return;
    row.comments = static_cast<uint32_t>(row.offset - m_pending);
    const CommentFacts facts = readComments(read(m_pending, row.offset), row.error);
    row.unstable = facts.unstable;
    row.ofNetwork = facts.ofNetwork;
    row.reason = facts.reason.empty() ? 0 : reasonNumber(facts.reason);
}

} // namespace loopscope
