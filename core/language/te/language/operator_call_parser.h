#pragma once
// `operator(argument, name = value, ...)`: the tokens of a call turned into the arguments its OperatorSpec asks for,
// and the ops that the operator is made of. Where a tensor is asked for, another call may stand: relu(conv2d_nchw(a,
// b)).

#include "language/te/language/compute_parser.h"
#include "language/te/operators/operator_library.h"

namespace loopscope {

class OperatorCallParser {
  public:
    /// The ops of calls are appended to `ops`.
    OperatorCallParser(TokenCursor &cursor, Names &names, ExprParser &expressions, const ComputeParser &computes,
                       std::vector<OpPtr> &ops)
        : m_cursor(cursor), m_names(names), m_expressions(expressions), m_computes(computes), m_ops(ops) {}

    /// From the operator's name to the closing parenthesis; the op of the result is the last one appended.
    /// `givenName`: what it is to be called, empty for the operator's own choice.
    const Tensor &parse(const std::string &givenName);

  private:
    ArgValue parseArgument(const OperatorArg &arg);
    const Tensor *parseTensorArgument();

    TokenCursor &m_cursor;
    Names &m_names;
    ExprParser &m_expressions;
    const ComputeParser &m_computes;
    std::vector<OpPtr> &m_ops;
    int m_nesting = 0;
};

} // namespace loopscope
