#include "measure/baselines/baseline.h"

#include "measure/baselines/open_baselines.h"

#include <array>
#include <mutex>

namespace loopscope {

namespace {

struct Entry {
    BaselineKind kind;
    std::string_view name;
    Outcome<std::shared_ptr<const Baseline>> (*open)(bool ownChoice);
};

constexpr std::array<Entry, 3> entries{{{BaselineKind::OpenBlas, "openblas", openOpenBlas},
                                        {BaselineKind::OneDnn, "onednn", openOneDnn},
                                        {BaselineKind::Blis, "blis", openBlis}}};

} // namespace

std::span<const BaselineKind> allBaselines() {
    static constexpr std::array<BaselineKind, 3> kinds{BaselineKind::OpenBlas, BaselineKind::OneDnn,
                                                       BaselineKind::Blis};
    return kinds;
}

std::string_view baselineName(BaselineKind kind) { return entries[size_t(kind)].name; }

std::optional<BaselineKind> baselineFromName(std::string_view name) {
    for (const Entry &entry : entries)
        if (entry.name == name) return entry.kind;
    return std::nullopt;
}

Outcome<std::shared_ptr<const Baseline>> openBaseline(BaselineKind kind, bool ownChoice) {
    static std::mutex mutex;
    static std::array<std::optional<Outcome<std::shared_ptr<const Baseline>>>, entries.size()> opened;
    const std::lock_guard lock(mutex);
    auto &baseline = opened[size_t(kind)];
    if (!baseline) baseline = entries[size_t(kind)].open(ownChoice);
    return *baseline;
}

} // namespace loopscope
