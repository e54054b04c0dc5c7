#include "records/logs/index_lines.h"

#include "records/record/log_text.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

constexpr uint64_t kBlockBytes = uint64_t{1} << 20;
constexpr size_t kMoreBytes = size_t{16} << 10; // read at once to find the end of a block's last line
constexpr int kMaxThreads = 16;
constexpr size_t kAhead = 4; // blocks a thread that wait for those before them

/// The lines that begin in a block, newlines included.
struct BlockLines {
    std::string_view text;
    uint64_t begin = 0;
    uint64_t longLine = 0; // behind `text`: BlockIndexer::index
};

class BlockReader {
  public:
    explicit BlockReader(LogSource &source) : m_source(source) {}

    /// Nothing when the text ends in front of the block.
    std::optional<BlockLines> read(uint64_t begin, uint64_t end, bool atLine) {
        const uint64_t size = m_source.waitFor(end);
        if (begin >= size) return std::nullopt;
        m_at = atLine ? begin : begin - 1; // the byte before tells whether a line begins here
        m_text.clear();
        append(std::min(end, size) - m_at);
        BlockLines lines;
        size_t first = 0;
        if (!atLine) {
            const size_t newline = m_text.find('\n');
            if (newline == std::string::npos || m_at + newline + 1 >= end) return BlockLines{{}, end, 0};
            first = newline + 1;
        }
        lines.begin = m_at + first;
        if (!m_text.ends_with('\n') && !finishLine(first)) {
            const size_t whole = m_text.rfind('\n') + 1; // 0 without any
            if (const uint64_t length = lengthOfLongLine(m_at + m_text.size()); length > 0 && m_long)
                lines.longLine = m_at + m_text.size() + length - (m_at + std::max(whole, first));
            m_text.resize(std::max(whole, first));
        }
        lines.text = std::string_view(m_text).substr(first);
        return lines;
    }

  private:
    void append(size_t bytes) {
        const size_t before = m_text.size();
        m_text.resize(before + bytes);
        m_text.resize(before + m_source.read(m_at + before, m_text.data() + before, bytes));
    }

    /// False when the line has no end, or is too long.
    bool finishLine(size_t first) {
        m_long = false;
        const size_t lineBegin = std::max(m_text.rfind('\n') + 1, first);
        while (true) {
            const size_t before = m_text.size();
            const uint64_t end = m_at + before;
            // What is written meanwhile behind the end that was seen is for the next look.
            append(std::min<uint64_t>(kMoreBytes, m_source.waitFor(end + kMoreBytes) - end));
            if (m_text.size() == before) return false;
            if (const size_t newline = m_text.find('\n', before); newline != std::string::npos) {
                m_text.resize(newline + 1);
                return true;
            }
            m_long = m_text.size() - lineBegin > kMaxLineBytes + 1;
            if (m_long) return false;
        }
    }

    /// Bytes up to its newline, which counts; 0 when it has none.
    uint64_t lengthOfLongLine(uint64_t from) {
        if (!m_long) return 0;
        std::string more(kBlockBytes, '\0');
        for (uint64_t at = from;;) {
            const uint64_t known = m_source.waitFor(at + more.size());
            const size_t got = m_source.read(at, more.data(), std::min<uint64_t>(more.size(), known - at));
            if (got == 0) return 0;
            if (const size_t newline = std::string_view(more.data(), got).find('\n'); newline != std::string_view::npos)
                return at + newline + 1 - from;
            at += got;
        }
    }

    LogSource &m_source;
    std::string m_text;
    uint64_t m_at = 0; // of m_text
    bool m_long = false;
};

/// The threads, and what they have ready.
class BlockQueue {
  public:
    BlockQueue(LogSource &source, const IndexOrder &order) : m_source(source), m_order(order) {
        int threads = order.threads > 0 ? order.threads : static_cast<int>(std::thread::hardware_concurrency());
        threads = std::clamp(threads, 1, kMaxThreads);
        m_ahead = kAhead * static_cast<size_t>(threads);
        for (int i = 0; i < threads; ++i) m_threads.emplace_back([this] { work(); });
    }
    ~BlockQueue() {
        stop();
        for (std::thread &thread : m_threads) thread.join();
    }
    BlockQueue(const BlockQueue &) = delete;
    BlockQueue &operator=(const BlockQueue &) = delete;

    /// Nothing behind the last.
    std::optional<BlockIndex> next() {
        std::unique_lock lock(m_mutex);
        m_ready.wait(lock, [&] { return m_failure || m_blocks.contains(m_taken) || m_taken >= m_count || m_stopped; });
        if (m_failure) std::rethrow_exception(m_failure);
        const auto block = m_blocks.find(m_taken);
        if (block == m_blocks.end()) return std::nullopt;
        BlockIndex index = std::move(block->second);
        m_blocks.erase(block);
        ++m_taken;
        m_room.notify_all();
        return index;
    }

  private:
    [[nodiscard]] bool cancelled() const { return m_order.cancelled != nullptr && *m_order.cancelled; }

    void stop() {
        const std::scoped_lock lock(m_mutex);
        m_stopped = true;
        m_room.notify_all();
        m_ready.notify_all();
    }

    void work() {
        BlockReader reader(m_source);
        BlockIndexer indexer(m_order.path);
        try {
            while (true) {
                uint64_t number = 0;
                {
                    std::unique_lock lock(m_mutex);
                    m_room.wait(lock, [&] { return m_stopped || m_next < m_taken + m_ahead; });
                    if (m_stopped || m_next >= m_count) return;
                    number = m_next++;
                }
                if (cancelled()) {
                    stop();
                    return;
                }
                const uint64_t begin = m_order.begin + number * kBlockBytes;
                const auto lines = reader.read(begin, begin + kBlockBytes, number == 0);
                BlockIndex block;
                if (lines) block = indexer.index(lines->text, lines->begin, false, lines->longLine);
                const std::scoped_lock lock(m_mutex);
                if (lines) {
                    m_blocks.emplace(number, std::move(block));
                } else {
                    m_count = std::min(m_count, number);
                }
                m_ready.notify_all();
            }
        } catch (...) {
            const std::scoped_lock lock(m_mutex);
            m_failure = std::current_exception();
            m_ready.notify_all();
        }
    }

    LogSource &m_source;
    const IndexOrder &m_order;
    std::mutex m_mutex;
    std::condition_variable m_ready; // a block, or the end
    std::condition_variable m_room;  // to go ahead
    std::map<uint64_t, BlockIndex> m_blocks;
    std::exception_ptr m_failure;
    uint64_t m_next = 0;
    uint64_t m_taken = 0;
    uint64_t m_count = UINT64_MAX; // known once somebody came to the end
    size_t m_ahead = 0;
    bool m_stopped = false;
    std::vector<std::thread> m_threads;
};

} // namespace

bool indexLines(LogSource &source, const IndexOrder &order, const std::function<void(BlockIndex block)> &take) {
    BlockQueue queue(source, order);
    while (true) {
        if (order.cancelled != nullptr && *order.cancelled) return false;
        std::optional<BlockIndex> block = queue.next();
        if (!block) return order.cancelled == nullptr || !*order.cancelled;
        if (block->lines > 0) take(std::move(*block));
    }
}

} // namespace loopscope
