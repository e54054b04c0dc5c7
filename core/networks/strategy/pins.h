#pragma once
// What the user has decided himself: implementations by nodes' names. They are kept in a small file beside the network,
// which is often somebody else's (.onnx) and is not to be written to.

#include <map>
#include <string>

namespace loopscope {

using Pins = std::map<std::string, std::string, std::less<>>;

/// NETWORK.pins.json.
std::string pinsPath(const std::string &network);
/// None where there is no such file. Throws Error for one that is not of this kind.
Pins readPins(const std::string &path);
/// Without pins the file goes. Throws Error when it cannot be written.
void writePins(const std::string &path, const Pins &pins);

} // namespace loopscope
