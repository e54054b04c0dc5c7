#include "schedule/grouping/machine_parameters.h"

#include "language/target/cpu_features.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <vector>

namespace loopscope {

namespace {

std::optional<double> numberIn(std::string_view text) {
    double scale = 1;
    if (!text.empty() && (text.back() == 'k' || text.back() == 'M')) {
        scale = text.back() == 'k' ? 1024 : 1024.0 * 1024;
        text.remove_suffix(1);
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value * scale;
}

} // namespace

MachineParameters usualMachine(const Target &target) {
    MachineParameters machine;
    if (!target.isGpu()) {
        machine.coreCache = target.l2Bytes;
        machine.vectorBytes = target.vectorBytes;
        machine.integerVectorBytes =
            target.cpu.empty() ? target.vectorBytes : vectorUnit(target.cpu, target.features).integerBytes;
        return machine;
    }
    constexpr int kFloatBytes = 4;
    machine.parallelism = 128;
    machine.lastLevelCache = target.hardware.maxSharedMemoryPerBlock;
    machine.balance = 20;
    machine.coreCache = target.hardware.maxSharedMemoryPerBlock;
    machine.vectorBytes = target.hardware.warpSize * kFloatBytes;
    machine.integerVectorBytes = machine.vectorBytes;
    return machine;
}

std::vector<NamedMachine> namedMachines(const Target &target) {
    const MachineParameters usual = usualMachine(target);
    MachineParameters own = usual;
    if (target.isGpu()) {
        own.parallelism = std::max<int64_t>(usual.parallelism, target.gpu.multiprocessors); // none of them idle
        return {{"halide", usual}, {"detect", own}};
    }
    own.parallelism = std::max<int64_t>(2, 4 * static_cast<int64_t>(target.hardware.numCores));
    own.lastLevelCache = std::max(target.l3Bytes, target.l2Bytes);
    own.coreCache = target.l2Bytes;
    MachineParameters small = usual;
    small.parallelism = 4;
    small.lastLevelCache = int64_t{1} << 20;
    small.coreCache = int64_t{128} << 10;
    MachineParameters server = usual;
    server.parallelism = 128;
    server.lastLevelCache = int64_t{64} << 20;
    server.coreCache = int64_t{1} << 20;
    return {{"halide", usual}, {"detect", own}, {"small", small}, {"server", server}};
}

Outcome<MachineParameters> machineOn(const Target &target, std::string_view text) {
    std::vector<std::string_view> names;
    for (const NamedMachine &named : namedMachines(target)) {
        if (named.name == text) return named.machine;
        names.push_back(named.name);
    }
    if (text.find(',') == std::string_view::npos)
        return Refusal{fmt::format("machine '{}': neither the name of one ({}) nor parallel tasks, bytes of cache and "
                                   "the cost of a byte, as in 16,16M,40",
                                   text, fmt::join(names, ", "))};
    auto machine = parseMachineParameters(text);
    if (machine) machine->coreCache = usualMachine(target).coreCache;
    return machine;
}

Outcome<MachineParameters> parseMachineParameters(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::string_view rest = text;;) {
        const size_t comma = rest.find(',');
        parts.push_back(rest.substr(0, comma));
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    if (parts.size() != 3)
        return Refusal{fmt::format("machine '{}': {} values; three are needed, parallel tasks, bytes of cache and the "
                                   "cost of a byte, as in 16,16M,40",
                                   text, parts.size())};
    MachineParameters machine;
    for (size_t i = 0; i < parts.size(); ++i) {
        constexpr double kMost = 1e15;
        const auto value = numberIn(parts[i]);
        if (!value || !(*value >= 1) || *value > kMost)
            return Refusal{fmt::format("machine '{}': '{}' is no number from 1 to 1e15", text, parts[i])};
        if (i < 2 && *value != static_cast<double>(static_cast<int64_t>(*value)))
            return Refusal{fmt::format("machine '{}': '{}' is not a whole number", text, parts[i])};
        if (i == 0) machine.parallelism = static_cast<int64_t>(*value);
        if (i == 1) machine.lastLevelCache = static_cast<int64_t>(*value);
        if (i == 2) machine.balance = *value;
    }
    return machine;
}

std::string machineParametersText(const MachineParameters &machine) {
    return fmt::format("{},{},{}", machine.parallelism, machine.lastLevelCache, machine.balance);
}

} // namespace loopscope
