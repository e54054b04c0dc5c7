#include "networks/passes/function_edit.h"

#include "base/check.h"
#include "networks/graph/function_builder.h"
#include "networks/op/infer_types.h"
#include "networks/op/operator.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace loopscope {

namespace {

/// Of the outputs of a node; none where its inputs have no types yet.
std::vector<TensorType> inferredTypes(const FunctionEdit &edit, NodeId id) {
    const Node &of = edit.node(id);
    const Operator *entry = findOperator(of.op);
    LOOPSCOPE_CHECK(entry, of.op);
    std::vector<InputFact> facts;
    for (const ValueId input : of.inputs) {
        InputFact fact;
        if (input.value >= 0) {
            const TensorType *known = edit.type(input);
            if (!known) return {};
            fact = {true, *known, edit.constant(input)};
            if (fact.constant && !isFloat(known->dtype) && fact.constant->rank() <= 1 &&
                fact.constant->elements() <= kMaxKnownElements)
                fact.elements = asDims(fact.constant->integerValues());
        }
        facts.push_back(std::move(fact));
    }
    const auto inferred = entry->infer(OperatorUse(of, *entry, std::move(facts)));
    LOOPSCOPE_CHECK(inferred, inferred.why());
    std::vector<TensorType> types;
    for (const InferredOutput &output : *inferred) types.push_back(output.type);
    return types;
}

} // namespace

std::optional<std::vector<int64_t>> knownDims(const FunctionEdit &edit, ValueId value) {
    const TensorType *of = edit.type(value);
    return of ? constantDims(of->dims) : std::nullopt;
}

bool hasNoElements(const FunctionEdit &edit, ValueId value) {
    const auto dims = knownDims(edit, value);
    return dims && elementCount(*dims) == 0;
}

FunctionEdit::FunctionEdit(FunctionPtr from, std::string pass, PassReport &report)
    : m_from(std::move(from)), m_pass(std::move(pass)), m_report(report), m_places(m_from->nodeCount()),
      m_forward(m_from->valueCount()), m_uses(m_from->valueCount()) {
    std::iota(m_forward.begin(), m_forward.end(), 0);
    int at = 0;
    for (uint32_t block = 0; block < m_from->blocks().size(); ++block)
        for (const Node &node : m_from->blocks()[block].nodes) {
            m_places[static_cast<size_t>(at)] = {at + 1, at - 1, block, at, true};
            for (const ValueId input : node.inputs)
                if (input.value >= 0) ++m_uses[input.index()];
            ++at;
        }
    if (!m_places.empty()) {
        m_places.back().next = -1;
        m_first = 0;
    }
    for (const ValueId result : m_from->results()) {
        ++m_uses[result.index()];
        m_results.insert(result.value);
    }
}

NodeId FunctionEdit::first() const {
    int at = m_first;
    while (at >= 0 && !m_places[static_cast<size_t>(at)].alive) at = m_places[static_cast<size_t>(at)].next;
    return NodeId(at);
}

NodeId FunctionEdit::next(NodeId node) const {
    int at = m_places[node.index()].next;
    while (at >= 0 && !m_places[static_cast<size_t>(at)].alive) at = m_places[static_cast<size_t>(at)].next;
    return NodeId(at);
}

const Node &FunctionEdit::node(NodeId node) const {
    const size_t old = m_from->nodeCount();
    return node.index() < old ? m_from->node(node) : m_newNodes[node.index() - old];
}

ValueId FunctionEdit::current(ValueId value) const {
    if (value.value < 0) return value;
    int to = value.value;
    while (m_forward[static_cast<size_t>(to)] != to) to = m_forward[static_cast<size_t>(to)];
    for (int at = value.value; at != to;) at = std::exchange(m_forward[static_cast<size_t>(at)], to);
    return ValueId(to);
}

ValueId FunctionEdit::input(NodeId node, size_t at) const {
    const std::vector<ValueId> &inputs = this->node(node).inputs;
    return at < inputs.size() ? current(inputs[at]) : ValueId();
}

std::vector<ValueId> FunctionEdit::inputs(NodeId node) const {
    std::vector<ValueId> inputs = this->node(node).inputs;
    for (ValueId &input : inputs) input = current(input);
    return inputs;
}

const Value &FunctionEdit::value(ValueId value) const {
    const size_t old = m_from->valueCount();
    if (value.index() >= old) return m_newValues[value.index() - old];
    const auto changed = m_changedValues.find(value.value);
    return changed == m_changedValues.end() ? m_from->value(value) : changed->second;
}

Value &FunctionEdit::changedValue(ValueId value) {
    const size_t old = m_from->valueCount();
    if (value.index() >= old) return m_newValues[value.index() - old];
    return m_changedValues.try_emplace(value.value, m_from->value(value)).first->second;
}

const HostTensor *FunctionEdit::constant(ValueId value) const {
    if (value.value < 0) return nullptr;
    const Value &of = this->value(value);
    return of.constant ? &*of.constant : nullptr;
}

const TensorType *FunctionEdit::type(ValueId value) const {
    if (value.value < 0) return nullptr;
    const Value &of = this->value(value);
    return of.type ? &*of.type : nullptr;
}

std::vector<NodeId> FunctionEdit::readers(ValueId value) {
    if (!m_readers.begun()) {
        m_readers.begin(m_forward.size(), m_places.size());
        for (NodeId at = first(); at.value >= 0; at = next(at))
            for (const ValueId input : node(at).inputs)
                if (input.value >= 0) m_readers.add(current(input), at);
    }
    return m_readers.of(value, [&](NodeId node) { return alive(node); });
}

std::string FunctionEdit::nameFor(NodeId before, std::string_view op) {
    if (m_names.empty())
        for (size_t i = 0; i < m_from->valueCount(); ++i) m_names.insert(m_from->value(ValueId(i)).name);
    const std::string base = before.value >= 0 ? fmt::format("{}.{}", node(before).name, op) : std::string(op);
    std::string name = base;
    for (int number = 1; !m_names.insert(name).second; ++number) name = fmt::format("{}_{}", base, number);
    return name;
}

ValueId FunctionEdit::addConstant(const std::string &name, HostTensor value) {
    TensorType type = {value.dtype(), asDims(value.dims())};
    const ValueId id(m_forward.size());
    m_newValues.push_back({nameFor({}, name), std::move(type), {}, std::move(value)});
    m_forward.push_back(id.value);
    m_uses.push_back(0);
    m_fresh.insert(id.value);
    m_readers.addValue();
    return id;
}

NodeId FunctionEdit::addNode(NodeId before, std::string op, std::vector<ValueId> inputs, Attributes attributes,
                             size_t outputs) {
    m_changed = true;
    const NodeId id(m_places.size());
    Place &behind = m_places[before.index()];
    Place place = {before.value, behind.previous, behind.block, behind.position, true};
    (behind.previous >= 0 ? m_places[static_cast<size_t>(behind.previous)].next : m_first) = id.value;
    behind.previous = id.value;
    m_places.push_back(place);

    Node made;
    made.name = nameFor(before, op);
    made.sources = node(before).sources;
    if (made.sources.empty()) made.sources = {node(before).name};
    made.op = std::move(op);
    made.attributes = std::move(attributes);
    while (!inputs.empty() && inputs.back().value < 0) inputs.pop_back();
    for (ValueId &input : inputs) input = current(input);
    made.inputs = std::move(inputs);
    for (size_t i = 0; i < outputs; ++i) {
        const ValueId output(m_forward.size());
        m_newValues.push_back({i == 0 ? made.name : nameFor(before, fmt::format("{}.{}", made.op, i)), {}, id, {}});
        m_forward.push_back(output.value);
        m_uses.push_back(0);
        m_readers.addValue();
        m_fresh.insert(output.value);
        made.outputs.push_back(output);
    }
    m_newNodes.push_back(std::move(made));
    for (const ValueId input : node(id).inputs) {
        if (input.value < 0) continue;
        ++m_uses[input.index()];
        m_readers.add(input, id);
    }
    const std::vector<TensorType> types = inferredTypes(*this, id);
    for (size_t i = 0; i < types.size() && i < outputs; ++i) changedValue(node(id).outputs[i]).type = types[i];
    return id;
}

ValueId FunctionEdit::add(NodeId before, std::string op, std::vector<ValueId> inputs, Attributes attributes) {
    return output(addNode(before, std::move(op), std::move(inputs), std::move(attributes), 1));
}

bool FunctionEdit::replace(ValueId old, ValueId now, std::string_view sentence, NodeId heir) {
    old = current(old);
    now = current(now);
    if (old == now) return false;
    const NodeId by = producer(old);
    LOOPSCOPE_CHECK(by.value >= 0, value(old).name);
    const bool result = isResult(old);
    if (result) {
        if (isResult(now)) return false;
        if (producer(now).value < 0) {
            // A constant can stand there under another name, a parameter cannot.
            const HostTensor *constant = this->constant(now);
            if (!constant || node(by).outputs.size() != 1) return false;
            now = addConstant(value(old).name, *constant);
        }
    }
    m_changed = true;
    const bool fresh = m_fresh.erase(now.value) > 0;
    if (fresh || result) changedValue(now).name = value(old).name;
    if (const NodeId into = producer(now); fresh && into.value >= 0 && node(into).outputs.size() == 1)
        m_newNodes[into.index() - m_from->nodeCount()].name = node(by).name;
    if (!type(now)) changedValue(now).type = value(old).type;
    m_forward[old.index()] = now.value;
    m_uses[now.index()] += std::exchange(m_uses[old.index()], 0);
    m_readers.move(old, now);
    if (result) {
        m_results.erase(old.value);
        m_results.insert(now.value);
    }
    removeUnread(by, heir.value >= 0 ? heir : producer(now), sentence);
    return true;
}

void FunctionEdit::removeUnread(NodeId node, NodeId into, std::string_view sentence) {
    std::vector<NodeId> open = {node};
    while (!open.empty()) {
        const NodeId at = open.back();
        open.pop_back();
        if (!alive(at)) continue;
        const std::vector<ValueId> &outputs = this->node(at).outputs;
        if (std::any_of(outputs.begin(), outputs.end(), [&](ValueId output) { return uses(output) > 0; })) continue;
        remove(at, into, sentence);
        for (const ValueId input : this->node(at).inputs) {
            const ValueId read = current(input);
            if (read.value >= 0 && producer(read).value >= 0) open.push_back(producer(read));
        }
    }
}

void FunctionEdit::remove(NodeId node, NodeId into, std::string_view sentence) {
    m_changed = true;
    m_places[node.index()].alive = false;
    for (const ValueId input : inputs(node))
        if (input.value >= 0) --m_uses[input.index()];
    m_report.events.push_back({m_pass, this->node(node).name, into.value >= 0 ? this->node(into).name : std::string(),
                               std::string(sentence)});
    if (into.value < 0 || into == node) return;
    m_joined.join(node, this->node(node), m_places[node.index()].position, into);
}

size_t FunctionEdit::removeDead(std::string_view sentence) {
    int last = -1;
    for (NodeId at = first(); at.value >= 0; at = next(at)) last = at.value;
    size_t removed = 0;
    for (int at = last; at >= 0; at = m_places[static_cast<size_t>(at)].previous) {
        const NodeId node(at);
        if (!alive(node)) continue;
        const std::vector<ValueId> &outputs = this->node(node).outputs;
        if (std::any_of(outputs.begin(), outputs.end(), [&](ValueId output) { return uses(output) > 0; })) continue;
        remove(node, {}, sentence);
        ++removed;
    }
    return removed;
}

void FunctionEdit::dropUnusedConstants() {
    for (size_t i = 0; i < m_from->valueCount() && !m_changed; ++i)
        m_changed = m_from->isConstant(ValueId(i)) && uses(ValueId(i)) == 0 && !isResult(ValueId(i));
}

FunctionPtr FunctionEdit::finish() {
    if (!m_changed) return m_from;
    FunctionBuilder builder(m_from->name());
    std::vector<ValueId> made(m_forward.size());
    for (const ValueId parameter : m_from->parameters()) {
        const Value &of = value(parameter);
        made[parameter.index()] = builder.addParameter(of.name, *of.type);
    }
    const auto mapped = [&](ValueId old) {
        old = current(old);
        if (old.value < 0) return old;
        ValueId &now = made[old.index()];
        if (now.value < 0) now = builder.addConstant(value(old).name, *value(old).constant);
        return now;
    };
    size_t blocks = 0;
    for (NodeId at = first(); at.value >= 0; at = next(at)) {
        for (; blocks <= blockOf(at); ++blocks) builder.beginBlock(m_from->blocks()[blocks].kind);
        Node copy = node(at);
        copy.sources = m_joined.take(at, node(at), m_places[at.index()].position);
        for (ValueId &input : copy.inputs) input = mapped(input);
        const std::vector<ValueId> outputs = copy.outputs;
        std::vector<std::string> names;
        names.reserve(outputs.size());
        for (const ValueId output : outputs) names.push_back(value(output).name);
        const NodeId now = builder.addNode(std::move(copy), names);
        for (size_t i = 0; i < outputs.size(); ++i) {
            const ValueId output = builder.soFar().node(now).outputs[i];
            made[outputs[i].index()] = output;
            builder.setType(output, value(outputs[i]).type);
        }
    }
    for (; blocks < m_from->blocks().size(); ++blocks) builder.beginBlock(m_from->blocks()[blocks].kind);
    for (const ValueId result : m_from->results()) builder.addResult(mapped(result));
    return std::move(builder).finish();
}

} // namespace loopscope
