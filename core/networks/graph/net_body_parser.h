#pragma once
// Statements of `.net` text: what stands between the braces of functions, blocks, repetitions and macros.

#include "networks/graph/function_builder.h"
#include "networks/graph/net_cursor.h"
#include "networks/graph/net_scopes.h"
#include "networks/graph/net_text.h"
#include "networks/graph/net_value_parser.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// Read again at each call: only where it stands is kept.
struct NetMacro {
    struct Parameter {
        std::string name;
        std::optional<size_t> fallback; // where its default stands
    };
    std::vector<Parameter> parameters;
    size_t body = 0;   // behind the opening brace
    size_t offset = 0; // of its name
};
using NetMacros = std::map<std::string, NetMacro, std::less<>>;

class NetBodyParser {
  public:
    NetBodyParser(NetCursor &cursor, NetScopes &scopes, const NetMacros &macros, NetValueParser &values,
                  FunctionBuilder &builder, std::vector<NetPlaces::Operator> &places)
        : m_cursor(cursor), m_scopes(scopes), m_macros(macros), m_values(values), m_builder(builder), m_places(places) {
    }

    /// From behind the opening brace to behind the closing one.
    void functionBody(const NetToken &name);
    /// `let NAME = integer`, from behind `let`.
    static void let(NetCursor &cursor, NetScopes &scopes, NetValueParser &values);

  private:
    enum class Body : uint8_t { Function, Block, Repetition, Macro };
    struct Target {
        std::string name;
        NetToken token;
        std::optional<TensorType> type;
    };
    using Meanings = std::vector<NetMeaning>;

    /// What `return` says; nothing when the body ends without one.
    std::optional<Meanings> statements(Body body);
    Meanings returned(Body body);
    void repetition(const NetToken &place);
    void block(const NetToken &place);
    void assignment(bool variable);
    Meanings rightSide(const std::vector<Target> &targets);
    Meanings constant(const Target &target);
    Meanings macroCall(const NetToken &name, const NetMacro &macro, const std::string &target);
    using Arguments = std::map<std::string, NetBinding>;
    Arguments macroArguments(const NetToken &name, const NetMacro &macro);
    void fallbacks(const NetToken &call, const NetMacro &macro);
    Meanings operatorCall(const NetToken &name, const std::vector<Target> &targets);
    void arguments(Node &node, const std::string &target);
    ValueId input(const std::string &constantName);
    std::optional<std::string> givenName();
    std::string interpolated(const NetToken &token);
    std::string fullName(const std::string &name) const { return m_prefix.empty() ? name : m_prefix + "." + name; }
    void checkFree(const Target &target);
    void define(const Target &target, NetMeaning meaning, bool variable);

    NetCursor &m_cursor;
    NetScopes &m_scopes;
    const NetMacros &m_macros;
    NetValueParser &m_values;
    FunctionBuilder &m_builder;
    std::vector<NetPlaces::Operator> &m_places;
    std::string m_prefix;       // of values: what macros are called as
    bool m_blockClosed = false; // the next node begins another one
};

} // namespace loopscope
