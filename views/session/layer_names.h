#pragma once
// In which layer each node of a network's file stands. Where no name of a node says so, those of weights may: exporters
// that number nodes ("n12") still name what they read ("fire2/squeeze1x1_w").

#include "networks/graph/function.h"

#include <map>
#include <string>

namespace loopscope {

/// By name of the node in the file (sourcesOf): that name, where names of nodes have parts ("layer1/conv1"); else
/// behind the layer of the weights that the node reads, or that of the node it reads last ("fire2/squeeze1x1/n12").
std::map<std::string, std::string> layerNames(const GraphFunction &asInFile);

} // namespace loopscope
