#include "records/record/log_lock.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace loopscope {

namespace {

constexpr std::chrono::milliseconds kGlance{1};
constexpr int kLooks = 200; // counted, not timed: on a busy machine one look may take as long as many

/// The kernel lists all locks, a line each: `1: FLOCK ADVISORY WRITE 1234 fd:01:5678 0 EOF`. The inode alone is
/// compared, since some file systems list another device than they report. A shared lock is a look (logHolder).
LogHolder holderOf(int fd) {
    struct stat info{};
    LogHolder holder;
    if (::fstat(fd, &info) != 0) return holder;
    const std::string inode = fmt::format(":{}", info.st_ino);
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line);
        std::string number, kind, manner, access, place;
        int pid = 0;
        if (words >> number >> kind >> manner >> access >> pid >> place && kind == "FLOCK" && access == "WRITE" &&
            place.ends_with(inode) && pid > 0)
            holder.pid = pid;
    }
    if (holder.pid == 0) return holder;
    std::ifstream name(fmt::format("/proc/{}/comm", holder.pid));
    std::getline(name, holder.program);
    return holder;
}

/// Tries the lock; who has it instead, or nothing when it is ours or the file system has none. A holder whom the list
/// does not name has mostly just let go, or only looked, so the lock is tried again for a moment; one in another
/// container stays unnamed.
std::optional<LogHolder> holderUnlessTaken(int fd, int operation) {
    for (int look = 1; ::flock(fd, operation | LOCK_NB) != 0; ++look) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) return std::nullopt;
        LogHolder holder = holderOf(fd);
        if (holder.pid != 0 || look >= kLooks) return holder;
        std::this_thread::sleep_for(kGlance);
    }
    return std::nullopt;
}

std::string busyText(const LogHolder &holder) {
    if (holder.pid == ::getpid()) return "the log is being written by another search of this program";
    const std::string program = holder.program.empty() ? "another program" : holder.program;
    return fmt::format("the log is being written by {}{}; wait until it ends, or write another log (a copy of this one "
                       "can be continued)",
                       program, holder.pid > 0 ? fmt::format(" (process {})", holder.pid) : std::string());
}

} // namespace

LogBusy::LogBusy(const std::string &path, LogHolder holder)
    : Error(path, 0, 0, busyText(holder)), m_holder(std::move(holder)) {}

bool LogBusy::byThisProcess() const { return m_holder.pid == ::getpid(); }

std::optional<LogHolder> logHolder(const std::string &path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::nullopt;
    std::optional<LogHolder> holder;
    struct stat info{};
    if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) holder = holderUnlessTaken(fd, LOCK_SH);
    ::close(fd); // and with it the lock, which nobody waited for
    return holder;
}

void lockLog(int fd, const std::string &path) {
    struct stat info{};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return;
    if (std::optional<LogHolder> holder = holderUnlessTaken(fd, LOCK_EX)) throw LogBusy(path, std::move(*holder));
}

} // namespace loopscope
