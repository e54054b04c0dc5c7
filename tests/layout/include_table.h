#pragma once
// The include table of ARCHITECTURE.md: which room of core/ may include which. The document is the rule; this reads it
// and finds the includes that break it.

#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

struct IncludeTable {
    std::vector<std::string> rooms; // in the order of the table
    std::map<std::string, std::set<std::string>> mayInclude;
};

/// The rows of the first table whose header row is `| room | ... | may include |`. The last cell of a row is a list of
/// rooms, `–` for none, or `every room above`. Throws std::runtime_error with a sentence for a table that cannot be
/// read, names a room twice, or allows an include of a room that does not stand above (arrows go one way).
IncludeTable readIncludeTable(const std::string &document);
/// The same for `| view | ... | may include |`; a view may also include `core`, whose rooms keep their own table.
IncludeTable readViewTable(const std::string &document);

/// The path in every #include of a source text, without its quotes or brackets.
struct Include {
    int line = 0; // counts from 1
    bool quoted = false;
    std::string path;
};
std::vector<Include> findIncludes(const std::string &source);

/// One sentence for each include that a file of `room` must not have: a room the table does not allow, a file name
/// without its room, or Qt. `coreFiles` are the headers of core/, as written in an include ("expr/expr.h").
/// `file` is how the sentences name the file.
std::vector<std::string> forbiddenIncludes(const IncludeTable &table, const std::string &room, const std::string &file,
                                           const std::string &source, const std::set<std::string> &coreFiles);

/// The same for a file of views/`view`, whose quoted includes begin with views/ or with a room of core/.
std::vector<std::string> forbiddenViewIncludes(const IncludeTable &table, const std::string &view,
                                               const std::string &file, const std::string &source,
                                               const std::set<std::string> &coreFiles);

bool isQtInclude(const std::string &path);

} // namespace loopscope
