// What a pass changed, line by line.

#include "test_program.h"
#include "views/program/line_diff.h"

#include <QTest>

using namespace loopscope;

namespace {

QString picture(const LineDiff &diff) {
    const auto text = [](const LineRanges &ranges) {
        QStringList parts;
        for (const LineRange &range : ranges) parts << QStringLiteral("%1-%2").arg(range.first).arg(range.last);
        return parts.join(QLatin1Char(' '));
    };
    return QStringLiteral("+[%1] ~[%2] -[%3] +%4 -%5")
        .arg(text(diff.added), text(diff.changed), text(diff.removedBelow))
        .arg(diff.addedCount)
        .arg(diff.removedCount);
}

} // namespace

class LineDiffTest : public QObject {
    Q_OBJECT

  private slots:
    void changes() {
        QCOMPARE(picture(diffLines(u"a\nb\nc\n", u"a\nb\nc\n")), QStringLiteral("+[] ~[] -[] +0 -0"));
        QCOMPARE(picture(diffLines(u"a\nb\nc\n", u"a\nx\nb\nc\n")), QStringLiteral("+[2-2] ~[] -[] +1 -0"));
        QCOMPARE(picture(diffLines(u"a\nb\nc\n", u"a\nc\n")), QStringLiteral("+[] ~[] -[1-1] +0 -1"));
        QCOMPARE(picture(diffLines(u"a\nb\nc\n", u"a\nx\nc\n")), QStringLiteral("+[2-2] ~[2-2] -[] +1 -1"));
        QCOMPARE(picture(diffLines(u"", u"a\nb\n")), QStringLiteral("+[1-2] ~[] -[] +2 -0"));
        QCOMPARE(picture(diffLines(u"a\nb\n", u"")), QStringLiteral("+[] ~[] -[1-1] +0 -2"));
        QCOMPARE(picture(diffLines(u"a\nb\nc\nd\ne\n", u"c\nd\nx\na\nb\n")).right(5), QStringLiteral("+3 -3"));
    }

    void indentationIsNoChange() {
        QCOMPARE(picture(diffLines(u"k\n    a\n    b\n", u"k\n    for i:\n        a\n        b\n")),
                 QStringLiteral("+[2-2] ~[] -[] +1 -0"));
    }

    /// Whatever changed: what is kept stands in both, in order.
    void randomTexts() {
        uint32_t state = 7;
        const auto next = [&state](uint32_t below) {
            return (state = state * 1664525U + 1013904223U) / 65536U % below;
        };
        for (int round = 0; round < 300; ++round) {
            std::u16string a;
            std::u16string b;
            std::vector<char16_t> linesA;
            std::vector<char16_t> linesB;
            const uint32_t kinds = 2 + next(6);
            for (uint32_t i = next(30); i > 0; --i) linesA.push_back(static_cast<char16_t>(u'a' + next(kinds)));
            for (uint32_t i = next(30); i > 0; --i) linesB.push_back(static_cast<char16_t>(u'a' + next(kinds)));
            for (const char16_t c : linesA) a += std::u16string{c, u'\n'};
            for (const char16_t c : linesB) b += std::u16string{c, u'\n'};
            const LineDiff diff = diffLines(a, b);
            QCOMPARE(diff.addedCount, lineCount(diff.added));
            QCOMPARE(static_cast<int>(linesA.size()) - diff.removedCount,
                     static_cast<int>(linesB.size()) - diff.addedCount);
            size_t at = 0; // the kept lines are a subsequence of the old text
            for (size_t i = 0; i < linesB.size(); ++i) {
                if (contains(diff.added, static_cast<int>(i) + 1)) continue;
                while (at < linesA.size() && linesA[at] != linesB[i]) ++at;
                QVERIFY(at < linesA.size());
                ++at;
            }
        }
    }

    void veryDifferentTextsStillEnd() {
        std::u16string a;
        std::u16string b;
        for (int i = 0; i < 4000; ++i) {
            const std::string number = std::to_string(i);
            a += u"a" + std::u16string(number.begin(), number.end()) + u"\n";
            b += u"b" + std::u16string(number.begin(), number.end()) + u"\n";
        }
        const LineDiff diff = diffLines(a, b);
        QCOMPARE(diff.addedCount, 4000);
        QCOMPARE(diff.removedCount, 4000);
    }
};

LOOPSCOPE_TEST(LineDiffTest)
#include "line_diff_test.moc"
