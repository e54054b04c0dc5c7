#include "language/te/language/workload_parser.h"

#include "base/check.h"
#include "language/te/axis_origins.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {
/// More than any network layer or fused subgraph needs; each is a stage of every schedule.
constexpr size_t kMaxOps = 4096;
const std::vector<std::string> kKeywords = {"workload", "let", "placeholder", "args", "output"};
} // namespace

WorkloadParser::WorkloadParser(const SourceText &source, const ParamOverrides &overrides)
    : m_cursor(source, tokenize(source)), m_expressions(m_cursor, m_names),
      m_computes(m_cursor, m_names, m_expressions), m_overrides(overrides),
      m_calls(m_cursor, m_names, m_expressions, m_computes, m_workload.ops) {
    m_workload.path = source.path;
    m_expressions.explainUnknownTensor = [this](const Token &name) { explainUnknown(name); };
}

Workload WorkloadParser::parse() {
    m_workload.arena = std::make_shared<ExprArena>();
    const ArenaScope scope(m_workload.arena);
    parseHeader();
    while (m_cursor.peek().kind != TokenKind::End) parseStatement();
    finishArgs();
    auto places = std::make_shared<WorkloadPlaces>();
    places->text = m_cursor.source().text;
    places->path = m_cursor.source().path;
    places->loads = std::move(m_expressions.loadOffsets);
    for (const auto &[op, token] : m_definedAt) places->ops[op] = m_cursor.tokens()[token].offset;
    m_workload.places = std::move(places);
    return std::move(m_workload);
}

void WorkloadParser::parseHeader() {
    if (!m_cursor.peek().isName("workload"))
        throw m_cursor.unexpected("`workload NAME(parameter = default, ...)` as the first statement");
    m_cursor.next();
    m_workload.name = m_cursor.expectName("the name of the workload").text;
    std::vector<bool> used(m_overrides.size(), false);
    if (m_cursor.accept("(")) {
        while (!m_cursor.peek().is(")")) {
            const Token &name = m_cursor.expectName("a parameter, as in N = 1");
            if (m_names.isDefined(name.text))
                throw m_cursor.error(name, "there are two parameters named `" + name.text + "`");
            m_cursor.expect("=", "and the default of parameter `" + name.text + "`");
            const int64_t fallback = m_expressions.parseConstantInt("the default of `" + name.text + "`");
            WorkloadParam param{name.text, fallback, fallback};
            for (size_t i = 0; i < m_overrides.size(); ++i) {
                if (m_overrides[i].first != name.text) continue;
                param.value = m_overrides[i].second;
                used[i] = true;
            }
            m_names.constants.emplace(name.text, untypedInt(param.value));
            m_workload.params.push_back(std::move(param));
            if (!m_cursor.accept(",")) break;
        }
        m_cursor.expect(")", "after the parameters");
    }
    for (size_t i = 0; i < used.size(); ++i) {
        if (used[i]) continue;
        std::vector<std::string> known;
        for (const WorkloadParam &param : m_workload.params) known.push_back(param.name);
        const std::string &name = m_overrides[i].first;
        throw Error((m_workload.path.empty() ? "" : m_workload.path + ": ") + "`" + m_workload.name +
                    "` has no parameter `" + name + "`" + suggestion(name, known) + "; " +
                    (known.empty() ? "it has none" : "its parameters are " + quotedList(known)));
    }
}

void WorkloadParser::parseStatement() {
    const Token &first = m_cursor.peek();
    const bool assigned = m_cursor.peek(1).is("=") || m_cursor.peek(1).is("(");
    if (first.isName("workload")) throw m_cursor.error(first, "a file holds one workload; this is a second one");
    if (first.isName("let") && !assigned) return parseLet();
    if ((first.isName("args") || first.isName("output")) && !assigned) return parseOrder(first.text == "output");
    if (first.is("@")) throw m_cursor.error(first, "an attribute follows the compute or operator call it belongs to");

    const Token &handle = m_cursor.expectName("a definition");
    m_defining = handle.text;
    std::string name;
    if (m_cursor.peek().kind == TokenKind::Text) name = m_cursor.expectName("the printed name").text;
    if (m_cursor.peek().is("(")) return parseCompute(handle, name.empty() ? handle.text : name);
    if (!m_cursor.peek().is("=")) {
        const std::string hint = handle.kind == TokenKind::Name ? suggestion(handle.text, kKeywords) : "";
        throw m_cursor.unexpected("`=` or `(` after `" + handle.text + "`" + hint);
    }
    m_cursor.next();
    if (m_cursor.peek().isName("placeholder") && m_cursor.peek(1).is("["))
        return parsePlaceholder(handle, name.empty() ? handle.text : name);
    if (m_cursor.peek().kind == TokenKind::Name && m_cursor.peek(1).is("(")) return parseOperatorCall(handle, name);
    throw m_cursor.unexpected("`placeholder [...]` or an operator call; a compute names its axes, as in " +
                              (isPlainName(handle.text) ? handle.text : "name") + "(i < N) = ...");
}

void WorkloadParser::parseLet() {
    m_cursor.next();
    const Token &name = m_cursor.expectName("the name of a constant");
    requireNew(name);
    m_cursor.expect("=", "and the value of `" + name.text + "`");
    const TypedExpr value = m_expressions.parseConstant("`" + name.text + "`");
    m_names.constants.emplace(name.text, value);
}

void WorkloadParser::parseOrder(bool outputsOnly) {
    const Token &keyword = m_cursor.next();
    if (m_orderIsOutputs) throw m_cursor.error(keyword, "the order of arguments is given twice");
    m_orderIsOutputs = outputsOnly;
    do {
        const size_t at = m_cursor.at();
        const Token &name = m_cursor.expectName("a tensor");
        if (const auto found = m_names.tensors.find(name.text); found != m_names.tensors.end()) {
            m_order.emplace_back(found->second.tensor, at);
        } else if (const auto tuple = m_names.tuples.find(name.text); tuple != m_names.tuples.end()) {
            for (size_t k = 0; k < tuple->second; ++k)
                m_order.emplace_back(m_names.tensors.at(name.text + ".v" + std::to_string(k)).tensor, at);
        } else {
            explainUnknown(name);
        }
    } while (m_cursor.accept(","));
}

void WorkloadParser::requireNew(const Token &name) const {
    if (m_names.constants.contains(name.text))
        throw m_cursor.error(name, "`" + name.text + "` already is a constant or parameter");
    if (!m_names.isDefined(name.text)) return;
    const auto found = m_names.tensors.find(name.text);
    const std::string where = found == m_names.tensors.end()
                                  ? "above"
                                  : "in line " + std::to_string(m_cursor.source().placeOf(found->second.offset).line);
    throw m_cursor.error(name, "`" + name.text + "` is already defined " + where +
                                   "; ops that print alike need different handles, as in " +
                                   (isPlainName(name.text) ? name.text : "name") + "_2 " + quoted(name.text) +
                                   " = ...");
}

void WorkloadParser::defineOutput(const Token &handle, const Tensor &tensor) {
    m_names.tensors[handle.text] = {&tensor, handle.offset};
}

void WorkloadParser::define(const Token &handle, const OpPtr &op) {
    if (op->outputs.size() == 1) {
        defineOutput(handle, op->output());
    } else {
        m_names.tuples[handle.text] = op->outputs.size();
        for (size_t k = 0; k < op->outputs.size(); ++k) {
            Token part = handle;
            part.text += ".v" + std::to_string(k);
            requireNew(part);
            defineOutput(part, op->output(k));
        }
    }
    m_definedAt[op.get()] =
        static_cast<size_t>(&handle - m_cursor.tokens().data()); // handles are tokens of the file, never copies
    m_workload.ops.push_back(op);
    if (m_workload.ops.size() > kMaxOps)
        throw m_cursor.error(handle, "a workload has at most " + std::to_string(kMaxOps) +
                                         " placeholders and computes; divide this one into several");
}

void WorkloadParser::parsePlaceholder(const Token &handle, const std::string &name) {
    requireNew(handle);
    m_cursor.next();
    m_cursor.expect("[", "");
    std::vector<int64_t> shape;
    if (!m_cursor.peek().is("]")) {
        do {
            const Token &place = m_cursor.peek();
            const std::string what = "extent " + std::to_string(shape.size()) + " of `" + handle.text + "`";
            shape.push_back(m_expressions.parseConstantInt(what));
            const std::string complaint = extentComplaint(what, shape.back());
            if (!complaint.empty()) throw m_cursor.error(place, complaint);
        } while (m_cursor.accept(","));
    }
    m_cursor.expect("]", "after the shape");
    if (!boundedProduct(shape, kMaxElements))
        throw m_cursor.error(handle, "`" + handle.text + "` has more than 2^40 elements");
    DType dtype = DType::Float32;
    const Token &type = m_cursor.peek();
    if (type.kind == TokenKind::Name && !type.firstOfLine) {
        const std::optional<DType> named = dtypeFromName(type.text);
        if (!named) {
            std::vector<std::string> types;
            for (int i = 0; i <= static_cast<int>(DType::Float64); ++i)
                types.emplace_back(dtypeName(static_cast<DType>(i)));
            throw m_cursor.error(type, "`" + type.text + "` is no type" + suggestion(type.text, types) +
                                           "; the types are " + quotedList(types));
        }
        dtype = *named;
        m_cursor.next();
    }
    if (m_cursor.peek().is("@"))
        throw m_cursor.error(m_cursor.peek(),
                             "a placeholder carries no attributes; they go on the computes that read it");
    define(handle, makePlaceholder(name, std::move(shape), dtype));
}

void WorkloadParser::parseCompute(const Token &handle, const std::string &name) {
    requireNew(handle);
    m_cursor.expect("(", "");
    const VariableScope scope(m_names);
    std::vector<Axis> axes = m_computes.parseAxes(")", handle.text);
    m_cursor.expect(")", "after the axes of `" + handle.text + "`");
    m_cursor.expect("=", "and the value of `" + handle.text + "`");
    ComputeBody body = m_computes.parseBody({handle.text, name, axes});
    m_computes.checkSizes(handle, handle.text, axes, body.reduction);
    Attrs attrs;
    std::string tag;
    parseAttributes(attrs, tag);
    countFromOrigins(axes, body);
    if (body.scan) return define(handle, scanOrRefuse(handle, body, std::move(attrs), std::move(tag)));
    if (!body.places.empty()) scatterTo(std::move(body.places), axes, *body.reduction, attrs);
    define(handle, makeCompute(name, std::move(axes), std::move(body.values), std::move(body.reduction),
                               std::move(attrs), std::move(tag)));
}

/// `body` counts from the origins.
OpPtr WorkloadParser::scanOrRefuse(const Token &handle, ComputeBody &body, Attrs attrs, std::string tag) {
    if (const std::optional<ScanDraft::Fault> fault = body.scan->faultOf(body.values)) {
        const auto place =
            fault->load ? m_expressions.loadOffsets.find(fault->load.node()) : m_expressions.loadOffsets.end();
        if (place == m_expressions.loadOffsets.end()) throw m_cursor.error(handle, fault->sentence);
        throw m_cursor.source().error(place->second, fault->sentence, body.scan->op().name.size());
    }
    return body.scan->finish(body.start, body.values, std::move(attrs), std::move(tag));
}

/// The body is read in the coordinates of the text.
void WorkloadParser::countFromOrigins(const std::vector<Axis> &axes, ComputeBody &body) {
    std::vector<Axis> all = axes;
    if (body.reduction) all.insert(all.end(), body.reduction->axes.begin(), body.reduction->axes.end());
    const auto moved = [&](Expr from, Expr to) {
        const auto place = m_expressions.loadOffsets.find(from.node());
        if (place == m_expressions.loadOffsets.end()) return;
        const size_t offset = place->second;
        m_expressions.loadOffsets[to.node()] = offset;
    };
    for (Expr &value : body.values) value = countsFromCoordinates(value, all, moved);
    for (Expr &value : body.start) value = countsFromCoordinates(value, all, moved);
    if (body.reduction && body.reduction->condition)
        body.reduction->condition = countsFromCoordinates(body.reduction->condition, all, moved);
    for (ScatterPlace &place : body.places)
        place.index = shiftedBy(countsFromCoordinates(place.index, all, moved), -axes[place.axis].origin);
}

void WorkloadParser::parseOperatorCall(const Token &handle, const std::string &givenName) {
    requireNew(handle);
    const size_t firstNew = m_workload.ops.size();
    const Tensor &result = m_calls.parse(givenName);
    for (size_t i = firstNew; i < m_workload.ops.size(); ++i)
        m_definedAt[m_workload.ops[i].get()] = static_cast<size_t>(&handle - m_cursor.tokens().data());

    OpPtr op = m_workload.ops.back();
    LOOPSCOPE_CHECK(result.op == op.get(), "an operator's result is not the last op it built");
    if (m_cursor.peek().is("@")) {
        // Nothing reads the last op yet, so it can be rebuilt with more attributes.
        Attrs attrs;
        std::string tag = op->tag;
        parseAttributes(attrs, tag);
        attrs.insert(op->attrs.begin(), op->attrs.end());
        OpPtr rebuilt = makeCompute(op->name, op->axes, op->body, op->reduction, std::move(attrs), std::move(tag));
        m_definedAt.erase(op.get());
        op = std::move(rebuilt);
    }
    m_workload.ops.pop_back();
    define(handle, op);
}

void WorkloadParser::parseAttributes(Attrs &attrs, std::string &tag) {
    std::set<std::string> seen;
    while (m_cursor.accept("@")) {
        const Token &name = m_cursor.expectName("the name of an attribute");
        if (!seen.insert(name.text).second) throw m_cursor.error(name, "attribute `" + name.text + "` is given twice");
        AttrValue value = parseAttributeValue(name.text);
        if (name.text == kScatterAttribute)
            throw m_cursor.error(name, "attribute `" + name.text +
                                           "` is not written; name the place of each term, as in sum(x < W at b = "
                                           "int32(in[x]); 1)");
        if (name.text != "tag") {
            attrs[name.text] = std::move(value);
        } else if (const auto *text = std::get_if<std::string>(&value)) {
            tag = *text;
        } else {
            throw m_cursor.error(name, "a tag is a text, as in @tag(\"conv2d_nhwc\")");
        }
    }
}

AttrValue WorkloadParser::parseAttributeValue(const std::string &name) {
    if (m_cursor.accept("[")) {
        std::vector<std::string> items;
        if (!m_cursor.peek().is("]")) {
            do {
                const Token &item = m_cursor.peek();
                if (item.kind == TokenKind::Text) {
                    items.push_back(m_cursor.next().text); // as it is: a printed name
                    continue;
                }
                m_cursor.expectName("a name or a quoted text");
                // An unquoted tensor is a handle; the attribute stores what the op is called.
                const auto found = m_names.tensors.find(item.text);
                if (name == "layout_free_placeholders") {
                    if (found == m_names.tensors.end()) explainUnknown(item);
                    if (!found->second.tensor->op->isPlaceholder())
                        throw m_cursor.error(item, "`" + item.text +
                                                       "` is computed; only a placeholder can be laid out freely");
                }
                items.push_back(found == m_names.tensors.end() ? item.text : found->second.tensor->op->name);
            } while (m_cursor.accept(","));
        }
        m_cursor.expect("]", "after the list");
        return items;
    }
    m_cursor.expect("(", "or `[` and the value of attribute `" + name + "`");
    AttrValue value;
    if (m_cursor.peek().kind == TokenKind::Text)
        value = m_cursor.next().text;
    else
        value = m_expressions.parseConstantInt("the value of attribute `" + name + "`");
    m_cursor.expect(")", "after the value");
    return value;
}

void WorkloadParser::explainUnknown(const Token &name) const {
    const std::string later = laterDefinition(m_cursor, name.text, m_defining);
    if (!later.empty()) throw m_cursor.error(name, later);
    if (m_names.constants.contains(name.text))
        throw m_cursor.error(name, "`" + name.text + "` is a constant, a tensor is needed here");
    throw m_cursor.error(name, "`" + name.text + "` is not defined" + suggestion(name.text, m_names.tensorNames()));
}

void WorkloadParser::finishArgs() {
    const auto placeOf = [&](const Tensor &tensor) -> const Token & {
        return m_cursor.tokens()[m_definedAt.at(tensor.op)];
    };
    std::set<const Op *> read;
    for (const OpPtr &op : m_workload.ops)
        for (const Tensor *input : inputTensors(*op)) read.insert(input->op);

    std::vector<const Tensor *> inputs;
    std::vector<const Tensor *> outputs;
    for (const OpPtr &op : m_workload.ops) {
        for (const auto &output : op->outputs) {
            if (op->isPlaceholder())
                inputs.push_back(output.get());
            else if (!read.contains(op.get()))
                outputs.push_back(output.get());
        }
    }
    if (outputs.empty())
        throw m_cursor.error(m_cursor.peek(), "the workload computes nothing; define at least one compute");

    std::vector<const Tensor *> ordered;
    for (const auto &[tensor, at] : m_order) {
        const Token &name = m_cursor.tokens()[at];
        if (std::find(ordered.begin(), ordered.end(), tensor) != ordered.end())
            throw m_cursor.error(name, "`" + name.text + "` is listed twice");
        const bool isInput = tensor->op->isPlaceholder();
        if (*m_orderIsOutputs && isInput)
            throw m_cursor.error(name, "`" + name.text + "` is a placeholder, not an output; `args` orders inputs too");
        if (!isInput && read.contains(tensor->op))
            throw m_cursor.error(name, "`" + name.text + "` is read by another op, so it is no output");
        ordered.push_back(tensor);
    }
    const auto listed = [&](const Tensor *tensor) {
        return std::find(ordered.begin(), ordered.end(), tensor) != ordered.end();
    };
    for (const Tensor *input : inputs) {
        if (!read.contains(input->op) && !listed(input))
            throw m_cursor.error(placeOf(*input), "placeholder `" + placeOf(*input).text + "` is never read");
    }
    if (m_orderIsOutputs) {
        for (const Tensor *tensor : *m_orderIsOutputs ? std::vector<const Tensor *>() : inputs)
            if (!listed(tensor))
                throw m_cursor.error(m_cursor.tokens()[m_order[0].second],
                                     "`args` does not list the placeholder `" + placeOf(*tensor).text + "`");
        for (const Tensor *tensor : outputs)
            if (!listed(tensor))
                throw m_cursor.error(placeOf(*tensor), "nobody reads `" + placeOf(*tensor).text +
                                                           "`, so it is an output too; list it or remove it");
    }
    if (m_orderIsOutputs && !*m_orderIsOutputs) {
        m_workload.args = std::move(ordered);
        return;
    }
    m_workload.args = std::move(inputs);
    const std::vector<const Tensor *> &last = m_orderIsOutputs ? ordered : outputs;
    m_workload.args.insert(m_workload.args.end(), last.begin(), last.end());
}

} // namespace loopscope
