#include "networks/strategy/rewrite.h"

#include "base/check.h"
#include "networks/op/infer_types.h"
#include "networks/op/reference.h"

#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

void asWinograd(NodeRewriting &rewriting, int64_t tile) {
    const ValueId u = rewriting.add("winograd_weight", "u", {1}, {{"tile", tile}});
    Attributes attributes = {{"tile", tile}};
    if (const std::vector<int64_t> pads = rewriting.integers("pads"); !pads.empty()) attributes["pads"] = pads;
    std::vector<ValueId> inputs = {rewriting.input(0), u};
    if (rewriting.input(2).value >= 0) inputs.push_back(rewriting.input(2));
    rewriting.finish("winograd_conv", std::move(inputs), std::move(attributes));
}

} // namespace

NodeRewriting::NodeRewriting(FunctionCopy &copy, NodeId node, WeightFolding folding, ThreadPool &pool)
    : m_copy(copy), m_node(copy.from().node(node)), m_folding(folding), m_pool(pool) {}

ValueId NodeRewriting::input(size_t at) const {
    return at < m_node.inputs.size() ? m_copy.mapped(m_node.inputs[at]) : ValueId();
}

std::vector<int64_t> NodeRewriting::integers(std::string_view name) const {
    const auto at = m_node.attributes.find(name);
    return at == m_node.attributes.end() ? std::vector<int64_t>{} : std::get<std::vector<int64_t>>(at->second);
}

void NodeRewriting::typed(NodeId node) {
    if (const auto inferred = inferInto(m_copy.to(), node); !inferred) throw Error(inferred.why());
}

ValueId NodeRewriting::add(const std::string &op, const std::string &suffix, const std::vector<size_t> &inputs,
                           Attributes attributes) {
    const std::string name = m_node.name + "." + suffix;
    std::vector<const HostTensor *> constants;
    for (const size_t at : inputs)
        if (const HostTensor *constant = m_copy.from().constant(m_node.inputs[at])) constants.push_back(constant);
    if (constants.size() == inputs.size()) return folded(op, name, constants, std::move(attributes));
    std::vector<ValueId> values;
    for (const size_t at : inputs) values.push_back(input(at));
    const NodeId added =
        m_copy.to().addNode({name, op, std::move(values), {}, std::move(attributes), m_node.sources}, {name});
    typed(added);
    return m_copy.to().soFar().node(added).outputs[0];
}

/// In a function of its own, so that what it is made of does not stay behind.
ValueId NodeRewriting::folded(const std::string &op, const std::string &name,
                              const std::vector<const HostTensor *> &inputs, Attributes attributes) {
    FunctionBuilder alone(name);
    Node node = {name, op, {}, {}, std::move(attributes), {}};
    for (const HostTensor *input : inputs)
        node.inputs.push_back(alone.addParameter("x", {input->dtype(), asDims(input->dims())}));
    const NodeId added = alone.addNode(node, {name});
    if (const auto inferred = inferInto(alone, added); !inferred) throw Error(inferred.why());
    const TensorType &type = alone.soFar().type(alone.soFar().node(added).outputs[0]);
    if (m_folding == WeightFolding::ShapesOnly)
        return m_copy.to().addConstant(name, HostTensor::splat(type.dtype, *constantDims(type.dims), 0));
    std::vector<WideTensor> wide;
    std::vector<const WideTensor *> given;
    wide.reserve(inputs.size());
    for (const HostTensor *input : inputs) given.push_back(&wide.emplace_back(WideTensor::of(input->dense())));
    auto values = evaluateNode(alone.soFar().node(added), given, m_pool);
    if (!values) throw Error(values.why());
    return m_copy.to().addConstant(name, values->front().narrow());
}

void NodeRewriting::finish(const std::string &op, std::vector<ValueId> inputs, Attributes attributes) {
    const GraphFunction &from = m_copy.from();
    LOOPSCOPE_CHECK(m_node.outputs.size() == 1, m_node.op);
    const ValueId old = m_node.outputs[0];
    const NodeId added = m_copy.to().addNode(
        {m_node.name, op, std::move(inputs), {}, std::move(attributes), m_node.sources}, {from.value(old).name});
    typed(added);
    const ValueId now = m_copy.to().soFar().node(added).outputs[0];
    LOOPSCOPE_CHECK(m_copy.to().soFar().type(now) == from.type(old), nodeText(m_node));
    m_copy.map(old, now);
}

Outcome<FunctionPtr> rewriteNodes(const GraphFunction &function, const std::vector<RewrittenNode> &nodes,
                                  WeightFolding folding, ThreadPool &pool) {
    std::vector<NodeRewrite> rewrites(function.nodeCount(), nullptr);
    for (const RewrittenNode &one : nodes) rewrites[one.node.index()] = one.rewrite;
    FunctionBuilder builder(function.name());
    FunctionCopy copy(function, builder);
    try {
        size_t number = 0;
        for (const Block &block : function.blocks()) {
            builder.beginBlock(block.kind);
            for (size_t i = 0; i < block.nodes.size(); ++i, ++number) {
                if (rewrites[number] == nullptr) {
                    copy.copyNode(NodeId(number));
                    continue;
                }
                NodeRewriting rewriting(copy, NodeId(number), folding, pool);
                rewrites[number](rewriting);
            }
        }
    } catch (const Error &error) {
        return Refusal{error.sentence()};
    }
    copy.copyResults();
    return std::move(builder).finish();
}

void asWinograd2(NodeRewriting &rewriting) { asWinograd(rewriting, 2); }
void asWinograd4(NodeRewriting &rewriting) { asWinograd(rewriting, 4); }

void asTransposedProduct(NodeRewriting &rewriting) {
    const ValueId columns = rewriting.add("transpose", "columns", {1}, {});
    rewriting.finish("matmul", {rewriting.input(0), columns}, {});
}

} // namespace loopscope
