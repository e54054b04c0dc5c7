// Finding: counts, case, words, expressions, and that slices find what one go finds.

#include "test_program.h"
#include "views/text/find_matches.h"

#include <QTest>

using namespace loopscope;

namespace {

QString found(const FindQuery &query, const std::string &text, int64_t slice = 1 << 20) {
    MatchFinder finder(query);
    while (!finder.advance(text, slice)) {
    }
    QStringList places;
    for (const FindMatch &match : finder.matches()) places << QStringLiteral("%1+%2").arg(match.at).arg(match.length);
    return places.join(QLatin1Char(' '));
}

} // namespace

class FindMatchesTest : public QObject {
    Q_OBJECT

  private slots:
    void plain() {
        QCOMPARE(found({QStringLiteral("ab")}, "ab xAB aab\nab"), QStringLiteral("0+2 4+2 8+2 11+2"));
        QCOMPARE(found({QStringLiteral("ab"), true}, "ab xAB aab\nab"), QStringLiteral("0+2 8+2 11+2"));
        QCOMPARE(found({QStringLiteral("ab"), false, true}, "ab xAB aab\nab"), QStringLiteral("0+2 11+2"));
        QCOMPARE(found({QStringLiteral("aa")}, "aaaa"), QStringLiteral("0+2 2+2"));
        QCOMPARE(found({QStringLiteral("x")}, ""), QString());
        QCOMPARE(found({QString()}, "text"), QString());
        QCOMPARE(found({QStringLiteral("longer than the text")}, "text"), QString());
    }

    void expressions() {
        QCOMPARE(found({QStringLiteral("%[xyz]mm\\d+"), false, false, true}, "%ymm1, %zmm12\n%xmm0"),
                 QStringLiteral("0+5 7+6 14+5"));
        QCOMPARE(found({QStringLiteral("^\\s*for"), false, false, true}, "for\n  for x for"),
                 QStringLiteral("0+3 4+5"));
        QCOMPARE(found({QStringLiteral("x*"), false, false, true}, "aaa"), QString()); // nothing is no match
        QCOMPARE(found({QStringLiteral("b"), false, false, true}, "\xC3\xA4\xC3\xB6 b"), QStringLiteral("5+1"));
    }

    void aBrokenExpressionSaysSo() {
        const MatchFinder finder({QStringLiteral("(a"), false, false, true});
        QVERIFY(!finder.problem().isEmpty());
        QVERIFY(finder.empty());
    }

    void slicesFindTheSame() {
        std::string text;
        for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i) + " needle, Needle\n";
        for (const bool regex : {false, true}) {
            const FindQuery query{QStringLiteral("needle"), false, false, regex};
            const QString whole = found(query, text);
            QCOMPARE(whole.count(QLatin1Char('+')), 1000);
            for (const int64_t slice : {1, 7, 100}) QCOMPARE(found(query, text, slice), whole);
        }
    }

    void tooManyAreCut() {
        MatchFinder finder({QStringLiteral("a")});
        const std::string text(MatchFinder::kMost + 10, 'a');
        QVERIFY(finder.advance(text, 1 << 30));
        QVERIFY(finder.tooMany());
        QCOMPARE(finder.matches().size(), MatchFinder::kMost);
    }
};

LOOPSCOPE_TEST(FindMatchesTest)
#include "find_matches_test.moc"
