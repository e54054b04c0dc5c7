#include "packed/packed_module.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

namespace loopscope {

std::optional<Refusal> PackedModule::add(PackedFunction function) {
    auto problem = m_own.add(std::move(function));
    if (problem) problem->sentence = fmt::format("module {}: {}", m_name, problem->sentence);
    return problem;
}

void PackedModule::addSource(std::string file, std::string text) {
    m_sources.insert_or_assign(std::move(file), std::move(text));
}

std::optional<Refusal> PackedModule::import(std::shared_ptr<PackedModule> other) {
    if (std::find(m_imports.begin(), m_imports.end(), other) != m_imports.end())
        return Refusal{fmt::format("module {} imports {} already", m_name, other->name())};
    if (const std::vector<std::string> way = other->wayTo(*this); !way.empty())
        return Refusal{
            fmt::format("module {} cannot import {}: that would close the cycle {} -> {}; imports run one way", m_name,
                        other->name(), m_name, fmt::join(way, " -> "))};
    m_imports.push_back(std::move(other));
    return std::nullopt;
}

const PackedFunction *PackedModule::find(std::string_view name) const {
    for (const PackedModule *module : searched())
        if (const PackedFunction *function = module->m_own.find(name)) return function;
    return nullptr;
}

Outcome<PackedArgument> PackedModule::call(std::string_view name, std::span<const PackedArgument> arguments) const {
    if (const PackedFunction *function = find(name)) return function->call(arguments);
    std::vector<std::string> asked;
    for (const PackedModule *module : searched()) asked.push_back(module->m_name);
    return Refusal{fmt::format("there is no function {}; looked for in {}", name, fmt::join(asked, ", "))};
}

std::vector<const PackedModule *> PackedModule::searched() const {
    std::vector<const PackedModule *> order;
    std::vector<const PackedModule *> open = {this};
    std::set<const PackedModule *> seen;
    while (!open.empty()) {
        const PackedModule *module = open.back();
        open.pop_back();
        if (!seen.insert(module).second) continue;
        order.push_back(module);
        for (size_t i = module->m_imports.size(); i-- > 0;) open.push_back(module->m_imports[i].get());
    }
    return order;
}

std::vector<std::string> PackedModule::wayTo(const PackedModule &other) const {
    // Imports run one way, so that a walk ends; each module is left behind once it was found not to lead there.
    struct Step {
        const PackedModule *module;
        size_t next = 0;
    };
    std::vector<Step> way = {{this}};
    std::set<const PackedModule *> seen = {this};
    while (!way.empty()) {
        Step &last = way.back();
        if (last.module == &other) {
            std::vector<std::string> names;
            for (const Step &step : way) names.push_back(step.module->m_name);
            return names;
        }
        if (last.next == last.module->m_imports.size()) {
            way.pop_back();
        } else if (const PackedModule *next = last.module->m_imports[last.next++].get(); seen.insert(next).second) {
            way.push_back({next});
        }
    }
    return {};
}

} // namespace loopscope
