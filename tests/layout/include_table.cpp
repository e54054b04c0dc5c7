#include "include_table.h"

#include "source_tree.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace loopscope {
namespace {

/// The words between `begin` and the next of `ends`, comments left out.
std::vector<std::string> wordsBetween(const std::string &text, const std::string &begin, const std::string &ends) {
    static const std::regex comment("#[^\n]*");
    std::smatch match;
    std::vector<std::string> words;
    const std::string code = std::regex_replace(text, comment, "");
    const std::regex pattern(begin + R"(\s+([\w/\s]*?)\s*(?:)" + ends + ")");
    if (!std::regex_search(code, match, pattern)) return words;
    std::istringstream in(match[1]);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

const char *const kNextOfList = R"(\)|\b(?:SOURCES|DEPENDS|MODULES|VIEWS|LIBRARIES|PUBLIC_LIBRARIES)\b)";

std::set<std::string> standInFront(const std::string &who, const std::vector<std::string> &words,
                                   const std::vector<std::string> &inFront) {
    for (const auto &word : words)
        if (std::ranges::find(inFront, word) == inFront.end())
            throw std::runtime_error(who + " depends on '" + word + "', which does not stand in front of it");
    return {words.begin(), words.end()};
}

IncludeTable readFolders(const std::vector<std::string> &folders, const std::string &what, const ListOf &listOf) {
    IncludeTable table;
    for (const auto &folder : folders) {
        const auto name = folder.substr(folder.rfind('/') + 1); // npos + 1: all of it
        if (table.folders.contains(name)) throw std::runtime_error("'" + name + "' stands twice");
        table.folders[name] = folder;
        table.mayInclude[name] =
            standInFront(name, wordsBetween(listOf(folder), "\\b" + what, kNextOfList), table.modules);
        table.modules.push_back(name);
    }
    if (table.modules.empty()) throw std::runtime_error("the list names no folders");
    return table;
}

} // namespace

IncludeTable readModules(const std::string &list, const ListOf &listOf) {
    return readFolders(wordsBetween(list, R"(\bset\(loopscopeModules)", R"(\))"), "DEPENDS", listOf);
}

IncludeTable readViews(const std::string &list, const ListOf &listOf, const IncludeTable &core) {
    auto table = readFolders(wordsBetween(list, R"(\bforeach\(view)", R"(\))"), "VIEWS", listOf);
    for (auto &[view, may] : table.mayInclude) {
        std::set<std::string> all =
            standInFront(view, wordsBetween(listOf(view), "\\bMODULES", kNextOfList), core.modules);
        for (const auto &other : may) all.insert("views/" + other); // modules may have the same name
        may = std::move(all);
    }
    return table;
}

std::string moduleOf(const IncludeTable &core, const std::string &file) {
    std::string found; // the deepest folder
    for (const auto &[module, folder] : core.folders)
        if (file.starts_with(folder + "/") && (found.empty() || folder.size() > core.folders.at(found).size()))
            found = module;
    return found;
}

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

std::vector<std::string> forbiddenIncludes(const IncludeTable &core, const std::string &module, const std::string &file,
                                           const std::string &source, const std::set<std::string> &coreFiles) {
    std::vector<std::string> sentences;
    const auto allowed = core.mayInclude.find(module);
    for (const auto &include : findIncludes(source)) {
        const std::string place = file + ":" + std::to_string(include.line) + ": ";
        if (isQtInclude(include.path)) {
            sentences.push_back(place + "core/ is free of Qt, but includes " + include.path);
        } else if (!coreFiles.contains(include.path)) {
            if (include.quoted)
                sentences.push_back(place + "\"" + include.path +
                                    "\" is no file of core/; includes are written from core/, others in <>");
        } else if (const auto target = moduleOf(core, include.path); !target.empty() && target != module) {
            if (allowed == core.mayInclude.end() || !allowed->second.contains(target))
                sentences.push_back(place + (module.empty() ? "base" : module) + " must not include " + target + " (" +
                                    include.path + ")");
        }
    }
    return sentences;
}

std::vector<std::string> forbiddenViewIncludes(const IncludeTable &views, const IncludeTable &core,
                                               const std::string &view, const std::string &file,
                                               const std::string &source, const std::set<std::string> &coreFiles) {
    std::vector<std::string> sentences;
    const auto allowed = views.mayInclude.find(view);
    for (const auto &include : findIncludes(source)) {
        if (!include.quoted) continue;
        const std::string place = file + ":" + std::to_string(include.line) + ": ";
        const bool ofViews = include.path.starts_with("views/");
        if (!ofViews && !coreFiles.contains(include.path)) {
            sentences.push_back(place + "\"" + include.path +
                                "\" is no file of core/; includes of views begin with views/, others stand in <>");
            continue;
        }
        const std::string target = ofViews
                                       ? include.path.substr(0, include.path.find('/', std::string("views/").size()))
                                       : moduleOf(core, include.path);
        if (target.empty() || target == "views/" + view) continue;
        if (allowed == views.mayInclude.end() || !allowed->second.contains(target))
            sentences.push_back(place + "views/" + view + " must not include " + target + " (" + include.path + ")");
    }
    return sentences;
}

} // namespace loopscope
