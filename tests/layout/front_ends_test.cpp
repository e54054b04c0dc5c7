// What the command line and the window both do stands once, in core/workbench and core/deploy: neither of them makes a
// cost model, writes a log, or runs passes over a network by itself.

#include "source_tree.h"
#include "test_program.h"

#include <QTest>
#include <cctype>

using namespace loopscope;

namespace {

bool isPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool names(const std::string &code, const std::string &word) {
    for (size_t at = code.find(word); at != std::string::npos; at = code.find(word, at + 1)) {
        const size_t end = at + word.size();
        if ((at == 0 || !isPartOfName(code[at - 1])) && (end == code.size() || !isPartOfName(code[end]))) return true;
    }
    return false;
}

/// Lines that name what belongs to the workbench; comments may speak of it.
std::vector<std::string> toldAgain(const std::string &place, const std::string &source) {
    std::vector<std::string> found;
    int number = 0;
    for (const std::string &line : splitLines(source)) {
        ++number;
        const std::string code = line.substr(0, line.find("//"));
        for (const char *word :
             {"CostModel", "XgboostOptions", "makeXgboostModel", "makeRandomModel", "RecordWriter", "writerWhenFree",
              "GraphPass", "GraphPassContext", "PassSequence", "defaultPipeline", "optimise"})
            if (names(code, word))
                found.push_back(place + ":" + std::to_string(number) + " names " + word +
                                ", which core/workbench or core/deploy does");
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

    void modelsLogsAndPassesAreMadeOnce() {
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
