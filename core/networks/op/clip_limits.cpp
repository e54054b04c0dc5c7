#include "networks/op/clip_limits.h"

#include "language/expr/interval.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

IntegerLimits integerLimits(const Node &clip, DType type) {
    const Interval legal = Interval::ofType(type);
    const auto whole = [&](const char *name, int64_t none, double (*round)(double)) {
        const auto given = clip.attributes.find(name);
        if (given == clip.attributes.end()) return none;
        if (const auto *integer = std::get_if<int64_t>(&given->second))
            return std::clamp(*integer, legal.min, legal.max);
        const double number = round(std::get<double>(given->second));
        if (number >= static_cast<double>(legal.max)) return legal.max;
        return number > static_cast<double>(legal.min) ? static_cast<int64_t>(number) : legal.min;
    };
    return {whole("min", legal.min, std::ceil), whole("max", legal.max, std::floor)};
}

} // namespace loopscope
