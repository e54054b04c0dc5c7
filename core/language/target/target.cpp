#include "language/target/target.h"

#include "base/nearest_name.h"
#include "base/outcome.h"
#include "language/target/cpu_features.h"
#include "language/target/machine.h"
#include "language/target/target_attributes.h"
#include "language/target/target_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

namespace loopscope {

namespace {

// Names the target strings of Ansor's logs use; all are kept, those with a meaning here are read below.
constexpr std::string_view kCommonAttrs[] = {"device", "host", "libs", "model", "tag"};
constexpr std::string_view kLlvmAttrs[] = {"cl-opt",    "fast-math", "interface-api", "jit",        "link-params",
                                           "mabi",      "mattr",     "mcpu",          "mfloat-abi", "mtriple",
                                           "num-cores", "opt-level", "runtime",       "system-lib", "vector-width"};
constexpr std::string_view kCudaAttrs[] = {
    "arch", "max_num_threads", "max_shared_memory_per_block", "max_threads_per_block", "mcpu", "registers_per_block",
    "system-lib", "thread_warp_size", "l2_cache_size_bytes",
    // ours: figures of a GPU that no preset has
    "clock_mhz", "floats_per_cycle", "max_blocks_per_multiprocessor", "max_registers_per_thread",
    "max_shared_memory_per_block_optin", "max_shared_memory_per_multiprocessor", "max_threads_per_multiprocessor",
    "memory_gb_per_s", "num-multiprocessors", "registers_per_multiprocessor"};

template <size_t n> bool contains(const std::string_view (&names)[n], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

template <typename Names> std::string didYouMean(std::string_view wrong, const Names &names) {
    const std::string best = nearestName(wrong, std::vector<std::string>(std::begin(names), std::end(names)));
    return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

constexpr std::string_view kBlanks = " \t\n";
bool isBlank(char c) { return kBlanks.find(c) != std::string_view::npos; }

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> result;
    for (size_t at = 0; at < text.size();) {
        const size_t begin = text.find_first_not_of(kBlanks, at);
        if (begin == std::string_view::npos) break;
        at = std::min(text.find_first_of(kBlanks, begin), text.size());
        result.push_back(text.substr(begin, at - begin));
    }
    return result;
}

void checkAttr(TargetKind kind, std::string_view name) {
    const bool cuda = kind == TargetKind::Cuda;
    if (contains(kCommonAttrs, name) || (cuda ? contains(kCudaAttrs, name) : contains(kLlvmAttrs, name))) return;
    throw Error(fmt::format("target kind {} has no attribute '{}'{}", cuda ? "cuda" : "llvm", name,
                            cuda ? didYouMean(name, kCudaAttrs) : didYouMean(name, kLlvmAttrs)));
}

/// `-name=value` or `-name value`; a name alone is a switch, 1.
void readAttrs(Target &target, const std::vector<std::string_view> &parts) {
    for (size_t i = 1; i < parts.size(); ++i) {
        std::string_view part = parts[i];
        if (!part.starts_with('-'))
            throw Error(fmt::format("target '{}' is not understood at '{}'; attributes are written -name=value",
                                    fmt::join(parts, " "), part));
        part.remove_prefix(part.starts_with("--") ? 2 : 1);
        std::string value = "1";
        if (const size_t equals = part.find('='); equals != std::string_view::npos) {
            value = part.substr(equals + 1);
            part = part.substr(0, equals);
        } else if (i + 1 < parts.size() && !parts[i + 1].starts_with('-')) {
            value = parts[++i];
        }
        if (part == "keys") {
            target.keys = value;
            continue;
        }
        checkAttr(target.kind, part);
        target.attrs[std::string(part)] = value;
    }
}

/// `known`: null for another architecture, whose names are not at hand.
void checkFeatures(const std::string &features, const std::vector<std::string> *known) {
    if (features.empty()) return;
    size_t begin = 0;
    while (begin <= features.size()) {
        const size_t end = std::min(features.find(',', begin), features.size());
        const std::string part = features.substr(begin, end - begin);
        if (part.size() < 2 || (part[0] != '+' && part[0] != '-'))
            throw Error(fmt::format("target attribute -mattr={}: '{}' must start with + or -, as in +avx2,-avx512f",
                                    features, part));
        const std::string name = part.substr(1);
        if (known != nullptr && !known->empty() && !std::binary_search(known->begin(), known->end(), name))
            throw Error(fmt::format("target attribute -mattr={}: LLVM knows no feature '{}' of this architecture{}",
                                    features, name, didYouMean(name, *known)));
        begin = end + 1;
    }
}

int coresOfThisMachine() {
    const char *set = std::getenv("LOOPSCOPE_NUM_CORES");
    if (set == nullptr || *set == '\0') return thisMachine().threads;
    int cores = 0;
    const std::string_view text = set;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cores);
    if (error != std::errc{} || end != text.data() + text.size() || cores < 1)
        throw Error(
            fmt::format("environment variable LOOPSCOPE_NUM_CORES is '{}'; a whole number from 1 is expected", text));
    return cores;
}

void completeLlvm(Target &target) {
    std::string &cpu = target.attrs["mcpu"];
    if (cpu.empty() || cpu == "native") {
        const HostCpu host = hostCpu();
        cpu = host.name;
        if (!target.attrs.contains("mattr") && !host.differences.empty()) target.attrs["mattr"] = host.differences;
    } else if (!target.attrs.contains("mtriple") && !isKnownCpu(cpu)) {
        throw Error(fmt::format("target attribute -mcpu={}: LLVM knows no such processor{}", cpu,
                                didYouMean(cpu, knownCpus())));
    }
    target.cpu = cpu;
    if (const auto given = target.attrs.find("mattr"); given != target.attrs.end()) {
        checkFeatures(given->second, target.attrs.contains("mtriple") ? nullptr : &knownFeatures());
        target.features = given->second;
    }
    const VectorUnit vectors = vectorUnit(target.cpu, target.features);
    target.vectorBytes = vectors.bytes;
    target.vectorRegisters = vectors.registers;

    if (!target.attrs.contains("num-cores")) target.attrs["num-cores"] = std::to_string(coresOfThisMachine());
    target.hardware.numCores = positiveAttr("num-cores", target.attrs["num-cores"]);

    const Machine &machine = thisMachine();
    if (machine.l1Bytes > 0) target.l1Bytes = machine.l1Bytes;
    if (machine.l2Bytes > 0) target.l2Bytes = machine.l2Bytes;
    if (machine.l3Bytes > 0) target.l3Bytes = machine.l3Bytes;
}

} // namespace

int positiveAttr(const std::string &name, const std::string &value) {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || number < 1)
        throw Error(fmt::format("target attribute -{}={}: a whole number from 1 to {} is expected", name, value,
                                std::numeric_limits<int>::max()));
    return number;
}

int positiveAttrOr(const Target &target, const std::string &name, int fallback) {
    const auto given = target.attrs.find(name);
    return given == target.attrs.end() ? fallback : positiveAttr(name, given->second);
}

double rateAttrOr(const Target &target, const std::string &name, double fallback) {
    const auto given = target.attrs.find(name);
    if (given == target.attrs.end()) return fallback;
    const std::string &value = given->second;
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() || !(number > 0) || number > 1e9)
        throw Error(fmt::format("target attribute -{}={}: a number above 0 is expected", name, value));
    return number;
}

std::string Target::text() const {
    std::string out = fmt::format("{} -keys={} ", isGpu() ? "cuda" : "llvm", keys);
    bool first = true;
    for (const auto &[name, value] : attrs) {
        if (value.empty()) continue;
        out += fmt::format("{}-{}={}", first ? "" : " ", name, value);
        first = false;
    }
    return out;
}

Target parseTarget(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (isBlank(text[i]) || (byte >= 0x20 && byte < 0x7f)) continue;
        throw Error(fmt::format("the target holds the byte \\x{:02x} at place {}; it is plain ASCII text such as "
                                "llvm -mcpu=znver3",
                                byte, i));
    }
    const std::string line = targetLine(text);
    const std::vector<std::string_view> parts = words(line);
    Target target;
    if (parts.empty()) throw Error("the target is empty; write llvm or cuda, with attributes as -name=value");
    if (parts[0] == "cuda" || parts[0].starts_with("nvidia/")) {
        target.kind = TargetKind::Cuda;
        target.keys = "cuda,gpu";
        if (parts[0] != "cuda") target.attrs["model"] = parts[0]; // TVM's name of a GPU
    } else if (parts[0] != "llvm") {
        throw Error(fmt::format("target kind '{}' is not known; llvm and cuda are", parts[0]));
    }
    readAttrs(target, parts);
    target.isGpu() ? completeCuda(target) : completeLlvm(target);
    return target;
}

} // namespace loopscope
