#pragma once
// Networks as they are after batch normalisations are folded, biases stand behind what they belong to, and what does
// nothing is gone; their weights are parameters.

#include "networks/graph/function.h"
#include "networks/graph/function_builder.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

/// Nodes one after the other; names are the operators' with a number.
class NetworkBuilder {
  public:
    NetworkBuilder() : m_builder("main") {}

    ValueId parameter(const std::string &name, std::vector<int64_t> dims);
    ValueId weight(std::vector<int64_t> dims);
    ValueId scalar(double value);
    ValueId add(const std::string &op, std::vector<ValueId> inputs, Attributes attributes = {});
    /// Square kernel and stride, "same" padding unless told; with a bias behind it.
    ValueId conv(ValueId x, int64_t from, int64_t to, int64_t kernel, int64_t stride = 1, int64_t group = 1,
                 int64_t pad = -1);
    ValueId bias(ValueId x, int64_t channels);
    ValueId relu(ValueId x) { return add("relu", {x}); }
    ValueId pool(const std::string &op, ValueId x, int64_t kernel, int64_t stride, int64_t pad = 0);
    ValueId reshape(ValueId x, const std::vector<int64_t> &dims);
    /// scale * x + shift of each channel, then relu: what is left of a batch normalisation that nothing takes in.
    ValueId scaleShiftRelu(ValueId x, int64_t channels);
    ValueId denseWithBias(ValueId x, int64_t from, int64_t to);
    void result(ValueId value) { m_builder.addResult(value); }

    /// With types; throws Error where they do not fit.
    FunctionPtr finish() &&;

  private:
    std::string numbered(const std::string &name) { return name + std::to_string(m_next++); }
    FunctionBuilder m_builder;
    int m_next = 0;
};

FunctionPtr onnxResNet50();
FunctionPtr squeezeNet();
FunctionPtr mobileNet();
FunctionPtr denseNet121();
/// TVM's own builder, version 2: normalisation and relu in front of the convolutions.
FunctionPtr tvmResNet(bool bottleneck, const std::vector<int> &units);

} // namespace loopscope
