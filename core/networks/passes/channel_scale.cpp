#include "networks/passes/channel_scale.h"

#include "networks/passes/constant_evaluation.h"
#include "networks/passes/node_attributes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace loopscope {

namespace {

/// The numbers of a constant that has one for each channel of a tensor of that type, or one at all.
std::optional<std::vector<double>> channelNumbers(const HostTensor *constant, const TensorType &type,
                                                  bool &perChannel) {
    if (!constant || !isFloat(constant->dtype()) || constant->rank() > type.dims.size()) return std::nullopt;
    if (constant->elements() == 1) return std::vector<double>{constant->number(0)};
    const size_t missing = type.dims.size() - constant->rank();
    for (size_t i = 0; i < constant->rank(); ++i) {
        const int64_t extent = constant->dims()[i];
        if (extent == 1) continue;
        if (missing + i != 1 || !(type.dims[1] == Dim(extent))) return std::nullopt;
    }
    if (constant->elements() == 0) return std::nullopt;
    perChannel = true;
    if (constant->isSplat()) return std::vector<double>{constant->number(0)};
    return constant->numbers();
}

bool allFinite(const ChannelScale &scale) {
    const auto finite = [](double value) { return std::isfinite(value); };
    return std::all_of(scale.scale.begin(), scale.scale.end(), finite) &&
           std::all_of(scale.shift.begin(), scale.shift.end(), finite);
}

std::optional<ChannelScale> ofBatchNorm(const FunctionEdit &edit, NodeId id) {
    const HostTensor *parameters[4];
    size_t count = 1;
    for (size_t i = 0; i < 4; ++i) {
        parameters[i] = edit.constant(edit.input(id, i + 1));
        if (!parameters[i] || !isFloat(parameters[i]->dtype()) || parameters[i]->elements() == 0) return std::nullopt;
        if (!parameters[i]->isSplat()) count = static_cast<size_t>(parameters[i]->elements());
    }
    ChannelScale scale = {std::vector<double>(count), std::vector<double>(count), true};
    const double epsilon = numberOf(edit.node(id), "epsilon");
    for (size_t i = 0; i < count; ++i) {
        const auto at = static_cast<int64_t>(i);
        scale.scale[i] = parameters[0]->number(at) / std::sqrt(parameters[3]->number(at) + epsilon);
        scale.shift[i] = parameters[1]->number(at) - parameters[2]->number(at) * scale.scale[i];
        const DType type = parameters[0]->dtype();
        if (!standsFor(scale.scale[i], {parameters[0]->number(at)}, type, Composition::Product) ||
            !standsFor(scale.shift[i], {1}, type, Composition::Sum))
            return std::nullopt;
    }
    return scale;
}

/// What a node of two inputs does to the one that is no constant.
std::optional<ChannelScale> ofBinary(const FunctionEdit &edit, NodeId id, size_t data) {
    const std::string &op = edit.node(id).op;
    const TensorType &type = *edit.type(edit.input(id, data));
    ChannelScale scale;
    const auto numbers = channelNumbers(edit.constant(edit.input(id, 1 - data)), type, scale.perChannel);
    if (!numbers) return std::nullopt;
    const bool reversed = data == 1;
    if (op == "mul") {
        scale.scale = *numbers;
    } else if (op == "div" && !reversed) {
        scale.scale = *numbers;
        for (double &number : scale.scale) {
            number = 1 / number;
            if (!standsFor(number, {1}, type.dtype, Composition::Product)) return std::nullopt;
        }
    } else if (op == "add") {
        scale.shift = *numbers;
    } else if (op == "sub") {
        scale.shift = *numbers;
        if (reversed)
            scale.scale = {-1};
        else
            for (double &number : scale.shift) number = -number;
    } else {
        return std::nullopt;
    }
    return scale;
}

struct Affine {
    ValueId data;
    ChannelScale scale;
};

std::optional<Affine> affineOf(const FunctionEdit &edit, NodeId id) {
    const Node &node = edit.node(id);
    const bool binary = node.op == "mul" || node.op == "div" || node.op == "add" || node.op == "sub";
    if (!binary && node.op != "batch_norm") return std::nullopt;
    const size_t data = binary && edit.constant(edit.input(id, 0)) ? 1 : 0;
    const ValueId input = edit.input(id, data);
    const TensorType *from = edit.type(input);
    const TensorType *to = edit.type(edit.output(id));
    if (!from || !to || *from != *to || !isFloat(from->dtype) || edit.constant(input)) return std::nullopt;
    auto scale = binary ? ofBinary(edit, id, data) : ofBatchNorm(edit, id);
    if (!scale || !allFinite(*scale)) return std::nullopt;
    return Affine{input, *std::move(scale)};
}

bool hasOneReader(const FunctionEdit &edit, ValueId value) { return edit.uses(value) == 1 && !edit.isResult(value); }

/// Where the output channel of an element of weights is in its place: channel = (i / inner) % channels, and then so
/// many channels on for every `rowsPerGroup` rows of them.
struct WeightLayout {
    int64_t inner = 1;
    int64_t channels = 1;
    int64_t rowsPerGroup = INT64_MAX;
    [[nodiscard]] size_t channelOf(int64_t i) const {
        return static_cast<size_t>((i / inner) % channels + i / (inner * channels) / rowsPerGroup * channels);
    }
};

int64_t product(const std::vector<int64_t> &dims, size_t from) {
    int64_t product = 1;
    for (size_t i = from; i < dims.size(); ++i) product *= dims[i];
    return product;
}

WeightLayout layoutOf(const Node &node, const HostTensor &weights) {
    const std::vector<int64_t> &dims = weights.dims();
    if (node.op == "conv_transpose") {
        const int64_t group = integerOf(node, "group");
        return {product(dims, 2), dims[1], std::max<int64_t>(1, dims[0] / group)};
    }
    if (node.op == "gemm" && integerOf(node, "trans_b") == 0) return {1, dims[1]};
    return {product(dims, 1), dims[0]};
}

size_t channelCount(const Node &node, const HostTensor &weights) {
    const WeightLayout layout = layoutOf(node, weights);
    return static_cast<size_t>(layout.channels * (node.op == "conv_transpose" ? integerOf(node, "group") : 1));
}

/// A bias with a number for each channel, whatever else it might be broadcast over.
bool isChannelBias(const HostTensor &bias, size_t channels) {
    if (bias.elements() == 1) return true;
    return bias.elements() == static_cast<int64_t>(channels) && bias.rank() > 0 &&
           bias.dims().back() == static_cast<int64_t>(channels);
}

/// Nothing where a weight would leave its type.
std::optional<HostTensor> scaled(const HostTensor &weights, const WeightLayout &layout, const ChannelScale &scale) {
    const bool splat = weights.isSplat() && scale.scale.size() == 1;
    HostTensor result = splat ? HostTensor() : HostTensor::zeros(weights.dtype(), weights.dims());
    for (int64_t i = 0, count = splat ? 1 : weights.elements(); i < count; ++i) {
        const double weight = weights.number(i);
        const double factor = scale.scaleOf(layout.channelOf(i));
        if (!standsFor(weight * factor, {weight, factor}, weights.dtype(), Composition::Product)) return std::nullopt;
        if (splat) return HostTensor::splat(weights.dtype(), weights.dims(), weight * factor);
        result.setNumber(i, weight * factor);
    }
    return result;
}

HostTensor tensorOf(DType dtype, std::vector<int64_t> dims, const std::vector<double> &numbers) {
    if (std::all_of(numbers.begin(), numbers.end(), [&](double number) { return number == numbers[0]; }))
        return HostTensor::splat(dtype, std::move(dims), numbers[0]);
    HostTensor tensor = HostTensor::zeros(dtype, std::move(dims));
    for (size_t i = 0; i < numbers.size(); ++i) tensor.setNumber(static_cast<int64_t>(i), numbers[i]);
    return tensor;
}

} // namespace

std::optional<ChannelScale> ChannelScale::then(const ChannelScale &next, DType type) const {
    const size_t count = std::max({scale.size(), shift.size(), next.scale.size(), next.shift.size()});
    ChannelScale composed = {std::vector<double>(count), std::vector<double>(count), perChannel || next.perChannel};
    for (size_t i = 0; i < count; ++i) {
        composed.scale[i] = scaleOf(i) * next.scaleOf(i);
        composed.shift[i] = shiftOf(i) * next.scaleOf(i) + next.shiftOf(i);
        const auto by = next.shiftOf(i) == 0 ? Composition::Product : Composition::Sum;
        if (!standsFor(composed.scale[i], {scaleOf(i), next.scaleOf(i)}, type, Composition::Product) ||
            !standsFor(composed.shift[i], {shiftOf(i), next.scaleOf(i)}, type, by))
            return std::nullopt;
    }
    return composed;
}

bool ChannelScale::scales() const {
    return std::any_of(scale.begin(), scale.end(), [](double number) { return number != 1; });
}
bool ChannelScale::shifts() const {
    return std::any_of(shift.begin(), shift.end(), [](double number) { return number != 0; });
}

std::vector<ScaleChain> scaleChains(const FunctionEdit &edit) {
    std::vector<ScaleChain> chains;
    std::unordered_map<int, size_t> chainOf; // by last node
    for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at)) {
        auto affine = affineOf(edit, at);
        if (!affine) continue;
        const bool norm = edit.node(at).op == "batch_norm";
        const auto before = chainOf.find(edit.producer(affine->data).value);
        std::optional<ChannelScale> composed;
        if (before != chainOf.end() && hasOneReader(edit, affine->data))
            composed = chains[before->second].scale.then(affine->scale, edit.type(affine->data)->dtype);
        if (!composed) {
            chainOf[at.value] = chains.size();
            chains.push_back({at, affine->data, std::move(affine->scale), 1, norm});
            continue;
        }
        const size_t index = before->second;
        ScaleChain &chain = chains[index];
        chain.last = at;
        chain.scale = *std::move(composed);
        ++chain.nodes;
        chain.batchNorm = chain.batchNorm || norm;
        chainOf.erase(before);
        chainOf[at.value] = index;
    }
    return chains;
}

void emitScale(FunctionEdit &edit, const ScaleChain &chain, const std::string &sentence) {
    const TensorType type = *edit.type(chain.base);
    std::vector<int64_t> dims;
    if (chain.scale.perChannel) {
        dims.assign(type.dims.size(), 1);
        if (!type.dims[1].isConstant()) return;
        dims[1] = type.dims[1].value();
    }
    const std::string name = edit.node(chain.last).name;
    ValueId value = chain.base;
    if (chain.scale.scales())
        value = edit.add(chain.last, "mul",
                         {value, edit.addConstant(name + ".scale", tensorOf(type.dtype, dims, chain.scale.scale))});
    if (chain.scale.shifts())
        value = edit.add(chain.last, "add",
                         {value, edit.addConstant(name + ".shift", tensorOf(type.dtype, dims, chain.scale.shift))});
    edit.replace(edit.output(chain.last), value, sentence);
}

bool takesScale(const FunctionEdit &edit, ValueId base) {
    const NodeId by = edit.producer(base);
    if (by.value < 0 || !hasOneReader(edit, base)) return false;
    const Node &node = edit.node(by);
    if (node.op != "conv" && node.op != "conv_transpose" && node.op != "dense" && node.op != "gemm") return false;
    const HostTensor *weights = edit.constant(edit.input(by, 1));
    if (!weights || !isFloat(weights->dtype()) || weights->rank() < 2) return false;
    const ValueId bias = edit.input(by, 2);
    if (bias.value < 0) return true;
    const HostTensor *constant = edit.constant(bias);
    return constant && isChannelBias(*constant, channelCount(node, *weights));
}

bool foldScale(FunctionEdit &edit, const ScaleChain &chain, const std::string &sentence) {
    const NodeId into = edit.producer(chain.base);
    const Node node = edit.node(into);
    const HostTensor weights = *edit.constant(edit.input(into, 1));
    const HostTensor *bias = edit.constant(edit.input(into, 2));
    const size_t channels = channelCount(node, weights);
    Attributes attributes = node.attributes;
    double factor = 1; // of the bias there is
    if (node.op == "gemm") {
        factor = numberOf(node, "beta");
        attributes["beta"] = 1.0;
    }
    std::vector<double> shifts(channels);
    for (size_t i = 0; i < channels; ++i) {
        shifts[i] = chain.scale.shiftOf(i);
        if (!bias) continue;
        const double own = factor * bias->number(bias->elements() == 1 ? 0 : static_cast<int64_t>(i));
        const auto by = shifts[i] == 0 ? Composition::Product : Composition::Sum;
        shifts[i] += own * chain.scale.scaleOf(i);
        if (!standsFor(shifts[i], {own, chain.scale.scaleOf(i)}, weights.dtype(), by)) return false;
    }
    auto folded = scaled(weights, layoutOf(node, weights), chain.scale);
    if (!folded) return false;
    std::vector<ValueId> inputs = {
        edit.input(into, 0), edit.addConstant(edit.value(edit.input(into, 1)).name + ".scaled", *std::move(folded))};
    std::string op = node.op;
    if (bias || chain.scale.shifts()) {
        // dense has no bias of its own; gemm is the same with one.
        if (op == "dense") {
            op = "gemm";
            attributes["trans_b"] = int64_t{1};
        }
        inputs.push_back(edit.addConstant(edit.node(chain.last).name + ".bias",
                                          tensorOf(weights.dtype(), {static_cast<int64_t>(channels)}, shifts)));
    }
    const ValueId value = edit.add(chain.last, op, inputs, attributes);
    return edit.replace(edit.output(chain.last), value, sentence);
}

} // namespace loopscope
