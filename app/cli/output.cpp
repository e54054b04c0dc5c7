#include "output.h"

#include "base/shown_text.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace loopscope {

namespace {

using FailureJson = nlohmann::ordered_json;

FailureJson failureJson(const std::exception &failure) {
    FailureJson json = {{"error", shownSentence(failure.what())}};
    const auto *error = dynamic_cast<const Error *>(&failure);
    if (error == nullptr || error->path().empty()) return json;
    json["file"] = error->path();
    if (error->line() > 0) json["line"] = error->line();
    if (error->line() > 0 && error->column() > 0) json["column"] = error->column();
    return json;
}

} // namespace

void prepareStandardStreams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
        // The lowest free number is this one. For standard output such that writing fails, as it would have.
        (void)::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR);
    }
    std::signal(SIGXFSZ, SIG_IGN); // the write then says "File too large"
}

Error outOfMemory(const std::string &job) {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage); // ru_maxrss is in KiB
    rlimit limit{};
    const bool limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    const double machine =
        static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    return Error(fmt::format("{}: out of memory after {} MiB of {:.0f} MiB {}; choose smaller extents with --param, or "
                             "fewer stages",
                             job, usage.ru_maxrss / 1024,
                             (limited ? static_cast<double>(limit.rlim_cur) : machine) / (1 << 20),
                             limited ? "that ulimit -v allows" : "this machine has"));
}

void writeOutput(const std::string &given) {
    const std::string text = shownText(given);
    size_t written = 0;
    while (written < text.size()) {
        const ssize_t n = ::write(STDOUT_FILENO, text.data() + written, text.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw OutputError(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
        written += static_cast<size_t>(n);
    }
}

void sayText(const std::string &text) {
    const char *line = isatty(STDERR_FILENO) != 0 ? "\r\033[K" : ""; // the live line, if there is one
    std::fprintf(stderr, "%s%s", line, shownSentence(text).c_str());
    std::fflush(stderr);
}

void sayLine(const std::string &line) { sayText(line + "\n"); }

void sayLive(const std::string &text) {
    if (isatty(STDERR_FILENO) != 0) sayText(text);
}

int reportFailure(const std::exception &failure, bool json, int code) {
    sayLine(fmt::format("loopscope-cli: {}", failure.what()));
    if (const auto *error = dynamic_cast<const Error *>(&failure)) {
        const std::string &excerpt = error->excerpt();
        const bool blank = excerpt.empty() || excerpt.front() == '\n'; // a caret below an empty line shows nothing
        if (!blank) sayLine(excerpt);
    }
    const bool told = dynamic_cast<const OutputError *>(&failure) != nullptr ||
                      dynamic_cast<const ReportedError *>(&failure) != nullptr;
    if (!json || told) return code;
    try {
        // A file name need not be UTF-8.
        writeOutput(failureJson(failure).dump(-1, ' ', false, FailureJson::error_handler_t::replace) + "\n");
    } catch (const OutputError &error) {
        sayLine(fmt::format("loopscope-cli: {}", error.what()));
    }
    return code;
}

} // namespace loopscope
