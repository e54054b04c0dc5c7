#include "records/resolve/fused_ops.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace loopscope {

namespace {

FusedOp binary(std::string name, const std::string &call, int cost) {
    return {std::move(name), "r = " + call + "(x, y)", cost, /*binary=*/true};
}
FusedOp leading(std::string name, const std::string &call, int cost) {
    return {std::move(name), "r = " + call + "(y, x)", cost, /*binary=*/true, /*leading=*/true};
}
FusedOp withConstant(const std::string &name, const std::string &call, const std::string &value) {
    return {fmt::format("{} {}", name, value), fmt::format("c = const {}; r = {}(x, c)", value, call), 3};
}

std::vector<FusedOp> elementwiseOps() {
    std::vector<FusedOp> all = {
        binary("add", "add", 1),
        binary("multiply", "multiply", 1),
        binary("subtract", "subtract", 2),
        binary("divide", "divide", 2),
        binary("maximum", "maximum", 3),
        binary("minimum", "minimum", 3),
        leading("add", "add", 1),
        leading("multiply", "multiply", 2),
        leading("subtract", "subtract", 2),
        leading("divide", "divide", 3),
        leading("maximum", "maximum", 3),
        {"relu", "r = relu(x)", 1},
        {"relu6", "r \"compute\" i: max(min(x, 6), 0)", 1},
        {"clip 0..1", "r \"compute\" i: max(min(x, 1), 0)", 3},
        {"clip -1..1", "r \"compute\" i: max(min(x, 1), -1)", 3},
        {"sigmoid", "r = sigmoid(x)", 2},
        {"tanh", "r = tanh(x)", 2},
        {"exp", "r = exp(x)", 3},
        {"log", "r = log(x)", 3},
        {"sqrt", "r = sqrt(x)", 3},
        {"rsqrt", "r \"tensor\" ax: 1/sqrt(x)", 3},
        {"erf", "r = erf(x)", 3},
        {"abs", "r = abs(x)", 3},
        {"square", "r = multiply(x, x)", 2},
        {"power 2", "r \"T_power\" ax: pow(x, 2.0)", 2},
        {"silu", "s = sigmoid(x); r = multiply(x, s)", 2},
        {"mish", "e = exp(x); k = const 1.0; u = add(e, k); l = log(u); t = tanh(l); r = multiply(x, t)", 3},
        {"negative", "r \"T_negative\" ax: 0 - x", 4},
        {"round", "r = round(x)", 4},
        {"floor", "r = floor(x)", 4},
        {"prelu", "r \"T_prelu\" ax: select(x > 0, x, x*y_1)", 2, /*binary=*/true},
        {"prelu", "r \"T_prelu\" ax: select(x > 0, x, x*y_last)", 2, /*binary=*/true},
        {"float16", "r = cast(x, \"float16\")", 3},
        {"float32", "r = cast(x, \"float32\")", 3},
        {"int8", "r = cast(x, \"int8\")", 3},
        {"uint8", "r = cast(x, \"uint8\")", 4},
        {"int32", "r = cast(x, \"int32\")", 3},
        // As PyTorch, Keras and ONNX write what they call hard.
        {"hard_sigmoid",
         "c = const 3.0; u = add(x, c); v \"compute\" i: max(min(u, 6), 0); d = const 6.0; r = divide(v, d)", 2},
        {"hard_swish",
         "c = const 3.0; u = add(x, c); v \"compute\" i: max(min(u, 6), 0); d = const 6.0; w = divide(v, d); "
         "r = multiply(x, w)",
         2},
        {"hard_swish",
         "c = const 3.0; u = add(x, c); v \"compute\" i: max(min(u, 6), 0); w = multiply(x, v); "
         "d = const 6.0; r = divide(w, d)",
         2},
        {"hard_swish",
         "c = const 3.0; u = add(x, c); v \"compute\" i: max(min(u, 6), 0); w = multiply(x, v); "
         "d = const 0.166666667; r = multiply(w, d)",
         3},
        {"hard_swish",
         "c = const 3.0; u = add(x, c); v \"compute\" i: max(min(u, 6), 0); d = const 0.166666667; "
         "w = multiply(v, d); r = multiply(x, w)",
         3},
        {"hard_sigmoid",
         "c = const 3.0; u = add(x, c); v \"compute\" i: max(min(u, 6), 0); d = const 0.166666667; "
         "r = multiply(v, d)",
         3},
        {"hard_sigmoid",
         "c = const 0.166666667; m = multiply(x, c); d = const 0.5; u = add(m, d); "
         "r \"compute\" i: max(min(u, 1), 0)",
         3},
        {"hard_sigmoid",
         "c = const 0.2; m = multiply(x, c); d = const 0.5; u = add(m, d); "
         "r \"compute\" i: max(min(u, 1), 0)",
         3},
        // x * (1 + erf(x / sqrt 2)) / 2, in the orders in which frontends write it.
        {"gelu",
         "h = const 0.5; s = const 0.70710678118654752; m = multiply(x, s); e = erf(m); k = const 0.5; "
         "n = multiply(e, k); u = add(h, n); r = multiply(x, u)",
         2},
        {"gelu",
         "s = const 1.4142135623730951; m = divide(x, s); e = erf(m); k = const 1.0; u = add(e, k); "
         "n = multiply(x, u); h = const 0.5; r = multiply(n, h)",
         2},
        {"gelu",
         "h = const 0.5; n = multiply(x, h); s = const 1.4142135623730951; m = divide(x, s); e = erf(m); "
         "k = const 1.0; u = add(e, k); r = multiply(n, u)",
         2},
        {"gelu",
         "h = const 0.5; n = multiply(x, h); s = const 1.4142135623730951; m = divide(x, s); e = erf(m); "
         "k = const 1.0; u = add(k, e); r = multiply(n, u)",
         3},
        {"gelu",
         "h = const 0.5; n = multiply(x, h); s = const 0.70710678118654752; m = multiply(x, s); e = erf(m); "
         "k = const 1.0; u = add(e, k); r = multiply(n, u)",
         3},
    };
    // As BERT writes it.
    all.push_back({"gelu",
                   "g = const 0.5; k = const 1.0; w = const 0.79788456; d = const 0.044715; c = const 3.0; "
                   "p \"T_power\" ax: pow(x, c); q = multiply(d, p); u = add(x, q); v = multiply(w, u); t = tanh(v); "
                   "n = add(k, t); h = multiply(g, n); r = multiply(x, h)",
                   2});
    for (const char *alpha : {"0.1", "0.01", "0.2", "0.3", "0.05"})
        all.push_back({fmt::format("leaky_relu {}", alpha), fmt::format("r = leaky_relu(x, {})", alpha), 2});
    // Sums of products of 8 bits go back to as many: rounded, shifted, limited.
    for (int shift = 2; shift <= 16; ++shift) {
        const std::string rounded =
            fmt::format("c = const {}; u = add(x, c); d = const {}; v \"T_right_shift\" ax: shift_right(u, d); ",
                        int64_t{1} << (shift - 1), shift);
        const std::string name = fmt::format("requantize by {} bits", shift);
        all.push_back({name, rounded + "w \"compute\" i: max(min(v, 127), -127); r = cast(w, \"int8\")", 2});
        all.push_back({name, rounded + "r \"compute\" i: max(min(v, 127), -127)", 3});
    }
    all.push_back({"clip to 8 bits", "r \"compute\" i: max(min(x, 127), -127)", 5});
    all.push_back({"clip to 8 bits", "r \"compute\" i: max(min(x, 127), -128)", 5});
    all.push_back({"clip to 8 bits", "r \"compute\" i: max(min(x, 255), 0)", 5});
    for (const char *value : {"0.5", "0.125", "0.70710678118654752", "0.166666667", "2.0"})
        all.push_back(withConstant("multiply", "multiply", value));
    for (const char *value : {"8.0", "6.0", "1.4142135623730951", "2.0", "5.656854249", "11.3137085"})
        all.push_back(withConstant("divide", "divide", value));
    for (const char *value : {"1.0", "3.0", "0.5", "1e-5", "1e-6", "1e-12", "0.001"})
        all.push_back(withConstant("add", "add", value));
    return all;
}

/// Over the dimensions that networks reduce: one, the plane or the volume of an image, all behind some, all.
std::vector<FusedOp> reductions(size_t rank) {
    std::set<std::vector<size_t>> sets;
    for (size_t d = 0; d < rank; ++d) sets.insert({d});
    const auto from = [&sets](size_t first, size_t end) {
        std::vector<size_t> some;
        for (size_t d = first; d < end; ++d) some.push_back(d);
        sets.insert(some);
    };
    for (size_t first = 0; first + 1 < rank; ++first) from(first, rank);
    if (rank >= 3) from(1, rank - 1);
    if (rank >= 3) from(0, rank - 1);
    if (rank >= 4) sets.insert({0, 2, 3});
    std::vector<FusedOp> all;
    for (const std::vector<size_t> &axes : sets)
        for (const int keep : {0, 1})
            for (const char *kind : {"mean", "sum", "max", "min", "prod", "argmax", "argmin"}) {
                const bool usual = std::string_view(kind) == "mean" || std::string_view(kind) == "sum";
                all.push_back({kind, fmt::format("r = {}(x, [{}], {})", kind, fmt::join(axes, ", "), keep),
                               usual ? 1 : 2, false, false, /*reduces=*/true});
            }
    return all;
}

} // namespace

std::vector<FusedOp> fusedOps(size_t rank, bool withReductions) {
    static const std::vector<FusedOp> elementwise = elementwiseOps();
    std::vector<FusedOp> all = elementwise;
    if (withReductions)
        for (FusedOp &op : reductions(rank)) all.push_back(std::move(op));
    return all;
}

std::string fusedStatements(const FusedOp &op, const std::string &x, const std::string &y, const std::string &result,
                            const std::string &suffix, const Shape &shape, const std::string &dtype) {
    std::map<std::string, std::string, std::less<>> handles = {{"x", x}, {"y", y}};
    std::set<std::string, std::less<>> scalars; // by the row's handle
    std::string out;
    for (size_t at = 0; at < op.text.size();) {
        const size_t end = std::min(op.text.find(';', at), op.text.size());
        std::string statement = op.text.substr(at, end - at);
        statement.erase(0, statement.find_first_not_of(' '));
        at = end + 1;
        const size_t nameEnd = statement.find(' ');
        const std::string local = statement.substr(0, nameEnd);
        const std::string handle = local == "r" ? result : local + suffix;
        const std::string rest = statement.substr(nameEnd + 1);
        constexpr std::string_view constant = "= const ";
        if (rest.starts_with(constant)) {
            out += fmt::format("{} \"compile_engine_const\"() = {}({})\n", handle, dtype, rest.substr(constant.size()));
            scalars.insert(local);
        } else if (rest.starts_with('"')) {
            const size_t quote = rest.find('"', 1);
            const size_t colon = rest.find(':');
            const std::string prefix = rest.substr(quote + 2, colon - quote - 2);
            std::string axes;
            std::string index;
            for (size_t d = 0; d < shape.size(); ++d) {
                const std::string axis = prefix + std::to_string(d);
                axes += fmt::format("{}{} < {}", d > 0 ? ", " : "", axis, shape[d]);
                index += (d > 0 ? ", " : "") + axis;
            }
            const std::string body = replaceWords(rest.substr(colon + 1), [&](const std::string &word) {
                if (word == "y_1") return shape.size() > 1 ? fmt::format("{}[{}1]", y, prefix) : word;
                if (word == "y_last" && !shape.empty()) return fmt::format("{}[{}{}]", y, prefix, shape.size() - 1);
                const auto found = handles.find(word);
                if (found == handles.end()) return word;
                return scalars.contains(word) ? found->second + "[]" : fmt::format("{}[{}]", found->second, index);
            });
            out += fmt::format("{} {}({}) ={}\n", handle, rest.substr(0, quote + 1), axes, body);
        } else {
            const std::string call = replaceWords(rest, [&](const std::string &word) {
                const auto found = handles.find(word);
                return found == handles.end() ? word : found->second;
            });
            out += fmt::format("{} {}\n", handle, call);
        }
        handles[local] = handle;
    }
    return out;
}

} // namespace loopscope
