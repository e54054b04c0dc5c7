#include "views/network_profile/layer_path.h"

#include <algorithm>

namespace loopscope {

namespace {
constexpr size_t kMaxLevels = 32; // a name is a user's: what is built of it is not to be deeper than that

std::string joined(std::vector<std::string>::const_iterator from, std::vector<std::string>::const_iterator to) {
    std::string text;
    for (; from != to; ++from) text += (text.empty() ? "" : "/") + *from;
    return text;
}
} // namespace

std::vector<std::string> layerPath(std::string_view name) {
    std::vector<std::string> path;
    std::string_view before; // the part between slashes that came before
    for (size_t at = 0; at <= name.size();) {
        const size_t slash = std::min(name.find('/', at), name.size());
        const std::string_view whole = name.substr(at, slash - at);
        at = slash + 1;
        std::string_view part = whole;
        if (!before.empty() && part.size() > before.size() && part.starts_with(before) && part[before.size()] == '.')
            part.remove_prefix(before.size() + 1);
        before = whole;
        for (size_t from = 0; from <= part.size();) {
            const size_t dot = std::min(part.find('.', from), part.size());
            if (const std::string_view piece = part.substr(from, dot - from); !piece.empty()) path.emplace_back(piece);
            from = dot + 1;
        }
    }
    if (path.size() > kMaxLevels) {
        path[kMaxLevels - 1] = joined(path.begin() + kMaxLevels - 1, path.end());
        path.resize(kMaxLevels);
    }
    return path;
}

LayerPlace placeOf(const std::vector<std::string> &names) {
    std::vector<std::vector<std::string>> paths;
    for (const std::string &name : names)
        if (auto path = layerPath(name); !path.empty()) paths.push_back(std::move(path));
    LayerPlace place;
    if (paths.empty()) return place;
    place.level.assign(paths[0].begin(), paths[0].end() - 1);
    for (const auto &path : paths) {
        const auto [ours, theirs] = std::mismatch(place.level.begin(), place.level.end(), path.begin(), path.end() - 1);
        place.level.erase(ours, place.level.end());
    }
    for (const auto &path : paths) {
        std::string rest = joined(path.begin() + static_cast<std::ptrdiff_t>(place.level.size()), path.end());
        if (std::ranges::find(place.layers, rest) == place.layers.end()) place.layers.push_back(std::move(rest));
    }
    return place;
}

} // namespace loopscope
