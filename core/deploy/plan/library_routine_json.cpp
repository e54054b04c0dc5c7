// A routine of a library in a plan's file.

#include "base/json_text.h"
#include "base/outcome.h"
#include "deploy/plan/library_routine.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;
using In = JsonPart;

Json layoutJson(const MatrixLayout &layout) { return {layout.batch, layout.row, layout.column}; }
MatrixLayout layoutOf(const In &json) { return {json.at(0), json.at(1), json.at(2)}; }

/// Four flags; then, where there is any of them, the residual, the most (null: no end) and GELU.
Json tailJson(const BaselineTail &tail) {
    Json json = {tail.bias, tail.scale, tail.offset, tail.relu};
    if (!tail.residual && !std::isfinite(tail.most) && !tail.gelu) return json;
    json.push_back(tail.residual);
    json.push_back(std::isfinite(tail.most) ? Json(tail.most) : Json(nullptr));
    json.push_back(tail.gelu);
    return json;
}
BaselineTail tailFrom(const In &json) {
    BaselineTail tail{json.at(0), json.at(1), json.at(2), json.at(3)};
    if (json.size() == 4) return tail;
    tail.residual = json.at(4);
    if (!json.at(5).isNull()) tail.most = json.at(5);
    tail.gelu = json.at(6);
    if (!(tail.most > 0) || (std::isfinite(tail.most) && !tail.relu) || (tail.gelu && tail.relu))
        throw Error("a library's problem has a tail that is none");
    return tail;
}

Json activationJson(const ActivationLayout &of) { return {of.image, of.channel, of.spatial}; }
std::array<int64_t, 3> spatialOf(const In &json) { return {json.at(0), json.at(1), json.at(2)}; }
ActivationLayout activationOf(const In &json) { return {json.at(0), json.at(1), spatialOf(json.at(2))}; }

Json problemJson(const BaselineProblem &problem) {
    if (const auto *matmul = std::get_if<MatmulProblem>(&problem))
        return {{"kind", "matmul"},
                {"sizes", {matmul->batch, matmul->m, matmul->n, matmul->k}},
                {"a", layoutJson(matmul->a)},
                {"b", layoutJson(matmul->b)},
                {"c", layoutJson(matmul->c)},
                {"constant_b", matmul->constantB},
                {"tail", tailJson(matmul->tail)}};
    if (const auto *softmax = std::get_if<SoftmaxProblem>(&problem))
        return {{"kind", "softmax"}, {"sizes", {softmax->rows, softmax->columns}}};
    if (const auto *norm = std::get_if<NormProblem>(&problem))
        return {{"kind", "norm"}, {"sizes", {norm->batch, norm->count}}};
    const auto &conv = std::get<ConvProblem>(problem);
    Json axes = Json::array();
    for (const ConvAxis &axis : conv.axes)
        axes.push_back(
            {axis.input, axis.kernel, axis.output, axis.stride, axis.dilation, axis.padBefore, axis.padAfter});
    return {{"kind", "conv"},
            {"sizes", {conv.batch, conv.inChannels, conv.outChannels, conv.groups}},
            {"transposed", conv.transposed},
            {"axes", std::move(axes)},
            {"data", activationJson(conv.data)},
            {"out", activationJson(conv.out)},
            {"weights", {conv.weights.group, conv.weights.out, conv.weights.in, conv.weights.spatial}},
            {"tail", tailJson(conv.tail)}};
}

BaselineProblem problemFrom(const In &json) {
    const auto kind = json.at("kind").get<std::string>();
    const auto sizes = json.at("sizes").get<std::vector<int64_t>>();
    for (const int64_t size : sizes)
        if (size < 1 || size > int64_t{1} << 40) throw Error("a library's problem has a size that is none");
    if (sizes.size() != (kind == "softmax" || kind == "norm" ? 2 : 4))
        throw Error(fmt::format("a library's problem has {} sizes, which is not their number", sizes.size()));
    if (kind == "matmul") {
        MatmulProblem matmul;
        matmul.batch = sizes.at(0);
        matmul.m = sizes.at(1);
        matmul.n = sizes.at(2);
        matmul.k = sizes.at(3);
        matmul.a = layoutOf(json.at("a"));
        matmul.b = layoutOf(json.at("b"));
        matmul.c = layoutOf(json.at("c"));
        matmul.constantB = json.at("constant_b");
        matmul.tail = tailFrom(json.at("tail"));
        return matmul;
    }
    if (kind == "softmax") return SoftmaxProblem{sizes.at(0), sizes.at(1)};
    if (kind == "norm") return NormProblem{sizes.at(0), sizes.at(1)};
    if (kind != "conv") throw Error("a library's problem is `" + kind + "`, which is none");
    ConvProblem conv;
    conv.batch = sizes.at(0);
    conv.inChannels = sizes.at(1);
    conv.outChannels = sizes.at(2);
    conv.groups = sizes.at(3);
    conv.transposed = json.at("transposed");
    for (const In &axis : json.at("axes").items())
        conv.axes.push_back({axis.at(0), axis.at(1), axis.at(2), axis.at(3), axis.at(4), axis.at(5), axis.at(6)});
    if (conv.axes.empty() || conv.axes.size() > 3) throw Error("a library's convolution has one to three axes");
    conv.data = activationOf(json.at("data"));
    conv.out = activationOf(json.at("out"));
    const In weights = json.at("weights");
    conv.weights = {weights.at(0), weights.at(1), weights.at(2), spatialOf(weights.at(3))};
    conv.tail = tailFrom(json.at("tail"));
    return conv;
}

} // namespace

Json routineJson(const LibraryRoutine &routine) {
    return {{"library", routine.library},
            {"problem", problemJson(routine.problem)},
            {"operands",
             {{"data", routine.data},
              {"weights", routine.weights},
              {"bias", routine.bias},
              {"scale", routine.scale},
              {"offset", routine.offset},
              {"residual", routine.residual},
              {"out", routine.out}}}};
}

LibraryRoutine routineFromJson(const In &json) {
    LibraryRoutine routine;
    routine.library = json.at("library").get<std::string>();
    routine.problem = problemFrom(json.at("problem"));
    const In operands = json.at("operands");
    routine.data = operands.at("data");
    routine.weights = operands.at("weights");
    routine.bias = operands.at("bias");
    routine.scale = operands.at("scale");
    routine.offset = operands.at("offset");
    routine.out = operands.at("out");
    routine.residual = operands.valueOr("residual", -1); // plans of before have none
    return routine;
}

} // namespace loopscope
