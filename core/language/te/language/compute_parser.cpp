#include "language/te/language/compute_parser.h"

#include "language/expr/walk.h"

#include <algorithm>

namespace loopscope {

std::string extentComplaint(const std::string &what, int64_t extent) {
    if (extent < 1) return what + " is " + std::to_string(extent) + "; an extent is at least 1";
    if (extent > kMaxExtent)
        return what + " is " + std::to_string(extent) + "; an extent is at most " + std::to_string(kMaxExtent);
    return {};
}

std::optional<int64_t> boundedProduct(const std::vector<int64_t> &extents, int64_t limit) {
    int64_t product = 1;
    for (const int64_t extent : extents) {
        if (__builtin_mul_overflow(product, extent, &product) || product > limit) return std::nullopt;
    }
    return product;
}

/// `-3 <= y < H`, where most axes read `y < H`.
bool ComputeParser::startsWithOrigin(std::string_view closing) const {
    int open = 0;
    for (size_t ahead = 0; m_cursor.peek(ahead).kind != TokenKind::End; ++ahead) {
        const Token &token = m_cursor.peek(ahead);
        if (token.is("<=")) return true;
        if (open == 0 && (token.is("<") || token.is(",") || token.is(closing))) return false;
        open += token.is("(") ? 1 : token.is(")") ? -1 : 0;
    }
    return false;
}

int64_t ComputeParser::parseOrigin() {
    const Token &place = m_cursor.peek();
    const int64_t origin = m_expressions.parseConstantInt("where an axis begins", Reach::UpToComparison);
    if (origin < -kMaxExtent || origin > kMaxExtent)
        throw m_cursor.error(place, "an axis begins at " + std::to_string(origin) + "; it begins between " +
                                        std::to_string(-kMaxExtent) + " and " + std::to_string(kMaxExtent));
    m_cursor.expect("<=", "and the name of the axis, as in -3 <= y < H");
    return origin;
}

std::vector<Axis> ComputeParser::parseAxes(std::string_view closing, const std::string &owner) {
    std::vector<Axis> axes;
    if (m_cursor.peek().is(closing)) return axes;
    do {
        const auto constant = [&](const auto &parse) { // the other axes are known, and no constants
            const VariableScope scope(m_names);
            for (const Axis &other : axes) m_names.variables.emplace_back(std::string(other.name()), other.var);
            return parse();
        };
        const int64_t origin = startsWithOrigin(closing) ? constant([&] { return parseOrigin(); }) : 0;
        const Token &name = m_cursor.expectName("the name of an axis");
        for (const Axis &other : axes)
            if (other.name() == name.text)
                throw m_cursor.error(name, "`" + owner + "` has two axes named `" + name.text + "`");
        if (const Expr outer = m_names.findVariable(name.text))
            throw m_cursor.error(name, "`" + name.text + "` already is an axis of `" + owner + "`");
        m_cursor.expect("<", "and the " + std::string(origin == 0 ? "extent" : "end") + " of axis `" + name.text + "`");
        const Token &place = m_cursor.peek();
        const int64_t end =
            constant([&] { return m_expressions.parseConstantInt("the extent of axis `" + name.text + "`"); });
        int64_t extent = 0;
        if (__builtin_sub_overflow(end, origin, &extent))
            throw m_cursor.error(place, "axis `" + name.text + "` ends too far from where it begins");
        const std::string complaint = extentComplaint("the extent of axis `" + name.text + "`", extent);
        if (!complaint.empty()) throw m_cursor.error(place, complaint);
        axes.push_back({makeVar(name.text), extent, origin});
    } while (m_cursor.accept(","));
    for (const Axis &axis : axes) m_names.variables.emplace_back(std::string(axis.name()), axis.var);
    return axes;
}

void ComputeParser::checkSizes(const Token &place, const std::string &owner, const std::vector<Axis> &axes,
                               const std::optional<Reduction> &reduction) const {
    std::vector<int64_t> extents;
    for (const Axis &axis : axes) extents.push_back(axis.extent);
    if (!boundedProduct(extents, kMaxElements))
        throw m_cursor.error(place, "`" + owner + "` has more than 2^40 elements");
    if (reduction)
        for (const Axis &axis : reduction->axes) extents.push_back(axis.extent);
    if (!boundedProduct(extents, kMaxIterations))
        throw m_cursor.error(place, "`" + owner + "` takes more than 2^53 iterations");
}

ComputeBody ComputeParser::parseBody(const ComputeHead &head) {
    if (ExprParser::isReduction(m_cursor)) return parseReduction(head);
    if (ExprParser::isScan(m_cursor)) return parseScan(head);
    ComputeBody body;
    for (const TypedExpr &value : parseTuple()) body.values.push_back(value.e);
    return body;
}

/// `expression` or `(expression, expression, ...)`.
std::vector<TypedExpr> ComputeParser::parseTuple() {
    if (!m_cursor.peek().is("(") || m_cursor.findInside(m_cursor.at(), ",", m_cursor.at()) == TokenCursor::npos)
        return {m_expressions.parseTyped()};
    std::vector<TypedExpr> values;
    m_cursor.next();
    do {
        values.push_back(m_expressions.parseTyped());
    } while (m_cursor.accept(","));
    m_cursor.expect(")", "after the tuple");
    return values;
}

/// `x` or `(x, y, ...)`.
std::vector<std::string> ComputeParser::parseVariables() {
    std::vector<std::string> names;
    if (!m_cursor.accept("(")) return {m_cursor.expectName("a variable of the combiner").text};
    do {
        names.push_back(m_cursor.expectName("a variable of the combiner").text);
    } while (m_cursor.accept(","));
    m_cursor.expect(")", "after the variables of the combiner");
    return names;
}

ComputeBody ComputeParser::parseReduction(const ComputeHead &head) {
    const Token &function = m_cursor.next();
    const size_t open = m_cursor.at();
    m_cursor.expect("(", "");
    const VariableScope scope(m_names);
    Reduction reduction;
    reduction.axes = parseAxes(";", head.handle);
    if (reduction.axes.empty()) throw m_cursor.unexpected("the axes to reduce over, as in sum(k < K; ...)");
    ComputeBody body;
    if (m_cursor.peek().isName("at")) body.places = parsePlaces(head);
    if (m_cursor.peek().isName("where")) {
        m_cursor.next();
        reduction.condition = m_expressions.parseCondition().e;
    }
    m_cursor.expect(";", "after the axes to reduce over");

    const auto parseSources = [&] {
        const Token &place = m_cursor.peek();
        for (const TypedExpr &value : parseTuple()) {
            if (value.e->dtype == DType::Bool && function.text != "reduce")
                throw m_cursor.error(place,
                                     function.text + " needs numbers, this is a condition; cast it to int32(...)");
            body.values.push_back(value.e);
        }
        checkSource(place, head, body);
    };
    if (function.text == "reduce") {
        // The types of the combiner's variables are those of the sources, which stand last: read them first.
        const size_t combinerAt = m_cursor.at();
        const size_t first = m_cursor.findInside(open, ";", combinerAt);
        const size_t second = first == TokenCursor::npos ? first : m_cursor.findInside(open, ";", first + 1);
        if (second == TokenCursor::npos)
            throw m_cursor.error(function,
                                 "reduce has four parts: reduce(axes; x, y -> result; from identity; source)");
        m_cursor.moveTo(second + 1);
        parseSources();
        const size_t end = m_cursor.at();
        m_cursor.moveTo(combinerAt);
        reduction.combiner = parseCombiner(body.values);
        if (m_cursor.at() != second) throw m_cursor.unexpected("`;` after the identity");
        m_cursor.moveTo(end);
    } else {
        parseSources();
        if (body.values.size() != 1)
            throw m_cursor.error(function, function.text + " reduces one value; tuples need `reduce`");
        const ReduceKind kind = function.text == "sum"    ? ReduceKind::Sum
                                : function.text == "prod" ? ReduceKind::Prod
                                : function.text == "min"  ? ReduceKind::Min
                                                          : ReduceKind::Max;
        reduction.combiner = makeCombiner(kind, body.values[0]->dtype);
    }
    m_cursor.expect(")", "after the source of the reduction");
    if (!body.places.empty() && reduceKind(reduction.combiner) == ReduceKind::Other)
        throw m_cursor.error(function, "terms with places of their own are combined by sum, prod, min or max, or by a "
                                       "reduce that does what one of these does; no other way");
    body.reduction = std::move(reduction);
    return body;
}

/// `at b = index, c = index`
std::vector<ScatterPlace> ComputeParser::parsePlaces(const ComputeHead &head) {
    std::vector<ScatterPlace> places;
    m_cursor.next();
    do {
        places.push_back(parsePlace(head, places));
    } while (m_cursor.accept(","));
    for (const ScatterPlace &place : places)
        for (const ScatterPlace &other : places)
            if (usesVar(place.index, head.axes[other.axis].var))
                throw m_cursor.error(m_cursor.peek(), "the place along " + std::string(head.axes[place.axis].name()) +
                                                          " depends on " + std::string(head.axes[other.axis].name()) +
                                                          ", along which terms have places of their own; it may depend "
                                                          "on the other axes and on those reduced over");
    return places;
}

ScatterPlace ComputeParser::parsePlace(const ComputeHead &head, const std::vector<ScatterPlace> &before) {
    const Token &name = m_cursor.expectName("the axis of `" + head.handle + "` along which each term has its place");
    const auto axis = std::ranges::find_if(head.axes, [&](const Axis &one) { return one.name() == name.text; });
    if (axis == head.axes.end())
        throw m_cursor.error(name, "`" + name.text + "` is no axis of `" + head.handle +
                                       "`; a term has its place along one of the axes before the `=`");
    const auto number = static_cast<size_t>(axis - head.axes.begin());
    if (std::ranges::any_of(before, [&](const ScatterPlace &place) { return place.axis == number; }))
        throw m_cursor.error(name, "the place along " + name.text + " is given twice");
    m_cursor.expect("=", "and the place of a term along " + name.text);
    const Token &start = m_cursor.peek();
    const Expr index = m_expressions.parseTyped().e;
    if (index->dtype != axis->var->dtype)
        throw m_cursor.error(start, "the place along " + name.text + " is " + std::string(dtypeName(index->dtype)) +
                                        "; it has to be " + std::string(dtypeName(axis->var->dtype)) +
                                        ", cast it as in int32(...)");
    return {number, index};
}

/// A term goes to one place along a scattered axis, so it cannot be another one at each.
void ComputeParser::checkSource(const Token &place, const ComputeHead &head, const ComputeBody &body) const {
    for (const ScatterPlace &scattered : body.places)
        for (const Expr value : body.values)
            if (usesVar(value, head.axes[scattered.axis].var))
                throw m_cursor.error(place, "a term depends on " + std::string(head.axes[scattered.axis].name()) +
                                                ", along which it has one place; use what stands behind `at`");
}

size_t ComputeParser::parseScanAxis(const ComputeHead &head) {
    const Token &name = m_cursor.expectName("the axis of `" + head.handle + "` to scan along");
    const auto axis = std::ranges::find_if(head.axes, [&](const Axis &one) { return one.name() == name.text; });
    if (axis == head.axes.end())
        throw m_cursor.error(name, "`" + name.text + "` is no axis of `" + head.handle +
                                       "`; a scan goes along one of the axes before the `=`");
    return static_cast<size_t>(axis - head.axes.begin());
}

/// `scan(i; from x[i]; s[i - 1] + x[i])`
ComputeBody ComputeParser::parseScan(const ComputeHead &head) {
    m_cursor.next();
    m_cursor.expect("(", "");
    const size_t axis = parseScanAxis(head);
    m_cursor.expect(";", "after the axis to scan along");
    if (!m_cursor.peek().isName("from")) throw m_cursor.unexpected("`from` and the first elements of the scan");
    m_cursor.next();
    ComputeBody body;
    std::vector<Expr> &start = body.start;
    for (const TypedExpr &value : parseTuple()) start.push_back(value.e);
    m_cursor.expect(";", "after the first elements of the scan");

    body.scan.emplace(head.name, head.axes, axis, start);
    // Its own elements can be read from here on, under the handle that it will have.
    const Op &own = body.scan->op();
    std::vector<std::string> handles;
    for (size_t k = 0; k < own.outputs.size(); ++k) {
        handles.push_back(own.outputs.size() == 1 ? head.handle : head.handle + ".v" + std::to_string(k));
        m_names.tensors[handles.back()] = {&own.output(k), m_cursor.peek().offset};
    }
    if (own.outputs.size() > 1) m_names.tuples[head.handle] = own.outputs.size();
    const Token &place = m_cursor.peek();
    const bool tuple = start.size() > 1;
    if (tuple) m_cursor.expect("(", "and the next elements, one for each of the first");
    do {
        const Token &at = m_cursor.peek();
        const TypedExpr value = m_expressions.parseValue();
        if (body.values.size() == start.size())
            throw m_cursor.error(at, "the scan has more next elements than first ones");
        const DType type = start[body.values.size()]->dtype;
        body.values.push_back(m_expressions.take(withType(value, type), at).e);
    } while (tuple && m_cursor.accept(","));
    if (tuple) m_cursor.expect(")", "after the next elements");
    if (body.values.size() != start.size())
        throw m_cursor.error(place, "the scan has " + std::to_string(start.size()) + " first elements and " +
                                        std::to_string(body.values.size()) + " next ones");
    m_cursor.expect(")", "after the next elements of the scan");
    for (const std::string &handle : handles) m_names.tensors.erase(handle);
    m_names.tuples.erase(head.handle);
    return body;
}

/// `x, y -> result; from identity`, after the axes.
Combiner ComputeParser::parseCombiner(const std::vector<Expr> &sources) {
    Combiner combiner;
    const auto sized = [&](const Token &place, size_t count, const std::string &what) {
        if (count != sources.size())
            throw m_cursor.error(place, what + " has " + std::to_string(count) + " parts, the source has " +
                                            std::to_string(sources.size()));
    };
    const auto typed = [&](const std::string &what) {
        const Token &place = m_cursor.peek();
        const bool tuple = place.is("(") && m_cursor.findInside(m_cursor.at(), ",", m_cursor.at()) != TokenCursor::npos;
        if (tuple) m_cursor.next();
        std::vector<Expr> values;
        do {
            const Token &start = m_cursor.peek();
            const TypedExpr value = m_expressions.parseValue();
            if (values.size() < sources.size())
                values.push_back(m_expressions.take(withType(value, sources[values.size()]->dtype), start).e);
            else
                throw m_cursor.error(start, what + " has more parts than the source");
        } while (tuple && m_cursor.accept(","));
        if (tuple) m_cursor.expect(")", "after " + what);
        sized(place, values.size(), what);
        return values;
    };

    {
        // The combiner sees its own variables only, not the axes.
        std::vector<std::pair<std::string, Expr>> outer;
        outer.swap(m_names.variables);
        struct Restore {
            std::vector<std::pair<std::string, Expr>> &saved, &variables;
            ~Restore() { variables.swap(saved); }
        } restore{outer, m_names.variables};
        for (std::vector<Expr> *side : {&combiner.left, &combiner.right}) {
            const Token &place = m_cursor.peek();
            const std::vector<std::string> names = parseVariables();
            sized(place, names.size(), "this side of the combiner");
            for (size_t k = 0; k < names.size(); ++k) {
                if (m_names.findVariable(names[k]))
                    throw m_cursor.error(place, "two variables of the combiner are named `" + names[k] + "`");
                side->push_back(makeVar(names[k], sources[k]->dtype));
                m_names.variables.emplace_back(names[k], side->back());
            }
            if (side == &combiner.left) m_cursor.expect(",", "and the right-hand variables of the combiner");
        }
        m_cursor.expect("->", "and the combined value");
        combiner.result = typed("the combined value");
        m_names.variables.clear();
        m_cursor.expect(";", "after the combined value");
        if (!m_cursor.peek().isName("from")) throw m_cursor.unexpected("`from` and the identity");
        m_cursor.next();
        const Token &place = m_cursor.peek();
        combiner.identity = typed("the identity");
        for (const Expr value : combiner.identity)
            if (!isImm(value)) throw m_cursor.error(place, "the identity of a reduction is a constant");
    }
    return combiner;
}

} // namespace loopscope
