#pragma once
// What the names of a `.te` file stand for while it is parsed: constants (parameters and `let`), tensors by their
// handle, and the variables in scope (axes, combiner variables, `let(...)` variables).

#include "language/te/language/value.h"
#include "language/te/op.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

/// Name under which statements refer to the outputs of an op. Usually the op's own name; another one where two ops
/// print alike. A multi-output op is listed under HANDLE.v0, HANDLE.v1, ...
struct TensorHandle {
    const Tensor *tensor = nullptr;
    size_t offset = 0; // of the definition in the text
};

class Names {
  public:
    std::map<std::string, TypedExpr, std::less<>> constants;
    std::map<std::string, TensorHandle, std::less<>> tensors;
    /// Handles of ops with several outputs, which cannot be read without saying which: handle, number of outputs.
    std::map<std::string, size_t, std::less<>> tuples;
    std::vector<std::pair<std::string, Expr>> variables; // innermost last

    [[nodiscard]] Expr findVariable(std::string_view name) const {
        for (size_t i = variables.size(); i-- > 0;)
            if (variables[i].first == name) return variables[i].second;
        return {};
    }
    [[nodiscard]] std::vector<std::string> tensorNames() const {
        std::vector<std::string> names;
        for (const auto &[name, handle] : tensors) names.push_back(name);
        return names;
    }
    [[nodiscard]] std::vector<std::string> scalarNames() const {
        std::vector<std::string> names;
        for (const auto &[name, var] : variables) names.push_back(name);
        for (const auto &[name, value] : constants) names.push_back(name);
        return names;
    }
    [[nodiscard]] bool isDefined(std::string_view name) const {
        return constants.contains(name) || tensors.contains(name) || tuples.contains(name);
    }
};

/// Variables pushed during its lifetime go out of scope with it.
class VariableScope {
  public:
    explicit VariableScope(Names &names) : m_names(names), m_count(names.variables.size()) {}
    ~VariableScope() { m_names.variables.resize(m_count); }
    VariableScope(const VariableScope &) = delete;
    VariableScope &operator=(const VariableScope &) = delete;

  private:
    Names &m_names;
    size_t m_count;
};

} // namespace loopscope
