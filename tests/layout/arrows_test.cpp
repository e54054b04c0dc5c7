// Sources include what their CMake lists say they depend on, and arrows go one way; who reads the lists notices when
// they do not.

#include "include_table.h"
#include "source_tree.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <stdexcept>

using namespace loopscope;

namespace {

const char *const smallList =
    "# Wings.\nset(loopscopeModules\n    language/expr # expressions\n    language/te\n    search\n"
    "    search/cost)\nforeach(path IN LISTS loopscopeModules)\n";

std::string smallListOf(const std::string &folder) {
    if (folder == "language/te")
        return "loopscope_add_module(te SOURCES op.cpp\n    DEPENDS expr # not search\n    LIBRARIES fmt)";
    if (folder == "search/cost") return "loopscope_add_module(cost\n    SOURCES a.cpp DEPENDS expr te search)";
    return "loopscope_add_module(x SOURCES a.cpp)";
}

IncludeTable smallTable() { return readModules(smallList, smallListOf); }

const std::set<std::string> smallCore = {"language/expr/expr.h", "language/te/op.h", "search/search.h",
                                         "search/cost/model.h", "base/outcome.h"};

std::vector<std::string> check(const std::string &module, const std::string &source) {
    return forbiddenIncludes(smallTable(), module, "a.cpp", source, smallCore);
}

std::string listIn(const std::string &folder) { return readText(sourceRoot() / folder / "CMakeLists.txt"); }

IncludeTable modulesOfCore() {
    return readModules(listIn("core"), [](const std::string &folder) { return listIn("core/" + folder); });
}

std::set<std::string> headersOfCore() {
    std::set<std::string> headers;
    for (const auto &file : sourceFiles("core"))
        headers.insert(file.lexically_relative(sourceRoot() / "core").generic_string());
    return headers;
}

} // namespace

class ArrowsTest : public QObject {
    Q_OBJECT

  private slots:
    void readsTheLists() {
        const auto table = smallTable();
        QCOMPARE(table.modules, (std::vector<std::string>{"expr", "te", "search", "cost"}));
        QVERIFY(table.mayInclude.at("expr").empty());
        QCOMPARE(table.mayInclude.at("te"), (std::set<std::string>{"expr"}));
        QCOMPARE(table.mayInclude.at("cost"), (std::set<std::string>{"expr", "te", "search"}));
        QCOMPARE(moduleOf(table, "search/cost/model.h"), "cost");
        QCOMPARE(moduleOf(table, "search/evolve/mutate.h"), "search");
        QCOMPARE(moduleOf(table, "base/outcome.h"), "");
    }

    void refusesAnArrowBack() {
        const auto read = [](const char *list, const char *depends) {
            return readModules(list, [depends](const std::string &) { return depends; });
        };
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, read("set(loopscopeModules te dag)", "f(te DEPENDS dag)"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, read("set(loopscopeModules a/te b/te)", "f(te)"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, read("no list here", "f(te)"));
    }

    void findsForbiddenIncludes_data() {
        QTest::addColumn<QString>("module");
        QTest::addColumn<QString>("source");
        QTest::addColumn<int>("found");
        QTest::newRow("own module") << "te"
                                    << "#include \"language/te/op.h\"\n"
                                    << 0;
        QTest::newRow("allowed") << "te"
                                 << "#include \"language/expr/expr.h\"\n#include <vector>\n"
                                 << 0;
        QTest::newRow("base") << "expr"
                              << "#include \"base/outcome.h\"\n"
                              << 0;
        QTest::newRow("comment") << "expr"
                                 << "// #include \"language/te/op.h\"\n"
                                 << 0;
        QTest::newRow("backwards") << "expr"
                                   << "#include \"language/te/op.h\"\n"
                                   << 1;
        QTest::newRow("in brackets") << "expr"
                                     << "#  include <search/search.h>\n"
                                     << 1;
        QTest::newRow("base includes a module") << ""
                                                << "#include \"language/expr/expr.h\"\n"
                                                << 1;
        QTest::newRow("module not in the list") << "new"
                                                << "#include \"language/expr/expr.h\"\n"
                                                << 1;
        QTest::newRow("without its module") << "te"
                                            << "#include \"op.h\"\n"
                                            << 1;
        QTest::newRow("Qt") << "te"
                            << "#include <QString>\n#include <QtCore/QList>\n#include <qglobal.h>\n"
                            << 3;
    }

    void findsForbiddenIncludes() {
        QFETCH(QString, module);
        QFETCH(QString, source);
        QFETCH(int, found);
        const auto sentences = check(module.toStdString(), source.toStdString());
        QVERIFY2(static_cast<int>(sentences.size()) == found, joined(sentences).c_str());
    }

    void arrowsHoldInCore() {
        const auto table = modulesOfCore();
        const auto headers = headersOfCore();
        QVERIFY(!headers.empty());
        std::vector<std::string> broken;
        for (const auto &file : sourceFiles("core")) {
            const auto module = moduleOf(table, file.lexically_relative(sourceRoot() / "core").generic_string());
            if (module.empty() && !shown(file).starts_with("core/base/"))
                broken.push_back(shown(file) + " belongs to no module of core/CMakeLists.txt");
            const auto sentences = forbiddenIncludes(table, module, shown(file), readText(file), headers);
            broken.insert(broken.end(), sentences.begin(), sentences.end());
        }
        QVERIFY2(broken.empty(), joined(broken).c_str());
    }

    /// A wing is what its folder holds: no arrow leads back to a wing in front, which is so where its modules stand
    /// together.
    void modulesOfAWingStandTogether() {
        const auto table = modulesOfCore();
        std::vector<std::string> wings;
        for (const auto &module : table.modules) {
            const std::string &folder = table.folders.at(module);
            const std::string wing = folder.substr(0, folder.find('/'));
            if (!wings.empty() && wings.back() == wing) continue;
            QVERIFY2(std::ranges::find(wings, wing) == wings.end(), (wing + " stands in two places").c_str());
            wings.push_back(wing);
        }
        QVERIFY(wings.size() >= 10);
    }

    void findsForbiddenIncludesOfViews() {
        const auto table = readViews(
            "foreach(view\n    plot # plots\n    session\n    trials)\n",
            [](const std::string &view) -> std::string {
                if (view == "trials") return "f(trials SOURCES a.cpp MODULES te VIEWS session plot)";
                return view == "session" ? "f(session MODULES expr te)" : "f(plot SOURCES a.cpp)";
            },
            smallTable());
        const auto found = [&](const std::string &view, const std::string &source) {
            return forbiddenViewIncludes(table, smallTable(), view, "a.cpp", source, smallCore).size();
        };
        QCOMPARE(found("trials", "#include \"views/session/session.h\"\n#include \"language/te/op.h\"\n"
                                 "#include <QWidget>\n#include \"base/outcome.h\"\n"),
                 size_t{0});
        QCOMPARE(found("trials", "#include \"views/trials/model.h\"\n"), size_t{0});
        QCOMPARE(found("trials", "#include \"search/search.h\"\n"), size_t{1});
        QCOMPARE(found("plot", "#include \"language/te/op.h\"\n#include \"views/session/session.h\"\n"), size_t{2});
        QCOMPARE(found("session", "#include \"views/trials/model.h\"\n"), size_t{1});
        QCOMPARE(found("session", "#include \"session.h\"\n"), size_t{1});
        QCOMPARE(found("new", "#include \"views/session/session.h\"\n"), size_t{1});
    }

    void arrowsHoldInViews() {
        const auto core = modulesOfCore();
        const auto table =
            readViews(listIn("views"), [](const std::string &folder) { return listIn("views/" + folder); }, core);
        const auto headers = headersOfCore();
        std::vector<std::string> broken;
        for (const auto &file : sourceFiles("views")) {
            const auto inside = file.lexically_relative(sourceRoot() / "views").generic_string();
            const auto slash = inside.find('/');
            if (slash == std::string::npos) continue; // the precompiled header
            const auto view = inside.substr(0, slash);
            if (!table.mayInclude.contains(view))
                broken.push_back(shown(file) + ": views/CMakeLists.txt does not name '" + view + "'");
            const auto sentences = forbiddenViewIncludes(table, core, view, shown(file), readText(file), headers);
            broken.insert(broken.end(), sentences.begin(), sentences.end());
        }
        QVERIFY2(broken.empty(), joined(broken).c_str());
    }

    /// What is said passes one place, where no text of a file is obeyed (app/cli/output.h).
    void standardErrorHasOneDoor() {
        std::vector<std::string> broken;
        for (const auto &file : sourceFiles("app/cli")) {
            const std::string text = readText(file);
            for (const char *other : {"fprintf(", "fputs(", "printf(", "cerr", "cout"})
                if (file.filename() != "output.cpp" && text.find(other) != std::string::npos)
                    broken.push_back(shown(file) + " writes by itself (" + other +
                                     "); sayLine, sayLive and writeOutput do");
        }
        QVERIFY2(broken.empty(), joined(broken).c_str());
    }

    void programsAreFreeOfQt() {
        std::vector<std::string> broken;
        for (const auto *folder : {"app/cli", "app/worker"}) {
            for (const auto &file : sourceFiles(folder))
                for (const auto &include : findIncludes(readText(file)))
                    if (isQtInclude(include.path) || include.path.starts_with("views/"))
                        broken.push_back(shown(file) + ":" + std::to_string(include.line) + ": includes " +
                                         include.path);
        }
        QVERIFY2(broken.empty(), joined(broken).c_str());
    }
};

LOOPSCOPE_TEST(ArrowsTest)
#include "arrows_test.moc"
