#pragma once
// What an option's value must be. Each refuses with a sentence that says what was given and what is legal, which
// CLI11's own checks do not do for all.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace loopscope {

CLI::Validator anyWholeNumber();
CLI::Validator numberOfSeconds();
CLI::Validator fileName(); // not empty
CLI::Validator wholeNumber(int least, int most);
CLI::Validator oneOf(const std::vector<std::string> &words);
/// Several of them, with commas between. CLI11's own delimiter passes over empty ones.
CLI::Validator listOf(const std::vector<std::string> &words);
/// The parts of a text between its commas.
std::vector<std::string> partsOf(const std::string &list);

} // namespace loopscope
