#pragma once
// Networks of a few lines, for tests of the catalogue: `.net` text without its frame.

#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/op/reference.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>

namespace loopscope {

/// func main(PARAMETERS) { LINES; return RESULTS }
inline FunctionPtr netFunction(const std::string &parameters, const std::string &lines, const std::string &results) {
    const std::string text =
        fmt::format("network t\nfunc main({}) {{\n{}\nreturn {}\n}}\n", parameters, lines, results);
    return parseNet(text, "t.net").module.find("main");
}

/// Type of the value named y, or the sentence it is refused with.
inline std::string inferredType(const std::string &parameters, const std::string &lines) {
    const FunctionPtr function = netFunction(parameters, lines, "y");
    const auto typed = inferTypes(*function);
    return typed ? typeText((*typed)->type((*typed)->results()[0])) : typed.why();
}

inline std::string numbersText(const WideTensor &tensor) {
    const std::string type = typeText({tensor.dtype, asDims(tensor.dims)});
    if (!isFloat(tensor.dtype)) return fmt::format("{} {}", type, fmt::join(tensor.integers, " "));
    std::string text = type;
    for (const double number : tensor.floats)
        text += std::isnan(number) ? " nan" : fmt::format(" {:.6g}", number == 0 ? 0.0 : number);
    return text;
}

/// Type and elements of the value named y, which depends on constants alone; or the refusal.
inline std::string computed(const std::string &lines) {
    const FunctionPtr function = netFunction("", lines, "y");
    const auto values = runReference(*function, {}, {.threads = 2});
    return values ? numbersText(values->begin()->second) : values.why();
}

} // namespace loopscope
