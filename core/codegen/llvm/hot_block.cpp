#include "codegen/hot_block.h"

#include "codegen/llvm/read_instructions.h"
#include "codegen/llvm/unroll_plan.h"
#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace loopscope {

namespace {

// --- Which block ----------------------------------------------------------------------------------------------------

/// How often the statement of a program line runs as machine code has it: by the loops that stay loops.
class Executions {
  public:
    Executions(const LoopProgram &program, const Target &target) : m_target(target), m_plan(program) {
        printProgram(program, &m_lineOf);
        if (program.root) walk(program.root);
    }

    /// Of a loop of that depth in its function; 1 for lines that are none.
    [[nodiscard]] double at(int programLine, int depth) const {
        const auto found = m_at.find(programLine);
        if (found == m_at.end()) return 1;
        return found->second.times * (depth > found->second.depth ? found->second.chunks : 1);
    }

  private:
    struct Place {
        double times = 1;
        int depth = 0;     // loops around it in its function
        double chunks = 1; // a vector loop that is a loop over machine vectors
    };

    void walk(Stmt stmt) {
        const Place around = m_place;
        if (stmt->kind == StmtKind::For) {
            const double trips = static_cast<double>(std::max<int64_t>(1, constantExtent(stmt)));
            if (m_plan.vectorizes(*stmt.node())) {
                const int lanes = chunkLanes(*stmt.node(), std::max(16, m_target.vectorBytes));
                m_place.chunks = std::max(1.0, trips / lanes);
            } else if (!m_plan.unrolls(*stmt.node())) {
                m_place.times *= trips;
                m_place.depth = stmt->loop == LoopKind::Parallel ? 1 : m_place.depth + 1;
            }
        }
        if (const auto line = m_lineOf.find(stmt->id); line != m_lineOf.end()) m_at.emplace(line->second, m_place);
        for (const Stmt child : stmt->body()) walk(child);
        m_place = around;
    }

    const Target &m_target;
    UnrollPlan m_plan;
    std::map<int, int> m_lineOf;
    std::map<int, Place> m_at;
    Place m_place;
};

/// Lines of the function with the most instructions; nothing when there is none.
AssemblyLoop longestFunction(std::string_view text) {
    AssemblyLoop longest;
    AssemblyLoop current;
    int line = 0;
    while (!text.empty()) {
        const std::string_view whole = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), whole.size() + 1));
        ++line;
        if (whole.empty() || whole.front() == '#') continue;
        if (whole.front() != '\t' && whole.front() != ' ' && whole.front() != '.') current = {};
        const size_t first = whole.find_first_not_of(" \t");
        if (first == 0 || first == std::string_view::npos || whole[first] == '.' || whole[first] == '#') continue;
        if (current.firstLine == 0) current.firstLine = line;
        current.lastLine = line;
        if (++current.counts.instructions > longest.counts.instructions) longest = current;
    }
    return longest;
}

std::string_view linesOf(std::string_view text, int first, int last) {
    size_t begin = 0;
    for (int line = 1; line < first; ++line) begin = text.find('\n', begin) + 1;
    size_t end = begin;
    for (int line = first; line <= last && end < text.size(); ++line)
        end = std::min(text.find('\n', end), text.size() - 1) + 1;
    return text.substr(begin, end - begin);
}

// --- What it is made of ---------------------------------------------------------------------------------------------

/// Bits of the widest vector register named; 0 when there is none.
int vectorBitsOf(const llvm::MCInst &instruction, const llvm::MCRegisterInfo &registers) {
    int bits = 0;
    for (const llvm::MCOperand &operand : instruction) {
        if (!operand.isReg() || operand.getReg() == 0) continue;
        const std::string_view name = registers.getName(operand.getReg());
        if (name.starts_with("XMM")) bits = std::max(bits, 128);
        if (name.starts_with("YMM")) bits = std::max(bits, 256);
        if (name.starts_with("ZMM")) bits = std::max(bits, 512);
    }
    return bits;
}

template <size_t N> bool startsWithAny(std::string_view name, const std::array<std::string_view, N> &stems) {
    return std::any_of(stems.begin(), stems.end(), [&](std::string_view stem) { return name.starts_with(stem); });
}

bool movesLanes(std::string_view stem) {
    static constexpr std::array<std::string_view, 24> kStems = {
        "perm",    "shuf",      "pshuf",      "unpck",   "punpck",   "insert",   "pinsr",   "extract",
        "pextr",   "broadcast", "pbroadcast", "movddup", "movsldup", "movshdup", "movlhps", "movhlps",
        "palignr", "align",     "blend",      "pblend",  "compress", "expand",   "pack",    "gather"};
    return startsWithAny(stem, kStems);
}

void addTo(HotBlock &block, const llvm::MCInst &instruction, std::string_view mnemonic,
           const MachineDescription &machine) {
    const llvm::MCInstrDesc &description = machine.instructions.get(instruction.getOpcode());
    InstructionMix &mix = block.mix;
    const bool reads = description.mayLoad();
    const bool writes = description.mayStore();
    if (description.isCall()) {
        ++mix.calls;
        return;
    }
    block.memoryReads += reads ? 1 : 0;
    block.memoryWrites += writes ? 1 : 0;
    if (description.isBranch() || description.isReturn()) {
        ++mix.branches;
        return;
    }
    const int bits = vectorBitsOf(instruction, machine.registers);
    if (bits == 0) {
        if (mnemonic.starts_with("nop") || mnemonic.starts_with("vzero") || mnemonic.starts_with("prefetch") ||
            mnemonic.starts_with('k')) // of masks
            ++mix.other;
        else if (mnemonic.starts_with("mov") || mnemonic.starts_with("push") || mnemonic.starts_with("pop"))
            ++(writes ? mix.stores : reads ? mix.loads : mix.moves);
        else
            ++mix.address;
        return;
    }
    std::string_view stem = mnemonic;
    if (stem.starts_with('v')) stem.remove_prefix(1);
    const bool broadcasts = stem.starts_with("broadcast") || stem.starts_with("pbroadcast") ||
                            stem.starts_with("movddup") || stem.starts_with("movsldup") || stem.starts_with("movshdup");
    const bool scalar = mnemonic.ends_with("ss") || mnemonic.ends_with("sd") || mnemonic.ends_with("sh");
    const bool clears = (stem.starts_with("xor") || stem.starts_with("pxor")) && instruction.getNumOperands() == 3 &&
                        instruction.getOperand(1).isReg() && instruction.getOperand(2).isReg() &&
                        instruction.getOperand(1).getReg() == instruction.getOperand(2).getReg();
    if (broadcasts && reads) {
        ++mix.loads;
    } else if (movesLanes(stem)) {
        ++(writes ? mix.stores : mix.shuffles);
    } else if (stem.starts_with("mov") || stem.starts_with("maskmov") || stem.starts_with("lddqu") || clears) {
        ++(writes ? mix.stores : reads ? mix.loads : mix.moves);
    } else if (scalar) {
        ++mix.scalarArithmetic;
    } else {
        const bool fused = stem.starts_with("fmadd") || stem.starts_with("fmsub") || stem.starts_with("fnmadd") ||
                           stem.starts_with("fnmsub");
        ++(fused ? mix.fmas : mix.vectorArithmetic);
        block.vectorBits = std::max(block.vectorBits, bits);
    }
}

} // namespace

int InstructionMix::total() const {
    int sum = 0;
    for (const auto &[name, count] : namedKinds(*this)) sum += count;
    return sum;
}

std::vector<std::pair<std::string_view, int>> namedKinds(const InstructionMix &mix) {
    return {{"fmas", mix.fmas},
            {"vector arithmetic", mix.vectorArithmetic},
            {"scalar arithmetic", mix.scalarArithmetic},
            {"shuffles", mix.shuffles},
            {"loads", mix.loads},
            {"stores", mix.stores},
            {"moves", mix.moves},
            {"address", mix.address},
            {"branches", mix.branches},
            {"calls", mix.calls},
            {"other", mix.other}};
}

Outcome<HotBlock> analyseHotBlock(const LoopProgram &program, const LinkedText &assembly,
                                  const AssemblySummary &summary, const Target &target) {
    HotBlock block;
    AssemblyLoop hottest;
    double most = -1;
    const Executions executions(program, target);
    for (const AssemblyLoop &loop : summary.innermostLoops) {
        const double iterations = executions.at(loop.programLine, loop.depth);
        if (iterations * loop.counts.instructions <= most) continue;
        most = iterations * loop.counts.instructions;
        hottest = loop;
        block.iterations = iterations;
    }
    if (most < 0) {
        block.loop = false;
        hottest = longestFunction(assembly.text);
        if (hottest.firstLine == 0) return Refusal{"the kernel has no instructions"};
    }
    block.firstLine = hottest.firstLine;
    block.lastLine = hottest.lastLine;
    block.programLine = hottest.programLine;
    block.spillStores = hottest.counts.spillStores;
    block.spillReloads = hottest.counts.spillReloads;

    const InstructionReader reader(target);
    const auto instructions = reader.read(linesOf(assembly.text, block.firstLine, block.lastLine));
    if (!instructions) return instructions.refusal();
    for (const llvm::MCInst &instruction : *instructions)
        addTo(block, instruction, reader.mnemonic(instruction), reader.machine());
    auto pressure = simulateBlock(reader.machine(), *instructions);
    if (pressure)
        block.pressure = std::move(pressure).value();
    else
        block.pressureProblem = pressure.why();
    return block;
}

} // namespace loopscope
