// The arrows of modules.md hold in the sources, and the reader of the table notices when they do not.

#include "include_table.h"
#include "source_tree.h"
#include "test_program.h"

#include <QTest>

#include <stdexcept>

using namespace loopscope;

namespace {

const char *const smallTable = "| module | holds | may include |\n"
                               "|---|---|---|\n"
                               "| `expr` | expressions | – |\n"
                               "| `te` | tensors | expr |\n"
                               "| `dag` | graphs | te, expr |\n"
                               "| `search` | all | every module above |\n"
                               "\n"
                               "| other | table |\n";

const std::set<std::string> smallCore = {"expr/expr.h", "te/op.h", "dag/dag.h", "search/search.h", "outcome.h"};

std::vector<std::string> check(const std::string &module, const std::string &source) {
    return forbiddenIncludes(readIncludeTable(smallTable), module, "a.cpp", source, smallCore);
}

std::set<std::string> headersOfCore() {
    std::set<std::string> headers;
    for (const auto &file : sourceFiles("core"))
        headers.insert(file.lexically_relative(sourceRoot() / "core").generic_string());
    return headers;
}

/// The module of "core/<module>/...", empty for a loose file.
std::string moduleOf(const std::filesystem::path &file) {
    const auto inside = file.lexically_relative(sourceRoot() / "core").generic_string();
    const auto slash = inside.find('/');
    return slash == std::string::npos ? "" : inside.substr(0, slash);
}

} // namespace

class ArrowsTest : public QObject {
    Q_OBJECT

  private slots:
    void readsTheTable() {
        const auto table = readIncludeTable(smallTable);
        QCOMPARE(table.modules, (std::vector<std::string>{"expr", "te", "dag", "search"}));
        QVERIFY(table.mayInclude.at("expr").empty());
        QCOMPARE(table.mayInclude.at("dag"), (std::set<std::string>{"te", "expr"}));
        QCOMPARE(table.mayInclude.at("search"), (std::set<std::string>{"expr", "te", "dag"}));
    }

    void refusesAnArrowBack() {
        QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                 readIncludeTable("| module | may | may include |\n| te | t | dag |\n"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, readIncludeTable("no table here\n"));
    }

    void findsForbiddenIncludes_data() {
        QTest::addColumn<QString>("module");
        QTest::addColumn<QString>("source");
        QTest::addColumn<int>("found");
        QTest::newRow("own module") << "te"
                                    << "#include \"te/op.h\"\n"
                                    << 0;
        QTest::newRow("allowed") << "te"
                                 << "#include \"expr/expr.h\"\n#include <vector>\n"
                                 << 0;
        QTest::newRow("loose file") << "expr"
                                    << "#include \"outcome.h\"\n"
                                    << 0;
        QTest::newRow("comment") << "expr"
                                 << "// #include \"te/op.h\"\n"
                                 << 0;
        QTest::newRow("backwards") << "expr"
                                   << "#include \"te/op.h\"\n"
                                   << 1;
        QTest::newRow("in brackets") << "expr"
                                     << "#  include <dag/dag.h>\n"
                                     << 1;
        QTest::newRow("loose file includes a module") << ""
                                                      << "#include \"expr/expr.h\"\n"
                                                      << 1;
        QTest::newRow("module not in the table") << "new"
                                                 << "#include \"expr/expr.h\"\n"
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
        const auto table = readIncludeTable(readText(sourceRoot() / "tests/layout/modules.md"));
        const auto headers = headersOfCore();
        QVERIFY(!headers.empty());
        std::vector<std::string> broken;
        for (const auto &file : sourceFiles("core")) {
            const auto module = moduleOf(file);
            if (!module.empty() && !table.mayInclude.contains(module))
                broken.push_back(shown(file) + ": the module '" + module +
                                 "' is not in the table of tests/layout/modules.md");
            const auto sentences = forbiddenIncludes(table, module, shown(file), readText(file), headers);
            broken.insert(broken.end(), sentences.begin(), sentences.end());
        }
        QVERIFY2(broken.empty(), joined(broken).c_str());
    }

    void findsForbiddenIncludesOfViews() {
        const auto table = readViewTable("| view | holds | may include |\n|---|---|---|\n| `plot` | plots | – |\n"
                                         "| `session` | state | core |\n| `trials` | table | core, session, plot |\n");
        const auto found = [&](const std::string &view, const std::string &source) {
            return forbiddenViewIncludes(table, view, "a.cpp", source, smallCore).size();
        };
        QCOMPARE(found("trials", "#include \"views/session/session.h\"\n#include \"te/op.h\"\n#include <QWidget>\n"),
                 size_t{0});
        QCOMPARE(found("trials", "#include \"views/trials/model.h\"\n"), size_t{0});
        QCOMPARE(found("plot", "#include \"te/op.h\"\n#include \"views/session/session.h\"\n"), size_t{2});
        QCOMPARE(found("session", "#include \"views/trials/model.h\"\n"), size_t{1});
        QCOMPARE(found("session", "#include \"session.h\"\n"), size_t{1});
        QCOMPARE(found("new", "#include \"views/session/session.h\"\n"), size_t{1});
    }

    void arrowsHoldInViews() {
        const auto table = readViewTable(readText(sourceRoot() / "tests/layout/modules.md"));
        const auto headers = headersOfCore();
        std::vector<std::string> broken;
        for (const auto &file : sourceFiles("views")) {
            const auto inside = file.lexically_relative(sourceRoot() / "views").generic_string();
            const auto slash = inside.find('/');
            if (slash == std::string::npos) continue; // the precompiled header
            const auto view = inside.substr(0, slash);
            if (!table.mayInclude.contains(view))
                broken.push_back(shown(file) + ": the view '" + view +
                                 "' is not in the table of tests/layout/modules.md");
            const auto sentences = forbiddenViewIncludes(table, view, shown(file), readText(file), headers);
            broken.insert(broken.end(), sentences.begin(), sentences.end());
        }
        for (const auto &view : table.modules)
            if (sourceFiles("views/" + view).empty()) broken.push_back("views/" + view + " has no source file");
        QVERIFY2(broken.empty(), joined(broken).c_str());
    }

    void everyRoomOfTheTableExists() {
        const auto table = readIncludeTable(readText(sourceRoot() / "tests/layout/modules.md"));
        std::vector<std::string> missing;
        for (const auto &module : table.modules)
            if (sourceFiles("core/" + module).empty()) missing.push_back("core/" + module + " has no source file");
        QVERIFY2(missing.empty(), joined(missing).c_str());
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
