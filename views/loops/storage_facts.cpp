#include "views/loops/storage_facts.h"

#include "views/session/text.h"

namespace loopscope {

QString scopeText(MemoryScope scope) {
    switch (scope) {
    case MemoryScope::Argument:
        return QStringLiteral("argument");
    case MemoryScope::Heap:
        return QStringLiteral("heap");
    case MemoryScope::Stack:
        return QStringLiteral("stack");
    case MemoryScope::Register:
        return QStringLiteral("registers");
    case MemoryScope::Shared:
        return QStringLiteral("shared");
    case MemoryScope::Local:
        return QStringLiteral("local");
    }
    return {};
}

QString smallestCache(int64_t bytes, const Target &target) {
    if (bytes <= target.l1Bytes) return QStringLiteral("L1");
    if (bytes <= target.l2Bytes) return QStringLiteral("L2");
    if (bytes <= target.l3Bytes) return QStringLiteral("L3");
    return QStringLiteral("memory");
}

QString placeText(MemoryScope scope, int64_t bytes, const Target &target) {
    if (scope == MemoryScope::Register) return QStringLiteral("registers");
    if (!target.isGpu()) return smallestCache(bytes, target);
    if (scope == MemoryScope::Local) return QStringLiteral("registers of a thread");
    if (scope != MemoryScope::Shared) return QStringLiteral("global");
    const int64_t most = target.hardware.maxSharedMemoryPerBlock;
    if (most <= 0) return QStringLiteral("shared");
    if (bytes > most) return QStringLiteral("more than a block may use");
    return QStringLiteral("%1 of a block's").arg(percentText(static_cast<double>(bytes) / static_cast<double>(most)));
}

QString gpuMemoryText(MemoryScope scope, int64_t bytes, const Target &target) {
    switch (scope) {
    case MemoryScope::Shared: {
        const int64_t most = target.hardware.maxSharedMemoryPerBlock;
        QString text = QStringLiteral("Shared memory: the threads of a block see it, and each block has its own");
        if (most > 0) text += QStringLiteral("; %1 of the %2 a block may use").arg(bytesText(bytes), bytesText(most));
        return text + u'.';
    }
    case MemoryScope::Local:
    case MemoryScope::Stack:
        return QStringLiteral("Local memory: each thread has its own; the compiler keeps it in registers where every "
                              "index is known and there are enough of them.");
    case MemoryScope::Register:
        return QStringLiteral("Registers of each thread.");
    case MemoryScope::Argument:
    case MemoryScope::Heap:
        break;
    }
    return QStringLiteral("Global memory: all blocks see it.");
}

QString storageText(MemoryScope scope, int64_t bytes, const Target &target) {
    const bool global = scope == MemoryScope::Argument || scope == MemoryScope::Heap;
    if (target.isGpu() && global) return QStringLiteral("global, ") + bytesText(bytes);
    const QString size = scopeText(scope) + QStringLiteral(", ") + bytesText(bytes);
    if (scope == MemoryScope::Register || target.isGpu()) return size;
    const QString cache = smallestCache(bytes, target);
    return size +
           (cache == QLatin1String("memory") ? QStringLiteral(", larger than L3") : QStringLiteral(", in ") + cache);
}

} // namespace loopscope
