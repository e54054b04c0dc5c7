#include "networks/onnx/graph_import.h"

#include "networks/onnx/handlers.h"
#include "networks/onnx/readable.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <queue>
#include <utility>

namespace loopscope {

namespace {

/// Each that is imported again for another size counts again.
constexpr int kMaxGraphsInside = 4096;

} // namespace

GraphImport::GraphImport(onnx::ModelProto &model, std::string folder, const ImportOptions &options,
                         ImportResult &result, Module &module)
    : m_graph(*model.mutable_graph()), m_folder(std::move(folder)), m_options(options), m_result(result),
      m_module(module), m_files(m_folder), m_declared(m_graph, options.dims),
      m_builder("main", options.maxTensorBytes) {
    readOpset(model);
}

GraphImport::GraphImport(const GraphImport &around, onnx::GraphProto &graph, const std::string &function,
                         ImportResult &result)
    : m_graph(graph), m_folder(around.m_folder), m_options(around.m_options), m_result(result),
      m_module(around.m_module), m_files(m_folder), m_declared(m_graph, m_options.dims),
      m_builder(function, m_options.maxTensorBytes), m_opset(around.m_opset), m_graphsInside(around.m_graphsInside),
      m_listed(around.m_listed) {}

void GraphImport::problem(std::string_view node, std::string_view op, std::string_view reason) {
    m_result.problems.push_back({readable(node, 300), readable(op, 300), op.empty() ? 0 : m_opset, readable(reason)});
}

bool GraphImport::declareValue(const std::string &name, std::string_view what) {
    if (!isUtf8(name)) {
        problem(name, "", fmt::format("the name of this {} is no UTF-8 text", what));
        return false;
    }
    if (!m_names.insert(name).second) {
        problem(name, "", fmt::format("there is more than one value of this name; the second is this {}", what));
        return false;
    }
    m_builder.reserve(name);
    return true;
}

void GraphImport::readOpset(const onnx::ModelProto &model) {
    std::optional<int64_t> version;
    for (const auto &import : model.opset_import()) {
        if (!import.domain().empty() && import.domain() != "ai.onnx") continue; // matters where a node is of it
        if (version && *version != import.version())
            problem("", "", fmt::format("asks for versions {} and {} of the operator set", *version, import.version()));
        version = import.version();
    }
    if (!version) {
        if (model.ir_version() >= 3)
            problem("", "", "does not say which version of the operator set it is written for (opset_import)");
        else
            m_opset = 1; // the first versions of the format knew one operator set
        return;
    }
    m_opset = std::clamp<int64_t>(*version, 1, kNewestOpset);
    if (*version != m_opset)
        problem(
            "", "",
            fmt::format("asks for version {} of the operator set; supported are versions 1 to {} (exporters have an "
                        "option for it, and onnx.version_converter converts)",
                        *version, kNewestOpset));
}

void GraphImport::readInitialisers() {
    for (auto &initialiser : *m_graph.mutable_initializer()) {
        const std::string name = initialiser.name();
        if (name.empty()) {
            problem("", "", "has an initialiser without a name");
            continue;
        }
        if (!declareValue(name, "initialiser")) continue;
        auto tensor = tensorOf(initialiser, m_files, m_options.maxTensorBytes);
        if (tensor)
            m_initialisers.emplace(name, *std::move(tensor));
        else
            problem(name, "", fmt::format("the initialiser {}", tensor.why()));
        initialiser.clear_raw_data(); // it is there twice now
    }
    for (const auto &sparse : m_graph.sparse_initializer()) {
        problem(sparse.values().name(), "", "the initialiser is a sparse tensor; only dense ones are supported");
        declareValue(sparse.values().name(), "initialiser");
    }
}

void GraphImport::readInputs() {
    std::unordered_set<std::string> initialised = m_names;
    std::unordered_set<std::string> constants;
    for (const auto &input : m_graph.input()) {
        const std::string &name = input.name();
        if (name.empty()) {
            problem("", "", "has an input without a name");
            continue;
        }
        // Early files list what is initialised among the inputs.
        if (initialised.erase(name) > 0) continue;
        if (!declareValue(name, "input")) continue;
        auto type = m_declared.inputType(input);
        if (!type) {
            problem(name, "", fmt::format("the input {}", type.why()));
            continue;
        }
        if (const auto refusal = m_builder.sizeRefusal(*type)) {
            problem(name, "", fmt::format("the input {}", refusal->sentence));
            continue;
        }
        const auto given = m_options.constants.find(name);
        if (given == m_options.constants.end()) {
            m_values[name] = m_builder.addParameter(name, *std::move(type));
            continue;
        }
        constants.insert(name);
        const TensorType constant = {given->second.dtype(), asDims(given->second.dims())};
        bool fits = constant.dtype == type->dtype && constant.dims.size() == type->dims.size();
        for (size_t i = 0; fits && i < constant.dims.size(); ++i)
            fits = !type->dims[i].isConstant() || type->dims[i] == constant.dims[i];
        if (fits)
            m_values[name] = m_builder.addConstant(name, given->second);
        else
            problem(name, "",
                    fmt::format("the input is {}, and it is given as {}", typeText(*type), typeText(constant)));
    }
    for (const auto &[name, tensor] : m_options.constants)
        if (!constants.contains(name)) problem(name, "", "no such input, but a value is given for it");
    for (const std::string &symbol : m_declared.symbols())
        if (!m_options.dims.contains(symbol)) m_result.symbols.push_back(symbol);
    for (const std::string &name : m_declared.unused())
        problem(name, "",
                fmt::format("no such dim, but a number is given for it; the dims of inputs are {}",
                            m_declared.symbols().empty() ? std::string("all numbers")
                                                         : fmt::format("{}", fmt::join(m_declared.symbols(), ", "))));
}

std::string GraphImport::nodeName(int index) const {
    const auto &node = m_graph.node(index);
    if (!node.name().empty()) return readable(node.name(), 1000);
    for (const std::string &output : node.output())
        if (!output.empty()) return readable(output, 1000);
    return fmt::format("node {}", index);
}

void GraphImport::readNodeOutputs() {
    for (int i = 0; i < m_graph.node_size(); ++i) {
        for (const std::string &output : m_graph.node(i).output())
            if (!output.empty() && declareValue(output, fmt::format("output of node '{}'", nodeName(i))))
                m_producers.emplace(output, i);
        for (std::string &input : namesRead(m_graph.node(i))) m_read.insert(std::move(input));
    }
    for (const auto &output : m_graph.output()) m_read.insert(output.name());
}

std::vector<int> GraphImport::order() {
    const auto count = static_cast<size_t>(m_graph.node_size());
    std::vector<std::vector<int>> readsFrom(count);
    std::vector<std::vector<int>> readBy(count);
    std::vector<int> waiting(count);
    for (size_t i = 0; i < count; ++i) {
        for (const std::string &input : namesRead(m_graph.node(static_cast<int>(i))))
            if (const auto at = m_producers.find(input); at != m_producers.end()) readsFrom[i].push_back(at->second);
        std::sort(readsFrom[i].begin(), readsFrom[i].end());
        readsFrom[i].erase(std::unique(readsFrom[i].begin(), readsFrom[i].end()), readsFrom[i].end());
        waiting[i] = static_cast<int>(readsFrom[i].size());
        for (const int from : readsFrom[i]) readBy[static_cast<size_t>(from)].push_back(static_cast<int>(i));
    }
    // The first of those that are ready: a file in order stays as it is.
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (size_t i = 0; i < count; ++i)
        if (waiting[i] == 0) ready.push(static_cast<int>(i));
    std::vector<int> ordered;
    while (!ready.empty()) {
        const int next = ready.top();
        ready.pop();
        ordered.push_back(next);
        for (const int reader : readBy[static_cast<size_t>(next)])
            if (--waiting[static_cast<size_t>(reader)] == 0) ready.push(reader);
    }
    if (ordered.size() < count) reportCycle(readsFrom, waiting);
    return ordered;
}

void GraphImport::reportCycle(const std::vector<std::vector<int>> &readsFrom, const std::vector<int> &waiting) {
    int at = 0;
    while (waiting[static_cast<size_t>(at)] <= 0) ++at;
    // Whoever waits reads from one that waits; going on like that ends in a cycle.
    std::vector<int> path;
    std::vector<bool> seen(readsFrom.size());
    while (!seen[static_cast<size_t>(at)]) {
        seen[static_cast<size_t>(at)] = true;
        path.push_back(at);
        for (const int from : readsFrom[static_cast<size_t>(at)])
            if (waiting[static_cast<size_t>(from)] > 0) {
                at = from;
                break;
            }
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    std::vector<std::string> names;
    for (const int node : path)
        if (names.size() < 8) names.push_back(fmt::format("'{}'", nodeName(node)));
    problem(nodeName(at), m_graph.node(at).op_type(),
            names.size() == 1 ? std::string("reads its own result")
                              : fmt::format("the nodes {}{} read one another's results in a cycle",
                                            fmt::join(names, ", "), path.size() > names.size() ? ", ..." : ""));
}

std::optional<ValueId> GraphImport::valueOf(const std::string &name) {
    if (const auto at = m_values.find(name); at != m_values.end()) return at->second;
    const auto at = m_initialisers.find(name);
    if (at == m_initialisers.end()) return std::nullopt;
    // Initialisers that nobody reads do not become values.
    const ValueId value = m_builder.addConstant(name, std::move(at->second));
    m_initialisers.erase(at);
    return m_values[name] = value;
}

std::optional<std::vector<ValueId>> GraphImport::inputsOf(const onnx::NodeProto &node, const std::string &name) {
    std::vector<ValueId> inputs;
    bool known = true;
    for (const std::string &input : node.input()) {
        if (input.empty()) {
            inputs.emplace_back();
            continue;
        }
        const auto value = valueOf(input);
        if (!value && !m_names.contains(input))
            problem(name, node.op_type(),
                    fmt::format("reads '{}', which is no input, no initialiser and no result of a node", input));
        known = known && value;
        inputs.push_back(value.value_or(ValueId()));
    }
    if (!known) return std::nullopt;
    while (!inputs.empty() && inputs.back().value < 0) inputs.pop_back();
    return inputs;
}

void GraphImport::giveUp(const onnx::NodeProto &node) {
    for (const std::string &output : node.output()) {
        if (output.empty() || m_values.contains(output)) continue;
        const auto declared = m_declared.typeOf(output);
        if (declared && !m_builder.sizeRefusal(*declared)) m_values[output] = m_builder.addParameter(output, *declared);
    }
}

void GraphImport::keep(const onnx::NodeProto &node, const std::string &name, const std::vector<ValueId> &outputs,
                       size_t wanted) {
    for (size_t i = 0; i < wanted; ++i) {
        const std::string &output = node.output(static_cast<int>(i));
        if (output.empty()) continue;
        if (i >= outputs.size()) {
            if (m_read.contains(output))
                problem(name, node.op_type(),
                        fmt::format("output {} ('{}') is not supported, and it is read", i, output));
            continue;
        }
        m_values[output] = outputs[i];
        const bool ofGraph = std::any_of(m_graph.output().begin(), m_graph.output().end(),
                                         [&](const auto &one) { return one.name() == output; }); // readResults looks
        if (ofGraph) continue;
        if (const auto sentence = m_declared.contradiction(output, m_builder.type(outputs[i])))
            m_result.notes.push_back({readable(output, 300), node.op_type(), m_opset, readable(*sentence)});
    }
}

void GraphImport::translate(int index, bool inputsKnown) {
    const auto &node = m_graph.node(index);
    const std::string name = nodeName(index);
    if (!isUtf8(node.name())) problem(name, node.op_type(), "the name of this node is no UTF-8 text");
    if (isControlFlow(node)) {
        const std::vector<std::string> wrong = wrongWithControlFlow(node);
        for (const std::string &sentence : wrong) problem(name, node.op_type(), sentence);
        auto inputs = inputsKnown ? inputsOf(node, name) : std::nullopt;
        if (!inputs || !wrong.empty()) return giveUp(node);
        return translateControlFlow(node, name, *std::move(inputs));
    }
    const auto handler = findHandler(node.op_type(), node.domain(), m_opset);
    if (!handler) {
        std::string why = handler.why();
        // Said once a file: it is a long list.
        if (why.starts_with("the operator is not supported") && !std::exchange(m_listed, true))
            why += fmt::format("; supported are {}", fmt::join(importedOperators(m_opset), ", "));
        problem(name, node.op_type(), why);
        if (inputsKnown) inputsOf(node, name); // what is missing of them is said, too
        return giveUp(node);
    }
    const std::vector<std::string> wrong = wrongWith(node, **handler);
    for (const std::string &sentence : wrong) problem(name, node.op_type(), sentence);
    if (!inputsKnown) return;
    auto inputs = inputsOf(node, name);
    if (!inputs || !wrong.empty()) return giveUp(node);

    NodeImport::Place place = {name, {}, {}, *std::move(inputs)};
    std::unordered_set<std::string_view> own;
    for (int i = 0; i < node.output_size(); ++i) {
        const std::string &output = node.output(i);
        const auto producer = m_producers.find(output);
        const bool named = producer != m_producers.end() && producer->second == index && own.insert(output).second;
        place.outputs.push_back(named ? output : m_builder.freeValueName(fmt::format("{}/{}", name, i)));
        place.outputUsed.push_back(!output.empty() && m_read.contains(output));
    }
    NodeImport import(node, m_opset, std::move(place), m_builder, m_files, m_options.maxTensorBytes);
    const auto translated = (*handler)->translate(import);
    if (!translated) {
        problem(name, node.op_type(), translated.why());
        return giveUp(node);
    }
    keep(node, name, *translated, static_cast<size_t>(node.output_size()));
}

void GraphImport::translateControlFlow(const onnx::NodeProto &node, const std::string &name,
                                       std::vector<ValueId> inputs) {
    std::vector<std::string> outputs;
    for (const std::string &output : node.output())
        outputs.push_back(output.empty() ? m_builder.freeValueName(fmt::format("{}/{}", name, outputs.size()))
                                         : output);
    ControlFlowImport import(
        m_builder, m_module, m_result, [this](const std::string &value) { return valueOf(value); },
        [&, this](const onnx::GraphProto &graph, const std::string &function, const std::vector<HandedValue> &handed,
                  const std::vector<HandedValue> &captured, ImportResult &result) {
            if (++*m_graphsInside > kMaxGraphsInside) {
                problem(name, node.op_type(),
                        fmt::format("loops in one another, with sizes that grow, make more than {} graphs to look at",
                                    kMaxGraphsInside));
                return FunctionPtr();
            }
            onnx::GraphProto copy = graph; // importing takes bytes out of it
            return GraphImport(*this, copy, function, result).runInside(handed, captured);
        });
    const auto made = import.translate(node, m_builder.freeNodeName(name), std::move(inputs), outputs);
    if (made && *made) return keep(node, name, **made, outputs.size());
    if (made) problem(name, node.op_type(), made->why());
    giveUp(node);
}

void GraphImport::readResults() {
    if (m_graph.output_size() == 0) problem("", "", "has no outputs");
    std::unordered_set<std::string> seen;
    for (const auto &output : m_graph.output()) {
        const std::string &name = output.name();
        if (!seen.insert(name).second) {
            problem(name, "", "there is more than one output of this name");
            continue;
        }
        const auto value = valueOf(name);
        if (!value) {
            if (!m_names.contains(name))
                problem(name, "", "the output is no result of a node, no input and no initialiser");
            continue;
        }
        // Exporters write wrong shapes (that of a pool without its ceil_mode); the computed one counts. Another type of
        // elements is another network.
        if (const auto sentence = m_declared.contradiction(name, m_builder.type(*value))) {
            if (m_declared.contradictsElements(name, m_builder.type(*value)))
                problem(name, "", fmt::format("the output {}", *sentence));
            else
                m_result.notes.push_back(
                    {readable(name, 300), "", 0, readable(fmt::format("the output {}", *sentence))});
        }
        m_builder.addResult(m_builder.cutsAllowed() ? asDeclared(*value, name) : *value);
    }
}

ValueId GraphImport::asDeclared(ValueId value, const std::string &name) {
    TensorType type = m_builder.type(value);
    const auto declared = m_declared.typeOf(name);
    bool more = false;
    const bool fits = declared && declared->dims.size() == type.dims.size();
    for (size_t axis = 0; fits && axis < type.dims.size(); ++axis) {
        if (type.dims[axis].isConstant() || !declared->dims[axis].isConstant()) continue;
        type.dims[axis] = declared->dims[axis];
        more = true;
    }
    if (!more) return value;
    const std::string wanted = name + "/match";
    const auto matched = m_builder.addStatement({m_builder.freeNodeName(wanted), "match", {value}, {}, {}, {}},
                                                {m_builder.freeValueName(wanted)}, m_module, std::move(type));
    if (matched) return matched->front();
    problem(name, "", fmt::format("the output {}", matched.why()));
    return value;
}

FunctionPtr GraphImport::run() {
    readInitialisers();
    readInputs();
    FunctionPtr function = runNodes();
    return m_result.problems.empty() ? function : nullptr;
}

FunctionPtr GraphImport::runInside(const std::vector<HandedValue> &inputs, const std::vector<HandedValue> &captured) {
    const size_t problemsBefore = m_result.problems.size();
    m_builder.allowCuts();
    readInitialisers();
    const auto take = [this](const HandedValue &value) {
        if (!declareValue(value.name, "input")) return;
        if (value.constant)
            m_initialisers.emplace(value.name, *value.constant); // it is there when somebody reads it
        else
            m_values[value.name] = m_builder.addParameter(value.name, value.type);
    };
    for (const HandedValue &value : inputs) take(value);
    for (const HandedValue &value : captured) take(value);
    FunctionPtr function = runNodes();
    return m_result.problems.size() > problemsBefore ? nullptr : function;
}

FunctionPtr GraphImport::runNodes() {
    readNodeOutputs();
    const std::vector<int> ordered = order();
    std::vector<bool> reached(static_cast<size_t>(m_graph.node_size()));
    for (const int index : ordered) {
        reached[static_cast<size_t>(index)] = true;
        translate(index, true);
    }
    for (size_t i = 0; i < reached.size(); ++i)
        if (!reached[i]) translate(static_cast<int>(i), false);
    readResults();
    return std::move(m_builder).finish();
}

} // namespace loopscope
