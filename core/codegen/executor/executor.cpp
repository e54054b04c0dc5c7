#include "codegen/executor/executor.h"

#include "base/check.h"
#include "base/random.h"
#include "codegen/executor/simt_compiler.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace loopscope {

namespace {

constexpr uint64_t kBlockStream = 0x626c6f636b; // of random numbers

bool sharesMemory(const SimtKernel &writer, const SimtKernel &reader) {
    return std::any_of(writer.buffers.begin(), writer.buffers.end(), [&](const SimtBuffer &a) {
        return a.stored && std::any_of(reader.buffers.begin(), reader.buffers.end(),
                                       [&](const SimtBuffer &b) { return b.loaded && b.buffer == a.buffer; });
    });
}

size_t bytesOf(const Buffer &buffer) {
    return static_cast<size_t>(buffer.elements()) * static_cast<size_t>(dtypeBytes(buffer.dtype));
}

/// Of a block: as it is laid out there, with a mark for as many bytes as the smallest element has; where no two buffers
/// have the same bytes, one mark an element is enough.
class SharedMemory {
  public:
    SharedMemory(const SimtKernel &kernel, bool watch) : m_layout(kernel.shared), m_data(bytes(), std::byte{0xff}) {
        for (const SimtBuffer &used : kernel.buffers)
            if (used.buffer->scope == MemoryScope::Shared)
                m_unit = std::min<int64_t>(m_unit, dtypeBytes(used.buffer->dtype));
        m_writes.resize(bytes() / static_cast<size_t>(m_unit));
        if (watch) m_reads.resize(m_writes.size());
    }

    void place(SimtMemory &memory) {
        const int64_t begin = m_layout.offsets.at(memory.buffer);
        memory.data = m_data.data() + begin;
        memory.writes = m_writes.data() + begin / m_unit;
        if (!m_reads.empty()) memory.reads = m_reads.data() + begin / m_unit;
        memory.shares = m_layout.reused;
        if (m_layout.reused) memory.marks = static_cast<int>(dtypeBytes(memory.buffer->dtype) / m_unit);
    }

  private:
    [[nodiscard]] size_t bytes() const { return static_cast<size_t>(m_layout.bytes); }

    const SharedLayout &m_layout;
    int64_t m_unit = kSharedPieceAlignment;
    std::vector<std::byte> m_data;
    std::vector<WriteMark> m_writes;
    std::vector<ReadMark> m_reads;
};

} // namespace

bool ExecutorRun::sampled() const {
    return std::any_of(kernels.begin(), kernels.end(), [](const Kernel &kernel) { return kernel.run < kernel.blocks; });
}

std::string ExecutorRun::sampleText() const {
    if (!sampled()) return {};
    int64_t blocks = 0;
    int64_t ran = 0;
    for (const Kernel &kernel : kernels) {
        blocks += kernel.blocks;
        ran += kernel.run;
    }
    return fmt::format("{} of {} blocks", ran, blocks);
}

/// Arguments and intermediates between kernels.
struct Executor::GlobalMemory {
    struct Place {
        std::byte *data = nullptr;
        std::vector<std::byte> own;
        std::vector<WriteMark> writes;
        std::vector<ReadMark> reads;
    };
    std::map<const Buffer *, Place> places;

    GlobalMemory(const Executor &executor, std::span<std::byte *const> arguments) {
        const LoopProgram &program = *executor.m_program;
        LOOPSCOPE_CHECK(arguments.size() == program.args.size(), "every argument has memory");
        for (size_t i = 0; i < arguments.size(); ++i) places[program.args[i].buffer].data = arguments[i];
        for (const Buffer *buffer : executor.m_heap) {
            Place &place = places[buffer];
            place.own.assign(bytesOf(*buffer), std::byte{0xff});
            place.data = place.own.data();
        }
        for (const SimtKernel &kernel : executor.m_kernels)
            for (const SimtBuffer &used : kernel.buffers) {
                const auto found = places.find(used.buffer);
                if (found == places.end() || !used.stored) continue;
                const auto elements = static_cast<size_t>(used.buffer->elements());
                found->second.writes.resize(elements);
                if (used.loaded) found->second.reads.resize(elements);
            }
        // What a caller hands over was written before.
        for (const ProgramArg &arg : program.args)
            if (!arg.output)
                for (WriteMark &mark : places[arg.buffer].writes) mark.phase = 1;
    }
};

Outcome<Executor> Executor::of(const LoopProgram &program) {
    Executor executor(program);
    if (std::string problem = executor.collect(program.root); !problem.empty()) return Refusal{std::move(problem)};
    return executor;
}

std::string Executor::collect(Stmt stmt) {
    if (stmt->kind == StmtKind::Block) {
        for (const Stmt child : stmt->body())
            if (std::string problem = collect(child); !problem.empty()) return problem;
        return {};
    }
    if (stmt->kind == StmtKind::Allocate && stmt->buffer->scope == MemoryScope::Heap) {
        m_heap.push_back(stmt->buffer);
        return collect(stmt->children[0]);
    }
    const bool kernel =
        stmt->kind == StmtKind::For && stmt->loop >= LoopKind::BlockX && stmt->loop <= LoopKind::ThreadZ;
    if (!kernel) return "the executor runs programs for GPUs; this one has a statement that no kernel holds";
    Outcome<SimtKernel> compiled = compileSimtKernel(stmt);
    if (!compiled) return compiled.why();
    m_kernels.push_back(std::move(compiled).value());
    return {};
}

std::vector<int64_t> Executor::chosenBlocks(size_t kernel, const ExecutorOptions &options) const {
    const SimtKernel &own = m_kernels[kernel];
    const int64_t blocks = own.blockCount();
    for (size_t later = kernel + 1; later < m_kernels.size(); ++later)
        if (sharesMemory(own, m_kernels[later])) return {};
    int64_t most = options.maxBlocks > 0 ? options.maxBlocks : blocks;
    if (options.maxWork > 0)
        most = std::min(most, static_cast<int64_t>(std::min(options.maxWork / (own.work * own.lanes()), 1e15)));
    most = std::max<int64_t>(most, 2);
    if (most >= blocks) return {};
    // The first, the last, and one out of each of so many equal parts between them.
    std::vector<int64_t> chosen = {0};
    Random random(options.seed, kBlockStream + kernel);
    const int64_t inner = blocks - 2;
    for (int64_t part = 0; part < most - 2; ++part) {
        const int64_t begin = 1 + inner * part / (most - 2);
        const int64_t end = 1 + inner * (part + 1) / (most - 2);
        chosen.push_back(begin + static_cast<int64_t>(random.below(static_cast<uint64_t>(end - begin))));
    }
    chosen.push_back(blocks - 1);
    return chosen;
}

ExecutorRun Executor::run(std::span<std::byte *const> arguments, const ExecutorOptions &options) const {
    ExecutorRun result;
    result.written.resize(arguments.size());
    GlobalMemory global(*this, arguments);
    FindingList findings(options.maxFindings);
    WatchClock clock{1, 1, 1};
    bool goesOn = true;
    for (size_t k = 0; k < m_kernels.size() && goesOn; ++k) {
        const SimtKernel &kernel = m_kernels[k];
        const auto lanes = static_cast<size_t>(kernel.lanes());
        // Memory of a block; the watch knows what of it the block before has left.
        std::vector<SimtMemory> memories;
        SharedMemory shared(kernel, options.watch);
        std::vector<std::vector<std::byte>> data;
        std::vector<std::vector<uint8_t>> written;
        for (const SimtBuffer &used : kernel.buffers) {
            SimtMemory memory;
            memory.buffer = used.buffer;
            const auto elements = static_cast<size_t>(used.buffer->elements());
            if (const auto found = global.places.find(used.buffer); found != global.places.end()) {
                GlobalMemory::Place &place = found->second;
                memory.data = place.data;
                memory.writes = place.writes.empty() ? nullptr : place.writes.data();
                memory.reads = used.stored && used.loaded ? place.reads.data() : nullptr;
                memory.blocks = true;
            } else if (used.buffer->scope == MemoryScope::Shared) {
                shared.place(memory);
            } else {
                memory.data = data.emplace_back(bytesOf(*used.buffer) * lanes, std::byte{0xff}).data();
                if (options.watch) memory.written = written.emplace_back(elements * lanes).data();
            }
            memories.push_back(memory);
        }
        LaneMemory memory(kernel, std::move(memories), clock, findings, options.watch);
        BlockMachine machine(kernel, memory, clock, findings, options.warp, result.counts);
        findings.enter(kernel, clock);
        clock.kernel = clock.now + 1;
        const std::vector<int64_t> chosen = chosenBlocks(k, options);
        const int64_t blocks = chosen.empty() ? kernel.blockCount() : static_cast<int64_t>(chosen.size());
        ExecutorRun::Kernel &told = result.kernels.emplace_back();
        told.blocks = kernel.blockCount();
        told.threads = kernel.lanes();
        for (int64_t i = 0; i < blocks && goesOn; ++i) {
            goesOn = machine.runBlock(chosen.empty() ? i : chosen[static_cast<size_t>(i)], options.cancel);
            ++told.run;
        }
    }
    result.cancelled = options.cancel != nullptr && *options.cancel;
    result.findings = findings.findings();
    for (size_t i = 0; i < arguments.size(); ++i) {
        const ProgramArg &arg = m_program->args[i];
        if (!arg.output) continue;
        const std::vector<WriteMark> &marks = global.places[arg.buffer].writes;
        std::vector<uint8_t> &written = result.written[i];
        for (const WriteMark &mark : marks) written.push_back(mark.phase != 0 ? 1 : 0);
        written.resize(static_cast<size_t>(arg.buffer->elements()));
        if (std::all_of(written.begin(), written.end(), [](uint8_t w) { return w != 0; })) written.clear();
    }
    return result;
}

} // namespace loopscope
