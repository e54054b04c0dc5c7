#pragma once
// Members of a record, and elements of its arrays, that no version of the format knows. Somebody wrote them; a record
// that is written again has them where they were.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct ExtraMember {
    std::string text; // `"note": [1, 2]` as it was spelled
    size_t place = 0; // among all members
    bool operator==(const ExtraMember &) const = default;
};

/// Of a line that is a JSON object.
std::vector<ExtraMember> extraMembers(std::string_view line);

/// Elements of an array behind those that are known, as they were spelled. The array is the value of the line's member
/// of one letter; `inside`: its element of that number, which is an array, instead.
std::vector<std::string> extraElements(std::string_view line, char member, std::optional<size_t> inside, size_t known);

} // namespace loopscope
