#pragma once
// The include tables of modules.md: which module of core/ and which view may include which. They are the rule; this
// reads it and finds the includes that break it.

#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

struct IncludeTable {
    std::vector<std::string> modules; // in the order of the table
    std::map<std::string, std::set<std::string>> mayInclude;
};

/// The rows of the first table whose header row is `| module | ... | may include |`. The last cell of a row is a list
/// of modules, `–` for none, or `every module above`. Throws std::runtime_error with a sentence for a table that cannot
/// be read, names a module twice, or allows an include of a module that does not stand above (arrows go one way).
IncludeTable readIncludeTable(const std::string &document);
/// The same for `| view | ... | may include |`; a view may also include `core`, whose modules keep their own table.
IncludeTable readViewTable(const std::string &document);

/// The path in every #include of a source text, without its quotes or brackets.
struct Include {
    int line = 0; // counts from 1
    bool quoted = false;
    std::string path;
};
std::vector<Include> findIncludes(const std::string &source);

/// One sentence for each include that a file of `module` must not have: a module the table does not allow, a file name
/// without its module, or Qt. `coreFiles` are the headers of core/, as written in an include ("expr/expr.h").
/// `file` is how the sentences name the file.
std::vector<std::string> forbiddenIncludes(const IncludeTable &table, const std::string &module,
                                           const std::string &file, const std::string &source,
                                           const std::set<std::string> &coreFiles);

/// The same for a file of views/`view`, whose quoted includes begin with views/ or with a module of core/.
std::vector<std::string> forbiddenViewIncludes(const IncludeTable &table, const std::string &view,
                                               const std::string &file, const std::string &source,
                                               const std::set<std::string> &coreFiles);

bool isQtInclude(const std::string &path);

} // namespace loopscope
