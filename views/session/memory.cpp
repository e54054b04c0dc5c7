#include "views/session/memory.h"

#include "views/session/text.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

namespace loopscope {

namespace {

struct ProcessMemory {
    int64_t used = 0; // resident, or all addresses where those are what is limited
    int64_t most = 0;
};

ProcessMemory processMemory() {
    const int64_t page = sysconf(_SC_PAGESIZE);
    int64_t addresses = 0;
    int64_t resident = 0;
    std::ifstream("/proc/self/statm") >> addresses >> resident;
    ProcessMemory memory{resident * page, sysconf(_SC_PHYS_PAGES) * page};
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < static_cast<rlim_t>(memory.most))
        memory = {addresses * page, static_cast<int64_t>(limit.rlim_cur)};
    return memory;
}

} // namespace

int64_t tensorBytes(const ComputeDag &dag) {
    double bytes = 0;
    for (const OpPtr &op : dag.ops())
        for (const auto &output : op->outputs) {
            double size = dtypeBytes(output->dtype);
            for (const int64_t extent : output->shape) size *= static_cast<double>(extent);
            bytes += size;
        }
    constexpr double kMost = 9e18;
    return static_cast<int64_t>(std::min(bytes, kMost));
}

QString outOfMemoryText(const QString &what, int64_t needed) {
    const ProcessMemory memory = processMemory();
    const QString needs = needed < 0 ? QString() : QStringLiteral("its tensors take %1, and ").arg(bytesText(needed));
    return QStringLiteral("there is not enough memory for %1: %2this process may have %3, of which %4 are in use")
        .arg(what, needs, bytesText(memory.most), bytesText(memory.used));
}

void returnFreedMemory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace loopscope
