#pragma once
// Names that another language accepts, made of ours: letters, digits and underscores, none twice, no keyword.

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

namespace loopscope {

class Identifiers {
  public:
    Identifiers(std::initializer_list<std::string_view> taken) : m_taken(taken.begin(), taken.end()) {}

    /// The name itself where it is free, else with a number behind it.
    std::string fresh(std::string_view name);

  private:
    std::set<std::string, std::less<>> m_taken;
};

/// Every other character becomes an underscore, several in a row one.
std::string identifierText(std::string_view name);

} // namespace loopscope
