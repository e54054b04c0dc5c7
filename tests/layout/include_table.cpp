#include "include_table.h"

#include "source_tree.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace loopscope {
namespace {

std::string trimmed(std::string text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '`'; };
    while (!text.empty() && blank(text.back())) text.pop_back();
    size_t begin = 0;
    while (begin < text.size() && blank(text[begin])) ++begin;
    return text.substr(begin);
}

/// The cells of a table row, or none for a line that is not one.
std::vector<std::string> cells(const std::string &line) {
    std::vector<std::string> result;
    if (line.size() < 2 || line.front() != '|') return result;
    std::istringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) result.push_back(trimmed(cell));
    return result;
}

std::set<std::string> readAllowed(const std::string &cell, const std::vector<std::string> &above) {
    if (cell == "–") return {};
    if (cell == "every module above") return {above.begin(), above.end()};
    std::set<std::string> allowed;
    std::istringstream in(cell);
    for (std::string name; std::getline(in, name, ',');) {
        name = trimmed(name);
        if (std::find(above.begin(), above.end(), name) == above.end())
            throw std::runtime_error("the include table allows '" + name + "', which is not a module above that row");
        allowed.insert(name);
    }
    return allowed;
}

IncludeTable readTable(const std::string &document, const std::string &head, std::vector<std::string> above) {
    IncludeTable table;
    bool inTable = false;
    for (const auto &line : splitLines(document)) {
        const auto row = cells(line);
        if (!inTable) {
            inTable = row.size() >= 3 && row.front() == head && row.back() == "may include";
            continue;
        }
        if (row.empty()) break;
        if (row.front().starts_with("---")) continue;
        if (row.size() < 3) throw std::runtime_error("a row of the include table has fewer than three cells: " + line);
        const auto &module = row.front();
        if (table.mayInclude.contains(module))
            throw std::runtime_error("the include table names '" + module + "' twice");
        table.mayInclude[module] = readAllowed(row.back(), above);
        table.modules.push_back(module);
        above.push_back(module);
    }
    if (table.modules.empty())
        throw std::runtime_error("no include table: no row `| " + head + " | ... | may include |`");
    return table;
}

} // namespace

IncludeTable readIncludeTable(const std::string &document) { return readTable(document, "module", {}); }

IncludeTable readViewTable(const std::string &document) { return readTable(document, "view", {"core"}); }

std::vector<Include> findIncludes(const std::string &source) {
    static const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
    std::vector<Include> includes;
    int number = 0;
    for (const auto &line : splitLines(source)) {
        ++number;
        std::smatch match;
        if (std::regex_search(line, match, pattern)) includes.push_back({number, match[1] == "\"", match[2]});
    }
    return includes;
}

bool isQtInclude(const std::string &path) {
    static const std::regex pattern(R"(^(Q[A-Z]\w*|Qt\w+/.*|q[a-z]+\.h)$)");
    return std::regex_match(path, pattern);
}

std::vector<std::string> forbiddenIncludes(const IncludeTable &table, const std::string &module,
                                           const std::string &file, const std::string &source,
                                           const std::set<std::string> &coreFiles) {
    std::vector<std::string> sentences;
    const auto allowed = table.mayInclude.find(module);
    for (const auto &include : findIncludes(source)) {
        const std::string place = file + ":" + std::to_string(include.line) + ": ";
        if (isQtInclude(include.path)) {
            sentences.push_back(place + "core/ is free of Qt, but includes " + include.path);
            continue;
        }
        if (!coreFiles.contains(include.path)) {
            if (include.quoted)
                sentences.push_back(place + "\"" + include.path +
                                    "\" is no file of core/; includes are written from core/, others in <>");
            continue;
        }
        const auto slash = include.path.find('/');
        if (slash == std::string::npos) continue; // the loose files are open to all
        const auto target = include.path.substr(0, slash);
        if (target == module) continue;
        if (allowed == table.mayInclude.end() || !allowed->second.contains(target))
            sentences.push_back(place + (module.empty() ? "a loose file" : module) + " must not include " + target +
                                " (" + include.path + ")");
    }
    return sentences;
}

std::vector<std::string> forbiddenViewIncludes(const IncludeTable &table, const std::string &view,
                                               const std::string &file, const std::string &source,
                                               const std::set<std::string> &coreFiles) {
    std::vector<std::string> sentences;
    const auto allowed = table.mayInclude.find(view);
    for (const auto &include : findIncludes(source)) {
        if (!include.quoted) continue;
        const std::string place = file + ":" + std::to_string(include.line) + ": ";
        std::string target = "core";
        if (include.path.starts_with("views/")) {
            const auto begin = std::string("views/").size();
            target = include.path.substr(begin, include.path.find('/', begin) - begin);
        } else if (!coreFiles.contains(include.path)) {
            sentences.push_back(place + "\"" + include.path +
                                "\" is no file of core/; includes of views begin with views/, others stand in <>");
            continue;
        }
        if (target == view) continue;
        if (allowed == table.mayInclude.end() || !allowed->second.contains(target))
            sentences.push_back(place + "views/" + view + " must not include " +
                                (target == "core" ? target : "views/" + target) + " (" + include.path + ")");
    }
    return sentences;
}

} // namespace loopscope
