#pragma once
// What stands on the right of `=` and behind `:` in `.net` text, but for calls: integers and dims, types, attributes.

#include "networks/graph/net_constant_parser.h"
#include "networks/graph/net_cursor.h"
#include "networks/graph/net_scopes.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace loopscope {

class NetValueParser {
  public:
    NetValueParser(NetCursor &cursor, NetScopes &scopes)
        : m_cursor(cursor), m_scopes(scopes), m_constants(cursor, *this) {}

    int64_t integer();
    /// An integer, or a number where one stands.
    std::variant<int64_t, double> numeric();
    /// The same as a number.
    double number();
    /// What stands behind `bits`: so many bytes at most.
    double bits(int bytes);
    /// `float32[n, 3]`.
    TensorType type();
    Attribute attribute();
    /// Type and content; `name` is the constant's, from which a rule without a seed makes one.
    HostTensor tensor(const std::string &name) { return m_constants.tensor(name); }
    /// A number in the place of a symbol.
    void give(const std::string &symbol, int64_t number) { m_given[symbol] = {number, false}; }
    /// Symbols are each function's own; numbers are for those of the one that is run.
    void useGiven(bool use) { m_useGiven = use; }
    /// Whether a dim has that symbol which was given a number.
    [[nodiscard]] bool met(const std::string &symbol) const {
        const auto at = m_given.find(symbol);
        return at != m_given.end() && at->second.met;
    }
    /// What an argument of a macro stands for.
    NetMeaning argument();
    /// The value of that name; `_` only where `leftOut` says so.
    ValueId value(bool leftOut);

  private:
    Dim dim(bool symbols, int depth = 0);
    Dim dimProduct(bool symbols, int depth);
    Dim dimFactor(bool symbols, int depth);
    Dim floorDivDims(const NetToken &place, const Dim &a, const Dim &b);
    Dim bounded(const NetToken &place, const Dim &dim, const Dim &a, const Dim &b, char operation);
    Attribute list(const NetToken &opening);
    NetCursor &m_cursor;
    NetScopes &m_scopes;
    NetConstantParser m_constants;
    struct Given {
        int64_t number = 0;
        bool met = false;
    };
    std::map<std::string, Given> m_given; // by symbol
    bool m_useGiven = true;
};

} // namespace loopscope
