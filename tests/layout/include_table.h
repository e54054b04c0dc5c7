#pragma once
// Which module of core/ and which view may include which, as the CMake lists say it: the order of core/CMakeLists.txt
// and views/CMakeLists.txt, and what each list depends on. This reads them and finds the includes that break them.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

struct IncludeTable {
    std::vector<std::string> modules;           // in order
    std::map<std::string, std::string> folders; // of modules, below core/ or views/
    std::map<std::string, std::set<std::string>> mayInclude;
};

/// The text of a folder's CMakeLists.txt, by its path below core/ or views/.
using ListOf = std::function<std::string(const std::string &folder)>;
/// Modules by the variable loopscopeModules of core/'s list and the DEPENDS of their own. Throws std::runtime_error
/// with a sentence where there are none, one stands twice, or one depends on what does not stand in front (arrows go
/// one way).
IncludeTable readModules(const std::string &list, const ListOf &listOf);
/// Views by the loop over `view` of views/'s list, and the VIEWS and MODULES of their own.
IncludeTable readViews(const std::string &list, const ListOf &listOf, const IncludeTable &core);
/// Of "codegen/llvm/emit.h" codegen, of "codegen/lower/pass.h" lower; empty for what belongs to no module.
std::string moduleOf(const IncludeTable &core, const std::string &file);

/// The path in every #include of a source text, without its quotes or brackets.
struct Include {
    int line = 0; // counts from 1
    bool quoted = false;
    std::string path;
};
std::vector<Include> findIncludes(const std::string &source);

/// One sentence for each include that a file of `module` must not have: a module its list does not name, a file name
/// without its folder, or Qt. `coreFiles` are the headers of core/, as written in an include ("language/expr/expr.h").
/// `file` is how the sentences name the file.
std::vector<std::string> forbiddenIncludes(const IncludeTable &core, const std::string &module, const std::string &file,
                                           const std::string &source, const std::set<std::string> &coreFiles);

/// The same for a file of views/`view`, whose quoted includes begin with views/ or with a folder of core/.
std::vector<std::string> forbiddenViewIncludes(const IncludeTable &views, const IncludeTable &core,
                                               const std::string &view, const std::string &file,
                                               const std::string &source, const std::set<std::string> &coreFiles);

bool isQtInclude(const std::string &path);

} // namespace loopscope
