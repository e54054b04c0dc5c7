#include "base/isolate/descriptor_limit.h"

#include "base/outcome.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/resource.h>

namespace loopscope {

namespace {

// A child needs the numbers up to 5, and room above 16 to move them out of each other's way.
constexpr rlim_t kMinDescriptors = 32;

rlim_t allowed() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

} // namespace

void requireDescriptors() {
    if (const rlim_t most = allowed(); most < kMinDescriptors)
        throw Error(fmt::format("ulimit -n allows {} open files at once, and working with child processes takes {}; "
                                "allow more, as with `ulimit -n 1024`",
                                most, kMinDescriptors));
}

std::string openingProblem(int problem) {
    std::string text = std::strerror(problem);
    if (problem == EMFILE) text += fmt::format(": ulimit -n allows {} at once", allowed());
    return text;
}

} // namespace loopscope
