#pragma once
// Reading what a user named as input, which may be anything that has a path: a folder, a device without end, a pipe.

#include <cstddef>
#include <string>

namespace loopscope {

/// The whole content of a file or pipe. Throws Error, whose sentence begins with `what` ("the log"), when it cannot be
/// read, is neither of the two, or holds more than `maxBytes`.
std::string readInputFile(const std::string &path, const std::string &what, size_t maxBytes);
/// The same of a file alone, where nobody could end the wait for what comes out of a pipe.
std::string readRegularFile(const std::string &path, const std::string &what, size_t maxBytes);
/// The same from where a descriptor stands; `path` is named in sentences. The descriptor stays open.
std::string readOpenFile(int fd, const std::string &path, const std::string &what, size_t maxBytes);

} // namespace loopscope
