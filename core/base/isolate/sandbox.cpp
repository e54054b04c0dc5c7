#include "base/isolate/sandbox.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <linux/capability.h>
#include <new>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

namespace loopscope {

namespace {

/// Both limits, never raising the hard one.
void lower(__rlimit_resource_t resource, rlim_t limit) {
    rlimit now{};
    if (::getrlimit(resource, &now) != 0) return;
    const rlim_t least = std::min(now.rlim_max, limit);
    const rlimit limits{std::min(now.rlim_cur, least), least};
    ::setrlimit(resource, &limits);
}

/// Of a superuser, for whom file modes and limits would otherwise not hold. Anybody else has none.
void dropCapabilities() {
    for (int capability = 0; capability <= CAP_LAST_CAP; ++capability) ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
    ::syscall(SYS_capset, &header, none);
}

int g_statm = -1; // this process's /proc/self/statm, once it is open

} // namespace

void restrictProcess(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent != 0 && ::getppid() != parent) ::_exit(1);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_DUMPABLE, 0);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    // The limit counts all processes and threads of the user, wherever they run; so many more are enough for any pool.
    struct sysinfo system{};
    constexpr rlim_t kMoreProcesses = 512;
    if (::sysinfo(&system) == 0) lower(RLIMIT_NPROC, system.procs + kMoreProcesses);
    dropCapabilities();
}

void forbidFileWrites() { lower(RLIMIT_FSIZE, 0); }

void prepareMemoryLimit() {
    if (g_statm < 0) g_statm = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

void limitMemory(int64_t mebibytes) {
    if (mebibytes <= 0 || !kMemoryCanBeLimited) return;
    // Sixth number of statm: pages of data and stack.
    prepareMemoryLimit();
    long pages[6] = {};
    char text[256] = {};
    if (::pread(g_statm, text, sizeof text - 1, 0) <= 0 ||
        std::sscanf(text, "%ld %ld %ld %ld %ld %ld", &pages[0], &pages[1], &pages[2], &pages[3], &pages[4],
                    &pages[5]) != 6) {
        pages[5] = 0;
    }
    const auto now = static_cast<rlim_t>(pages[5]) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    const rlim_t limit = now + (static_cast<rlim_t>(mebibytes) << 20);
    const rlimit limits{limit, limit};
    ::setrlimit(RLIMIT_DATA, &limits);
}

void exitWhenOutOfMemory() {
    std::set_new_handler([] { ::_exit(kOutOfMemoryExit); });
}

} // namespace loopscope
