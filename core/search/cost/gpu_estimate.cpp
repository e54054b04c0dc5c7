// Walks the kernels of a nest (one for each stage at root, with what is computed inside) and counts for a block what
// its warps issue, multiply, ask of shared and of global memory, and how long one of them waits when nothing hides it.

#include "search/cost/gpu_estimate.h"

#include "codegen/loop_ir/walk.h"
#include "search/cost/gpu_kernel_time.h"
#include "search/cost/warp_access.h"
#include "search/features/op_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

namespace loopscope {

namespace {

// Of a current multiprocessor.
constexpr double kSectorsPerCycle = 2;     // of global memory that its first cache hands over
constexpr double kGlobalLatency = 550;     // cycles
constexpr double kBarrierLatency = 40;     // cycles until all warps of a block have come
constexpr double kDependentIssue = 2.2;    // cycles between instructions of one warp that has some to choose from
constexpr double kLoadsInFlight = 6;       // of a thread, before it has to wait
constexpr double kCountedIteration = 2;    // instructions of an iteration that is not unrolled
constexpr double kFunctionCost = 6;        // multiply-adds of a function
constexpr double kTileRegisters = 96;      // operands that are kept while a register tile is computed
constexpr double kL1Bytes = 96 * 1024;     // what shared memory leaves
constexpr int64_t kLongestUnrolled = 1024; // iterations of a register tile

bool isBlock(LoopKind kind) { return kind >= LoopKind::BlockX && kind <= LoopKind::BlockZ; }
bool isThread(LoopKind kind) { return kind >= LoopKind::ThreadX && kind <= LoopKind::ThreadZ; }

int64_t iterationsOf(Stmt loop) { return std::max<int64_t>(1, constantExtent(loop)); }

enum class Place : uint8_t { Global, Shared, Local };

struct OpenLoop {
    Stmt loop;
    int64_t extent = 1;
};

/// A load or store, and which of the open loops it moves with.
struct Access {
    const Buffer *buffer = nullptr;
    std::span<const Expr> indices;
    uint64_t loops = 0; // bit i: the variable of open loop i occurs
    Place place = Place::Global;
};

/// A loop that each thread runs for the store at hand.
struct SerialLoop {
    size_t open = 0; // among the open loops
    int64_t extent = 1;
    LoopKind kind = LoopKind::Serial;
};

/// Kept from program to program, for they come by the ten thousand; one per thread.
struct DraftMemory {
    std::vector<OpenLoop> loops;
    std::vector<std::pair<const Buffer *, Place>> places;
    std::vector<KernelCost> kernels;
    std::vector<StoreCost> stores;
    // Of the store at hand:
    std::vector<Access> loads;
    std::vector<SerialLoop> serial;
    std::vector<LaneVar> lanes;
};

class GpuDrafter {
  public:
    GpuDrafter(const Target &target, DraftMemory &memory) : m_target(target), m_memory(memory) {
        m_memory.loops.clear();
        m_memory.places.clear();
        m_memory.kernels.clear();
        m_memory.stores.clear();
    }

    void walk(Stmt stmt, int unroll) {
        if (!stmt) return;
        switch (stmt->kind) {
        case StmtKind::Store:
            openKernel(stmt);
            addStore(stmt, stmt->unrollMaxStep >= 0 ? stmt->unrollMaxStep : unroll);
            return;
        case StmtKind::Allocate:
            allocate(*stmt->buffer);
            break;
        case StmtKind::For: {
            openKernel(stmt);
            bindAxis(stmt);
            m_memory.loops.push_back({stmt, iterationsOf(stmt)});
            const int inside = stmt->unrollMaxStep >= 0 ? stmt->unrollMaxStep : unroll;
            for (const Stmt child : stmt->body()) walk(child, inside);
            m_memory.loops.pop_back();
            return;
        }
        default:
            break;
        }
        for (const Stmt child : stmt->body()) walk(child, unroll);
    }

    [[nodiscard]] std::span<const KernelCost> kernels() const { return m_memory.kernels; }
    [[nodiscard]] std::span<const StoreCost> storesOf(const KernelCost &kernel) const {
        return std::span<const StoreCost>(m_memory.stores).subspan(kernel.firstStore, kernel.storeCount);
    }

  private:
    /// A nest at root: of another stage than the one before, a kernel of its own.
    void openKernel(Stmt stmt) {
        if (!m_memory.loops.empty()) return;
        if (!m_memory.kernels.empty() && m_memory.kernels.back().stage == stmt->stage) return;
        KernelCost kernel;
        kernel.root = stmt.node();
        kernel.stage = stmt->stage;
        kernel.firstStore = m_memory.stores.size();
        m_memory.kernels.push_back(kernel);
    }

    void bindAxis(Stmt loop) {
        KernelCost &kernel = m_memory.kernels.back();
        const int64_t extent = iterationsOf(loop);
        if (isBlock(loop->loop)) {
            int64_t &axis = kernel.blocks[static_cast<size_t>(loop->loop) - static_cast<size_t>(LoopKind::BlockX)];
            axis = std::max(axis, extent);
        }
        if (isThread(loop->loop)) {
            int64_t &axis = kernel.threads[static_cast<size_t>(loop->loop) - static_cast<size_t>(LoopKind::ThreadX)];
            axis = std::max(axis, extent);
        }
    }

    [[nodiscard]] bool inside(bool (*kind)(LoopKind)) const {
        return std::any_of(m_memory.loops.begin(), m_memory.loops.end(),
                           [&](const OpenLoop &open) { return kind(open.loop->loop); });
    }

    /// Memory as a stage gets it: by the name a cache step gave it, else by the threads around it (thread_scope.h).
    void allocate(const Buffer &buffer) {
        const std::string_view name = buffer.name;
        Place place = Place::Global;
        if (name.ends_with(".shared"))
            place = Place::Shared;
        else if (name.ends_with(".local") || inside(isThread))
            place = Place::Local;
        else if (inside(isBlock))
            place = Place::Shared;
        m_memory.places.emplace_back(&buffer, place);
        if (m_memory.kernels.empty()) return;
        double elements = 1;
        for (const int64_t extent : buffer.regionExtent) elements *= static_cast<double>(extent);
        const double bytes = elements * dtypeBytes(buffer.dtype);
        if (place == Place::Shared) m_memory.kernels.back().sharedBytes += bytes;
        if (place != Place::Local) return;
        double virtuals = 1;
        for (const OpenLoop &open : m_memory.loops)
            if (open.loop->loop == LoopKind::VThread) virtuals *= static_cast<double>(open.extent);
        m_memory.kernels.back().registers += std::ceil(bytes / 4) * virtuals;
    }

    [[nodiscard]] Place placeOf(const Buffer &buffer) const {
        for (const auto &[known, place] : m_memory.places)
            if (known == &buffer) return place;
        return Place::Global;
    }

    /// How a block's threads run a store.
    struct Run {
        double threads = 1;
        double perThread = 1; // iterations
        int64_t vector = 1;
        const ExprNode *vectorVar = nullptr;
        uint64_t vectorBit = 0;
    };

    /// Fills in the serial loops, outermost first, and the variables that differ between lanes.
    Run runOf(Stmt store) {
        Run run;
        std::vector<SerialLoop> &serial = m_memory.serial;
        serial.clear();
        m_memory.lanes.clear();
        // What is stored to shared memory is stored for the block: threads of the nest around it are none of its own.
        const bool forBlock = placeOf(*store->buffer) == Place::Shared;
        int64_t before = 1;
        for (size_t i = 0; i < m_memory.loops.size(); ++i) {
            const OpenLoop &open = m_memory.loops[i];
            const LoopKind kind = open.loop->loop;
            const bool ofOthers = forBlock && open.loop->stage != store->stage;
            if (isBlock(kind) || (ofOthers && (isThread(kind) || kind == LoopKind::VThread))) continue;
            if (isThread(kind)) {
                LaneVar lane{open.loop->var.node(), {}};
                for (size_t k = 0; k < kLanes; ++k)
                    lane.values[k] =
                        static_cast<int32_t>(static_cast<int64_t>(k) / std::min<int64_t>(before, kLanes) % open.extent);
                before *= open.extent;
                m_memory.lanes.push_back(lane);
                run.threads *= static_cast<double>(open.extent);
                continue;
            }
            run.perThread *= static_cast<double>(open.extent);
            if (kind == LoopKind::Vectorized) {
                run.vector = open.extent;
                run.vectorVar = open.loop->var.node();
                run.vectorBit = uint64_t{1} << i;
            }
            serial.push_back({i, open.extent, kind});
        }
        // Lowering lets virtual threads run inside of everything else.
        std::stable_partition(serial.begin(), serial.end(),
                              [](const SerialLoop &loop) { return loop.kind != LoopKind::VThread; });
        return run;
    }

    [[nodiscard]] uint64_t loopsIn(Expr e) const {
        uint64_t loops = 0;
        if (e->kind == ExprKind::Var) {
            for (size_t i = 0; i < m_memory.loops.size(); ++i)
                if (m_memory.loops[i].loop->var.is(e)) loops |= uint64_t{1} << i;
            return loops;
        }
        for (const Expr operand : e->operands()) loops |= loopsIn(operand);
        return loops;
    }

    [[nodiscard]] Access accessOf(const Buffer &buffer, std::span<const Expr> indices) const {
        Access access{&buffer, indices, 0, placeOf(buffer)};
        for (const Expr index : indices) access.loops |= loopsIn(index);
        return access;
    }

    /// Those of memory; what lies in registers costs nothing.
    void collectLoads(Expr e) {
        if (e->kind == ExprKind::Load) {
            const auto &buffer = static_cast<const Buffer &>(*e->symbol);
            if (placeOf(buffer) != Place::Local) m_memory.loads.push_back(accessOf(buffer, e->operands()));
        }
        for (const Expr operand : e->operands()) collectLoads(operand);
    }

    [[nodiscard]] bool varies(const Access &access, const SerialLoop &loop) const {
        return (access.loops >> loop.open & 1) != 0;
    }

    /// How often a thread makes an access: what does not change in the loops of the register tile is kept.
    [[nodiscard]] double timesOf(const Access &access, size_t tileFrom) const {
        double times = 1;
        for (size_t i = 0; i < m_memory.serial.size(); ++i)
            if (i < tileFrom || varies(access, m_memory.serial[i]))
                times *= static_cast<double>(m_memory.serial[i].extent);
        return times;
    }

    /// Operands that are kept while the loops from that one on run: those that come again, until they do.
    [[nodiscard]] double keptBy(size_t from) const {
        double kept = 0;
        for (const Access &load : m_memory.loads) {
            double elements = 1;
            bool comesAgain = false;
            for (size_t i = from; i < m_memory.serial.size(); ++i) {
                const SerialLoop &loop = m_memory.serial[i];
                if (!varies(load, loop))
                    comesAgain = comesAgain || loop.extent > 1;
                else if (comesAgain)
                    elements *= static_cast<double>(loop.extent);
            }
            kept += elements;
        }
        return kept;
    }

    /// The first of the innermost loops that are unrolled together, whose operands fit into registers.
    [[nodiscard]] size_t registerTile() const {
        size_t from = m_memory.serial.size();
        int64_t iterations = 1;
        while (from > 0) {
            iterations *= m_memory.serial[from - 1].extent;
            if (iterations > kLongestUnrolled || keptBy(from - 1) > kTileRegisters) break;
            --from;
        }
        return from;
    }

    void addStore(Stmt store, int unroll) {
        KernelCost &kernel = m_memory.kernels.back();
        const Run run = runOf(store);
        m_memory.loads.clear();
        collectLoads(store->value);
        const size_t tile = registerTile();
        const double warps = std::ceil(run.threads / kLanes);
        const double waited = waitingTrips(store); // how often others wait for it

        StoreCost cost;
        cost.where = store.node();
        const OpCounts ops = countOps(store->value, true);
        const double work = ops.floatOps() / 2 + ops.count[5] * kFunctionCost;
        cost.arithmetic =
            run.perThread * warps * std::max(work, 0.5) * kLanes / std::max(1, m_target.gpu.floatsPerCycle);
        double instructions = run.perThread * std::max(1.0, work);
        double fetched = 0; // loads of global memory by a thread
        for (const Access &load : m_memory.loads)
            fetched += addAccess(cost, load, run, timesOf(load, tile), warps, instructions);
        const Access stored = accessOf(*store->buffer, store->index());
        if (stored.place != Place::Local)
            addAccess(cost, stored, run, timesOf(stored, m_memory.serial.size() - reduceTail(stored)), warps,
                      instructions);
        const double looped = countedIterations(unroll) * kCountedIteration;
        instructions += looped;
        cost.issued = instructions * warps;
        kernel.serial += instructions * kDependentIssue;
        if (fetched > 0) kernel.serial += waited * std::ceil(fetched / waited / kLoadsInFlight) * kGlobalLatency;
        if (stored.place == Place::Shared) kernel.serial += waited * kBarrierLatency;
        kernel.operands = std::max(kernel.operands, keptBy(tile));
        m_memory.stores.push_back(cost);
        ++kernel.storeCount;
    }

    /// Iterations of loops that nobody unrolls; compilers unroll the shortest themselves.
    [[nodiscard]] double countedIterations(int unroll) const {
        double iterations = 1;
        for (const SerialLoop &loop : m_memory.serial) iterations *= static_cast<double>(loop.extent);
        double looped = 0;
        double inner = 1;
        for (size_t i = m_memory.serial.size(); i > 0; --i) {
            const SerialLoop &loop = m_memory.serial[i - 1];
            inner *= static_cast<double>(loop.extent);
            const bool unrolled =
                inner <= std::max(16, unroll) || loop.kind == LoopKind::Unrolled || loop.kind == LoopKind::Vectorized;
            if (!unrolled) looped += iterations / inner * static_cast<double>(loop.extent);
        }
        return looped;
    }

    /// Innermost loops over which a stored element stays the same: a sum in a register.
    [[nodiscard]] size_t reduceTail(const Access &stored) const {
        size_t tail = 0;
        while (tail < m_memory.serial.size() && !varies(stored, m_memory.serial[m_memory.serial.size() - 1 - tail]))
            ++tail;
        return tail;
    }

    /// Iterations of the loops around the nest of the store's own stage, which wait for what it stores.
    [[nodiscard]] double waitingTrips(Stmt store) const {
        double trips = 1;
        for (const OpenLoop &open : m_memory.loops) {
            if (open.loop->stage == store->stage) break;
            const LoopKind kind = open.loop->loop;
            if (!isBlock(kind) && !isThread(kind) && kind != LoopKind::VThread)
                trips *= static_cast<double>(open.extent);
        }
        return trips;
    }

    /// How often a thread asks global memory for it.
    double addAccess(StoreCost &cost, const Access &access, const Run &run, double times, double warps,
                     double &instructions) {
        const Buffer &buffer = *access.buffer;
        const int element = dtypeBytes(buffer.dtype);
        const int active = static_cast<int>(std::min<double>(run.threads, kLanes));
        const Lanes offsets = laneOffsets(buffer, access.indices, m_memory.lanes);
        int bytes = element;
        if (run.vector > 1 && (access.loops & run.vectorBit) != 0) {
            Lanes ones{};
            ones.fill(1);
            m_memory.lanes.push_back({run.vectorVar, ones});
            const bool neighbours = laneOffsets(buffer, access.indices, m_memory.lanes)[0] - offsets[0] == 1;
            m_memory.lanes.pop_back();
            if (neighbours) {
                bytes = static_cast<int>(std::min<int64_t>(16, element * run.vector));
                times /= static_cast<double>(bytes) / element;
            }
        }
        instructions += times;
        const double accesses = times * warps;
        if (access.place == Place::Shared) {
            cost.shared += accesses * bankRounds(offsets, element, bytes, active);
            return 0;
        }
        const double sectors = sectorsTouched(offsets, element, bytes, active);
        cost.global += accesses * std::max(1.0, sectors / kSectorsPerCycle);
        addTraffic(cost, access, accesses * sectors * 32);
        return times;
    }

    /// What leaves the multiprocessor's cache: each element once, where a block's fit, and whole sectors where they do
    /// not.
    void addTraffic(StoreCost &cost, const Access &access, double asked) const {
        const KernelCost &kernel = m_memory.kernels.back();
        double elements = 1; // of a block
        for (size_t i = 0; i < m_memory.loops.size(); ++i)
            if (!isBlock(m_memory.loops[i].loop->loop) && (access.loops >> i & 1) != 0)
                elements *= static_cast<double>(m_memory.loops[i].extent);
        double all = 1;
        for (const int64_t extent : access.buffer->shape) all *= static_cast<double>(extent);
        const double element = dtypeBytes(access.buffer->dtype);
        const double once = std::min(elements, all) * element;
        cost.l2Bytes += once <= kL1Bytes ? std::min(asked, std::max(once, 32.0)) : asked;
        const auto blocks = static_cast<double>(kernel.blocks[0] * kernel.blocks[1] * kernel.blocks[2]);
        cost.uniqueBytes += std::min(all * element, once * blocks);
    }

    const Target &m_target;
    DraftMemory &m_memory;
};

DraftMemory &memoryOfThread() {
    static thread_local DraftMemory memory;
    return memory;
}

} // namespace

double gpuCycles(const LoopProgram &nest, const Target &target) {
    GpuDrafter drafter(target, memoryOfThread());
    drafter.walk(nest.root, -1);
    double cycles = 0;
    for (const KernelCost &kernel : drafter.kernels())
        cycles += kernelCycles(kernel, drafter.storesOf(kernel), target).sum();
    return cycles;
}

std::vector<CyclePart> gpuCycleParts(const LoopProgram &nest, const Target &target) {
    GpuDrafter drafter(target, memoryOfThread());
    drafter.walk(nest.root, -1);
    std::vector<CyclePart> parts;
    for (const KernelCost &kernel : drafter.kernels()) {
        const std::span<const StoreCost> stores = drafter.storesOf(kernel);
        const KernelCycles cycles = kernelCycles(kernel, stores, target);
        /// Among the stores, by what each takes of it.
        const auto among = [&](CycleKind kind, double spent, double StoreCost::*of) {
            double sum = 0;
            for (const StoreCost &store : stores) sum += store.*of;
            for (const StoreCost &store : stores)
                if (spent > 0 && sum > 0 && store.*of > 0)
                    parts.push_back({store.where, kind, spent * (store.*of) / sum});
        };
        among(CycleKind::Arithmetic, cycles.arithmetic, &StoreCost::arithmetic);
        among(CycleKind::LoopOverhead, cycles.issue, &StoreCost::issued);
        among(CycleKind::SharedMemory, cycles.shared, &StoreCost::shared);
        among(CycleKind::Loads, cycles.global, &StoreCost::global);
        among(CycleKind::L2Loads, cycles.l2, &StoreCost::l2Bytes);
        among(CycleKind::MemoryLoads, cycles.memory, &StoreCost::uniqueBytes);
        if (cycles.waiting > 0) parts.push_back({kernel.root, CycleKind::Waiting, cycles.waiting});
        parts.push_back({kernel.root, CycleKind::Launch, cycles.launch});
    }
    return parts;
}

} // namespace loopscope
