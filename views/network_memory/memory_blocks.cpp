#include "views/network_memory/memory_blocks.h"

#include "views/session/text.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr double kHeight = 560; // of the arena
constexpr double kWide = 1100;  // about as wide as that
constexpr double kNarrowest = 5;
constexpr double kWidest = 40;

QString kernelName(const NetworkKernels &kernels, size_t position) {
    return qt(kernels.partition.kernels[kernels.memory->order[position]].name);
}

/// A round number of bytes of which some five make the arena.
int64_t levelStep(size_t arena) {
    int64_t step = 1;
    while (step * 6 < static_cast<int64_t>(arena)) step *= 2;
    return step;
}

} // namespace

MemoryBlocks memoryBlocks(const NetworkKernels &kernels) {
    const MemoryPlan &plan = *kernels.memory;
    MemoryBlocks picture;
    const double count = static_cast<double>(std::max<size_t>(1, plan.order.size()));
    picture.column = std::clamp(kWide / count, kNarrowest, kWidest);
    const double scale = plan.arenaBytes > 0 ? kHeight / static_cast<double>(plan.arenaBytes) : 1;
    picture.arena = {0, 0, count * picture.column, kHeight};
    for (const ValueStorage &storage : plan.values) {
        if (storage.kind != StorageKind::Arena || storage.bytes == 0) continue;
        const Value &value = kernels.function->value(storage.value);
        MemoryBlock block;
        block.name = qt(value.name);
        block.bytes = static_cast<int64_t>(storage.bytes);
        block.taken = storage.sharesWith.value >= 0;
        block.rect = {static_cast<double>(storage.first) * picture.column, static_cast<double>(storage.offset) * scale,
                      static_cast<double>(storage.last - storage.first + 1) * picture.column,
                      std::max(1.0, static_cast<double>(storage.bytes) * scale)};
        QStringList lines{QStringLiteral("<b>%1</b>").arg(block.name.toHtmlEscaped())};
        if (value.type) lines << qt(typeText(*value.type)).toHtmlEscaped();
        lines
            << QStringLiteral("%1 at %2").arg(bytesText(block.bytes), bytesText(static_cast<int64_t>(storage.offset)));
        lines << QStringLiteral("from kernel %1, %2").arg(storage.first + 1).arg(kernelName(kernels, storage.first));
        lines << QStringLiteral("to kernel %1, %2").arg(storage.last + 1).arg(kernelName(kernels, storage.last));
        if (block.taken)
            lines << QStringLiteral("in the place of %1")
                         .arg(qt(kernels.function->value(storage.sharesWith).name).toHtmlEscaped());
        block.tip = lines.join(QStringLiteral("<br/>"));
        if (value.producer.value >= 0)
            block.sources = kernels.sources[kernels.partition.kernelOf[value.producer.index()]];
        picture.blocks.push_back(std::move(block));
    }
    // What took a place lies over what was there.
    std::ranges::stable_sort(picture.blocks,
                             [](const MemoryBlock &a, const MemoryBlock &b) { return a.taken < b.taken; });
    if (plan.arenaBytes > 0) {
        const int64_t step = levelStep(plan.arenaBytes);
        for (int64_t at = 0; at <= static_cast<int64_t>(plan.arenaBytes); at += step) {
            picture.levels.push_back(static_cast<double>(at) * scale);
            picture.levelTexts.push_back(bytesText(at));
        }
    }
    picture.sentence =
        QStringLiteral("arena %1, at most %2 needed at once \u00b7 %3 without reuse \u00b7 %4")
            .arg(bytesText(static_cast<int64_t>(plan.arenaBytes)), bytesText(static_cast<int64_t>(plan.livePeak)),
                 bytesText(static_cast<int64_t>(plan.withoutReuse)), countedText(picture.blocks.size(), "value"));
    return picture;
}

} // namespace loopscope
