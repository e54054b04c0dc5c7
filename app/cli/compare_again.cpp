#include "compare_again.h"

#include <cctype>
#include <fmt/format.h>
#include <string_view>

namespace loopscope {

namespace {

/// As a shell takes it for one word.
std::string shellWord(const std::string &text) {
    constexpr std::string_view kPlain = "_./-+=@%:,";
    bool plain = true;
    std::string quoted = "'";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        plain = plain && (std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos);
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return plain ? text : quoted + "'";
}

} // namespace

std::string compareAgainText(const TimeInterval &best, const std::string &log, size_t trials) {
    if (!best.wide()) return {};
    const std::string open = fmt::format("the comparison left {:.0f} % open, as the machine was busy; ",
                                         100 * (best.high - best.low) / best.seconds);
    if (log.empty()) return open + "search again when it is quiet, with --log FILE to keep the trials\n";
    return open + fmt::format("to compare again when it is quiet: tune with the same file and options, --log {} "
                              "--resume --trials {}\n",
                              shellWord(log), trials);
}

} // namespace loopscope
