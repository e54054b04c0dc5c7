#include "records/bundle/bundle_folder.h"

#include "base/outcome.h"
#include "base/whole_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace loopscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRoundName = "round-";

/// 0: no round.
int roundNumber(const std::string &name) {
    if (!name.starts_with(kRoundName) || name.size() > kRoundName.size() + 9) return 0;
    const std::string digits = name.substr(kRoundName.size());
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return 0;
    return std::stoi(digits);
}

std::vector<std::pair<int, fs::path>> numberedRounds(const std::string &folder) {
    std::vector<std::pair<int, fs::path>> rounds;
    std::error_code none;
    for (const auto &entry : fs::directory_iterator(folder, none))
        if (const int number = roundNumber(entry.path().filename().string()); number > 0)
            if (fs::exists(entry.path() / "bundle.json")) rounds.emplace_back(number, entry.path());
    std::ranges::sort(rounds);
    return rounds;
}

BundleRound roundAt(const fs::path &path) {
    BundleRound round{path.string(), readBundle((path / "bundle.json").string()), {}};
    round.readAgain();
    return round;
}

/// Where the id stands.
std::string beginOf(const fs::path &path) {
    std::string text(256, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    return text;
}

} // namespace

size_t BundleRound::open() const {
    return static_cast<size_t>(std::ranges::count_if(trials, [](const auto &trial) { return !trial.has_value(); }));
}

std::string BundleRound::name() const { return fs::path(path).filename().string(); }

void BundleRound::readAgain() { trials = readResults(bundle, resultsPath()); }

std::vector<BundleRound> bundleRounds(const std::string &folder) {
    std::vector<BundleRound> rounds;
    if (fs::exists(fs::path(folder) / "bundle.json")) {
        rounds.push_back(roundAt(fs::path(folder)));
        return rounds;
    }
    for (const auto &[number, path] : numberedRounds(folder)) rounds.push_back(roundAt(path));
    return rounds;
}

BundleRound addRound(const std::string &folder, const NewBundle &bundle) {
    const auto rounds = numberedRounds(folder);
    for (const auto &[number, path] : rounds)
        if (beginOf(path / "bundle.json").find(bundle.id) != std::string::npos) return roundAt(path);
    std::error_code problem;
    fs::create_directories(folder, problem);
    const int number = rounds.empty() ? 1 : rounds.back().first + 1;
    const fs::path path = fs::path(folder) / fmt::format("{}{:03}", kRoundName, number);
    const fs::path part = fs::path(folder) / fmt::format(".{}.{}", path.filename().string(), ::getpid());
    if (!problem) fs::create_directory(part, problem);
    if (problem)
        throw Error(folder, 0, 0, fmt::format("the folder for bundles cannot be written: {}", problem.message()));
    try {
        for (const BundleFile &file : bundle.files) writeWholeFile((part / file.name).string(), file.text);
    } catch (...) {
        fs::remove_all(part, problem);
        throw;
    }
    fs::rename(part, path, problem);
    if (problem) throw Error(path.string(), 0, 0, fmt::format("the round cannot be put there: {}", problem.message()));
    return roundAt(path);
}

} // namespace loopscope
