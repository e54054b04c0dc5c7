// A test waits for no turn on the machine (timing/machine_use.h) but its own: neither another test nor whatever else of
// Loopscope its user runs makes it late, however it was started. Linked into every test, and inherited by what it runs.

#include <cstdlib>
#include <errno.h> // program_invocation_short_name
#include <filesystem>

namespace {

[[maybe_unused]] const bool g_ownTurns = [] {
    const std::filesystem::path all = LOOPSCOPE_TURN_FOLDERS;
    std::error_code ignored; // who takes a turn says what is wrong with the folder
    std::filesystem::create_directories(all, ignored);
    return ::setenv("LOOPSCOPE_LOCK_FOLDER", (all / program_invocation_short_name).c_str(), 0) == 0;
}();

} // namespace
