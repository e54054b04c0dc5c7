#include "codegen/executor/access_watch.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

/// The indices of an element by its place in memory.
std::vector<int64_t> indexOf(const Buffer &buffer, int64_t element) {
    std::vector<size_t> order(buffer.shape.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return buffer.strides[a] > buffer.strides[b]; });
    std::vector<int64_t> index(buffer.shape.size());
    for (const size_t d : order) {
        if (buffer.shape[d] == 1) continue;
        index[d] = element / buffer.strides[d];
        element %= buffer.strides[d];
    }
    return index;
}

} // namespace

int64_t FindingList::blockAt(uint32_t phase) const {
    const auto after = std::upper_bound(m_blocks.begin(), m_blocks.end(), phase,
                                        [](uint32_t p, const BlockBegin &block) { return p < block.phase; });
    return after == m_blocks.begin() ? -1 : std::prev(after)->number;
}

void FindingList::race(const SimtMemory &memory, int64_t element, int32_t earlier, uint32_t phase, int thread,
                       int32_t access, int lane) {
    ExecutorFinding finding;
    finding.fault = phase < m_clock->block ? ExecutorFault::RaceOfBlocks : ExecutorFault::Race;
    finding.buffer = memory.buffer->name;
    finding.index = indexOf(*memory.buffer, element);
    nameFirst(finding, memory, element, earlier, access);
    const SimtAccess &first = this->access(earlier);
    const SimtAccess &second = this->access(access);
    finding.first = {first.stmt, first.store, blockAt(phase), thread};
    finding.second = {second.stmt, second.store, blockAt(m_clock->now), lane};
    add(std::move(finding));
}

void FindingList::overwritten(const SimtMemory &memory, int64_t element, const WriteMark &write, int32_t access,
                              int lane) {
    ExecutorFinding finding;
    finding.fault = ExecutorFault::Overwritten;
    finding.buffer = memory.buffer->name;
    finding.index = indexOf(*memory.buffer, element);
    nameFirst(finding, memory, element, write.access, access);
    finding.first = {this->access(write.access).stmt, true, blockAt(write.phase), write.thread};
    finding.second = {this->access(access).stmt, false, blockAt(m_clock->now), lane};
    add(std::move(finding));
}

void FindingList::nameFirst(ExecutorFinding &finding, const SimtMemory &memory, int64_t element, int32_t earlier,
                            int32_t access) const {
    if (!elsewhere(earlier, access)) return;
    const Buffer &other = *m_kernel->buffers[static_cast<size_t>(this->access(earlier).buffer)].buffer;
    const auto &offsets = m_kernel->shared.offsets;
    const int64_t byte = offsets.at(memory.buffer) + element * dtypeBytes(memory.buffer->dtype);
    const int64_t theirs = std::max<int64_t>(byte - offsets.at(&other), 0) / dtypeBytes(other.dtype);
    finding.firstBuffer = other.name;
    finding.firstIndex = indexOf(other, theirs);
}

void FindingList::at(ExecutorFault fault, const SimtMemory *memory, int64_t element, int32_t stmt, bool writes,
                     int lane, const CheckedDimension *dimension, int64_t value, int active, int threads) {
    ExecutorFinding finding;
    finding.fault = fault;
    if (memory != nullptr) {
        finding.buffer = memory->buffer->name;
        if (dimension == nullptr) finding.index = indexOf(*memory->buffer, element);
    }
    finding.first = {stmt, writes, blockAt(m_clock->now), lane};
    if (dimension != nullptr) {
        finding.dimension = dimension->number;
        finding.extent = dimension->extent;
        finding.value = value;
    }
    finding.active = active;
    finding.threads = threads;
    add(std::move(finding));
}

void FindingList::add(ExecutorFinding finding) {
    for (ExecutorFinding &known : m_findings) {
        const bool same = known.fault == finding.fault && known.buffer == finding.buffer &&
                          known.first.stmt == finding.first.stmt && known.first.writes == finding.first.writes &&
                          known.second.stmt == finding.second.stmt && known.second.writes == finding.second.writes &&
                          known.dimension == finding.dimension && known.firstBuffer == finding.firstBuffer;
        if (!same) continue;
        ++known.times;
        return;
    }
    if (!full()) m_findings.push_back(std::move(finding));
}

} // namespace loopscope
