#pragma once
// The levels that the names of a network's layers stand for: "layer1/0/conv1" and "layer1.0.conv1" both lie in layer1,
// there in 0. What exporters repeat is said once: in "/layer1/layer1.0/conv1/Conv" the second part names the first
// anew.

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// From the outermost level inwards, the layer itself last; at most 32, the last of which keeps what is left.
std::vector<std::string> layerPath(std::string_view name);

/// Where a kernel that computes several layers belongs.
struct LayerPlace {
    std::vector<std::string> level;  // that holds all of them, and none of which is a layer itself
    std::vector<std::string> layers; // what is left of each name, parts joined by '/', each once
};
LayerPlace placeOf(const std::vector<std::string> &names);

} // namespace loopscope
