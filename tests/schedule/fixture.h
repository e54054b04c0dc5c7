#pragma once
// Text fixtures of this module: `key: value` lines and, after `key:` alone, blocks of indented lines. A file is one
// fixture, or several that each begin with `case: NAME`.

#include "language/dag/compute_dag.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct Fixture {
    std::string path;
    std::string name; // of the file, and of the case in it
    std::map<std::string, std::string> fields;
    [[nodiscard]] const std::string &at(const std::string &key) const; // throws std::out_of_range naming file and key
};

/// All fixtures in the .txt files of tests/schedule/<folder>, by file, then as they stand there.
std::vector<Fixture> loadFixtures(const std::string &folder);
/// Rewrites one field in the file: done instead of comparing where LOOPSCOPE_UPDATE_GOLDEN is set.
void updateFixture(const Fixture &fixture, const std::string &key, const std::string &value);
bool updatingGolden();

/// The DAG a fixture names: matmul, matmul_bias_relu, conv2d_bias_relu, softmax, argmax, elementwise, row_min, total,
/// huge, squares.
DagPtr fixtureDag(const std::string &name);

} // namespace loopscope
