#include "language/target/target_identity.h"

#include "language/target/gpu_presets.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace loopscope {

namespace {

std::string sortedFeatures(std::string_view list) {
    std::vector<std::string_view> parts;
    while (!list.empty()) {
        const size_t end = std::min(list.find(','), list.size());
        if (end > 0) parts.push_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    std::sort(parts.begin(), parts.end());
    return fmt::format("{}", fmt::join(parts, ","));
}

/// The value of `-name=value` or `-name value`; empty when it is not there.
std::string_view attributeOf(std::string_view text, std::string_view name) {
    constexpr std::string_view blanks = " \t\n";
    bool wanted = false; // the word before was the name alone
    while (true) {
        const size_t begin = text.find_first_not_of(blanks);
        if (begin == std::string_view::npos) return {};
        text.remove_prefix(begin);
        std::string_view word = text.substr(0, text.find_first_of(blanks));
        text.remove_prefix(word.size());
        if (!word.starts_with('-')) {
            if (wanted) return word;
            continue;
        }
        word.remove_prefix(word.starts_with("--") ? 2 : 1);
        wanted = word == name;
        if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) return word.substr(name.size() + 1);
    }
}

} // namespace

bool TargetIdentity::sameAs(const TargetIdentity &other) const {
    const bool sameCpu = cpu == other.cpu || (kind == "cuda" && (cpu.empty() || other.cpu.empty()));
    // TVM's logs name no model: theirs may be any GPU of the architecture.
    const bool sameModel = model == other.model || model.empty() || other.model.empty();
    const bool sameCores = cores == other.cores || cores == 0 || other.cores == 0;
    return kind == other.kind && sameCpu && sameModel && features == other.features && triple == other.triple &&
           sameCores;
}

std::string TargetIdentity::text() const {
    std::string out = kind;
    if (!triple.empty()) out += " -mtriple=" + triple;
    if (!cpu.empty()) out += (kind == "cuda" ? " -arch=" : " -mcpu=") + cpu;
    if (!model.empty()) out += " -model=" + model;
    if (!features.empty()) out += " -mattr=" + features;
    if (cores > 0) out += fmt::format(" -num-cores={}", cores);
    return out;
}

TargetIdentity identityOf(std::string_view targetText, const HardwareParams *hardware) {
    TargetIdentity identity;
    identity.kind = targetText.substr(0, targetText.find(' '));
    const bool cuda = identity.kind == "cuda";
    identity.cpu = attributeOf(targetText, cuda ? "arch" : "mcpu");
    if (identity.cpu.empty() && !cuda) identity.cpu = "generic"; // what the compiler then assumes
    identity.features = sortedFeatures(attributeOf(targetText, "mattr"));
    identity.triple = attributeOf(targetText, "mtriple");
    if (cuda) {
        const GpuPreset *preset = findGpuPreset(attributeOf(targetText, "model"));
        if (preset != nullptr) identity.model = preset->name;
        return identity;
    }
    const std::string_view cores = attributeOf(targetText, "num-cores");
    std::from_chars(cores.data(), cores.data() + cores.size(), identity.cores);
    if (hardware != nullptr && hardware->numCores > 0) identity.cores = hardware->numCores;
    return identity;
}

TargetIdentity identityOf(const Target &target) { return identityOf(target.text(), &target.hardware); }

} // namespace loopscope
