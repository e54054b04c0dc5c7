#include "codegen/llvm/port_pressure.h"

#include <fmt/format.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCSchedule.h>
#include <llvm/MCA/Context.h>
#include <llvm/MCA/CustomBehaviour.h>
#include <llvm/MCA/HWEventListener.h>
#include <llvm/MCA/InstrBuilder.h>
#include <llvm/MCA/Pipeline.h>
#include <llvm/MCA/SourceMgr.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>

namespace loopscope {

namespace {

constexpr size_t kLongestBlock = 20000;          // instructions
constexpr size_t kSimulatedInstructions = 40000; // in a run

/// The processors LLVM's models of x86-64 were written for; all others borrow one of them.
constexpr const char *kModelled[] = {
    "atom",      "silvermont",     "sandybridge", "haswell", "broadwell", "skylake", "skylake-avx512", "icelake-server",
    "alderlake", "sapphirerapids", "btver2",      "bdver2",  "znver1",    "znver2",  "znver3",         "znver4"};

/// A subtarget with a model that can be simulated, and which.
struct ChosenModel {
    std::unique_ptr<llvm::MCSubtargetInfo> own; // where the target's cannot be used
    const llvm::MCSubtargetInfo *subtarget = nullptr;
    std::string name;
    std::string note;
};

ChosenModel chooseModel(const MachineDescription &machine) {
    const std::string cpu = machine.subtarget.getCPU().str();
    ChosenModel chosen;
    const llvm::MCSchedModel &own = machine.subtarget.getSchedModel();
    if (own.hasInstrSchedModel()) {
        chosen.subtarget = &machine.subtarget;
        chosen.name = cpu;
        for (const char *known : kModelled) {
            if (!machine.subtarget.isCPUStringValid(known)) continue;
            if (&machine.subtarget.getSchedModelForCPU(known) != &own) continue;
            chosen.name = known;
            if (cpu != known) chosen.note = fmt::format("LLVM has no model of {}; it uses that of {}", cpu, known);
            if (cpu == known) break;
        }
        return chosen;
    }
    // The one that shares the most features and has the fewest others.
    int best = 0;
    for (const char *known : kModelled) {
        if (!machine.subtarget.isCPUStringValid(known)) continue;
        std::unique_ptr<llvm::MCSubtargetInfo> other(
            machine.target.createMCSubtargetInfo(machine.subtarget.getTargetTriple().str(), known, ""));
        if (!other || !other->getSchedModel().hasInstrSchedModel()) continue;
        const int differences =
            static_cast<int>((machine.subtarget.getFeatureBits() ^ other->getFeatureBits()).count());
        if (chosen.subtarget != nullptr && differences >= best) continue;
        best = differences;
        chosen.name = known;
        chosen.own = std::move(other);
        chosen.subtarget = chosen.own.get();
    }
    chosen.note = fmt::format("LLVM has no model of {}; {} is the nearest by its features", cpu, chosen.name);
    return chosen;
}

/// Adds up what is used; groups of ports are booked on the port that was taken.
class PortUse final : public llvm::mca::HWEventListener {
  public:
    void onEvent(const llvm::mca::HWInstructionEvent &event) override {
        if (event.Type == llvm::mca::HWInstructionEvent::Dispatched)
            microOps += static_cast<const llvm::mca::HWInstructionDispatchedEvent &>(event).MicroOpcodes;
        if (event.Type != llvm::mca::HWInstructionEvent::Issued) return;
        for (const auto &[resource, cycles] :
             static_cast<const llvm::mca::HWInstructionIssuedEvent &>(event).UsedResources)
            busy[{resource.first, std::countr_zero(resource.second)}] += static_cast<double>(cycles);
    }

    std::map<std::pair<uint64_t, int>, double> busy; // resource and unit of it
    double microOps = 0;
};

struct Simulated {
    double cycles = 0;
    PortUse use;
};

Outcome<Simulated> run(const MachineDescription &machine, const llvm::MCSubtargetInfo &subtarget,
                       llvm::ArrayRef<std::unique_ptr<llvm::mca::Instruction>> block, size_t iterations) {
    llvm::mca::CircularSourceMgr source(block, static_cast<unsigned>(iterations));
    llvm::mca::Context context(machine.registers, subtarget);
    llvm::mca::CustomBehaviour behaviour(subtarget, source, machine.instructions);
    const llvm::mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true);
    const auto pipeline = subtarget.getSchedModel().isOutOfOrder()
                              ? context.createDefaultPipeline(options, source, behaviour)
                              : context.createInOrderPipeline(options, source, behaviour);
    Simulated simulated;
    pipeline->addEventListener(&simulated.use);
    llvm::Expected<unsigned> cycles = pipeline->run();
    if (!cycles) return Refusal{"LLVM's analyser: " + llvm::toString(cycles.takeError())};
    simulated.cycles = *cycles;
    return simulated;
}

std::string boundOf(const PortPressure &pressure) {
    const auto busiest = std::max_element(pressure.ports.begin(), pressure.ports.end(),
                                          [](const auto &a, const auto &b) { return a.cycles < b.cycles; });
    const double dispatch = pressure.microOps / pressure.dispatchWidth;
    const double port = busiest == pressure.ports.end() ? 0 : busiest->cycles;
    // Ports fill unevenly and queues run dry: what is used nine tenths of the time is what is waited for.
    if (std::max(port, dispatch) < 0.9 * pressure.cycles) return "dependencies";
    return port >= dispatch ? busiest->name : "dispatch width";
}

} // namespace

Outcome<PortPressure> simulateBlock(const MachineDescription &machine, const std::vector<llvm::MCInst> &block) {
    if (block.size() > kLongestBlock)
        return Refusal{
            fmt::format("the block has {} instructions; up to {} are simulated", block.size(), kLongestBlock)};
    const ChosenModel model = chooseModel(machine);
    const std::unique_ptr<llvm::MCInstrAnalysis> analysis(machine.target.createMCInstrAnalysis(&machine.instructions));
    const llvm::mca::InstrumentManager instruments(*model.subtarget, machine.instructions);
    llvm::mca::InstrBuilder builder(*model.subtarget, machine.instructions, machine.registers, analysis.get(),
                                    instruments, /*CallLatency=*/100);
    PortPressure pressure;
    pressure.model = model.name;
    pressure.modelNote = model.note;
    std::vector<std::unique_ptr<llvm::mca::Instruction>> built;
    for (const llvm::MCInst &instruction : block) {
        const llvm::MCInstrDesc &description = machine.instructions.get(instruction.getOpcode());
        if (description.isCall() || description.isReturn()) {
            ++pressure.leftOut;
            continue;
        }
        auto one = builder.createInstruction(instruction, {});
        if (!one)
            return Refusal{fmt::format("the model of {} lacks {}: {}", model.name,
                                       machine.instructions.getName(instruction.getOpcode()).str(),
                                       llvm::toString(one.takeError()))};
        built.push_back(std::move(*one));
    }
    if (built.empty()) return Refusal{"the block holds nothing but calls"};
    // In the long run: what twice as many iterations take more.
    const size_t iterations = std::clamp<size_t>(kSimulatedInstructions / built.size(), 4, 200);
    auto once = run(machine, *model.subtarget, built, iterations);
    if (!once) return once.refusal();
    auto twice = run(machine, *model.subtarget, built, 2 * iterations);
    if (!twice) return twice.refusal();
    const auto each = [&](double more, double less) { return (more - less) / static_cast<double>(iterations); };
    pressure.cycles = each(twice->cycles, once->cycles);
    pressure.instructions = static_cast<int>(built.size());
    pressure.microOps = each(twice->use.microOps, once->use.microOps);
    const llvm::MCSchedModel &schedule = model.subtarget->getSchedModel();
    pressure.dispatchWidth = static_cast<int>(schedule.IssueWidth);
    for (unsigned r = 1; r < schedule.getNumProcResourceKinds(); ++r) {
        const llvm::MCProcResourceDesc &resource = *schedule.getProcResource(r);
        if (resource.SubUnitsIdxBegin != nullptr) continue; // a group: booked on its members
        for (unsigned unit = 0; unit < resource.NumUnits; ++unit) {
            const std::pair key(uint64_t{r}, static_cast<int>(unit));
            if (!twice->use.busy.contains(key)) continue;
            const std::string name =
                resource.NumUnits == 1 ? std::string(resource.Name) : fmt::format("{}.{}", resource.Name, unit);
            pressure.ports.push_back({name, each(twice->use.busy[key], once->use.busy[key])});
        }
    }
    pressure.bound = boundOf(pressure);
    return pressure;
}

} // namespace loopscope
