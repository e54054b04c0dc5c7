#include "records/logs/block_index.h"

#include "records/logs/line_scanner.h"
#include "records/record/log_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace loopscope {

namespace {

constexpr size_t kMaxKnownTasks = 4096; // a thread keeps the spelling of

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Reasons that differ in numbers only count as one.
std::string withoutNumbers(std::string_view reason) {
    std::string pattern;
    for (size_t i = 0; i < reason.size(); ++i) {
        const bool digit = isDigit(reason[i]);
        const bool inside =
            reason[i] == '.' && pattern.ends_with('#') && i + 1 < reason.size() && isDigit(reason[i + 1]);
        if (!digit && !inside) pattern += reason[i];
        if (digit && !pattern.ends_with('#')) pattern += '#';
    }
    return pattern;
}

std::string_view withoutReturn(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

} // namespace

std::string taskIdentity(const LogTask &task) {
    std::string text = fmt::format("{}:{}{}:{}{}:{}{}", task.key.size(), task.key, task.target.size(), task.target,
                                   task.host.size(), task.host, task.layoutRewrite);
    if (task.hardware) {
        const HardwareParams &h = *task.hardware;
        text += fmt::format("[{},{},{},{},{},{},{},{}]", h.numCores, h.vectorUnitBytes, h.cacheLineBytes,
                            h.maxSharedMemoryPerBlock, h.maxLocalMemoryPerBlock, h.maxThreadsPerBlock,
                            h.maxVthreadExtent, h.warpSize);
    }
    for (const std::string &name : task.inputNames) text += fmt::format("/{}:{}", name.size(), name);
    return text;
}

LogTask taskOf(const Record &record) {
    LogTask task;
    task.key = record.key;
    task.target = record.targetText;
    task.host = record.targetHost;
    task.hardware = record.hardware;
    task.layoutRewrite = record.layoutRewrite;
    task.inputNames = record.inputNames;
    return task;
}

void readComments(std::string_view comments, Record &record) {
    std::vector<std::string_view> lines;
    while (!comments.empty()) {
        const size_t end = std::min(comments.find('\n'), comments.size());
        lines.push_back(withoutReturn(comments.substr(0, end)));
        comments.remove_prefix(std::min(end + 1, comments.size()));
    }
    const size_t first = lines.size() > kMaxComments ? lines.size() - kMaxComments : 0;
    for (size_t i = first; i < lines.size(); ++i) readLogComment(lines[i], record);
}

CommentFacts readComments(std::string_view comments, TrialError error) {
    Record record;
    record.trial.error = error;
    readComments(comments, record);
    return {withoutNumbers(record.trial.reason), record.trial.unstable, record.trial.weightBytes > 0};
}

BlockIndex BlockIndexer::index(std::string_view text, uint64_t begin, bool cutOff, uint64_t longLine) {
    m_text = text;
    ++m_blocks;
    m_block = BlockIndex();
    m_block.begin = begin;
    m_block.end = begin + text.size() + longLine;
    m_block.rows.reserve(text.size() / 512);
    m_numbers = Numbers();
    m_comments.clear();
    for (size_t at = 0; at < text.size();) {
        const size_t found = text.find('\n', at);
        const size_t end = std::min(found, text.size());
        indexLine(withoutReturn(text.substr(at, end - at)), begin + at, cutOff && found == std::string_view::npos);
        at = std::min(end + 1, text.size());
    }
    if (longLine > 0) {
        ++m_block.lines;
        m_block.commentsOnly = false;
        takeUnreadable(lineTooLong(longLine - 1), false);
    }
    m_block.pending = m_comments.empty() ? m_block.end : m_comments.front();
    return std::move(m_block);
}

void BlockIndexer::indexLine(std::string_view line, uint64_t offset, bool cutOff) {
    ++m_block.lines;
    if (isLogComment(line)) {
        ++(line.empty() ? m_block.emptyLines : m_block.comments);
        if (m_comments.size() == kMaxComments) m_comments.erase(m_comments.begin());
        m_comments.push_back(offset);
        return;
    }
    const bool first = m_block.commentsOnly;
    m_block.commentsOnly = false;
    if (line.size() > kMaxLineBytes) {
        takeUnreadable(lineTooLong(line.size()), false);
        return;
    }
    LogRow row;
    row.offset = offset;
    row.bytes = static_cast<uint32_t>(line.size());
    row.line = m_block.lines;
    try {
        if (!takeFast(line, row)) {
            ++m_parsed;
            takeRecord(parseRecord(line, m_path, 0), line, row);
        }
    } catch (const Error &problem) {
        takeUnreadable(problem.sentence(), cutOff);
        return;
    }
    if (!m_comments.empty()) {
        const uint64_t from = m_comments.front();
        takeComments(m_text.substr(from - m_block.begin, offset - from), row);
        m_comments.clear();
    }
    if (first) m_block.beginsWithRecord = true;
    m_block.rows.push_back(row);
}

void BlockIndexer::takeUnreadable(std::string sentence, bool cutOff) {
    m_comments.clear();
    if (m_block.unreadableLines++ >= kMaxBrokenLines) return;
    if (cutOff) sentence.insert(0, "the last line is cut off: ");
    m_block.unreadable.push_back({static_cast<int>(m_block.lines), std::move(sentence)});
}

bool BlockIndexer::takeFast(std::string_view line, LogRow &row) {
    const std::optional<ScannedLine> scanned =
        scanLine(line, m_last == nullptr ? std::string_view() : std::string_view(m_last->spelling));
    if (!scanned) return false;
    if (m_last == nullptr || scanned->task != m_last->spelling) {
        const auto known = m_known.find(scanned->task);
        if (known == m_known.end()) return false;
        m_last = known->second.get();
    }
    if (m_last->block != m_blocks) {
        m_last->block = m_blocks;
        m_last->number = numberOf(m_last->task);
    }
    row.task = m_last->number;
    row.taskElements = m_last->elements & 0xF;
    takeFacts(scanned->facts, row);
    return true;
}

void BlockIndexer::takeRecord(const Record &record, std::string_view line, LogRow &row) {
    LogTask task = taskOf(record);
    row.task = numberOf(task);
    row.taskElements = static_cast<uint8_t>(record.taskElements) & 0xF;
    takeFacts(factsOf(record), row);
    // Of a line that the scanner takes the task is what the spelling says: it is there once.
    const std::optional<ScannedLine> scanned = scanLine(line);
    if (!scanned || m_known.contains(scanned->task)) return;
    if (m_known.size() >= kMaxKnownTasks) {
        m_known.clear();
        m_last = nullptr;
    }
    auto known = std::make_unique<KnownTask>(
        KnownTask{std::string(scanned->task), std::move(task), row.taskElements, m_blocks, row.task});
    m_last = known.get();
    m_known.emplace(m_last->spelling, std::move(known));
}

void BlockIndexer::takeFacts(const LineFacts &facts, LogRow &row) {
    row.seconds = facts.seconds;
    row.spread = facts.spread;
    row.timestamp = facts.timestamp;
    row.steps = facts.steps;
    row.stepCount = facts.stepCount;
    row.repeats = facts.repeats;
    row.error = facts.error;
    const auto [at, fresh] =
        m_numbers.structures.try_emplace(facts.structure, static_cast<uint32_t>(m_block.structures.size()));
    if (fresh) m_block.structures.push_back(facts.structure);
    row.structure = at->second;
}

uint32_t BlockIndexer::numberOf(const LogTask &task) {
    const auto [at, fresh] =
        m_numbers.tasks.try_emplace(taskIdentity(task), static_cast<uint32_t>(m_block.tasks.size()));
    if (fresh) m_block.tasks.push_back(task);
    return at->second;
}

void BlockIndexer::takeComments(std::string_view comments, LogRow &row) {
    if (comments.size() <= kMaxLineBytes) row.comments = static_cast<uint32_t>(comments.size());
    CommentFacts facts = readComments(comments, row.error);
    row.unstable = facts.unstable;
    row.ofNetwork = facts.ofNetwork;
    if (facts.reason.empty()) return;
    if (m_block.reasons.size() >= kMaxReasons && !m_numbers.reasons.contains(facts.reason))
        facts.reason = kOtherReasons;
    const auto [at, fresh] =
        m_numbers.reasons.try_emplace(facts.reason, static_cast<uint16_t>(m_block.reasons.size() + 1));
    if (fresh) m_block.reasons.push_back(std::move(facts.reason));
    row.reason = at->second;
}

} // namespace loopscope
