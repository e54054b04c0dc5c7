#pragma once
// What locks want of a stage, put together for whoever draws schedules: the choices that are not left to chance.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct ScheduleLock;

struct StageConstraint {
    bool closed = false;                 // no step may come to the stage but those asked for
    std::optional<std::string> place;    // the line that places it: "compute_at D C j.0"
    std::optional<std::string> parallel; // the loop
    std::optional<std::string> vector;   // the loop
    std::optional<std::string> pragma;   // its text
    bool unrolls = false;                // a step unrolls one of its loops
    bool binds = false;                  // a step binds one of its loops to threads of a GPU
    /// Of split loops: lengths of what they are split into, outermost first; 0: left to chance.
    std::map<std::string, std::vector<int64_t>, std::less<>> lengths;

    void take(const ScheduleLock &lock);
    /// Of that loop; null: left to chance.
    [[nodiscard]] const std::vector<int64_t> *lengthsOf(std::string_view loop) const;

  private:
    void takeLine(std::string_view line);
};

} // namespace loopscope
