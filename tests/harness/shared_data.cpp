#include "harness/shared_data.h"

#include "base/outcome.h"
#include "harness/sample_dags.h"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

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

std::vector<std::string> readPackedLines(const std::string &name) {
    const std::string path = std::string(LOOPSCOPE_SOURCE_DIR) + "/tests/data/" + name + ".gz";
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
    if (!file) throw Error(path + ": cannot be opened");
    std::string text;
    char part[1 << 16];
    int count = 0;
    while ((count = gzread(file.get(), part, sizeof part)) > 0) text.append(part, static_cast<size_t>(count));
    if (count < 0 || gzdirect(file.get()) != 0) throw Error(path + ": not a whole gzip file");
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) lines.push_back(line);
    return lines;
}

std::vector<ConformanceRecord> conformanceRecords() {
    std::vector<ConformanceRecord> records;
    for (std::string &line : readPackedLines("ansor-conformance.jsonl")) {
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
