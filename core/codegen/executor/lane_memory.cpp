#include "codegen/executor/lane_memory.h"

#include "base/check.h"
#include "language/expr/half.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace loopscope {

LaneMemory::LaneMemory(const SimtKernel &kernel, std::vector<SimtMemory> memories, const WatchClock &clock,
                       FindingList &findings, bool watch)
    : m_kernel(kernel), m_memories(std::move(memories)), m_clock(clock), m_findings(findings), m_watch(watch),
      m_lanes(kernel.lanes()), m_inside(static_cast<size_t>(kernel.lanes())) {}

template <typename Visit> void LaneMemory::forActive(const Place &place, Visit &&visit) const {
    for (int i = 0; i < m_lanes; ++i) {
        if (place.mask.lanes != nullptr && place.mask.lanes[i] == 0) continue;
        visit(i, place.lanes == nullptr ? place.base : place.base + place.lanes[i]);
    }
}

void LaneMemory::forget(int32_t buffer) {
    const SimtMemory &memory = m_memories[static_cast<size_t>(buffer)];
    if (memory.written == nullptr) return;
    std::memset(memory.written, 0, static_cast<size_t>(memory.buffer->elements()) * static_cast<size_t>(m_lanes));
}

// --- Indices --------------------------------------------------------------------------------------------------------

LaneMemory::Place LaneMemory::placeOf(const SimtAccess &access, const LaneFrame &frame) {
    Place place;
    place.base = access.offset.base;
    if (access.offset.uniform >= 0) place.base += *frame.operand<int64_t>(access.offset.uniform).at;
    if (access.offset.varying >= 0) place.lanes = frame.operand<int32_t>(access.offset.varying).at;
    place.mask = frame.now;
    for (const CheckedDimension &dimension : access.unsure) checkDimension(access, dimension, frame, place);
    return place;
}

void LaneMemory::checkDimension(const SimtAccess &access, const CheckedDimension &dimension, const LaneFrame &frame,
                                Place &place) {
    int64_t base = dimension.index.base;
    if (dimension.index.uniform >= 0) base += *frame.operand<int64_t>(dimension.index.uniform).at;
    const int32_t *const lanes =
        dimension.index.varying >= 0 ? frame.operand<int32_t>(dimension.index.varying).at : nullptr;
    const auto outside = [&](int64_t index) { return index < 0 || index >= dimension.extent; };
    if (lanes == nullptr) {
        if (!outside(base)) return;
    } else {
        int64_t least = lanes[0];
        int64_t most = lanes[0];
        for (int i = 1; i < m_lanes; ++i) {
            least = std::min<int64_t>(least, lanes[i]);
            most = std::max<int64_t>(most, lanes[i]);
        }
        if (!outside(base + least) && !outside(base + most)) return;
    }
    int inside = 0;
    for (int i = 0; i < m_lanes; ++i) {
        const bool active = place.mask.lanes == nullptr || place.mask.lanes[i] != 0;
        const int64_t index = lanes == nullptr ? base : base + lanes[i];
        if (active && outside(index))
            m_findings.at(ExecutorFault::OutOfBounds, &m_memories[static_cast<size_t>(access.buffer)], 0, access.stmt,
                          access.store, i, &dimension, index);
        const bool goes = active && !outside(index);
        m_inside[static_cast<size_t>(i)] = goes ? 1 : 0;
        inside += goes ? 1 : 0;
    }
    place.mask = {m_inside.data(), inside};
}

// --- The watch ------------------------------------------------------------------------------------------------------

void LaneMemory::neverWritten(const SimtMemory &memory, int64_t element, int32_t access, int lane) {
    m_findings.at(ExecutorFault::NeverWritten, &memory, element, m_kernel.accesses[static_cast<size_t>(access)].stmt,
                  false, lane);
}

inline void LaneMemory::noteRead(const SimtMemory &memory, int64_t element, int32_t access, int lane) {
    for (int64_t mark = element * memory.marks, end = mark + memory.marks; mark < end; ++mark)
        noteRead(memory, element, mark, access, lane);
}

inline void LaneMemory::noteRead(const SimtMemory &memory, int64_t element, int64_t mark, int32_t access, int lane) {
    const WriteMark &write = memory.writes[mark];
    const uint32_t now = m_clock.now;
    if (memory.blocks) {
        if (write.phase == 0) return neverWritten(memory, element, access, lane);
        if (write.phase >= m_clock.kernel &&
            (write.phase < m_clock.block || (write.phase == now && write.thread != lane)))
            m_findings.race(memory, element, write.access, write.phase, write.thread, access, lane);
    } else {
        if (write.phase < m_clock.block) return neverWritten(memory, element, access, lane);
        if (write.phase == now && write.thread != lane)
            m_findings.race(memory, element, write.access, write.phase, write.thread, access, lane);
        else if (memory.shares && m_findings.elsewhere(write.access, access))
            m_findings.overwritten(memory, element, write, access, lane);
    }
    if (memory.reads == nullptr) return;
    ReadMark &read = memory.reads[mark];
    if (read.phase == now) {
        if (read.thread != lane && read.second == ReadMark::kNobody) read.second = static_cast<uint16_t>(lane);
        return;
    }
    if (read.phase < m_clock.block && read.phase >= m_clock.kernel) {
        read.earlier = read.phase;
        read.earlierAccess = read.access;
    }
    read.phase = now;
    read.thread = static_cast<uint16_t>(lane);
    read.second = ReadMark::kNobody;
    read.access = static_cast<uint16_t>(access);
}

void LaneMemory::noteReads(const SimtMemory &memory, const Place &place, int32_t access) {
    if (!m_watch || place.mask.active == 0) return;
    if (memory.written != nullptr) {
        const auto lanes = static_cast<size_t>(m_lanes);
        if (place.lanes == nullptr &&
            std::memchr(memory.written + static_cast<size_t>(place.base) * lanes, 0, lanes) == nullptr)
            return;
        forActive(place, [&](int lane, int64_t element) {
            if (memory.written[static_cast<size_t>(element) * lanes + static_cast<size_t>(lane)] == 0)
                neverWritten(memory, element, access, lane);
        });
        return;
    }
    if (memory.writes == nullptr) return;
    if (place.lanes == nullptr) {
        // All read the same element: two of them say as much.
        int told = 0;
        for (int i = 0; i < m_lanes && told < 2; ++i) {
            if (place.mask.lanes != nullptr && place.mask.lanes[i] == 0) continue;
            noteRead(memory, place.base, access, i);
            ++told;
        }
        return;
    }
    if (place.mask.lanes == nullptr)
        for (int i = 0; i < m_lanes; ++i) noteRead(memory, place.base + place.lanes[i], access, i);
    else
        forActive(place, [&](int lane, int64_t element) { noteRead(memory, element, access, lane); });
}

inline void LaneMemory::noteWrite(const SimtMemory &memory, int64_t element, int64_t mark, int32_t access, int lane) {
    const uint32_t now = m_clock.now;
    const uint32_t since = m_clock.kernel;
    WriteMark &write = memory.writes[mark];
    if (m_watch) {
        if ((write.phase == now && write.thread != lane) ||
            (memory.blocks && write.phase >= since && write.phase < m_clock.block))
            m_findings.race(memory, element, write.access, write.phase, write.thread, access, lane);
        if (memory.reads != nullptr) {
            const ReadMark &read = memory.reads[mark];
            if (read.phase == now && read.thread != lane)
                m_findings.race(memory, element, read.access, read.phase, read.thread, access, lane);
            else if (read.phase == now && read.second != ReadMark::kNobody)
                m_findings.race(memory, element, read.access, read.phase, read.second, access, lane);
            else if (memory.blocks && read.phase >= since && read.phase < m_clock.block)
                m_findings.race(memory, element, read.access, read.phase, read.thread, access, lane);
            else if (memory.blocks && read.earlier >= since && read.earlier < m_clock.block)
                m_findings.race(memory, element, read.earlierAccess, read.earlier, read.thread, access, lane);
        }
    }
    write = {now, static_cast<uint16_t>(lane), static_cast<uint16_t>(access)};
}

void LaneMemory::noteWrites(const SimtMemory &memory, const Place &place, int32_t access) {
    const auto lanes = static_cast<size_t>(m_lanes);
    if (memory.written != nullptr) {
        if (place.lanes == nullptr && place.mask.lanes == nullptr) {
            std::memset(memory.written + static_cast<size_t>(place.base) * lanes, 1, lanes);
            return;
        }
        forActive(place, [&](int lane, int64_t element) {
            memory.written[static_cast<size_t>(element) * lanes + static_cast<size_t>(lane)] = 1;
        });
        return;
    }
    if (memory.writes == nullptr) return;
    forActive(place, [&](int lane, int64_t element) {
        for (int64_t mark = element * memory.marks, end = mark + memory.marks; mark < end; ++mark)
            noteWrite(memory, element, mark, access, lane);
    });
}

// --- Values ---------------------------------------------------------------------------------------------------------

template <typename Stored, typename Held, typename Convert>
void LaneMemory::loadAs(const SimtMemory &memory, const SimtInstruction &in, const Place &place, LaneFrame &frame,
                        Convert convert) {
    const auto *const data = reinterpret_cast<const Stored *>(memory.data);
    const bool local = memory.buffer->scope == MemoryScope::Local;
    const int64_t pitch = local ? m_lanes : 1;
    if (place.mask.active == 0) {
        std::fill_n(frame.result<Held>(in.dst), in.varying ? m_lanes : 1, Held{});
        return;
    }
    if constexpr (std::is_same_v<Stored, Held>) {
        if (local && place.lanes == nullptr) return frame.alias(in.dst, data + place.base * pitch);
    }
    auto *const out = frame.result<Held>(in.dst);
    if (!in.varying) {
        out[0] = convert(data[place.base]);
        return;
    }
    if (place.mask.lanes == nullptr && place.lanes != nullptr && !local) {
        const Stored *const from = data + place.base;
        for (int i = 0; i < m_lanes; ++i) out[i] = convert(from[place.lanes[i]]);
        return;
    }
    for (int i = 0; i < m_lanes; ++i) {
        if (place.mask.lanes != nullptr && place.mask.lanes[i] == 0) {
            out[i] = Held{};
            continue;
        }
        const int64_t element = place.lanes == nullptr ? place.base : place.base + place.lanes[i];
        out[i] = convert(data[element * pitch + (local ? i : 0)]);
    }
}

template <typename Stored, typename Held, typename Convert>
void LaneMemory::storeAs(const SimtMemory &memory, const SimtInstruction &in, const Place &place, LaneFrame &frame,
                         Convert convert) {
    auto *const data = reinterpret_cast<Stored *>(memory.data);
    const LaneOperand<Held> value = frame.operand<Held>(in.args[0]);
    if (memory.buffer->scope == MemoryScope::Local) {
        if (place.mask.lanes == nullptr && place.lanes == nullptr) {
            Stored *const to = data + place.base * m_lanes;
            if (value.varying)
                for (int i = 0; i < m_lanes; ++i) to[i] = convert(value.at[i]);
            else
                std::fill_n(to, m_lanes, convert(value.at[0]));
            return;
        }
        forActive(place, [&](int lane, int64_t element) { data[element * m_lanes + lane] = convert(value[lane]); });
        return;
    }
    forActive(place, [&](int lane, int64_t element) { data[element] = convert(value[lane]); });
}

void LaneMemory::load(const SimtInstruction &in, LaneFrame &frame) {
    const SimtAccess &access = m_kernel.accesses[static_cast<size_t>(in.access)];
    const SimtMemory &memory = m_memories[static_cast<size_t>(access.buffer)];
    const Place place = placeOf(access, frame);
    noteReads(memory, place, in.access);
    const auto same = [](auto value) { return value; };
    switch (memory.buffer->dtype) {
    case DType::Float32:
        return loadAs<float, float>(memory, in, place, frame, same);
    case DType::Float64:
        return loadAs<double, double>(memory, in, place, frame, same);
    case DType::Int32:
        return loadAs<int32_t, int32_t>(memory, in, place, frame, same);
    case DType::Int64:
        return loadAs<int64_t, int64_t>(memory, in, place, frame, same);
    case DType::UInt32:
        return loadAs<uint32_t, int64_t>(memory, in, place, frame, [](uint32_t v) { return static_cast<int64_t>(v); });
    case DType::Int16:
        return loadAs<int16_t, int32_t>(memory, in, place, frame, [](int16_t v) { return static_cast<int32_t>(v); });
    case DType::UInt16:
        return loadAs<uint16_t, int32_t>(memory, in, place, frame, [](uint16_t v) { return static_cast<int32_t>(v); });
    case DType::Int8:
        return loadAs<int8_t, int32_t>(memory, in, place, frame, [](int8_t v) { return static_cast<int32_t>(v); });
    case DType::UInt8:
        return loadAs<uint8_t, int32_t>(memory, in, place, frame, [](uint8_t v) { return static_cast<int32_t>(v); });
    case DType::Bool:
        return loadAs<uint8_t, int32_t>(memory, in, place, frame, [](uint8_t v) -> int32_t { return v != 0; });
    case DType::Float16:
        return loadAs<uint16_t, float>(memory, in, place, frame, [](uint16_t v) { return halfToFloat(v); });
    case DType::BFloat16:
        return loadAs<uint16_t, float>(memory, in, place, frame, [](uint16_t v) { return bfloatToFloat(v); });
    }
}

void LaneMemory::store(const SimtInstruction &in, LaneFrame &frame) {
    const SimtAccess &access = m_kernel.accesses[static_cast<size_t>(in.access)];
    const SimtMemory &memory = m_memories[static_cast<size_t>(access.buffer)];
    const Place place = placeOf(access, frame);
    if (place.mask.active == 0) return;
    noteWrites(memory, place, in.access);
    const auto same = [](auto value) { return value; };
    switch (memory.buffer->dtype) {
    case DType::Float32:
        return storeAs<float, float>(memory, in, place, frame, same);
    case DType::Float64:
        return storeAs<double, double>(memory, in, place, frame, same);
    case DType::Int32:
        return storeAs<int32_t, int32_t>(memory, in, place, frame, same);
    case DType::Int64:
        return storeAs<int64_t, int64_t>(memory, in, place, frame, same);
    case DType::UInt32:
        return storeAs<uint32_t, int64_t>(memory, in, place, frame, [](int64_t v) { return static_cast<uint32_t>(v); });
    case DType::Int16:
        return storeAs<int16_t, int32_t>(memory, in, place, frame, [](int32_t v) { return static_cast<int16_t>(v); });
    case DType::UInt16:
        return storeAs<uint16_t, int32_t>(memory, in, place, frame, [](int32_t v) { return static_cast<uint16_t>(v); });
    case DType::Int8:
        return storeAs<int8_t, int32_t>(memory, in, place, frame, [](int32_t v) { return static_cast<int8_t>(v); });
    case DType::UInt8:
        return storeAs<uint8_t, int32_t>(memory, in, place, frame, [](int32_t v) { return static_cast<uint8_t>(v); });
    case DType::Bool:
        return storeAs<uint8_t, int32_t>(memory, in, place, frame, [](int32_t v) -> uint8_t { return v != 0 ? 1 : 0; });
    case DType::Float16:
        return storeAs<uint16_t, float>(memory, in, place, frame, [](float v) { return floatToHalf(v); });
    case DType::BFloat16:
        return storeAs<uint16_t, float>(memory, in, place, frame, [](float v) { return floatToBfloat(v); });
    }
}

} // namespace loopscope
