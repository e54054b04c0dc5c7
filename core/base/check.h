#pragma once
// Our own bugs: a broken invariant throws `InternalError` naming the condition and the place, so that a worker or the
// window can report it and go on instead of aborting. Never used for bad input.

#include <stdexcept>
#include <string>

namespace loopscope {

class InternalError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

[[noreturn]] inline void failCheck(const char *condition, const char *file, int line, const std::string &message) {
    throw InternalError(std::string("internal error: ") + condition + " does not hold at " + file + ":" +
                        std::to_string(line) + (message.empty() ? "" : ": " + message));
}

} // namespace loopscope

#define LOOPSCOPE_CHECK(condition, message)                                                                            \
    do {                                                                                                               \
        if (!(condition)) [[unlikely]]                                                                                 \
            ::loopscope::failCheck(#condition, __FILE__, __LINE__, message);                                           \
    } while (false)
