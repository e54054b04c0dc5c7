// Sources are listed by hand in the CMakeLists.txt of their module; a file forgotten there would never be compiled, and
// a test forgotten there would never fail.

#include "source_tree.h"
#include "test_program.h"

#include <QTest>

#include <regex>
#include <set>

using namespace loopscope;
namespace fs = std::filesystem;

namespace {

/// The .cpp files named in a CMake text, outside its comments.
std::set<std::string> listedSources(const std::string &cmakeText) {
    static const std::regex comment("#[^\n]*");
    static const std::regex source(R"([\w./-]+\.cpp)");
    const std::string text = std::regex_replace(cmakeText, comment, "");
    return {std::sregex_token_iterator(text.begin(), text.end(), source), std::sregex_token_iterator()};
}

/// The nearest folder at or above `file` that has a CMakeLists.txt.
fs::path listFolder(const fs::path &file) {
    fs::path folder = file.parent_path();
    while (!fs::exists(folder / "CMakeLists.txt")) folder = folder.parent_path();
    return folder;
}

} // namespace

class CMakeListsTest : public QObject {
    Q_OBJECT

  private slots:
    void readsSourcesButNotComments() {
        const auto listed =
            listedSources("loopscope_add_module(te SOURCES\n  op.cpp  # not old.cpp\n  ops/conv2d.cpp)\n");
        QCOMPARE(listed, (std::set<std::string>{"op.cpp", "ops/conv2d.cpp"}));
    }

    void everySourceIsListed() {
        std::vector<std::string> forgotten;
        size_t sources = 0;
        for (const auto *top : {"core", "app", "views", "tests"}) {
            for (const auto &file : sourceFiles(top)) {
                if (file.extension() != ".cpp") continue;
                ++sources;
                const auto folder = listFolder(file);
                const auto name = file.lexically_relative(folder).generic_string();
                if (!listedSources(readText(folder / "CMakeLists.txt")).contains(name))
                    forgotten.push_back(shown(file) + " is not listed in " + shown(folder / "CMakeLists.txt"));
            }
        }
        QVERIFY(sources > 0);
        QVERIFY2(forgotten.empty(), joined(forgotten).c_str());
    }
};

LOOPSCOPE_TEST(CMakeListsTest)
#include "cmake_lists_test.moc"
