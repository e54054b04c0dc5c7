// Counts per store the multiply-add, load and latency cycles of the register tile inside the innermost reduction, the
// traffic through each cache level, and the imbalance of the parallel loop.

#include "search/cost/processor_estimate.h"

#include "search/features/store_access.h"

#include "language/expr/interval.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loopscope {

namespace {

// Of a current x86 core: two vector multiply-adds and two vector loads a cycle, four cycles of latency.
constexpr double kFmaPerCycle = 2;
constexpr double kLoadsPerCycle = 2;
constexpr double kStoresPerCycle = 1;
constexpr double kFmaLatency = 4;
constexpr double kInstructionsInFlight = 256;
constexpr double kLoopOverhead = 1.5; // cycles per iteration of a loop that is not unrolled
constexpr double kDivisionCost = 5;   // in multiply-adds
constexpr double kMathCost = 12;
constexpr double kParallelStart = 6000;          // cycles to start and join a parallel loop
constexpr double kBytesPerCycle[] = {32, 14, 4}; // into L1, L2, L3
constexpr CycleKind kTraffic[] = {CycleKind::L2Loads, CycleKind::L3Loads, CycleKind::MemoryLoads};

/// Caches find a line by its address: what lies a multiple of this apart shares their sets. (Addresses further up are
/// shuffled by pages.)
constexpr int64_t kSetPeriod = 4096;
constexpr int64_t kLineBytes = 64;
constexpr int64_t kLinesInPeriod = kSetPeriod / kLineBytes;

/// Which part of a cache's sets the elements touched can lie in, in 0 .. 1: rows that are a power of two apart fight
/// for the same few. Neighbours along the dimension `fastest` lie side by side, the others follow in their order.
double reachableSets(const BufferAccess &access, size_t fastest) {
    const Buffer &buffer = *access.buffer;
    const auto &shape = buffer.regionExtent.empty() ? buffer.shape : buffer.regionExtent;
    int64_t step = dtypeBytes(buffer.dtype);
    int64_t covered = step; // bytes of one period
    const auto pass = [&](size_t d) {
        const int64_t extent = AccessSet::extentOf(access, d);
        if (step <= covered) // neighbours
            covered += (extent - 1) * step;
        else
            covered *= std::min(extent, kSetPeriod / std::gcd(step, kSetPeriod));
        step *= shape[d];
    };
    if (fastest < access.rank) pass(fastest);
    for (size_t d = access.rank; d > 0 && covered < kSetPeriod; --d)
        if (d - 1 != fastest) pass(d - 1);
    return std::min(1.0, static_cast<double>(std::max(covered, kLineBytes)) / kSetPeriod);
}

/// On average: how many terms a phase has depends on where its tile begins (see the lowering's splitPhases).
int64_t tripsOf(Expr extent) {
    if (!extent) return 1;
    if (extent->kind == ExprKind::IntImm) return extent->intValue;
    const Interval trips = intervalOf(extent, {});
    if (trips.max > INT32_MAX) return 1;
    return std::max<int64_t>(1, (std::max<int64_t>(0, trips.min) + trips.max + 1) / 2);
}

/// In multiply-adds, without its operands; index arithmetic is free, and so are choices, which are no library calls
/// (see Choices).
double costOf(const ExprNode &e) {
    switch (e.kind) {
    case ExprKind::Add:
    case ExprKind::Sub:
    case ExprKind::Mul:
        return isFloat(e.dtype) ? 1 : 0;
    case ExprKind::Div:
    case ExprKind::Mod:
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
        return isFloat(e.dtype) ? kDivisionCost : 0;
    case ExprKind::Min:
    case ExprKind::Max:
    case ExprKind::Eq:
    case ExprKind::Ne:
    case ExprKind::Lt:
    case ExprKind::Le:
    case ExprKind::Gt:
    case ExprKind::Ge:
        return isFloat(e.arg(0)->dtype) ? 1 : 0;
    case ExprKind::Select:
        return 1;
    case ExprKind::Call:
        return e.intrinsic == Intrinsic::IfThenElse ? 0 : kMathCost;
    default:
        return 0;
    }
}

/// Choices, which count as library calls in Ansor's features.
struct Choices {
    int all = 0;
    int inLanes = 0; // differ between values of the innermost loop

    Choices() = default;
    Choices(Expr e, Expr innermost) {
        if (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse) {
            ++all;
            if (innermost && usesVar(e->arg(0), innermost)) ++inLanes;
        }
        for (const Expr operand : e->operands()) {
            const Choices inside(operand, innermost);
            all += inside.all;
            inLanes += inside.inLanes;
        }
    }
};

/// What one access moves and takes of a cache, as far out as its loops were followed.
struct Footprint {
    double element; // bytes
    size_t fastest;
    bool packed;
    double moved; // bytes, whole lines
    double taken; // room, once it is asked for
    bool roomKnown;

    void measure(const BufferAccess &access) {
        // A run shorter than a cache line still moves whole lines.
        const double run = access.rank == 0 ? 1 : static_cast<double>(AccessSet::extentOf(access, fastest));
        const double line = access.buffer->layoutFree ? 1.0 : std::max(1.0, std::min(kLineBytes / element / run, 16.0));
        moved = static_cast<double>(AccessSet::touched(access)) * element * line;
        roomKnown = false;
    }

    /// With the conflicts between rows.
    double room(const BufferAccess &access) {
        if (!roomKnown) taken = moved / (packed ? 1 : reachableSets(access, fastest));
        roomKnown = true;
        return taken;
    }
};

/// Kept from program to program, for they come by the ten thousand; one per thread.
struct DrafterMemory {
    std::vector<NestLoop> loops;
    AccessSet set;
    std::vector<Footprint> footprints;                      // of the store at hand
    std::vector<const Buffer *> copies;                     // met so far
    std::vector<std::pair<const Buffer *, size_t>> fastest; // where it is not the last dimension
};

class Drafter {
  public:
    /// `parts`: where the cycles go is noted, too.
    Drafter(const Target &target, DrafterMemory &memory, std::vector<CyclePart> *parts = nullptr)
        : m_target(target), m_loops(memory.loops), m_set(memory.set), m_footprints(memory.footprints),
          m_copies(memory.copies), m_fastest(memory.fastest), m_parts(parts) {
        m_loops.clear();
        m_copies.clear();
        m_fastest.clear();
    }

    double total = 0;

    void walk(Stmt stmt) {
        if (!stmt) return;
        if (stmt->kind == StmtKind::Store) {
            if (stmt->value->kind == ExprKind::Load) m_copies.push_back(stmt->buffer);
            total += cyclesOf(*stmt.node());
            return;
        }
        const bool loop = stmt->kind == StmtKind::For;
        const Expr around = m_innermost;
        if (loop) {
            m_loops.push_back({stmt->var.node(), tripsOf(stmt->extent), stmt->loop, stmt->unrollMaxStep});
            m_innermost = stmt->var;
            if (m_parts) m_path.push_back(stmt.node());
            if (stmt->loop == LoopKind::Parallel) {
                total += kParallelStart;
                if (m_parts) m_parts->push_back({stmt.node(), CycleKind::ThreadStart, kParallelStart});
            }
        }
        if (stmt->kind == StmtKind::If && !stmt->likely) ++m_branches;
        for (const Stmt child : stmt->body()) walk(child);
        if (stmt->kind == StmtKind::If && !stmt->likely) --m_branches;
        if (!loop) return;
        m_loops.pop_back();
        if (m_parts) m_path.pop_back();
        m_innermost = around;
    }

  private:
    [[nodiscard]] double extent(size_t i) const { return static_cast<double>(m_loops[i].extent); }

    /// Instructions a vector loop of `extent` elements takes, `bytes` each.
    [[nodiscard]] double vectors(double extent, int bytes) const {
        return std::ceil(extent * bytes / m_target.vectorBytes);
    }

    /// Copies and weights are laid out in the order they are read (see the lowering's packCopies and rewriteLayouts);
    /// copies are made before.
    [[nodiscard]] bool isPacked(const Buffer &buffer) const {
        return buffer.layoutFree || std::find(m_copies.begin(), m_copies.end(), &buffer) != m_copies.end();
    }

    /// The dimension of the buffer whose neighbours lie side by side: intermediates are laid out along the vectors that
    /// fill them (see the lowering's transposeBuffers).
    [[nodiscard]] size_t fastestOf(const BufferAccess &access) const {
        const auto found = std::find_if(m_fastest.begin(), m_fastest.end(),
                                        [&](const auto &known) { return known.first == access.buffer; });
        if (found != m_fastest.end()) return found->second;
        size_t last = access.rank - 1; // of those that have neighbours: a scale per channel is float32[1, 64, 1, 1]
        while (last > 0 && access.buffer->shape[last] == 1) --last;
        return last;
    }
    void noteLayout(const BufferAccess &stored);

    /// Lanes of loop `i` read or write consecutive elements.
    [[nodiscard]] bool consecutive(const BufferAccess &access, size_t i) const {
        if (access.buffer->layoutFree) return true;
        if (access.rank == 0 || fastestOf(access) == access.rank - 1) return AccessSet::stride(access, i, m_loops) == 1;
        return runsAlong(access, i) == fastestOf(access);
    }

    /// The one dimension that loop `i` moves in steps of one; the rank when there is none.
    static size_t runsAlong(const BufferAccess &access, size_t i) {
        size_t along = access.rank;
        for (size_t d = 0; d < access.rank; ++d) {
            const IndexMotion &index = access.indices[d];
            if (((index.loops >> i) & 1) == 0) continue;
            if (along < access.rank || !index.linear || (*index.coefficients)[i] != 1) return access.rank;
            along = d;
        }
        return along;
    }

    /// Of one register tile.
    struct Work {
        double instructions = 0; // in multiply-adds
        double inSum = 0;        // of these, what each term of a reduction waits for before the next
        bool choices = false;
    };
    /// Of a part of the store's value.
    struct PartUse {
        uint64_t loops = 0; // whose variables it has
        bool sum = false;   // the stored element is read there
    };
    PartUse addWork(Expr e, size_t tile, int bytes, Work &work, bool fused = false) const;

    double cyclesOf(const StmtNode &store);
    double memoryCycles();
    [[nodiscard]] double onBusiestCore(double cycles) const;

    const Target &m_target;
    std::vector<NestLoop> &m_loops;
    AccessSet &m_set;
    std::vector<Footprint> &m_footprints;
    std::vector<const Buffer *> &m_copies;
    std::vector<std::pair<const Buffer *, size_t>> &m_fastest;
    std::vector<CyclePart> *m_parts;
    std::vector<const StmtNode *> m_path; // the loops, while parts are noted
    Expr m_innermost;                     // its variable
    const Buffer *m_stored = nullptr;     // by the store at hand
    int m_branches = 0;
};

void Drafter::noteLayout(const BufferAccess &stored) {
    if (stored.buffer->scope == MemoryScope::Argument || stored.rank == 0 || m_loops.empty()) return;
    if (m_loops.back().kind != LoopKind::Vectorized) return;
    const size_t along = runsAlong(stored, m_loops.size() - 1);
    std::erase_if(m_fastest, [&](const auto &known) { return known.first == stored.buffer; });
    if (along + 1 < stored.rank) m_fastest.emplace_back(stored.buffer, along);
}

double Drafter::memoryCycles() {
    const double sizes[] = {static_cast<double>(m_target.l1Bytes), static_cast<double>(m_target.l2Bytes),
                            static_cast<double>(m_target.l3Bytes)};
    double cycles = 0;
    size_t level = 0;
    double outside = 1;
    for (size_t i = 0; i < m_loops.size(); ++i) outside *= extent(i);
    m_set.fixAll();
    const auto accesses = m_set.accesses();
    m_footprints.clear();
    double inside = 0; // bytes touched by the loops that still fit
    for (const auto &access : accesses) {
        const int element = dtypeBytes(access.buffer->dtype);
        inside += element;
        m_footprints.push_back({static_cast<double>(element), access.rank == 0 ? 0 : fastestOf(access),
                                isPacked(*access.buffer), /*moved=*/0, /*taken=*/0, false});
    }
    for (size_t i = m_loops.size(); i > 0 && level < 3; --i) {
        m_set.widen(i - 1, m_loops);
        double bytes = 0;
        for (size_t a = 0; a < accesses.size(); ++a) {
            const bool moves = (accesses[a].loops >> (i - 1)) & 1;
            if (moves || i == m_loops.size()) m_footprints[a].measure(accesses[a]);
            bytes += m_footprints[a].moved;
        }
        // The room taken, conflicts counted, is what decides; it lies between the bytes and kLinesInPeriod times
        // them.
        const auto fits = [&](double size) {
            if (bytes > size) return false;
            if (bytes * kLinesInPeriod <= size) return true;
            double room = 0;
            for (size_t a = 0; a < accesses.size() && room <= size; ++a) room += m_footprints[a].room(accesses[a]);
            return room <= size;
        };
        while (level < 3 && !fits(0.75 * sizes[level])) {
            const double fetching = inside * outside / kBytesPerCycle[level];
            cycles += fetching;
            if (m_parts) m_parts->push_back({m_path[i - 1], kTraffic[level], fetching});
            ++level;
        }
        inside = bytes;
        outside /= extent(i - 1);
    }
    return cycles;
}

/// What a part does not change along, it is computed once for: compilers take it out of such loops, as what a kernel
/// does to its input before it multiplies it with many weights. `fused`: it is the product of a multiply-add.
Drafter::PartUse Drafter::addWork(Expr e, size_t tile, int bytes, Work &work, bool fused) const {
    PartUse use;
    if (e->kind == ExprKind::Var) {
        for (size_t i = 0; i < m_loops.size(); ++i)
            if (m_loops[i].var == e.node()) use.loops |= uint64_t{1} << i;
        return use;
    }
    if (e->kind == ExprKind::Load && e->symbol == m_stored) use.sum = true;
    const bool sums = (e->kind == ExprKind::Add || e->kind == ExprKind::Sub) && isFloat(e->dtype);
    bool product = sums; // the first one is part of the sum's instruction
    for (const Expr operand : e->operands()) {
        const bool isProduct = product && operand->kind == ExprKind::Mul;
        const PartUse part = addWork(operand, tile, bytes, work, isProduct);
        if (isProduct) product = false;
        use.loops |= part.loops;
        use.sum |= part.sum;
    }
    if (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse) work.choices = true;
    const double cost = fused ? 0 : costOf(*e.node());
    if (cost == 0) return use;
    double times = 1;
    for (size_t i = tile; i < m_loops.size(); ++i) {
        if (((use.loops >> i) & 1) == 0) continue;
        const bool lanes = i + 1 == m_loops.size() && m_loops[i].kind == LoopKind::Vectorized;
        times *= lanes ? vectors(extent(i), bytes) : extent(i);
    }
    work.instructions += cost * times;
    if (use.sum) work.inSum += cost;
    return use;
}

double Drafter::cyclesOf(const StmtNode &store) {
    m_stored = store.buffer;
    m_set.collect(store, m_loops);
    const BufferAccess &stored = m_set.accesses().front();
    noteLayout(stored);
    const size_t depth = m_loops.size();
    const bool reduces = stored.type == AccessType::ReadWrite;
    const bool vectorised = depth > 0 && m_loops.back().kind == LoopKind::Vectorized;

    // The register tile: the loops inside the innermost reduce loop; without a reduction the innermost loop alone.
    size_t tile = depth;
    if (reduces) {
        while (tile > 0 && ((stored.loops >> (tile - 1)) & 1)) --tile;
    } else if (depth > 0) {
        tile = depth - 1;
    }
    const int bytes = dtypeBytes(store.buffer->dtype);
    const auto instructions = [&](const BufferAccess &access) {
        double count = 1;
        for (size_t i = tile; i < depth; ++i) {
            if (((access.loops >> i) & 1) == 0) continue;
            if (vectorised && i + 1 == depth) {
                count *= consecutive(access, i) ? vectors(extent(i), bytes) : extent(i);
            } else {
                count *= extent(i);
            }
        }
        return count * static_cast<double>(access.count());
    };

    double points = 1; // results of one tile, in instructions
    for (size_t i = tile; i < depth; ++i)
        points *= vectorised && i + 1 == depth ? vectors(extent(i), bytes) : extent(i);
    Work work;
    addWork(store.value, tile, bytes, work);
    const Choices choices = work.choices ? Choices(store.value, m_innermost) : Choices();
    // A reduction's tiles inside the padding's border run without its choices (see partitionLoops).
    const int chosen = reduces ? choices.inLanes : choices.all;
    const double arithmetic = work.instructions + 2 * chosen * points;
    const bool branches = m_branches > 0 || chosen > 0;

    double loads = 0;
    for (size_t a = 1; a < m_set.accesses().size(); ++a) loads += instructions(m_set.accesses()[a]);
    double stores = reduces ? 0 : instructions(stored);
    const double registers = m_target.vectorRegisters - 3;
    double iterations = 1;
    for (size_t i = 0; i < tile; ++i) iterations *= extent(i);
    double latency = reduces ? kFmaLatency * std::max(1.0, work.inSum) : 0;
    if (reduces) {
        if (points > registers) { // the tile does not stay in registers
            loads += points;
            stores += points;
        } else { // loaded and stored once per run of the reduce loops around the tile
            double run = 1;
            for (size_t i = tile; i > 0 && ((stored.loops >> (i - 1)) & 1) == 0; --i) run *= extent(i - 1);
            loads += points / run;
            stores += points / run;
            // While one short sum waits for its last product, the sums of the tiles after it begin.
            latency /= std::clamp(kInstructionsInFlight / (run * (arithmetic + loads)), 1.0, iterations / run);
        }
    }
    // Whichever takes longest; the others go on beside it.
    const double resources[] = {arithmetic / kFmaPerCycle, loads / kLoadsPerCycle, stores / kStoresPerCycle, latency};
    const double *most = std::max_element(std::begin(resources), std::end(resources));
    const double slower = branches ? 1.5 : 1;
    const double compute = (*most + kLoopOverhead) * slower * iterations;
    const size_t before = m_parts ? m_parts->size() : 0;
    const double memory = memoryCycles();
    const double computeWeight = compute >= memory ? 1 : 0.3;
    const double memoryWeight = compute >= memory ? 0.3 : 1;
    if (m_parts) {
        const double share = onBusiestCore(1);
        for (size_t p = before; p < m_parts->size(); ++p) (*m_parts)[p].cycles *= memoryWeight * share;
        const double scale = computeWeight * share * iterations;
        m_parts->push_back({&store, static_cast<CycleKind>(most - std::begin(resources)), scale * *most});
        m_parts->push_back({tile > 0 ? m_path[tile - 1] : &store, CycleKind::LoopOverhead, scale * kLoopOverhead});
        if (branches) m_parts->push_back({&store, CycleKind::Branches, scale * (slower - 1) * (*most + kLoopOverhead)});
    }
    return onBusiestCore(computeWeight * compute + memoryWeight * memory);
}

/// Of the cycles that all cores together spend on the store at hand.
double Drafter::onBusiestCore(double cycles) const {
    const double cores = std::max(1, m_target.hardware.numCores);
    for (const auto &loop : m_loops) {
        if (loop.kind != LoopKind::Parallel) continue;
        const auto tasks = static_cast<double>(loop.extent);
        return cycles * std::ceil(tasks / cores) / tasks;
    }
    return cycles;
}

} // namespace

double processorCycles(const LoopProgram &nest, const Target &target) {
    static thread_local DrafterMemory memory;
    Drafter drafter(target, memory);
    drafter.walk(nest.root);
    return std::max(drafter.total, 1.0);
}

std::vector<CyclePart> processorCycleParts(const LoopProgram &nest, const Target &target) {
    DrafterMemory memory;
    std::vector<CyclePart> parts;
    Drafter drafter(target, memory, &parts);
    drafter.walk(nest.root);
    return parts;
}

} // namespace loopscope
