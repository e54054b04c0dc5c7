#include "own_turns.h"

#include <cstdlib>
#include <filesystem>

namespace loopscope {

bool takeOwnTurns(const std::string &name) {
    const std::filesystem::path all = LOOPSCOPE_TURN_FOLDERS;
    std::error_code ignored; // who takes a turn says what is wrong with the folder
    std::filesystem::create_directories(all, ignored);
    return ::setenv("LOOPSCOPE_LOCK_FOLDER", (all / name).c_str(), 0) == 0;
}

} // namespace loopscope
