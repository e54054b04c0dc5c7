#include "base/isolate/system_calls.h"

#include "base/isolate/sandbox.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace {
bool g_filtered = false;
}

/// Asked by a sanitizer before it looks for leaks at the end of a process, for which it would start another one.
extern "C" int __lsan_is_turned_off() { return g_filtered ? 1 : 0; } // NOLINT(bugprone-reserved-identifier)

namespace loopscope {

namespace {

// clang-format off
constexpr std::array kComputing = {
    // memory
    SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
    // the threads of this process
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(set_tid_address), SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_setaffinity), SCMP_SYS(getcpu), SCMP_SYS(membarrier),
    SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(restart_syscall),
    // signals to itself
    SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack),
    // clocks and counts
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday), SCMP_SYS(getrusage), SCMP_SYS(getrandom), SCMP_SYS(prlimit64), SCMP_SYS(getrlimit),
    SCMP_SYS(setrlimit), SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(getuid), SCMP_SYS(geteuid),
    SCMP_SYS(getgid), SCMP_SYS(getegid),
    // what is open already: the pipe for what it complains about, the counts of its waits
    SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(close), SCMP_SYS(fstat),
    SCMP_SYS(newfstatat), SCMP_SYS(lseek),
};

/// Reading files and talking to the process that started this one.
constexpr std::array kReading = {
    SCMP_SYS(readv), SCMP_SYS(preadv), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(statx), SCMP_SYS(access),
    SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getdents64),
    SCMP_SYS(getcwd), SCMP_SYS(fcntl), SCMP_SYS(dup), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(recvmsg),
    SCMP_SYS(recvfrom), SCMP_SYS(sendmsg), SCMP_SYS(sendto), SCMP_SYS(statfs), SCMP_SYS(fstatfs),
};
// clang-format on

/// Adds rules until one fails.
class Filter {
  public:
    explicit Filter(uint32_t otherwise) : m_context(seccomp_init(otherwise), seccomp_release) {
        if (!m_context) m_problem = -ENOMEM;
    }
    template <typename... Conditions> void rule(uint32_t action, int call, Conditions... conditions) {
        if (m_problem != 0) return;
        const std::array<scmp_arg_cmp, sizeof...(conditions)> array{conditions...};
        const int problem =
            seccomp_rule_add_array(m_context.get(), action, call, static_cast<unsigned>(array.size()), array.data());
        // What this processor's system does not have needs no rule.
        if (problem != 0 && problem != -EDOM) m_problem = problem;
    }
    template <typename List> void allow(const List &calls) {
        for (const int call : calls) rule(SCMP_ACT_ALLOW, call);
    }
    void attribute(scmp_filter_attr attribute, uint32_t value) {
        if (m_problem == 0) m_problem = seccomp_attr_set(m_context.get(), attribute, value);
    }
    /// 0, or the error number.
    int load() {
        if (m_problem == 0) m_problem = seccomp_load(m_context.get());
        return -m_problem;
    }

  private:
    std::unique_ptr<void, void (*)(scmp_filter_ctx)> m_context;
    int m_problem = 0;
};

scmp_arg_cmp masked(unsigned argument, uint64_t mask, uint64_t value) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

} // namespace

std::string restrictSystemCalls(SystemCallList list) {
    const bool kernel = list == SystemCallList::Kernel;
    Filter filter(kernel ? SCMP_ACT_TRAP : SCMP_ACT_ERRNO(EPERM));
    filter.allow(kComputing);
    // A thread, not a process. The newer call hides its flags in memory; without it the older one is used.
    filter.rule(SCMP_ACT_ALLOW, SCMP_SYS(clone), masked(0, CLONE_THREAD, CLONE_THREAD));
    filter.rule(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
    filter.rule(SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
                scmp_arg_cmp{0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid()), 0});
    // What libraries only try: they have another way.
    filter.rule(SCMP_ACT_ERRNO(ENOTTY), SCMP_SYS(ioctl));
    filter.rule(SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl));
    // The sanitizers look at their own process when they report, and learn from a pipe whether an address can be read.
    constexpr bool sanitized = !kMemoryCanBeLimited;
    if (sanitized)
        for (const int call : {SCMP_SYS(pipe), SCMP_SYS(pipe2)}) filter.rule(SCMP_ACT_ALLOW, call);
    const uint32_t reading = !kernel || sanitized ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EACCES);
    for (const int call : kReading) filter.rule(reading, call);
    filter.rule(reading, SCMP_SYS(open), masked(1, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY));
    filter.rule(reading, SCMP_SYS(openat), masked(2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY));
    // Threads of a linker or a pool are there already. And no processor is slowed down against attacks on other
    // processes' memory: there are none in this one's, and the times would be of another machine.
    filter.attribute(SCMP_FLTATR_CTL_TSYNC, 1);
    filter.attribute(SCMP_FLTATR_CTL_SSB, 1);
    filter.attribute(SCMP_FLTATR_API_SYSRAWRC, 1);
    const int problem = filter.load();
    g_filtered = problem == 0;
    return problem == 0 ? std::string() : std::string(std::strerror(problem));
}

std::string systemCallName(int number) {
    const std::unique_ptr<char, void (*)(void *)> name(seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number),
                                                       std::free);
    return name ? std::string(name.get()) : fmt::format("number {}", number);
}

} // namespace loopscope
