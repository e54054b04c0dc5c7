#include "networks/strategy/accuracy.h"

namespace loopscope {

std::string_view accuracyName(AccuracyClass accuracy) {
    switch (accuracy) {
    case AccuracyClass::Exact:
        return "exact";
    case AccuracyClass::Reassociated:
        return "reassociated";
    case AccuracyClass::Winograd2:
        return "winograd2";
    case AccuracyClass::Winograd4:
        return "winograd4";
    case AccuracyClass::ReducedPrecision:
        return "reduced-precision";
    }
    return "";
}

const std::vector<AccuracyClass> &allAccuracyClasses() {
    static const std::vector<AccuracyClass> all = {AccuracyClass::Exact, AccuracyClass::Reassociated,
                                                   AccuracyClass::Winograd2, AccuracyClass::Winograd4,
                                                   AccuracyClass::ReducedPrecision};
    return all;
}

std::optional<AccuracyClass> accuracyFromName(std::string_view name) {
    for (const AccuracyClass accuracy : allAccuracyClasses())
        if (name == accuracyName(accuracy)) return accuracy;
    return std::nullopt;
}

} // namespace loopscope
