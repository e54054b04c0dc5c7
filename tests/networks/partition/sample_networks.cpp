#include "sample_networks.h"

#include "base/outcome.h"
#include "networks/op/infer_types.h"

namespace loopscope {

using Ints = std::vector<int64_t>;

ValueId NetworkBuilder::parameter(const std::string &name, std::vector<int64_t> dims) {
    return m_builder.addParameter(name, {DType::Float32, asDims(dims)});
}
ValueId NetworkBuilder::weight(std::vector<int64_t> dims) {
    return m_builder.addConstant(numbered("w"), HostTensor::splat(DType::Float32, std::move(dims), 0.5));
}
ValueId NetworkBuilder::scalar(double value) {
    return m_builder.addConstant(numbered("s"), HostTensor::scalar(DType::Float32, value));
}
ValueId NetworkBuilder::add(const std::string &op, std::vector<ValueId> inputs, Attributes attributes) {
    return m_builder.add(op, numbered(op), std::move(inputs), std::move(attributes));
}
ValueId NetworkBuilder::bias(ValueId x, int64_t channels) { return add("bias_add", {x, weight({channels})}); }

ValueId NetworkBuilder::conv(ValueId x, int64_t from, int64_t to, int64_t kernel, int64_t stride, int64_t group,
                             int64_t pad) {
    const int64_t p = pad < 0 ? kernel / 2 : pad;
    return add("conv", {x, weight({to, from / group, kernel, kernel})},
               {{"strides", Ints{stride, stride}}, {"pads", Ints{p, p, p, p}}, {"group", group}});
}
ValueId NetworkBuilder::pool(const std::string &op, ValueId x, int64_t kernel, int64_t stride, int64_t pad) {
    return add(
        op, {x},
        {{"kernel", Ints{kernel, kernel}}, {"strides", Ints{stride, stride}}, {"pads", Ints{pad, pad, pad, pad}}});
}
ValueId NetworkBuilder::reshape(ValueId x, const std::vector<int64_t> &dims) {
    const auto rank = static_cast<int64_t>(dims.size());
    return add("reshape", {x, m_builder.addConstant(numbered("shape"), integerTensor({rank}, dims))});
}
ValueId NetworkBuilder::scaleShiftRelu(ValueId x, int64_t channels) {
    const ValueId scaled = add("mul", {x, weight({channels, 1, 1})});
    return relu(add("add", {scaled, weight({channels, 1, 1})}));
}
ValueId NetworkBuilder::denseWithBias(ValueId x, int64_t from, int64_t to) {
    return add("bias_add", {add("dense", {x, weight({to, from})}), weight({to})});
}
FunctionPtr NetworkBuilder::finish() && {
    const Outcome<FunctionPtr> typed = inferTypes(std::move(m_builder).finish());
    if (!typed) throw Error(typed.why());
    return *typed;
}

FunctionPtr onnxResNet50() {
    NetworkBuilder n;
    ValueId x = n.relu(n.bias(n.conv(n.parameter("data", {1, 3, 224, 224}), 3, 64, 7, 2), 64));
    x = n.pool("max_pool", x, 3, 2, 1);
    int64_t channels = 64;
    int64_t width = 64;
    for (const int units : {3, 4, 6, 3}) {
        for (int unit = 0; unit < units; ++unit) {
            const int64_t stride = unit == 0 && width > 64 ? 2 : 1;
            ValueId branch = n.relu(n.bias(n.conv(x, channels, width, 1), width));
            branch = n.relu(n.bias(n.conv(branch, width, width, 3, stride), width));
            branch = n.bias(n.conv(branch, width, 4 * width, 1), 4 * width);
            const ValueId shortcut = unit > 0 ? x : n.bias(n.conv(x, channels, 4 * width, 1, stride), 4 * width);
            x = n.relu(n.add("add", {branch, shortcut}));
            channels = 4 * width;
        }
        width *= 2;
    }
    x = n.pool("average_pool", x, 7, 1);
    n.result(n.add("softmax", {n.denseWithBias(n.reshape(x, {1, 2048}), 2048, 1000)}));
    return std::move(n).finish();
}

FunctionPtr squeezeNet() {
    NetworkBuilder n;
    ValueId x = n.relu(n.bias(n.conv(n.parameter("data", {1, 3, 224, 224}), 3, 64, 3, 2, 1, 0), 64));
    int64_t channels = 64;
    const auto fire = [&](int64_t squeeze, int64_t expand) {
        x = n.relu(n.bias(n.conv(x, channels, squeeze, 1), squeeze));
        const ValueId one = n.relu(n.bias(n.conv(x, squeeze, expand, 1), expand));
        const ValueId three = n.relu(n.bias(n.conv(x, squeeze, expand, 3), expand));
        x = n.add("concat", {one, three}, {{"axis", int64_t{1}}});
        channels = 2 * expand;
    };
    for (const int64_t squeeze : {16, 32}) {
        x = n.pool("max_pool", x, 3, 2);
        fire(squeeze, 4 * squeeze);
        fire(squeeze, 4 * squeeze);
    }
    x = n.pool("max_pool", x, 3, 2);
    for (const int64_t squeeze : {48, 48, 64, 64}) fire(squeeze, 4 * squeeze);
    x = n.relu(n.bias(n.conv(x, 512, 1000, 1), 1000));
    x = n.add("global_average_pool", {x});
    n.result(n.add("softmax", {x}, {{"axis", int64_t{1}}}));
    return std::move(n).finish();
}

FunctionPtr mobileNet() {
    NetworkBuilder n;
    ValueId x = n.relu(n.bias(n.conv(n.parameter("data", {1, 3, 224, 224}), 3, 32, 3, 2), 32));
    int64_t channels = 32;
    const auto separable = [&](int64_t to, int64_t stride) {
        x = n.relu(n.bias(n.conv(x, channels, channels, 3, stride, channels), channels));
        x = n.relu(n.bias(n.conv(x, channels, to, 1), to));
        channels = to;
    };
    separable(64, 1);
    separable(128, 2);
    separable(128, 1);
    separable(256, 2);
    separable(256, 1);
    separable(512, 2);
    for (int i = 0; i < 5; ++i) separable(512, 1);
    separable(1024, 2);
    separable(1024, 1);
    x = n.add("flatten", {n.add("global_average_pool", {x})});
    n.result(n.add("softmax", {n.denseWithBias(x, 1024, 1000)}));
    return std::move(n).finish();
}

FunctionPtr denseNet121() {
    NetworkBuilder n;
    ValueId x = n.relu(n.bias(n.conv(n.parameter("data", {1, 3, 224, 224}), 3, 64, 7, 2), 64));
    x = n.pool("max_pool", x, 3, 2, 1);
    int64_t channels = 64;
    size_t block = 0;
    for (const int layers : {6, 12, 24, 16}) {
        for (int layer = 0; layer < layers; ++layer) {
            ValueId y = n.conv(n.scaleShiftRelu(x, channels), channels, 128, 1);
            y = n.conv(n.relu(n.bias(y, 128)), 128, 32, 3);
            x = n.add("concat", {x, y}, {{"axis", int64_t{1}}});
            channels += 32;
        }
        x = n.scaleShiftRelu(x, channels);
        if (++block == 4) break;
        x = n.pool("average_pool", n.conv(x, channels, channels / 2, 1), 2, 2);
        channels /= 2;
    }
    x = n.add("global_average_pool", {x});
    n.result(n.bias(n.conv(x, channels, 1000, 1), 1000));
    return std::move(n).finish();
}

FunctionPtr tvmResNet(bool bottleneck, const std::vector<int> &units) {
    NetworkBuilder n;
    ValueId x = n.conv(n.bias(n.parameter("data", {1, 3, 224, 224}), 3), 3, 64, 7, 2);
    x = n.pool("max_pool", n.relu(n.bias(x, 64)), 3, 2, 1);
    int64_t channels = 64;
    int64_t filters = bottleneck ? 256 : 64;
    for (size_t stage = 0; stage < units.size(); ++stage) {
        for (int unit = 0; unit < units[stage]; ++unit) {
            const int64_t stride = unit == 0 && stage > 0 ? 2 : 1;
            const ValueId active = n.relu(n.bias(x, channels));
            ValueId y;
            if (bottleneck) {
                const int64_t inner = filters / 4;
                y = n.relu(n.bias(n.conv(active, channels, inner, 1, stride), inner));
                y = n.relu(n.bias(n.conv(y, inner, inner, 3), inner));
                y = n.conv(y, inner, filters, 1);
            } else {
                y = n.relu(n.bias(n.conv(active, channels, filters, 3, stride), filters));
                y = n.conv(y, filters, filters, 3);
            }
            x = n.add("add", {y, unit > 0 ? x : n.conv(active, channels, filters, 1, stride)});
            channels = filters;
        }
        filters *= 2;
    }
    x = n.add("global_average_pool", {n.relu(n.bias(x, channels))});
    n.result(n.add("softmax", {n.denseWithBias(n.add("flatten", {x}), channels, 1000)}));
    return std::move(n).finish();
}

} // namespace loopscope
