#pragma once
// The pipelines of samples/pipelines as Halide programs, stage by stage the same, so that Halide's own grouping
// scheduler can be asked for a schedule of each. Nothing of ours is included: the programs know sizes alone.

#include <Halide.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope::peer {

/// Parameters of a workload: W, H, N...
using Sizes = std::map<std::string, int64_t>;

struct PeerPipeline {
    std::vector<Halide::ImageParam> inputs; // in the order of the sample's placeholders
    std::vector<Halide::Func> outputs;
    std::vector<int> outputMin; // of every output, innermost first; empty: 0
};

using MakePeer = PeerPipeline (*)(const Sizes &sizes);

struct NamedPeer {
    const char *name; // of the sample
    MakePeer make;
};

const std::vector<NamedPeer> &stencilPeers();
const std::vector<NamedPeer> &networkPeers();
const std::vector<NamedPeer> &pyramidPeers();
const std::vector<NamedPeer> &photographPeers();

inline int sizeOf(const Sizes &sizes, const char *name) { return static_cast<int>(sizes.at(name)); }

} // namespace loopscope::peer
