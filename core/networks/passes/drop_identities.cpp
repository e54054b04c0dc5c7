// Nodes that hand on what they read: identity, dropout in inference, a cast to the same type, a reshape or an expand to
// the same shape, a transpose that permutes nothing, concat, add_n and split of one, padding by nothing, a slice of
// everything. What has no elements is not joined.

#include "networks/passes/function_edit.h"
#include "networks/passes/node_attributes.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

bool permutesNothing(const FunctionEdit &edit, NodeId id) {
    const TensorType *type = edit.type(edit.input(id, 0));
    if (!type) return false;
    const std::vector<size_t> permutation = permutationOf(edit.node(id), type->dims.size());
    if (permutation.size() != type->dims.size()) return false;
    for (size_t i = 0; i < permutation.size(); ++i)
        if (permutation[i] != i) return false;
    return true;
}

/// Extents alone do not tell: steps of -1 reverse.
bool stepsForward(const FunctionEdit &edit, NodeId slice) {
    const ValueId steps = edit.input(slice, 4);
    if (steps.value < 0) return true;
    const HostTensor *constant = edit.constant(steps);
    if (!constant) return false;
    const std::vector<int64_t> values = constant->integerValues();
    return std::all_of(values.begin(), values.end(), [](int64_t step) { return step > 0; });
}

/// Why the node hands on its first input; nothing when it does more.
const char *whyIdentity(const FunctionEdit &edit, NodeId id) {
    const Node &node = edit.node(id);
    const std::string &op = node.op;
    if (op == "identity") return "it hands on what it reads";
    if (op == "dropout") return "dropout does nothing in inference";
    if ((op == "concat" || op == "add_n" || op == "split") && node.inputs.size() == 1 && node.outputs.size() == 1)
        return "there is only one to join or to split into";
    const TensorType *from = edit.type(edit.input(id, 0));
    const TensorType *to = edit.type(edit.output(id));
    if (!from || !to || *from != *to) return nullptr;
    if (op == "cast") return "it casts to the type there is";
    if (op == "reshape" || op == "flatten" || op == "squeeze" || op == "unsqueeze")
        return "it reshapes to the shape there is";
    if (op == "expand" || op == "tile") return "it expands to the shape there is";
    if (op == "transpose" && permutesNothing(edit, id)) return "it permutes nothing";
    if (op == "slice" && stepsForward(edit, id)) return "it takes everything";
    if (op == "pad") {
        const HostTensor *pads = edit.constant(edit.input(id, 1));
        if (!pads) return nullptr;
        const std::vector<int64_t> values = pads->integerValues();
        if (std::all_of(values.begin(), values.end(), [](int64_t pad) { return pad == 0; }))
            return "it pads by nothing";
    }
    return nullptr;
}

/// The output of a split that is all of its input, as the others have no elements.
std::optional<ValueId> wholeOfSplit(const FunctionEdit &edit, NodeId id) {
    if (edit.node(id).op != "split") return std::nullopt;
    std::optional<ValueId> whole;
    for (const ValueId part : edit.node(id).outputs) {
        if (hasNoElements(edit, part)) continue;
        if (whole) return std::nullopt;
        whole = part;
    }
    const bool read = whole && edit.uses(*whole) > 0 && edit.type(*whole) && edit.type(edit.input(id, 0));
    return read && *edit.type(*whole) == *edit.type(edit.input(id, 0)) ? whole : std::nullopt;
}

/// A concat joins what has elements.
void joinOnlyElements(FunctionEdit &edit, NodeId id) {
    if (edit.node(id).op != "concat" || edit.uses(edit.output(id)) == 0) return;
    std::vector<ValueId> some;
    for (const ValueId part : edit.inputs(id))
        if (!hasNoElements(edit, part)) some.push_back(part);
    if (some.empty() || some.size() == edit.node(id).inputs.size()) return;
    const ValueId joined =
        some.size() == 1 ? some.front() : edit.add(id, "concat", std::move(some), edit.node(id).attributes);
    edit.replace(edit.output(id), joined, "some of what it joins has no elements");
}

} // namespace

GraphPass dropIdentitiesPass() {
    return {{.name = "dropIdentities",
             .level = 1,
             .needs = {Fact::Types},
             .preserves = Facts::all(),
             .description = "removes nodes that hand on what they read"},
            FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
                FunctionEdit edit(function, "dropIdentities", context.report);
                for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at)) {
                    // The mask of a dropout that somebody reads keeps the node; its first output is still the input.
                    if (const char *why = whyIdentity(edit, at); why && edit.uses(edit.output(at)) > 0)
                        edit.replace(edit.output(at), edit.input(at, 0), why);
                    else if (const auto whole = wholeOfSplit(edit, at))
                        edit.replace(*whole, edit.input(at, 0), "the other parts have no elements");
                    else
                        joinOnlyElements(edit, at);
                }
                return edit.finish();
            })};
}

} // namespace loopscope
