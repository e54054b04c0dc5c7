#include "schedule/tiles/kernel_tiles.h"

#include <fmt/format.h>

#include <iterator>

namespace loopscope {

namespace {

std::string shapeText(const std::vector<int64_t> &shape) {
    return shape.empty() ? std::string("1") : fmt::format("{}", fmt::join(shape, " x "));
}

std::string dimsText(const std::array<int64_t, 3> &dims) {
    if (dims[2] > 1) return fmt::format("{} x {} x {}", dims[0], dims[1], dims[2]);
    return dims[1] > 1 ? fmt::format("{} x {}", dims[0], dims[1]) : fmt::format("{}", dims[0]);
}

std::string loopsText(const std::vector<TileLoop> &loops) {
    std::string text;
    for (const TileLoop &loop : loops) {
        if (!text.empty()) text += ", ";
        text += fmt::format("{} of {}", loop.name, loop.extent);
        if (loop.annotation != Annotation::None) text += fmt::format(" ({})", annotationText(loop.annotation));
    }
    return text;
}

std::string_view memoryName(ScopeRank memory) {
    switch (memory) {
    case ScopeRank::Global:
        return "global";
    case ScopeRank::Shared:
        return "shared";
    case ScopeRank::Warp:
        return "warp";
    case ScopeRank::Local:
        return "local";
    }
    return "";
}

void appendStage(std::string &text, const TiledStage &stage, bool gpu) {
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{}: {} of {}", stage.name, shapeText(stage.shape), stage.type);
    if (!stage.atStage.empty()) {
        fmt::format_to(out, ", at {} of {}", stage.atLoop, stage.atStage);
        if (gpu) fmt::format_to(out, ", {} memory", memoryName(stage.memory));
        fmt::format_to(out, ", {} bytes, {} times", stage.bytes(), stage.times);
        if (stage.copies > 1) fmt::format_to(out, ", {} copies", stage.copies);
        if (stage.allocated > stage.elements()) fmt::format_to(out, ", {} elements allocated", stage.allocated);
        if (stage.reuse > 0) fmt::format_to(out, ", each element read {:.4g} times", stage.reuse);
        if (stage.memory == ScopeRank::Shared) fmt::format_to(out, ", {} elements a thread", stage.perThread);
    }
    text += '\n';
    for (const TileLevel &level : stage.levels)
        fmt::format_to(out, "  {} {}: {}; tile {}{}\n", level.count, tileKindName(level.kind), loopsText(level.loops),
                       shapeText(level.shape), level.whole ? "" : ", not whole");
    if (!stage.reductions.empty()) fmt::format_to(out, "  reduction: {}\n", loopsText(stage.reductions));
}

} // namespace

std::string tilesText(const KernelTiles &kernel) {
    std::string text;
    if (kernel.gpu)
        text += fmt::format("grid {}, block {}, {} virtual threads; {} bytes shared, {} bytes local\n",
                            dimsText(kernel.blocks), dimsText(kernel.threads), kernel.virtualThreads,
                            kernel.sharedBytes(), kernel.localBytes());
    appendStage(text, kernel.output, kernel.gpu);
    for (const TiledStage &stage : kernel.inside) appendStage(text, stage, kernel.gpu);
    return text;
}

} // namespace loopscope
