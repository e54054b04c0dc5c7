#pragma once
// Functions that belong together with the sources they were built from, and the modules they rely on. A name is looked
// for among the module's own functions, then among its imports, depth first.

#include "packed/function_table.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

class PackedModule {
  public:
    explicit PackedModule(std::string name) : m_name(std::move(name)) {}

    [[nodiscard]] const std::string &name() const { return m_name; }
    [[nodiscard]] const FunctionTable &own() const { return m_own; }
    [[nodiscard]] const std::vector<std::shared_ptr<PackedModule>> &imports() const { return m_imports; }
    /// Text by the name of its file, for people to look at.
    [[nodiscard]] const std::map<std::string, std::string> &sources() const { return m_sources; }

    std::optional<Refusal> add(PackedFunction function);
    void addSource(std::string file, std::string text);
    /// Behind the imports there are. Refused when the other relies on this one, with the way, or is imported already.
    std::optional<Refusal> import(std::shared_ptr<PackedModule> other);

    /// Null when neither the module nor what it imports has one.
    [[nodiscard]] const PackedFunction *find(std::string_view name) const;
    /// Refused, with the modules that were asked, when there is none of that name.
    [[nodiscard]] Outcome<PackedArgument> call(std::string_view name, std::span<const PackedArgument> arguments) const;

  private:
    /// This module and all it relies on, each once, in the order in which names are looked for.
    [[nodiscard]] std::vector<const PackedModule *> searched() const;
    /// Names of modules from this one to the other; empty when it does not rely on it.
    [[nodiscard]] std::vector<std::string> wayTo(const PackedModule &other) const;

    std::string m_name;
    FunctionTable m_own;
    std::vector<std::shared_ptr<PackedModule>> m_imports;
    std::map<std::string, std::string> m_sources;
};

} // namespace loopscope
