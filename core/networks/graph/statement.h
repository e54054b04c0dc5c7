#pragma once
// Statements: the nodes that stand in effect blocks alone, since they choose what runs (if, loop, call) or find out
// while a network runs how large something is (match, unique, cut). They are no operators of the catalogue.
//
// What a branch or a body computes is a function of the network of its own, named by an attribute; all that it reads is
// handed to it, so that every function can be looked at, checked and changed by itself.
//
//     if(condition, read...; then = "f", else = "g")
//         both functions take what is read and give the node's outputs.
//     loop(trips, condition, carried..., read...; body = "f", carried = 2)
//         as ONNX has it. Trips and condition may be left out. The body takes the number of the trip (int64), the
//         condition (bool), what is carried and what is read, and gives the condition for the next trip, what is
//         carried, and one piece of each scanned output. Outputs: what is carried at the end, then the pieces
//         stacked along a new first axis.
//     call(read...; function = "f")
//     match(value)
//         the value itself; the type that is declared for the output is the pattern. A dim that is a symbol nobody
//         bound before is bound, one that can be solved for such a symbol (n + 1, 4*n) binds it, others are checked.
//     unique(value)
//         the elements that occur, once each, in ascending order: how many there are depends on the data.
//     cut(value, starts, ends, axes, steps)
//         what the operator slice gives for the same inputs, where starts and ends are known in a run alone.
//     non_max_suppression(boxes, scores, most, overlap, least)
//         batch, class and box of the boxes that are left, as ONNX has it; the last three may be left out
//         (networks/op/suppression.h).
//     packed(value...; function = "name")
//         a function from outside, by the C convention of packed calls (networks/packed/packed_value.h): it is handed
//         the values, which it may only read, and then the outputs, which it fills in. Their types are declared; dims
//         are numbers or those of the values. Whoever runs the network says where functions are from
//         (networks/op/packed_call.h).

#include "networks/graph/function.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct Module;

enum class StatementKind : uint8_t { If, Loop, Call, Match, Unique, Cut, Suppression, Packed };

/// Nothing for an operator.
std::optional<StatementKind> statementKind(const Node &node);

/// It computes a value from its inputs and reads nothing else of a run, as operators do; what is known in a run alone
/// is how large the value is.
bool computesValue(StatementKind kind);

/// The attributes that name functions, in the order in which they are told.
std::vector<std::string_view> regionAttributes(StatementKind kind);
/// The function that an attribute names; empty where the attribute is missing or no text.
std::string regionName(const Node &node, std::string_view attribute);

/// Of a loop: how many values are carried; nothing when its attribute is missing or no such number.
std::optional<size_t> carriedCount(const Node &loop);

/// The first statement of a function, in the order of its nodes.
std::optional<NodeId> firstStatement(const GraphFunction &function);

/// "if 'y' of function `main`", for whoever cannot do control flow; nothing where no function has a statement.
std::optional<std::string> firstStatementText(const Module &module);

} // namespace loopscope
