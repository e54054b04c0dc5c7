// What the command line and the window both do stands once, in core/workbench: neither of them makes a cost model or
// writes a log by itself.

#include "source_tree.h"
#include "test_program.h"

#include <QTest>
#include <regex>

using namespace loopscope;

namespace {

/// Lines that name what belongs to the workbench; comments may speak of it.
std::vector<std::string> toldAgain(const std::string &place, const std::string &source) {
    static const std::regex reserved(
        R"(\b(CostModel|XgboostOptions|makeXgboostModel|makeRandomModel|RecordWriter|writerWhenFree)\b)");
    std::vector<std::string> found;
    int number = 0;
    for (const std::string &line : splitLines(source)) {
        ++number;
        std::smatch match;
        const std::string code = line.substr(0, line.find("//"));
        if (std::regex_search(code, match, reserved))
            found.push_back(place + ":" + std::to_string(number) + " names " + match.str() +
                            ", which core/workbench alone does");
    }
    return found;
}

} // namespace

class FrontEndsTest : public QObject {
    Q_OBJECT

  private slots:
    void seesWhatIsNamed() {
        QCOMPARE(toldAgain("a.cpp", "f();\nstd::unique_ptr<CostModel> model;\n").size(), size_t{1});
        QCOMPARE(toldAgain("a.cpp", "const auto w = writerWhenFree(path, {}, flag);\n").size(), size_t{1});
        QCOMPARE(toldAgain("a.cpp", "g(); // as RecordWriter has it\nCostModels x;\n").size(), size_t{0});
    }

    void theWorkbenchAloneMakesModelsAndWritesLogs() {
        std::vector<std::string> found;
        size_t files = 0;
        for (const char *folder : {"app/cli", "views"})
            for (const auto &file : sourceFiles(folder)) {
                ++files;
                for (std::string &sentence : toldAgain(shown(file), readText(file)))
                    found.push_back(std::move(sentence));
            }
        QVERIFY(files > 100);
        QVERIFY2(found.empty(), joined(found).c_str());
    }
};

LOOPSCOPE_TEST(FrontEndsTest)
#include "front_ends_test.moc"
