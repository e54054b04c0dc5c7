#pragma once
// Scalar expressions of the language. Precedence, loosest first: || ; && ; comparisons ; + - ; * / // % ; unary - ! .
// `//` and `%` round down (Ansor's floordiv, floormod); `/` divides floats, and integers as C does; between constants
// alone `/` rounds down, as sizes need it.

#include "language/te/language/names.h"
#include "language/te/language/token_cursor.h"

#include <cstdint>
#include <functional>
#include <unordered_map>

namespace loopscope {

/// How far an expression goes: all it may, or up to a comparison, whose left side it is.
enum class Reach : uint8_t { Whole, UpToComparison };

class ExprParser {
  public:
    ExprParser(TokenCursor &cursor, Names &names) : m_cursor(cursor), m_names(names) {}

    /// Any expression; untyped when it is a constant without a type.
    TypedExpr parseValue();
    /// With a type: untyped constants become int32 or float32.
    TypedExpr parseTyped();
    /// A condition (bool).
    TypedExpr parseCondition();
    /// A constant; `what` completes "WHAT is not a constant".
    TypedExpr parseConstant(const std::string &what, Reach reach = Reach::Whole);
    int64_t parseConstantInt(const std::string &what, Reach reach = Reach::Whole);

    /// Called for a name nothing is known about; throws. It may say that the name is defined later or in a cycle.
    std::function<void(const Token &)> explainUnknownTensor;
    /// For a name that stands where a tensor belongs, and is none.
    [[noreturn]] void failUnknownTensor(const Token &name) const;

    /// Where each load stands in the text.
    std::unordered_map<const ExprNode *, size_t> loadOffsets;

    /// The refusal of an expression built from the tokens starting at `token`, as an error there.
    template <typename T> T take(Outcome<T> outcome, const Token &token) {
        if (!outcome) throw m_cursor.error(token, outcome.why());
        return std::move(outcome).value();
    }

    static bool isReduction(const TokenCursor &cursor);
    static bool isScan(const TokenCursor &cursor);

  private:
    TypedExpr parseBinary(int loosest);
    TypedExpr parseUnary();
    TypedExpr parsePrimary();
    TypedExpr parseName(const Token &token);
    TypedExpr parseLoad(const Token &token);
    TypedExpr parseCall(const Token &token);
    TypedExpr parseLet();
    TypedExpr parseTypeConstant(const Token &token, std::string_view function);
    TypedExpr unknownFunction(const Token &token);

    TokenCursor &m_cursor;
    Names &m_names;
    int m_nesting = 0;
};

/// Functions callable in expressions, for suggestions.
std::vector<std::string> scalarFunctionNames();

} // namespace loopscope
