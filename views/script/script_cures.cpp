#include "views/script/script_cures.h"

#include "schedule/script/script_words.h"
#include "views/session/text.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

bool isLine(std::string_view cure) {
    return std::any_of(primitives().begin(), primitives().end(), [&](const Primitive &primitive) {
        return cure.starts_with(primitive.name) && cure.substr(primitive.name.size()).starts_with(' ');
    });
}

bool isUsage(const std::string &text) {
    return std::any_of(primitives().begin(), primitives().end(),
                       [&](const Primitive &primitive) { return primitive.usage == text; });
}

bool isRange(const std::string &text) { return text.find(" to ") != std::string::npos; } // of numbers, in words

struct Place {
    size_t from = 0; // bytes of the line
    size_t to = 0;
};

/// Where a cure of so many words can stand in the line: at the problem first, then from the left.
std::vector<Place> places(const std::string &line, int column, size_t words) {
    std::vector<ScriptToken> tokens = scriptTokens(line);
    std::vector<Place> all;
    for (size_t t = 0; t + words < tokens.size(); ++t) {
        bool fits = true;
        for (size_t w = 0; w < words; ++w) fits = fits && tokens[t + w].kind == ScriptToken::Kind::Word;
        if (!fits) continue;
        const auto from = static_cast<size_t>(tokens[t].column) - 1;
        auto to = static_cast<size_t>(tokens[t + words].column) - 1;
        while (to > from && (line[to - 1] == ' ' || line[to - 1] == '\t' || line[to - 1] == '\r')) --to;
        all.push_back({from, to});
    }
    const auto at = static_cast<size_t>(std::max(1, column)) - 1;
    std::stable_partition(all.begin(), all.end(), [at](const Place &place) { return place.from == at; });
    return all;
}

} // namespace

QStringList scriptCures(const ScriptProblem &problem) {
    std::vector<std::string> cures;
    for (const std::string &legal : problem.legal)
        if (!isUsage(legal) && !isRange(legal)) cures.push_back(legal);
    QStringList texts;
    for (const std::string &cure : cures) texts << qt(cure);
    return texts;
}

CuredScript cureScript(const DagPtr &dag, const QString &text, const ScriptProblem &problem, const QString &cure) {
    const std::string all = std8(text);
    const std::string put = std8(cure);
    size_t begin = 0;
    for (int line = 1; line < problem.line; ++line) begin = all.find('\n', begin) + 1;
    const size_t end = std::min(all.find('\n', begin), all.size());
    const std::string line = all.substr(begin, end - begin);
    const auto with = [&](const std::string &changed) { return all.substr(0, begin) + changed + all.substr(end); };
    struct Try {
        std::string line;
        int added = 0; // lines in front
        size_t caret = 0;
    };
    std::vector<Try> tries;
    const size_t words = static_cast<size_t>(std::count(put.begin(), put.end(), ' ')) + 1;
    if (isLine(put)) {
        tries.push_back({put + "\n" + line, 1, put.size()});
    } else {
        const size_t stands = std::min(line.size(), static_cast<size_t>(std::max(1, problem.column)) - 1);
        const std::vector<Place> found = places(line, problem.column, words);
        for (const Place &place : found)
            tries.push_back({line.substr(0, place.from) + put + line.substr(place.to), 0, place.from + put.size()});
        const bool blank = stands > 0 && line[stands - 1] != ' ';
        const std::string missing = (blank ? " " : "") + put;
        const bool more = stands < line.size() && line[stands] != ' ';
        const Try inserted{line.substr(0, stands) + missing + (more ? " " : "") + line.substr(stands), 0,
                           stands + missing.size()};
        // Something is missing where no word begins.
        const bool atWord = !found.empty() && found.front().from == stands;
        tries.insert(atWord ? tries.end() : tries.begin(), inserted);
    }
    const Try *best = &tries.front();
    std::pair<int, int> furthest{problem.line, problem.column};
    for (const Try &one : tries) {
        const auto next = applyScript(dag, with(one.line)).problem;
        if (!next || next->line - one.added > problem.line) {
            best = &one;
            break;
        }
        const std::pair<int, int> reached{next->line - one.added, next->column};
        if (reached <= furthest) continue;
        furthest = reached;
        best = &one;
    }
    return {qt(with(best->line)), problem.line, static_cast<int>(best->caret) + 1};
}

} // namespace loopscope
