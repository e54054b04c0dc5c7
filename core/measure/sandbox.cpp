#include "measure/sandbox.h"

#include <csignal>
#include <cstdio>
#include <new>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace loopscope {

void restrictProcess(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent != 0 && ::getppid() != parent) ::_exit(1);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_DUMPABLE, 0);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
}

void limitMemory(int64_t mebibytes) {
    if (mebibytes <= 0 || !kMemoryCanBeLimited) return;
    // Sixth number of statm: pages of data and stack.
    long pages[6] = {};
    if (FILE *statm = std::fopen("/proc/self/statm", "re")) {
        if (std::fscanf(statm, "%ld %ld %ld %ld %ld %ld", &pages[0], &pages[1], &pages[2], &pages[3], &pages[4],
                        &pages[5]) != 6) {
            pages[5] = 0;
        }
        std::fclose(statm);
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
