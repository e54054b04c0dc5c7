#include "language/target/cpu_features.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/TargetParser/X86TargetParser.h>

#include <algorithm>
#include <memory>

namespace loopscope {

namespace {

bool hostIsX86() { return llvm::Triple(llvm::sys::getProcessTriple()).isX86(); }

/// Features whose instructions LLVM chooses by itself for arithmetic; the others (key protection, power states, ...)
/// never appear in a kernel and would only lengthen the target text.
bool concernsKernels(llvm::StringRef feature) {
    for (const llvm::StringRef prefix :
         {"avx", "sse", "ssse3", "fma", "f16c", "bmi", "lzcnt", "popcnt", "xop", "movbe", "gfni", "tbm", "evex512"})
        if (feature.starts_with(prefix)) return true;
    return false;
}

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

/// `generic` is what LLVM calls a processor it knows nothing about.
llvm::StringRef tableName(const std::string &cpu) { return cpu == "generic" ? "x86-64" : llvm::StringRef(cpu); }

llvm::StringMap<bool> featuresOf(const std::string &cpu, std::string_view changes) {
    llvm::StringMap<bool> enabled;
    if (isKnownCpu(cpu) && hostIsX86()) {
        llvm::SmallVector<llvm::StringRef, 64> names;
        llvm::X86::getFeaturesForCPU(tableName(cpu), names);
        // A level such as x86-64-v3 lists AVX2 but not the AVX it implies.
        for (const llvm::StringRef name : names) {
            enabled[name] = true;
            llvm::X86::updateImpliedFeatures(name, true, enabled);
        }
    }
    llvm::SmallVector<llvm::StringRef, 16> parts;
    ref(changes).split(parts, ',', -1, false);
    for (const llvm::StringRef part : parts) {
        const bool on = part.starts_with("+");
        const llvm::StringRef name = part.drop_front(1);
        enabled[name] = on;
        llvm::X86::updateImpliedFeatures(name, on, enabled);
    }
    return enabled;
}

} // namespace

HostCpu hostCpu() {
    HostCpu host;
    host.name = llvm::sys::getHostCPUName().str();
    const auto actual = llvm::sys::getHostCPUFeatures();
    std::vector<std::string> differences;
    if (hostIsX86() && isKnownCpu(host.name)) {
        const llvm::StringMap<bool> promised = featuresOf(host.name, {});
        for (const auto &feature : actual)
            if (concernsKernels(feature.first()) && feature.second != promised.lookup(feature.first()))
                differences.push_back((feature.second ? "+" : "-") + feature.first().str());
    } else {
        for (const auto &feature : actual)
            if (feature.second) differences.push_back("+" + feature.first().str());
    }
    std::sort(differences.begin(), differences.end()); // the map's order is not stable
    for (const std::string &difference : differences)
        host.differences += (host.differences.empty() ? "" : ",") + difference;
    return host;
}

bool isKnownCpu(const std::string &name) {
    // On other architectures LLVM decides when code is generated.
    return !hostIsX86() || llvm::X86::parseArchX86(tableName(name), true) != llvm::X86::CK_None;
}

std::vector<std::string> knownCpus() {
    llvm::SmallVector<llvm::StringRef, 128> names;
    llvm::X86::fillValidCPUArchList(names, true);
    return {names.begin(), names.end()};
}

const std::vector<std::string> &knownFeatures() {
    static const std::vector<std::string> names = [] {
        llvm::InitializeNativeTarget();
        const std::string triple = llvm::sys::getProcessTriple();
        std::string why;
        std::vector<std::string> found;
        const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, why);
        if (target == nullptr) return found;
        const std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
        for (const llvm::SubtargetFeatureKV &feature : info->getAllProcessorFeatures()) found.emplace_back(feature.Key);
        std::sort(found.begin(), found.end());
        return found;
    }();
    return names;
}

VectorUnit vectorUnit(const std::string &cpu, std::string_view changes) {
    if (!hostIsX86()) return {16, 16, 32};
    const llvm::StringMap<bool> features = featuresOf(cpu, changes);
    const int integers = features.lookup("avx512bw") ? 64 : features.lookup("avx2") ? 32 : 16;
    if (features.lookup("avx512f")) return {64, integers, 32};
    if (features.lookup("avx")) return {32, integers, 16};
    return {16, 16, 16};
}

} // namespace loopscope
