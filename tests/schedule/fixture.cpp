#include "fixture.h"

#include "harness/sample_dags.h"
#include "language/te/workload.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace loopscope {

namespace {

constexpr std::string_view indent = "  ";

constexpr std::string_view caseKey = "case: ";

std::vector<Fixture> loadFile(const std::filesystem::path &path) {
    std::vector<Fixture> fixtures;
    std::ifstream file(path);
    std::string key;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const bool begins = line.starts_with(caseKey);
        if (fixtures.empty() || begins)
            fixtures.push_back(
                {path.string(), path.stem().string() + (begins ? " " + line.substr(caseKey.size()) : ""), {}});
        if (begins) continue;
        auto &fields = fixtures.back().fields;
        if (line.starts_with(indent)) {
            fields[key] += line.substr(indent.size()) + "\n";
            continue;
        }
        const size_t colon = line.find(':');
        if (colon == std::string::npos) throw std::runtime_error(path.string() + ": neither field nor block: " + line);
        key = line.substr(0, colon);
        fields[key] = colon + 2 < line.size() ? line.substr(colon + 2) : "";
    }
    return fixtures;
}

std::string textOf(const std::string &key, const std::string &value) {
    if (value.find('\n') == std::string::npos) return key + ": " + value + "\n";
    std::string text = key + ":\n";
    std::istringstream lines(value);
    for (std::string line; std::getline(lines, line);) text += std::string(indent) + line + "\n";
    return text;
}

} // namespace

const std::string &Fixture::at(const std::string &key) const {
    const auto found = fields.find(key);
    if (found == fields.end()) throw std::out_of_range(name + " has no field " + key);
    return found->second;
}

std::vector<Fixture> loadFixtures(const std::string &folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto &entry : std::filesystem::directory_iterator(LOOPSCOPE_SOURCE_DIR "/tests/schedule/" + folder))
        if (entry.path().extension() == ".txt") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<Fixture> fixtures;
    for (const auto &path : paths)
        for (Fixture &fixture : loadFile(path)) fixtures.push_back(std::move(fixture));
    return fixtures;
}

bool updatingGolden() { return std::getenv("LOOPSCOPE_UPDATE_GOLDEN") != nullptr; }

void updateFixture(const Fixture &fixture, const std::string &key, const std::string &value) {
    const std::string stem = std::filesystem::path(fixture.path).stem().string();
    const std::string begin = fixture.name == stem ? "" : std::string(caseKey) + fixture.name.substr(stem.size() + 1);
    std::ifstream in(fixture.path);
    std::string text;
    bool here = begin.empty(); // in the part of this fixture
    bool written = false;
    bool skipping = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(caseKey)) here = line == begin;
        if (skipping && line.starts_with(indent)) continue;
        skipping = here && line.starts_with(key + ":");
        if (!skipping) {
            text += line + "\n";
        } else if (!written) {
            text += textOf(key, value);
            written = true;
        }
    }
    in.close();
    if (!written) {
        if (!begin.empty()) throw std::out_of_range(fixture.name + " has no line " + key + ": to be rewritten");
        text += textOf(key, value);
    }
    std::ofstream(fixture.path) << text;
}

DagPtr fixtureDag(const std::string &name) {
    if (name == "matmul") return matmulDag(32, 32, 64);
    if (name == "matmul_bias_relu") return matmulBiasReluDag(32, 32, 64);
    if (name == "conv2d_bias_relu") return conv2dBiasReluNhwcDag(8, 8, 4, 8, 3, 2, 1);
    if (name == "softmax") return softmaxDag(8, 32);
    if (name == "argmax") return argmaxDag(8, 32);
    if (name == "elementwise") return elementwiseDag(4, 8);
    if (name == "row_min") return rowMinDag(4, 128);
    if (name == "total") {
        DagBuilder builder;
        const Tensor &a = builder.placeholder("A", {16});
        const Axis i = axis("i", 16);
        return builder.build({&builder.reduce("total", {}, ReduceKind::Sum, {i}, load(a, {i.var}))}, "total");
    }
    if (name == "squares") { // the reads of one double from stage to stage
        DagBuilder builder;
        const Tensor *at = &builder.placeholder("s0", {16});
        for (int k = 1; k <= 16; ++k) {
            const Axis i = axis("i", 16);
            const Expr read = load(*at, {i.var});
            at = &builder.compute("s" + std::to_string(k), {i}, read * load(*at, {i.var}));
        }
        return builder.build({at}, "squares");
    }
    if (name == "running_sum") // A, S along j, B = 2*S
        return ComputeDag::fromWorkload(
            parseWorkload("workload w()\nA = placeholder [8, 16] int32\n"
                          "S(i < 8, j < 16) = scan(i; from A[i, j]; S[i - 1, j] + A[i, j])\n"
                          "B(i < 8, j < 16) = S[i, j] * 2\n",
                          ""));
    if (name == "histogram") // A, H over rows, B = 2*H
        return ComputeDag::fromWorkload(parseWorkload("workload w()\nA = placeholder [8, 16] int32\n"
                                                      "H(i < 8, b < 4) = sum(r < 16 at b = clamp(A[i, r], 0, 3); 1)\n"
                                                      "B(i < 8, b < 4) = H[i, b] * 2\n",
                                                      ""));
    if (name == "huge") {
        DagBuilder builder;
        constexpr int64_t n = 1 << 20;
        const Tensor &a = builder.placeholder("A", {n});
        const Axis i = axis("i", n), j = axis("j", n), k = axis("k", n);
        return builder.build({&builder.reduce("B", {}, ReduceKind::Sum, {i, j, k}, load(a, {i.var}))}, "huge");
    }
    throw std::out_of_range("no fixture DAG is called " + name);
}

} // namespace loopscope
