#pragma once
// The folder of a search through bundles: DIR/round-001, DIR/round-002, ..., each a bundle with its results. It is
// where such a search is continued from.

#include "records/bundle/bundle_results.h"
#include "records/bundle/bundle_text.h"

#include <string>
#include <vector>

namespace loopscope {

struct BundleRound {
    std::string path; // of its folder
    Bundle bundle;
    std::vector<std::optional<BundleTrial>> trials; // of the candidates, as far as there are results
    [[nodiscard]] size_t open() const;              // candidates without one
    [[nodiscard]] std::string resultsPath() const { return path + "/results.json"; }
    /// "round-003".
    [[nodiscard]] std::string name() const;
    void readAgain(); // its results
};

/// In the order of their names; a folder that is a bundle itself is the only one. Throws Error as readBundle and
/// readResults do. Nothing when there is no such folder.
std::vector<BundleRound> bundleRounds(const std::string &folder);

/// Writes the bundle as the next round, whole or not at all; where the very same one is there already that is taken,
/// with the results it has. Throws Error.
BundleRound addRound(const std::string &folder, const NewBundle &bundle);

} // namespace loopscope
