#pragma once
// A workload key as Ansor compares two: `["hash", 1, 1000, 1, 1000]` of old logs and `["hash", [1, 1000], [1, 1000]]`
// of new ones are the same task.

#include <string>

namespace loopscope {

struct FlatKey {
    std::string name; // the first element; all of a key that is no JSON list
    std::string args; // all others, flattened, as JSON with commas between
    bool operator==(const FlatKey &) const = default;
    auto operator<=>(const FlatKey &) const = default;
    /// The name is that of a computation made of its text, not that of a function.
    [[nodiscard]] bool isHash() const;
};

FlatKey flatKeyOf(const std::string &key);

} // namespace loopscope
