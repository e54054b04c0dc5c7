#include "records/export/link_library.h"

#include "base/input_file.h"
#include "records/export/c_compiler.h"

#include <fmt/format.h>
#include <fstream>

namespace loopscope {

Outcome<std::string> linkLibrary(const std::string &object, const std::string &fileName, bool startsThreads) {
    constexpr size_t kMaxBytes = size_t{256} << 20;
    const Outcome<std::string> compiler = compilerHere();
    if (!compiler) return compiler.refusal();
    const CompilerFolder folder;
    if (!folder.problem().empty()) return Refusal{folder.problem()};
    std::ofstream(folder.file("kernel.o"), std::ios::binary) << object;
    std::vector<std::string> words = {
        *compiler, "-shared", "-o", folder.file("library.so"), "-Wl,-soname," + fileName, folder.file("kernel.o")};
    if (startsThreads) words.emplace_back("-fopenmp");
    words.emplace_back("-lm");
    if (const int code = runCompiler(words, folder.file("said")); code != 0)
        return Refusal{
            fmt::format("{} does not link the library: {}", *compiler, firstComplaint(folder.file("said"), code))};
    try {
        return readInputFile(folder.file("library.so"), "the library", kMaxBytes);
    } catch (const Error &problem) {
        return Refusal{problem.what()};
    }
}

} // namespace loopscope
