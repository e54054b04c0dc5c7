// Abbreviations find what was meant, and rank it first.

#include "test_program.h"
#include "views/palette/fuzzy_match.h"

#include <QTest>

using namespace loopscope;

class FuzzyMatchTest : public QObject {
    Q_OBJECT

  private slots:
    void lettersInOrder_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("fits");
        QTest::newRow("empty") << "" << "anything" << true;
        QTest::newRow("prefix") << "sea" << "Search: Start search" << true;
        QTest::newRow("word starts") << "cbr" << "conv2d_bias_relu" << true;
        QTest::newRow("case") << "OPEN" << "open file" << true;
        QTest::newRow("order") << "po" << "op" << false;
        QTest::newRow("too long") << "opened" << "open" << false;
        QTest::newRow("two words") << "dark theme" << "View Theme: dark" << true;
        QTest::newRow("one word missing") << "dark search" << "View Theme: dark" << false;
    }
    void lettersInOrder() {
        QFETCH(QString, pattern);
        QFETCH(QString, text);
        QFETCH(bool, fits);
        QCOMPARE(fuzzyMatch(pattern, text).score >= 0, fits);
    }

    void marksTheLettersItMeans() {
        QCOMPARE(fuzzyMatch(QStringLiteral("cbr"), QStringLiteral("conv2d_bias_relu")).places,
                 (std::vector<int>{0, 7, 12}));
        QCOMPARE(fuzzyMatch(QStringLiteral("relu"), QStringLiteral("are_relu")).places, (std::vector<int>{4, 5, 6, 7}));
    }

    void ranksWhatWasMeantFirst() {
        const auto score = [](const char *pattern, const char *text) {
            return fuzzyMatch(QString::fromLatin1(pattern), QString::fromLatin1(text)).score;
        };
        QVERIFY(score("mat", "matmul") > score("mat", "batch_matmul"));
        QVERIFY(score("mat", "batch_matmul") > score("mat", "formation"));
        QVERIFY(score("matmul", "matmul") > score("matmul", "matmul_relu"));
        QVERIFY(score("save", "File Save") > score("save", "Search analyse view"));
    }
};

LOOPSCOPE_TEST(FuzzyMatchTest)
#include "fuzzy_match_test.moc"
