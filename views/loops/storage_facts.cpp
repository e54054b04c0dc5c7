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

QString storageText(MemoryScope scope, int64_t bytes, const Target &target) {
    const QString size = scopeText(scope) + QStringLiteral(", ") + bytesText(bytes);
    if (scope == MemoryScope::Register || target.isGpu()) return size;
    const QString cache = smallestCache(bytes, target);
    return size +
           (cache == QLatin1String("memory") ? QStringLiteral(", larger than L3") : QStringLiteral(", in ") + cache);
}

} // namespace loopscope
