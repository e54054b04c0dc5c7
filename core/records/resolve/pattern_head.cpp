#include "records/resolve/pattern_head.h"

#include "base/outcome.h"
#include "language/te/workload.h"
#include "records/resolve/fused_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kMaxChoices = 100;
constexpr size_t kMaxShown = 16;
constexpr size_t kMaxPerWindow = 24;
constexpr size_t kMaxPicks = 2000;

/// One choice for every window, by position in its list.
using Pick = std::vector<size_t>;

bool alike(const WindowChoice &a, const WindowChoice &b, bool pooling) {
    return a.stride == b.stride && a.dilation == b.dilation && (!pooling || a.kernel == b.kernel);
}

void addWindow(Extents &extents, size_t number, const WindowChoice &choice) {
    const std::string n = std::to_string(number);
    extents["S" + n] = choice.stride;
    extents["D" + n] = choice.dilation;
    extents["P" + n] = choice.before;
    extents["Q" + n] = choice.after;
    extents["K" + n] = choice.kernel;
    extents["O" + n] = choice.more;
}

/// Every likely choice of the windows, by what the match says of their extents: alike in all dimensions first.
std::vector<std::vector<WindowChoice>> windowPicks(const OpPattern &pattern, const Extents &extents,
                                                   bool paddingShows) {
    if (pattern.windows.empty()) return {{}};
    std::vector<std::vector<WindowChoice>> lists;
    const bool pooling = pattern.windows[0].kind == WindowKind::Pooling;
    for (const PatternWindow &window : pattern.windows) {
        const auto kernel = extents.find(window.kernel);
        lists.push_back(windowChoices(window.kind, extents.at(window.in), kernel == extents.end() ? 3 : kernel->second,
                                      extents.at(window.out)));
        if (lists.back().size() > kMaxPerWindow) lists.back().resize(kMaxPerWindow);
        if (lists.back().empty()) return {};
    }
    std::vector<std::pair<size_t, Pick>> picks; // with how unlikely they are
    Pick pick(lists.size(), 0);
    while (true) {
        size_t rank = 0;
        bool same = true;
        for (size_t i = 0; i < lists.size(); ++i) {
            rank += 2 * pick[i];
            same = same && alike(lists[0][pick[0]], lists[i][pick[i]], pooling);
            if (lists[i][pick[i]].before != lists[0][pick[0]].before) ++rank;
        }
        if (same || !paddingShows) picks.emplace_back(rank + (same ? 0 : 1000), pick);
        size_t at = 0;
        while (at < pick.size() && ++pick[at] == lists[at].size()) pick[at++] = 0;
        if (at == pick.size() || picks.size() > kMaxPicks) break;
    }
    std::stable_sort(picks.begin(), picks.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    // Where everything shows, every choice is a text of its own.
    const size_t most = paddingShows ? kMaxShown : kMaxChoices;
    if (picks.size() > most) picks.resize(most);
    std::vector<std::vector<WindowChoice>> all;
    for (const auto &[rank, chosen] : picks) {
        std::vector<WindowChoice> &choices = all.emplace_back();
        for (size_t i = 0; i < lists.size(); ++i) choices.push_back(lists[i][chosen[i]]);
    }
    return all;
}

Extents withWindows(Extents extents, const std::vector<WindowChoice> &choices) {
    for (size_t i = 0; i < choices.size(); ++i) addWindow(extents, i, choices[i]);
    return extents;
}

/// What of the windows the hashed text tells.
std::vector<int64_t> shownNumbers(const std::vector<WindowChoice> &choices, bool paddingShows) {
    std::vector<int64_t> shown;
    bool padded = false;
    for (size_t i = 0; i < choices.size(); ++i) {
        const WindowChoice &choice = choices[i];
        padded = padded || choice.before > 0 || choice.after > 0;
        shown.insert(shown.end(), {choice.stride, choice.dilation});
        if (paddingShows) shown.insert(shown.end(), {choice.before, choice.after, choice.kernel, choice.more});
    }
    shown.push_back(padded ? 1 : 0);
    return shown;
}

/// Dilated windows are rare, strides that skip values rarer, and so is padding that makes windows of zeros alone.
int costOf(const std::vector<WindowChoice> &choices) {
    int cost = 0;
    bool unlike = false;
    for (const WindowChoice &choice : choices) {
        const int64_t reach = (choice.kernel - 1) * choice.dilation + 1;
        int one = choice.dilation == 1 ? 0 : choice.dilation == 2 ? 1 : 2;
        if (choice.stride > 2 && choice.stride > choice.kernel) one += 2;
        if (choice.before + choice.after > reach) one += 2;
        cost = std::max(cost, one);
        unlike = unlike || choice.stride != choices[0].stride || choice.dilation != choices[0].dilation;
    }
    return cost + (unlike ? 2 : 0);
}

std::string inputStatements(const PatternHead &head) {
    std::string out;
    for (size_t i = 0; i < head.match.inputs.size(); ++i) {
        const char handle = static_cast<char>('a' + i);
        std::string extents;
        for (const std::string &token : shapeTokens(*head.pattern, i)) extents += (extents.empty() ? "" : ", ") + token;
        out += fmt::format("{} \"@{}\" = placeholder [{}] {}\n", handle, handle, extents, head.types.input);
    }
    return out;
}

/// The params that the text names.
std::string paramsFor(const std::string &text, const Extents &extents) {
    std::string params;
    for (const auto &[name, value] : extents) {
        bool named = false;
        replaceWords(text, [&](std::string word) {
            named = named || word == name;
            return word;
        });
        if (named) params += fmt::format("{}{} = {}", params.empty() ? "" : ", ", name, value);
    }
    return params;
}

std::optional<std::string> renamed(const std::vector<std::pair<std::string, std::string>> &names,
                                   const std::string &word) {
    for (const auto &[from, to] : names)
        if (from == word) return to;
    return std::nullopt;
}

/// The statements written out op by op, with the other names.
HeadStatements renamedStatements(const OpPattern &pattern, const HeadStatements &plain) {
    const Workload workload = parseWorkload(fmt::format("workload head({})\n{}", plain.params, plain.statements), {});
    const std::string printed = printWorkload("head", workload.ops, workload.args);
    HeadStatements result;
    for (size_t at = 0; at < printed.size();) {
        const size_t end = std::min(printed.find('\n', at), printed.size());
        std::string line = printed.substr(at, end - at);
        at = end + 1;
        if (line.empty() || line.starts_with("workload ") || line.starts_with("args ") || line.starts_with("output "))
            continue;
        const size_t word = line.find_first_of(" (");
        if (word != std::string::npos && word > 0 && line[0] != ' ' && line[0] != '@') {
            const std::string handle = line.substr(0, word);
            result.result = handle;
            if (const auto name = renamed(pattern.ops, handle))
                line = fmt::format("{} \"{}\"{}", handle, *name, line.substr(word));
        }
        result.statements += line + "\n";
    }
    if (!pattern.axes.empty())
        result.statements = replaceWords(
            result.statements, [&](const std::string &word) { return renamed(pattern.axes, word).value_or(word); });
    return result;
}

} // namespace

HeadStatements headStatements(const PatternHead &head, const Extents &extents) {
    HeadStatements plain;
    std::string text = head.pattern->text;
    const std::string widened = head.types.result.empty() ? "" : fmt::format(", out_dtype = \"{}\"", head.types.result);
    if (const size_t at = text.find(" $T"); at != std::string::npos) text.replace(at, 3, widened);
    for (size_t at = text.find("$I"); at != std::string::npos; at = text.find("$I", at))
        text.replace(at, 2, head.types.input);
    plain.statements = inputStatements(head) + (text.empty() ? "" : text + "\n");
    plain.params = paramsFor(plain.statements, extents);
    plain.result = text.empty() ? "a" : "r";
    if (head.pattern->ops.empty() && head.pattern->axes.empty()) return plain;
    return renamedStatements(*head.pattern, plain);
}

std::vector<PatternHead> headsOf(const OpPattern &pattern, const ShapeMatch &match, const PatternTypes &types,
                                 HashForm form) {
    const bool paddingShows = pattern.paddingShows || form != HashForm::Simple;
    const bool widens = pattern.text.find("$T") != std::string::npos;
    if (!types.result.empty() && !widens) return {};
    std::vector<PatternHead> heads;
    std::vector<std::vector<int64_t>> shown; // of each head
    for (const std::vector<WindowChoice> &choices : windowPicks(pattern, match.extents, paddingShows)) {
        std::vector<int64_t> numbers = shownNumbers(choices, paddingShows);
        const bool padded = numbers.back() != 0;
        if (pattern.pads != WindowPads::Any && padded != (pattern.pads == WindowPads::Some)) continue;
        const auto known = std::find(shown.begin(), shown.end(), numbers);
        if (known != shown.end()) {
            heads[static_cast<size_t>(std::distance(shown.begin(), known))].choices.push_back(choices);
            continue;
        }
        PatternHead head{&pattern, match, types, {choices}, {}, costOf(choices) + (match.lead ? 1 : 0)};
        if (pattern.text.empty()) {
            head.text = {{{"@a = PLACEHOLDER \n", "@a"}}, "@a", match.inputs[0], types.input};
        } else {
            try {
                const HeadStatements statements = headStatements(head, extentsOf(head, 0));
                head.text =
                    hashedText(fmt::format("workload head({})\n{}", statements.params, statements.statements), form);
            } catch (const Error &) {
                continue; // these extents make no such operator
            }
            if (head.text.shape != match.out) continue;
        }
        heads.push_back(std::move(head));
        shown.push_back(std::move(numbers));
    }
    return heads;
}

Extents extentsOf(const PatternHead &head, size_t choice) {
    return withWindows(head.match.extents, head.choices[choice]);
}

std::string withInputNames(std::string text, const std::vector<std::string> &names) {
    for (size_t i = 0; i < names.size(); ++i) {
        const std::string from = {'@', static_cast<char>('a' + i)};
        for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + names[i].size()))
            text.replace(at, from.size(), names[i]);
    }
    return text;
}

std::string detailsText(const OpPattern &pattern, const Extents &extents) {
    std::string out;
    for (size_t at = 0; at < pattern.details.size();) {
        if (pattern.details[at] != '{') {
            out += pattern.details[at++];
            continue;
        }
        const size_t end = pattern.details.find('}', at);
        const auto found = extents.find(std::string_view(pattern.details).substr(at + 1, end - at - 1));
        out += found == extents.end() ? "?" : std::to_string(found->second);
        at = end + 1;
    }
    return out;
}

} // namespace loopscope
