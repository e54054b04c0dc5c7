#include "te/workload.h"

#include "outcome.h"
#include "te/language/workload_parser.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace loopscope {

Workload parseWorkload(std::string_view text, const std::string &path, const ParamOverrides &overrides) {
    const SourceText source{text, path};
    return WorkloadParser(source, overrides).parse();
}

Workload loadWorkload(const std::string &path, const ParamOverrides &overrides) {
    constexpr size_t maxBytes = size_t{16} << 20;
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    // An empty file sets the stream's failbit although nothing went wrong; a folder sets errno.
    if (!file.is_open() || file.bad() || errno == EISDIR)
        throw Error(path, 0, 0, std::string("the workload file cannot be read: ") + std::strerror(errno));
    const std::string content = text.str();
    if (content.size() > maxBytes) throw Error(path, 0, 0, "the workload file is larger than 16 MiB");
    return parseWorkload(content, path, overrides);
}

} // namespace loopscope
