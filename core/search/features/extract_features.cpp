// One walk over the nest; per store the groups of the vector are filled in order. The definitions are those of Ansor
// (OSDI 2020, appendix B; TVM 0.18), `FeatureRules::Corrected` differs where a comment says so.

#include "base/check.h"
#include "search/features/feature_table.h"
#include "search/features/features.h"
#include "search/features/op_counts.h"
#include "search/features/store_access.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

float slog(double x) { return static_cast<float>(std::copysign(std::log2(std::abs(x) + 1), x)); }

int64_t extentOf(Expr e) { return e && e->kind == ExprKind::IntImm ? e->intValue : 1; }

/// What a store touched while the loops from one loop inward ran: the table of reuse distances.
struct Touch {
    const Buffer *buffer;
    int64_t elements;
    int bytes;
};

struct OpenLoop {
    std::vector<Touch> touches; // of all stores inside so far, in program order
};

/// Raw counters of one buffer's stores, which accumulate over init and update.
struct Pending {
    size_t row = 0; // in the result
    std::array<double, 16> counts{};
    double outerProduct = 1; // of the last store
};

/// Kept from program to program, for they come by the ten thousand; one per thread.
struct ExtractorMemory {
    std::vector<Pending> pending;
    std::vector<NestLoop> loops;
    std::vector<OpenLoop> open; // by depth
    AccessSet set;
    std::vector<double> ops;   // per loop from the innermost: float operations inside it
    std::vector<double> bytes; // per loop from the innermost: bytes touched inside it
};

class Extractor {
  public:
    Extractor(const Target &target, std::vector<StageFeatures> &rows, FeatureRules rules, ExtractorMemory &memory)
        : m_target(target), m_rows(rows), m_rules(rules), m_pending(memory.pending), m_loops(memory.loops),
          m_open(memory.open), m_set(memory.set), m_ops(memory.ops), m_bytes(memory.bytes) {
        m_pending.clear();
        m_loops.clear();
    }

    void walk(Stmt stmt) {
        if (!stmt) return;
        switch (stmt->kind) {
        case StmtKind::For:
            walkLoop(stmt);
            break;
        case StmtKind::Store:
            store(*stmt.node());
            break;
        case StmtKind::Allocate:
            for (const Stmt child : stmt->body()) walk(child);
            allocation(*stmt->buffer);
            break;
        default:
            for (const Stmt child : stmt->body()) walk(child);
        }
    }

    /// Outputs count as allocated around the whole program.
    void allocation(const Buffer &buffer);

    void finish() {
        for (auto &pending : m_pending)
            for (size_t i = 0; i < pending.counts.size(); ++i) row(pending)[i] = slog(pending.counts[i]);
    }

  private:
    void walkLoop(Stmt stmt) {
        NestLoop loop{stmt->var.node(), extentOf(stmt->extent), stmt->loop, stmt->unrollMaxStep};
        m_loops.push_back(loop);
        if (m_open.size() < m_loops.size()) m_open.emplace_back();
        m_open[m_loops.size() - 1].touches.clear();
        const double outside = m_product;
        m_product *= static_cast<double>(loop.extent);
        const int unroll = m_unroll;
        if (loop.unrollMaxStep >= 0) m_unroll = loop.unrollMaxStep;
        for (const Stmt child : stmt->body()) walk(child);
        m_unroll = unroll;
        m_product = outside;
        m_loops.pop_back();
    }

    FeatureRow &row(const Pending &pending) { return m_rows[pending.row].row; }

    Pending &pendingOf(const Buffer *buffer) {
        for (auto &pending : m_pending)
            if (m_rows[pending.row].buffer == buffer) return pending;
        m_pending.push_back({m_rows.size(), {}, 1});
        m_rows.push_back({buffer, {}});
        return m_pending.back();
    }

    /// Not inlined: its locals would be on the stack once for every statement that walk() is inside of, and the
    /// allocations of a network of a thousand stages are inside one another.
    [[gnu::noinline]] void store(const StmtNode &node);
    void annotations(FeatureRow &out, const BufferAccess &stored);
    void annotation(float *out, LoopKind kind, const BufferAccess &stored);
    void gpu(FeatureRow &out);
    void buffers(FeatureRow &out);
    void regions(double floatOps);
    void intensity(FeatureRow &out);
    struct Reuse {
        int type = 2; // loop, serial, none
        double iterations = 0;
        double bytes = 0;
        double count = 0;
    };
    Reuse reuse(const BufferAccess &access) const;
    [[nodiscard]] double touchedBytes(size_t loop, bool once) const {
        double sum = 0;
        for (const auto &touch : m_open[loop].touches)
            sum += static_cast<double>(once ? 1 : touch.elements) * touch.bytes;
        return sum;
    }

    const Target &m_target;
    std::vector<StageFeatures> &m_rows;
    FeatureRules m_rules;
    std::vector<Pending> &m_pending;
    std::vector<NestLoop> &m_loops;
    std::vector<OpenLoop> &m_open;
    double m_product = 1; // of the extents of m_loops
    int m_unroll = 0;
    AccessSet &m_set;
    std::vector<double> &m_ops;
    std::vector<double> &m_bytes;
};

void Extractor::store(const StmtNode &node) {
    Pending &pending = pendingOf(node.buffer);
    const OpCounts ops = countOps(node.value, m_rules == FeatureRules::Corrected);
    for (size_t i = 0; i < ops.count.size(); ++i) pending.counts[i] += ops.count[i] * m_product;
    pending.outerProduct = m_product;

    FeatureRow &out = row(pending);
    m_set.collect(node, m_loops);
    regions(ops.floatOps());
    if (node.reductionInit) return; // the update that follows writes the same row
    annotations(out, m_set.accesses().front());
    gpu(out);
    buffers(out);
    intensity(out);
    out[feature::kOuter] = slog(m_product);
    out[feature::kOuter + 1] = slog(static_cast<double>(m_loops.size()));
    out[feature::kOuter + 2] = slog(node.unrollMaxStep >= 0 ? node.unrollMaxStep : m_unroll);
}

void Extractor::annotations(FeatureRow &out, const BufferAccess &stored) {
    annotation(&out[feature::kVectorize], LoopKind::Vectorized, stored);
    annotation(&out[feature::kUnroll], LoopKind::Unrolled, stored);
    annotation(&out[feature::kParallel], LoopKind::Parallel, stored);
}

void Extractor::annotation(float *out, LoopKind kind, const BufferAccess &stored) {
    double count = 0;
    double product = 1;
    double innermost = 0;
    size_t last = 0;
    for (size_t i = 0; i < m_loops.size(); ++i) {
        if (m_loops[i].kind != kind) continue;
        ++count;
        product *= static_cast<double>(m_loops[i].extent);
        innermost = static_cast<double>(m_loops[i].extent);
        last = i;
    }
    out[0] = slog(count);
    out[1] = slog(count == 0 ? 0 : product);
    out[2] = slog(innermost);
    std::fill_n(out + 3, 8, 0.0F);
    if (count == 0) {
        out[3] = 1;
        return;
    }
    size_t position = 7; // Mixed: all that Ansor ever says
    if (m_rules == FeatureRules::Corrected && count == 1) {
        // Corrected: the position of the loop among the spatial (or reduce) loops around the store.
        const auto spatial = [&](size_t i) { return ((stored.loops >> i) & 1) != 0; };
        const bool wanted = spatial(last);
        bool outside = false;
        bool inside = false;
        for (size_t i = 0; i < m_loops.size(); ++i) {
            if (spatial(i) != wanted || i == last) continue;
            (i < last ? outside : inside) = true;
        }
        const size_t offset = !inside ? 0 : (outside ? 1 : 2);
        position = (wanted ? 1 : 4) + offset;
    }
    out[3 + position] = 1;
}

void Extractor::gpu(FeatureRow &out) {
    float *gpu = &out[feature::kGpu];
    double extents[6] = {1, 1, 1, 1, 1, 1};
    double virtualThreads = 1;
    bool any = false;
    for (const auto &loop : m_loops) {
        if (loop.kind == LoopKind::VThread) virtualThreads *= static_cast<double>(loop.extent);
        if (loop.kind < LoopKind::BlockX || loop.kind > LoopKind::ThreadZ) continue;
        any = true;
        extents[static_cast<size_t>(loop.kind) - static_cast<size_t>(LoopKind::BlockX)] =
            static_cast<double>(loop.extent);
    }
    gpu[0] = any ? 1 : 0;
    for (size_t i = 0; i < 6; ++i) gpu[1 + i] = slog(extents[i]);
    gpu[7] = slog(virtualThreads);
}

void Extractor::regions(double floatOps) {
    m_ops.clear();
    m_bytes.clear();
    m_set.fixAll();
    for (size_t i = m_loops.size(); i > 0; --i) {
        m_set.widen(i - 1, m_loops);
        double bytes = 0;
        for (const auto &access : m_set.accesses()) {
            const int64_t touched = AccessSet::touched(access);
            const int size = dtypeBytes(access.buffer->dtype);
            m_open[i - 1].touches.push_back({access.buffer, touched, size});
            bytes += static_cast<double>(touched) * size;
        }
        floatOps *= static_cast<double>(m_loops[i - 1].extent);
        m_ops.push_back(floatOps);
        m_bytes.push_back(bytes);
    }
}

Extractor::Reuse Extractor::reuse(const BufferAccess &access) const {
    double distance = 1;
    double bytes = -1;
    for (size_t i = m_loops.size(); i > 0; --i) {
        const size_t loop = i - 1;
        const auto extent = static_cast<double>(m_loops[loop].extent);
        if ((access.loops >> loop & 1) == 0) {
            if (bytes < 0) bytes = touchedBytes(loop, true);
            return {0, distance, bytes, extent};
        }
        distance *= extent;
        bytes = touchedBytes(loop, false);
        size_t entries = 0;
        auto least = std::numeric_limits<double>::max();
        for (const auto &touch : m_open[loop].touches) {
            if (touch.buffer != access.buffer) continue;
            ++entries;
            least = std::min(least, static_cast<double>(touch.elements));
        }
        if (entries > 1) return {1, least / extent, bytes / extent, static_cast<double>(entries - 1)};
    }
    return {};
}

void Extractor::buffers(FeatureRow &out) {
    struct Entry {
        double lines;
        double bytes;
        std::array<float, feature::kBufferLength> values;
    };
    static thread_local std::vector<Entry> entries;
    entries.clear();
    const double cacheLine = m_target.hardware.cacheLineBytes;
    const bool corrected = m_rules == FeatureRules::Corrected;
    for (const auto &access : m_set.accesses()) {
        const double element = dtypeBytes(access.buffer->dtype);
        const double bytes = m_product * element;
        double uniqueBytes = element;
        double lines = 1;
        double uniqueLines = 1;
        int64_t stride = 0;
        if (!m_loops.empty()) {
            // Ansor takes the first entry (the init store of a reduction); corrected: this store's own, the last one.
            const auto &touches = m_open[0].touches;
            const auto own = [&](const Touch &touch) { return touch.buffer == access.buffer; };
            const auto entry = corrected ? std::find_if(touches.rbegin(), touches.rend(), own).base() - 1
                                         : std::find_if(touches.begin(), touches.end(), own);
            uniqueBytes = static_cast<double>(entry->elements) * element;
            double ratio = 1;
            size_t i = m_loops.size();
            for (; i > 0; --i) {
                stride = AccessSet::stride(access, i - 1, m_loops, !corrected);
                if (stride != 0) break;
                // Ansor divides by the innermost extent for every loop passed; corrected: by that loop's own.
                ratio *= static_cast<double>((corrected ? m_loops[i - 1] : m_loops.back()).extent);
            }
            lines = std::max(1.0, m_product / ratio * std::min(1.0, static_cast<double>(stride) * element / cacheLine));
            if (i != m_loops.size()) stride = 0;
            // Ansor compares the shape with the region of the buffer its hash map lists last: the stored one, unless
            // addresses collide. Corrected: the access's own region.
            const BufferAccess &region = corrected ? access : m_set.accesses().front();
            double contiguous = element;
            for (size_t d = std::min(access.rank, region.rank); d > 0; --d)
                if (AccessSet::extentOf(region, d - 1) == access.buffer->shape[d - 1]) {
                    contiguous *= static_cast<double>(access.buffer->shape[d - 1]);
                    break;
                }
            uniqueLines = std::max(1.0, uniqueBytes / std::min(contiguous, cacheLine));
        }
        const Reuse use = reuse(access);
        const double uses = use.count > 0.5 ? use.count : 0.5;
        Entry entry{lines, bytes, {}};
        auto &v = entry.values;
        v[static_cast<size_t>(access.type)] = 1;
        v[3] = slog(bytes);
        v[4] = slog(uniqueBytes);
        v[5] = slog(lines);
        v[6] = slog(uniqueLines);
        v[7 + static_cast<size_t>(use.type)] = 1;
        v[10] = slog(use.iterations);
        v[11] = slog(use.bytes);
        v[12] = slog(use.count);
        v[13] = slog(bytes / uses);
        v[14] = slog(uniqueBytes / uses);
        v[15] = slog(lines / uses);
        v[16] = slog(uniqueLines / uses);
        v[17] = slog(static_cast<double>(stride));
        entries.push_back(entry);
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
        return a.lines != b.lines ? a.lines > b.lines : a.bytes > b.bytes;
    });
    float *at = &out[feature::kBuffers];
    for (size_t b = 0; b < feature::kBufferCount; ++b, at += feature::kBufferLength) {
        if (b < entries.size()) {
            std::copy(entries[b].values.begin(), entries[b].values.end(), at);
        } else {
            std::fill_n(at, feature::kBufferLength, 0.0F);
        }
    }
}

void Extractor::intensity(FeatureRow &out) {
    float *curve = &out[feature::kIntensity];
    if (m_ops.empty() || m_ops.back() <= 0) {
        std::fill_n(curve, feature::kIntensitySamples, 0.0F);
        return;
    }
    size_t point = 0;
    for (size_t j = 0; j < feature::kIntensitySamples; ++j) {
        const double wanted =
            m_ops.back() * static_cast<double>(j + 1) / static_cast<double>(feature::kIntensitySamples);
        while (point + 1 < m_ops.size() && m_ops[point] < wanted - 1e-4) ++point;
        double value = m_ops[point] / m_bytes[point];
        if (point > 0) {
            const double base = m_ops[point - 1] / m_bytes[point - 1];
            value = base + (value - base) / (m_ops[point] - m_ops[point - 1]) * (wanted - m_ops[point - 1]);
        }
        curve[j] = slog(value);
    }
}

void Extractor::allocation(const Buffer &buffer) {
    const Pending &pending = pendingOf(&buffer);
    double elements = 1;
    const auto &shape = buffer.regionExtent.empty() ? buffer.shape : buffer.regionExtent;
    for (const int64_t extent : shape) elements *= static_cast<double>(extent);
    float *out = &row(pending)[feature::kAllocation];
    out[0] = slog(elements * dtypeBytes(buffer.dtype));
    out[1] = slog(elements * m_product);
    out[2] = slog(m_product);
    out[3] = slog(pending.outerProduct / m_product);
}

} // namespace

void extractFeatures(const LoopProgram &nest, const Target &target, std::vector<StageFeatures> &rows,
                     FeatureRules rules) {
    rows.clear();
    static thread_local ExtractorMemory memory;
    Extractor extractor(target, rows, rules, memory);
    extractor.walk(nest.root);
    for (const ProgramArg &arg : nest.args)
        if (arg.output) extractor.allocation(*arg.buffer);
    extractor.finish();
}

} // namespace loopscope
