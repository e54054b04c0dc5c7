#include "records/logs/log_rows.h"

#include "base/thread_pool.h"
#include "records/logs/filter_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

namespace loopscope {

namespace {

using RowMask = std::vector<uint8_t>;

bool holdsText(std::string_view text, std::string_view needle) {
    return lowerCase(text).find(needle) != std::string::npos;
}

std::string withHashes(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit || !out.ends_with('#')) out += digit ? '#' : c;
    }
    return out;
}

/// A filter made for one log: texts are looked for once a task, a kind of failure, a reason.
class BoundFilter {
  public:
    BoundFilter(const LogFilterNode &node, const LogDocument &log, const NotedRecords &noted)
        : m_node(node), m_log(log), m_noted(noted) {
        for (const LogFilterNode &child : node.children) m_children.emplace_back(child, log, noted);
        if (node.kind == LogFilterNode::Kind::Text) bindText();
    }

    /// One byte a row: whether it passes.
    void evaluate(std::span<const LogRow> rows, size_t first, RowMask &mask) const {
        using Kind = LogFilterNode::Kind;
        switch (m_node.kind) {
        case Kind::And:
        case Kind::Or: {
            m_children.front().evaluate(rows, first, mask);
            RowMask other;
            for (size_t i = 1; i < m_children.size(); ++i) {
                m_children[i].evaluate(rows, first, other);
                const bool both = m_node.kind == Kind::And;
                for (size_t k = 0; k < rows.size(); ++k)
                    mask[k] = static_cast<uint8_t>(both ? mask[k] & other[k] : mask[k] | other[k]);
            }
            break;
        }
        case Kind::Not:
            m_children.front().evaluate(rows, first, mask);
            for (uint8_t &passed : mask) passed ^= 1;
            break;
        case Kind::Number:
            compare(rows, first, mask);
            break;
        case Kind::Text:
            if (m_node.field == LogFilterNode::Text::Note || m_node.field == LogFilterNode::Text::Tag)
                return noted(rows, first, mask);
            fill(rows, mask, [&](const LogRow &row) {
                return (m_tasks[row.task] | m_errors[static_cast<size_t>(row.error)] | m_reasons[row.reason]) !=
                       static_cast<uint8_t>(m_node.outside);
            });
            break;
        case Kind::Flag:
            if (m_node.flag == LogFilterNode::Flag::Pinned || m_node.flag == LogFilterNode::Flag::Noted)
                return noted(rows, first, mask);
            flags(rows, first, mask);
            break;
        }
    }

  private:
    static void fill(std::span<const LogRow> rows, RowMask &mask, auto &&passed) {
        mask.resize(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) mask[i] = static_cast<uint8_t>(passed(rows[i]));
    }

    void bindText() {
        using Text = LogFilterNode::Text;
        const Text field = m_node.field;
        const bool anywhere = field == Text::Anywhere;
        for (const LogTask &task : m_log.tasks())
            m_tasks.push_back(
                static_cast<uint8_t>(((anywhere || field == Text::Key) && holdsText(task.key, m_node.text)) ||
                                     ((anywhere || field == Text::Target) && holdsText(task.target, m_node.text))));
        for (size_t error = 0; error < m_errors.size(); ++error)
            m_errors[error] = static_cast<uint8_t>(error > 0 && (anywhere || field == Text::Failure) &&
                                                   trialErrorName(static_cast<TrialError>(error)).find(m_node.text) !=
                                                       std::string_view::npos);
        const std::string pattern = withHashes(m_node.text);
        m_reasons.push_back(0);
        for (const LogReason &reason : m_log.reasons())
            m_reasons.push_back(
                static_cast<uint8_t>((anywhere || field == Text::Reason) && holdsText(reason.pattern, pattern)));
    }

    void compare(std::span<const LogRow> rows, size_t first, RowMask &mask) const {
        const auto within = [&](auto &&numberOf) {
            fill(rows, mask, [&](const LogRow &row) {
                const auto number = static_cast<double>(numberOf(row));
                return (number >= m_node.least && number <= m_node.greatest) != m_node.outside;
            });
        };
        switch (m_node.column) {
        case LogColumn::Record:
            within([&](const LogRow &row) { return first + static_cast<size_t>(&row - rows.data()); });
            break;
        case LogColumn::Line:
            within([](const LogRow &row) { return row.line; });
            break;
        case LogColumn::Task:
            within([](const LogRow &row) { return row.task; });
            break;
        case LogColumn::Time:
            fill(rows, mask, [&](const LogRow &row) {
                return !row.failed() &&
                       (row.seconds >= m_node.least && row.seconds <= m_node.greatest) != m_node.outside;
            });
            break;
        case LogColumn::Spread:
            within([](const LogRow &row) { return row.spread; });
            break;
        case LogColumn::Repeats:
            within([](const LogRow &row) { return row.repeats; });
            break;
        case LogColumn::Error:
            within([](const LogRow &row) { return static_cast<int>(row.error); });
            break;
        case LogColumn::Timestamp:
            within([](const LogRow &row) { return row.timestamp; });
            break;
        case LogColumn::Steps:
            within([](const LogRow &row) { return row.stepCount; });
            break;
        case LogColumn::Structure:
            within([](const LogRow &row) { return row.structure; });
            break;
        case LogColumn::Elements:
            within([](const LogRow &row) { return static_cast<int>(row.taskElements); });
            break;
        }
    }

    [[nodiscard]] bool says(const RecordNote &note) const {
        using Text = LogFilterNode::Text;
        if (m_node.kind == LogFilterNode::Kind::Flag) return m_node.flag == LogFilterNode::Flag::Noted || note.pinned;
        if (m_node.field == Text::Note) return holdsText(note.text, m_node.text);
        return std::any_of(note.tags.begin(), note.tags.end(),
                           [this](const std::string &tag) { return lowerCase(tag) == m_node.text; });
    }

    /// Few records have notes.
    void noted(std::span<const LogRow> rows, size_t first, RowMask &mask) const {
        mask.assign(rows.size(), static_cast<uint8_t>(m_node.outside));
        const auto from = std::lower_bound(m_noted.all.begin(), m_noted.all.end(), first,
                                           [](const auto &one, size_t record) { return one.first < record; });
        for (auto at = from; at != m_noted.all.end() && at->first < first + rows.size(); ++at)
            if (says(at->second)) mask[at->first - first] ^= 1;
    }

    void flags(std::span<const LogRow> rows, size_t first, RowMask &mask) const {
        using Flag = LogFilterNode::Flag;
        const std::vector<LogTask> &tasks = m_log.tasks();
        fill(rows, mask, [&](const LogRow &row) {
            switch (m_node.flag) {
            case Flag::Failed:
                return row.failed();
            case Flag::Valid:
                return !row.failed();
            case Flag::Unstable:
                return static_cast<bool>(row.unstable);
            case Flag::Best:
                return tasks[row.task].best == first + static_cast<size_t>(&row - rows.data());
            case Flag::Pinned:
            case Flag::Noted:
                break; // the notes tell
            }
            return false;
        });
    }

    const LogFilterNode &m_node;
    const LogDocument &m_log;
    const NotedRecords &m_noted;
    std::vector<BoundFilter> m_children;
    std::vector<uint8_t> m_tasks;
    std::vector<uint8_t> m_reasons; // by LogRow::reason
    std::array<uint8_t, 9> m_errors{};
};

/// Numbers order as the doubles they stand for.
uint64_t orderedBits(double number) {
    const auto bits = std::bit_cast<uint64_t>(number);
    return (bits >> 63) != 0 ? ~bits : bits | uint64_t{1} << 63;
}
uint64_t orderedBits(int64_t number) {
    return static_cast<uint64_t>(number) ^ uint64_t { 1 } << 63;
}

uint64_t sortKey(const LogRow &row, size_t record, LogColumn column) {
    switch (column) {
    case LogColumn::Record:
        return record;
    case LogColumn::Line:
        return row.line;
    case LogColumn::Task:
        return row.task;
    case LogColumn::Time:
        return orderedBits(row.seconds);
    case LogColumn::Spread:
        return orderedBits(static_cast<double>(row.spread));
    case LogColumn::Repeats:
        return row.repeats;
    case LogColumn::Error:
        return static_cast<uint64_t>(row.error);
    case LogColumn::Timestamp:
        return orderedBits(row.timestamp);
    case LogColumn::Steps:
        return row.stepCount;
    case LogColumn::Structure:
        return row.structure;
    case LogColumn::Elements:
        return row.taskElements;
    }
    return 0;
}

struct KeyedRow {
    uint64_t key;
    uint32_t record;
};

/// By digits of eleven bits, the last first; digits that are the same everywhere cost nothing.
void sortByKey(std::vector<KeyedRow> &rows) {
    constexpr unsigned bits = 11;
    constexpr unsigned digits = 6;
    constexpr size_t values = size_t{1} << bits;
    const auto digitOf = [](uint64_t key, unsigned digit) { return (key >> (digit * bits)) & (values - 1); };
    std::vector<std::array<uint32_t, values>> counts(digits);
    for (const KeyedRow &row : rows)
        for (unsigned digit = 0; digit < digits; ++digit) ++counts[digit][digitOf(row.key, digit)];
    std::vector<KeyedRow> other(rows.size());
    for (unsigned digit = 0; digit < digits; ++digit) {
        std::array<uint32_t, values> &count = counts[digit];
        if (rows.empty() || count[digitOf(rows.front().key, digit)] == rows.size()) continue;
        uint32_t begin = 0;
        for (uint32_t &c : count) begin += std::exchange(c, begin);
        for (const KeyedRow &row : rows) other[count[digitOf(row.key, digit)]++] = row;
        rows.swap(other);
    }
}

/// Consecutive rows, a task of a thread.
struct RowRange {
    std::span<const LogRow> rows;
    size_t first = 0;
    std::vector<KeyedRow> passed = {};
};

} // namespace

std::vector<uint32_t> selectRows(const LogDocument &log, const LogFilterNode *filter, const LogOrder &order,
                                 int threads) {
    return selectRows(log, filter, order, NotedRecords(), threads);
}

std::vector<uint32_t> selectRows(const LogDocument &log, const LogFilterNode *filter, const LogOrder &order,
                                 const NotedRecords &noted, int threads) {
    std::vector<RowRange> ranges;
    for (size_t first = 0; first < log.size(); first += ranges.back().rows.size())
        ranges.push_back({log.rowsFrom(first), first});
    std::optional<BoundFilter> bound;
    if (filter != nullptr) bound.emplace(*filter, log, noted);
    ThreadPool pool(std::min(threads, static_cast<int>(ranges.size())));
    pool.forEach(ranges.size(), [&](size_t index, int) {
        RowRange &range = ranges[index];
        RowMask mask(range.rows.size(), 1);
        if (bound) bound->evaluate(range.rows, range.first, mask);
        range.passed.reserve(range.rows.size());
        for (size_t i = 0; i < range.rows.size(); ++i) {
            if (mask[i] == 0) continue;
            const LogRow &row = range.rows[i];
            uint64_t key = sortKey(row, range.first + i, order.by);
            if (order.descending) key = ~key;
            if (order.by == LogColumn::Time && row.failed()) key = UINT64_MAX;
            range.passed.push_back({key, static_cast<uint32_t>(range.first + i)});
        }
    });
    std::vector<KeyedRow> rows;
    rows.reserve(log.size());
    for (const RowRange &range : ranges) rows.insert(rows.end(), range.passed.begin(), range.passed.end());
    if (order.by != LogColumn::Record || order.descending) sortByKey(rows);
    std::vector<uint32_t> records;
    records.reserve(rows.size());
    for (const KeyedRow &row : rows) records.push_back(row.record);
    return records;
}

bool passes(const LogDocument &log, const LogFilterNode &filter, size_t record) {
    RowMask mask;
    const NotedRecords none;
    BoundFilter(filter, log, none).evaluate(log.rowsFrom(record).first(1), record, mask);
    return mask.front() != 0;
}

} // namespace loopscope
