#include "measure/timing/processor_wait.h"

#include <array>
#include <charconv>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace loopscope {

namespace {

double secondsOf(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// "RUNNING WAITING SLICES", nanoseconds; the second number in seconds, < 0 when it cannot be read.
double waitedSeconds(int file) {
    std::array<char, 128> text{};
    const ssize_t size = ::pread(file, text.data(), text.size(), 0);
    const std::string_view words(text.data(), static_cast<size_t>(size > 0 ? size : 0));
    const size_t blank = words.find(' ');
    if (blank == std::string_view::npos) return -1;
    int64_t nanoseconds = 0;
    const auto [end, failure] = std::from_chars(words.data() + blank + 1, words.data() + words.size(), nanoseconds);
    return failure == std::errc() ? 1e-9 * static_cast<double>(nanoseconds) : -1;
}

} // namespace

ProcessorWait::~ProcessorWait() {
    for (const int file : m_files) ::close(file);
}

void ProcessorWait::watch() {
    DIR *tasks = ::opendir("/proc/self/task");
    if (tasks == nullptr) return;
    while (const dirent *entry = ::readdir(tasks)) {
        if (entry->d_name[0] == '.') continue;
        const std::string path = std::string("/proc/self/task/") + entry->d_name + "/schedstat";
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file >= 0) m_files.push_back(file);
    }
    ::closedir(tasks);
}

double ProcessorWait::seconds() const {
    double sum = 0;
    for (const int file : m_files) {
        const double waited = waitedSeconds(file);
        if (waited > 0) sum += waited;
    }
    return m_files.empty() ? secondsOf(CLOCK_MONOTONIC) - secondsOf(CLOCK_THREAD_CPUTIME_ID) : sum;
}

} // namespace loopscope
