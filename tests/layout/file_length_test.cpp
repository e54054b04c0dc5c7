// A file that has outgrown 500 lines holds more than one idea and is split.

#include "source_tree.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

constexpr size_t longestFile = 500; // lines

std::vector<std::string> tooLong(const std::string &file, const std::string &text) {
    const auto lines = splitLines(text).size();
    if (lines <= longestFile) return {};
    return {file + " has " + std::to_string(lines) + " lines, more than " + std::to_string(longestFile)};
}

} // namespace

class FileLengthTest : public QObject {
    Q_OBJECT

  private slots:
    void countsLines() {
        std::string text;
        for (size_t i = 0; i < longestFile; ++i) text += "\n";
        QVERIFY(tooLong("a.h", text).empty());
        QVERIFY(tooLong("a.h", text + "last, without a line end").size() == 1);
    }

    void filesStayShort() {
        std::vector<std::string> sentences;
        size_t files = 0;
        for (const auto *folder : {"core", "app", "views", "tests"}) {
            for (const auto &file : sourceFiles(folder)) {
                ++files;
                const auto found = tooLong(shown(file), readText(file));
                sentences.insert(sentences.end(), found.begin(), found.end());
            }
        }
        QVERIFY(files > 0);
        QVERIFY2(sentences.empty(), joined(sentences).c_str());
    }
};

LOOPSCOPE_TEST(FileLengthTest)
#include "file_length_test.moc"
