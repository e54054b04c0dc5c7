#include "measure/trial.h"

#include "measure/timing/sampling.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

std::string_view trialErrorName(TrialError error) {
    switch (error) {
    case TrialError::None:
        return "none";
    case TrialError::Instantiation:
        return "instantiation";
    case TrialError::CompileHost:
        return "compile-host";
    case TrialError::CompileDevice:
        return "compile-device";
    case TrialError::RuntimeDevice:
        return "runtime-device";
    case TrialError::WrongAnswer:
        return "wrong-answer";
    case TrialError::BuildTimeout:
        return "build-timeout";
    case TrialError::RunTimeout:
        return "run-timeout";
    case TrialError::Unknown:
        break;
    }
    return "unknown";
}

double loggedSeconds(double seconds) {
    const std::string text = fmt::format("{:.6g}", seconds);
    double kept = seconds;
    std::from_chars(text.data(), text.data() + text.size(), kept);
    return kept;
}

double Trial::cost() const { return agreedSeconds(seconds); }

double Trial::median() const {
    if (seconds.empty()) return std::numeric_limits<double>::infinity();
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

} // namespace loopscope
