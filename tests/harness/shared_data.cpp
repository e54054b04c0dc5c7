#include "harness/shared_data.h"

#include "harness/sample_dags.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace loopscope {

std::optional<std::string> sharedDataFile(const std::string &name) {
    std::filesystem::path folder = std::filesystem::path(LOOPSCOPE_SOURCE_DIR) / ".." / "shared";
    if (const char *set = std::getenv("LOOPSCOPE_SHARED")) folder = set;
    const std::filesystem::path path = folder / "data" / name;
    if (!std::filesystem::exists(path)) return std::nullopt;
    return path.string();
}

std::vector<std::string> readLines(const std::string &path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        if (!line.empty()) lines.push_back(line);
    return lines;
}

std::vector<ConformanceRecord> conformanceRecords(const std::string &path) {
    std::vector<ConformanceRecord> records;
    for (std::string &line : readLines(path)) {
        const auto json = nlohmann::json::parse(line);
        records.push_back({std::move(line), json.at("workload"), json.at("args"), json.at("target")});
    }
    return records;
}

DagPtr conformanceDag(const std::string &workload, const std::vector<int64_t> &a) {
    if (workload == "C1D") return conv1dNlcDag(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
    if (workload == "C2D") return conv2dNhwcDag(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    if (workload == "GMM") return batchMatmulDag(a[0], a[1], a[2], a[3]);
    if (workload == "DEP") return depthwiseNhwcDag(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
    if (workload == "CBR") return convBnReluNhwcDag(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    if (workload == "matmul") return matmulDag(a[0], a[1], a[2]);
    if (workload == "SFM" || workload == "softmax_nm") return softmaxDag(a[0], a[1]);
    return nullptr;
}

} // namespace loopscope
