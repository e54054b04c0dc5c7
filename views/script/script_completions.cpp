#include "views/script/script_completions.h"

#include "schedule/script/schedule_script.h"
#include "views/session/text.h"

#include <algorithm>
#include <string_view>

namespace loopscope {

namespace {

constexpr std::string_view kNoName = "$$";
constexpr size_t kMaxTried = 24; // words that are tried before they are offered
constexpr int kMaxBroken = 8;    // lines that are passed over

/// The lines without those that cannot be applied.
std::string sound(const DagPtr &dag, std::string text) {
    for (int broken = 0; broken < kMaxBroken; ++broken) {
        const auto problem = applyScript(dag, text).problem;
        if (!problem) return text;
        size_t at = 0;
        for (int line = 1; line < problem->line; ++line) at = text.find('\n', at) + 1;
        text.erase(at, text.find('\n', at) - at);
    }
    return {};
}

bool aboutWords(const ScriptProblem &problem) {
    return problem.rule == "syntax" || problem.rule == "name" || problem.rule == "label";
}

} // namespace

std::vector<std::pair<QString, QString>> scriptCompletions(const DagPtr &dag, const std::string &above,
                                                           const std::string &head) {
    if (head.find('#') != std::string::npos) return {};
    const std::string front = sound(dag, above);
    const auto line = static_cast<int>(std::count(front.begin(), front.end(), '\n')) + 1;
    const auto at = [&](std::string_view word) {
        auto problem = applyScript(dag, front + head + std::string(word)).problem;
        return problem && problem->line == line ? problem : std::nullopt;
    };
    const auto asked = at(kNoName);
    if (!asked) return {};
    std::vector<std::pair<QString, QString>> words;
    for (const std::string &word : asked->legal) {
        const auto primitive = std::find_if(primitives().begin(), primitives().end(),
                                            [&](const Primitive &one) { return one.name == word; });
        const bool usage = word.find(' ') != std::string::npos; // how the whole line reads
        if (usage) continue;
        if (asked->rule == "name" && asked->primitive == kNoName && primitive != primitives().end())
            words.emplace_back(qt(word), qt(primitive->usage.substr(primitive->name.size() + 1)));
        else
            words.emplace_back(qt(word), QString());
    }
    if (words.size() > kMaxTried || asked->primitive == kNoName) return words;
    std::vector<std::pair<QString, QString>> legal;
    for (const auto &word : words)
        if (const auto problem = at(std8(word.first)); !problem || aboutWords(*problem)) legal.push_back(word);
    return legal.empty() ? words : legal; // several are still to come
}

} // namespace loopscope
