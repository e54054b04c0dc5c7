#include "records/export/compile_library.h"

#include "records/export/c_compiler.h"

#include <filesystem>
#include <fmt/format.h>

namespace loopscope {

std::optional<Refusal> compileLibrary(const LibrarySources &sources) {
    namespace fs = std::filesystem;
    const Outcome<std::string> compiler = compilerHere();
    if (!compiler) return compiler.refusal();
    const CompilerFolder folder;
    if (!folder.problem().empty()) return Refusal{folder.problem()};
    const std::string made = folder.file("library.so");
    std::vector<std::string> words = {*compiler,
                                      "-std=c17",
                                      "-O3",
                                      "-march=native",
                                      "-ffp-contract=fast",
                                      "-fopenmp",
                                      "-pthread",
                                      "-fPIC",
                                      "-shared",
                                      "-I",
                                      sources.includeFolder,
                                      "-o",
                                      made,
                                      "-Wl,-soname," + fs::path(sources.library).filename().string()};
    // Threads of OpenMP wait in its library, which would be unloaded with the last that needs it, while they run.
    words.emplace_back("-Wl,-z,nodelete");
    words.insert(words.end(), sources.files.begin(), sources.files.end());
    words.insert(words.end(), {"-lm", "-ldl"});
    if (const int code = runCompiler(words, folder.file("said")); code != 0)
        return Refusal{fmt::format("{} does not build {}: {}", *compiler, sources.library,
                                   firstComplaint(folder.file("said"), code))};
    // A library that a process has open is left to it: what is written is another file of the same name.
    std::error_code error;
    const std::string beside = sources.library + ".new";
    fs::copy_file(made, beside, fs::copy_options::overwrite_existing, error);
    if (!error) fs::rename(beside, sources.library, error);
    if (error) return Refusal{fmt::format("{} cannot be written: {}", sources.library, error.message())};
    return std::nullopt;
}

} // namespace loopscope
