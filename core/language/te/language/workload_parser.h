#pragma once
// The statements of a `.te` file, one after the other, into a Workload.
//
//   workload NAME(param = default, ...)
//   let NAME = constant
//   HANDLE ["printed name"] = placeholder [extent, ...] type
//   HANDLE ["printed name"](axis < extent, ...) = body              see compute_parser.h
//   HANDLE ["printed name"] = operator(argument, name = value, ...)  see operators/operator_library.h
//   args HANDLE, ...      order of the kernel's arguments, inputs and outputs
//   output HANDLE, ...    order of the outputs alone
// After a compute or an operator call: @attribute(5), @attribute("text"), @attribute["list", ...], @tag("text").
// Everything may run over several lines; # starts a comment.

#include "language/te/language/operator_call_parser.h"
#include "language/te/workload.h"

#include <optional>

namespace loopscope {

class WorkloadParser {
  public:
    WorkloadParser(const SourceText &source, const ParamOverrides &overrides);
    Workload parse();

  private:
    void parseHeader();
    void parseStatement();
    void parseLet();
    void parseOrder(bool outputsOnly);
    void parsePlaceholder(const Token &handle, const std::string &name);
    void parseCompute(const Token &handle, const std::string &name);
    OpPtr scanOrRefuse(const Token &handle, ComputeBody &body, Attrs attrs, std::string tag);
    void countFromOrigins(const std::vector<Axis> &axes, ComputeBody &body);
    void parseOperatorCall(const Token &handle, const std::string &givenName);
    void parseAttributes(Attrs &attrs, std::string &tag);
    AttrValue parseAttributeValue(const std::string &name);

    void requireNew(const Token &name) const;
    void define(const Token &handle, const OpPtr &op);
    void defineOutput(const Token &handle, const Tensor &tensor);
    [[noreturn]] void explainUnknown(const Token &name) const;
    void finishArgs();

    TokenCursor m_cursor;
    Names m_names;
    ExprParser m_expressions;
    ComputeParser m_computes;
    ParamOverrides m_overrides;
    Workload m_workload;
    OperatorCallParser m_calls;
    std::vector<std::pair<const Tensor *, size_t>> m_order; // `args` or `output`: tensor, token index
    std::optional<bool> m_orderIsOutputs;
    std::map<const Op *, size_t> m_definedAt; // token index of the handle
    std::string m_defining;                   // handle of the statement being parsed
};

/// Why `name`, read in the definition of `user`, is unknown there although a later statement defines it: a cycle or the
/// wrong order. Empty when no statement defines it.
std::string laterDefinition(const TokenCursor &cursor, const std::string &name, const std::string &user);

} // namespace loopscope
