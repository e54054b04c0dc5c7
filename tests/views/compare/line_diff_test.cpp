// The diff keeps its promises on random texts, and the alignment shows every line once, in order.

#include "test_program.h"
#include "views/compare/aligned_text.h"
#include "views/text/line_match.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <random>

using namespace loopscope;

namespace {

using Lines = std::vector<uint32_t>;

/// Length of the longest common subsequence, the slow sure way.
int common(const Lines &a, const Lines &b) {
    std::vector<std::vector<int>> best(a.size() + 1, std::vector<int>(b.size() + 1, 0));
    for (size_t i = 0; i < a.size(); ++i)
        for (size_t j = 0; j < b.size(); ++j)
            best[i + 1][j + 1] = a[i] == b[j] ? best[i][j] + 1 : std::max(best[i][j + 1], best[i + 1][j]);
    return best[a.size()][b.size()];
}

/// Applies what the match means (delete, keep, insert) to a; b when the match is right.
Lines applied(const Lines &a, const Lines &b, const std::vector<int> &match) {
    Lines out;
    size_t j = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        if (match[i] < 0) continue;
        while (j < static_cast<size_t>(match[i])) out.push_back(b[j++]);
        out.push_back(a[i]);
        ++j;
    }
    while (j < b.size()) out.push_back(b[j++]);
    return out;
}

int kept(const std::vector<int> &match) {
    return static_cast<int>(std::count_if(match.begin(), match.end(), [](int m) { return m >= 0; }));
}

Lines randomLines(std::mt19937 &random, size_t most, unsigned letters) {
    Lines lines(random() % (most + 1));
    for (auto &line : lines) line = random() % letters;
    return lines;
}

std::string joined(const std::vector<std::string> &lines) {
    std::string text;
    for (const auto &line : lines) text += line + '\n';
    return text;
}

/// "=1:1 ~2:2 -3 +4 .5" by numbers of lines.
QString rowsText(const AlignedText &text) {
    QStringList rows;
    for (const AlignedRow &row : text.rows()) {
        const QString left = row.left < 0 ? QString() : QString::number(text.number(AlignedText::Left, row.left));
        const QString right = row.right < 0 ? QString() : QString::number(text.number(AlignedText::Right, row.right));
        switch (row.kind) {
        case DiffKind::Same:
            rows << QStringLiteral("=%1:%2").arg(left, right);
            break;
        case DiffKind::Changed:
            rows << QStringLiteral("~%1:%2").arg(left, right);
            break;
        case DiffKind::Removed:
            rows << QStringLiteral("-") + left;
            break;
        case DiffKind::Added:
            rows << QStringLiteral("+") + right;
            break;
        case DiffKind::Skipped:
            rows << QStringLiteral(".%1").arg(row.skipped);
            break;
        case DiffKind::Beside:
            rows << QStringLiteral("|%1:%2").arg(left, right);
            break;
        }
    }
    return rows.join(QLatin1Char(' '));
}

std::shared_ptr<const AlignedText> align(const std::vector<std::string> &left, const std::vector<std::string> &right,
                                         const DiffFilter &filter = {}) {
    return AlignedText::make({joined(left), {}, 1}, {joined(right), {}, 1}, filter);
}

} // namespace

class LineDiffTest : public QObject {
    Q_OBJECT

  private slots:
    void turnsOneTextIntoTheOther() {
        std::mt19937 random(3);
        for (int round = 0; round < 3000; ++round) {
            const unsigned letters = 1 + random() % 12;
            const Lines a = randomLines(random, 30, letters);
            const Lines b = randomLines(random, 30, letters);
            const std::vector<int> match = matchLines(a, b);
            QCOMPARE(match.size(), a.size());
            int before = -1;
            for (size_t i = 0; i < a.size(); ++i) {
                if (match[i] < 0) continue;
                QVERIFY(match[i] > before && match[i] < static_cast<int>(b.size()));
                before = match[i];
                QCOMPARE(b[static_cast<size_t>(match[i])], a[i]);
            }
            QCOMPARE(applied(a, b, match), b);
        }
    }

    void isShortestWhereThereAreNoLandmarks() {
        // Two letters, each many times in both texts: no line is an anchor, so Myers' answer is the whole answer.
        std::mt19937 random(4);
        for (int round = 0; round < 400; ++round) {
            Lines a(20 + random() % 30);
            Lines b(20 + random() % 30);
            for (auto &line : a) line = random() % 2;
            for (auto &line : b) line = random() % 2;
            QCOMPARE(kept(matchLines(a, b)), common(a, b));
        }
    }

    void equalAndEmptyTexts() {
        QVERIFY(matchLines({}, {}).empty());
        QCOMPARE(matchLines({1, 2}, {}), (std::vector<int>{-1, -1}));
        QCOMPARE(matchLines({1, 2, 2}, {1, 2, 2}), (std::vector<int>{0, 1, 2}));
        QVERIFY(matchLines({}, {5}).empty());
    }

    void landmarksHold() {
        // The loop that both have stays matched although more lines would match without it.
        const Lines a{9, 9, 9, 1};
        const Lines b{1, 9, 9, 9};
        QCOMPARE(matchLines(a, b), (std::vector<int>{-1, -1, -1, 0}));
    }

    void largeDifferentTextsComeBackInTime() {
        std::mt19937 random(5);
        Lines a(60'000);
        Lines b(60'000);
        for (auto &line : a) line = random() % 50;
        for (auto &line : b) line = random() % 50;
        QElapsedTimer clock;
        clock.start();
        const std::vector<int> match = matchLines(a, b);
        qInfo("two texts of 60000 lines with nothing in common: %lld ms", clock.elapsed());
        QCOMPARE(applied(a, b, match), b);
        QVERIFY2(kept(match) > 8'000, "a long stretch counts as replaced");
        QVERIFY2(clock.elapsed() < 30'000, "the number of differences looked at is not bounded");
    }

    void canBeCancelled() {
        const std::atomic<bool> cancelled{true};
        QVERIFY(matchLines({1, 2, 3}, {4, 2, 5}, &cancelled).empty());
        QVERIFY(AlignedText::make({"a\n", {}, 1}, {"b\n", {}, 1}, {}, &cancelled) == nullptr);
    }

    void aligns_data() {
        QTest::addColumn<QStringList>("left");
        QTest::addColumn<QStringList>("right");
        QTest::addColumn<QString>("rows");
        const auto row = [](const char *name, const char *left, const char *right, const char *rows) {
            QTest::newRow(name) << QString::fromUtf8(left).split(QLatin1Char('|'), Qt::SkipEmptyParts)
                                << QString::fromUtf8(right).split(QLatin1Char('|'), Qt::SkipEmptyParts)
                                << QString::fromUtf8(rows);
        };
        row("equal", "a|b", "a|b", "=1:1 =2:2");
        row("empty", "", "", "");
        row("inserted in front", "a", "new|a", "+1 =1:2");
        row("removed", "a|old|b", "a|b", "=1:1 -2 =3:2");
        row("changed", "for i in 0..8:|  x", "for i in 0..16:|  x", "~1:1 =2:2");
        row("the likeliest pair", "load a|store alpha[3]", "store alpha[4]", "-1 ~2:1");
        row("nothing alike", "aaaa", "zzzz", "-1 +1");
        row("indentation is no likeness", "        aaaa", "        zzzz", "-1 +1");
    }

    void aligns() {
        QFETCH(QStringList, left);
        QFETCH(QStringList, right);
        QFETCH(QString, rows);
        std::vector<std::string> a;
        std::vector<std::string> b;
        for (const QString &line : left) a.push_back(line.toStdString());
        for (const QString &line : right) b.push_back(line.toStdString());
        QCOMPARE(rowsText(*align(a, b)), rows);
    }

    void everyLineIsShownOnce() {
        std::mt19937 random(6);
        for (int round = 0; round < 500; ++round) {
            std::vector<std::string> sides[2];
            for (auto &side : sides)
                for (unsigned i = random() % 25; i > 0; --i)
                    side.push_back(std::string(random() % 3, ' ') + "line " + std::to_string(random() % 9) +
                                   (random() % 3 == 0 ? " tail" : ""));
            const auto text = align(sides[0], sides[1]);
            for (const auto &shown : {text, text->folded(2)}) {
                int left = 0;
                int right = 0;
                int differences = 0;
                bool inside = false;
                for (const AlignedRow &row : shown->rows()) {
                    const int count = row.kind == DiffKind::Skipped ? row.skipped : 1;
                    if (row.left >= 0) QCOMPARE(row.left, left);
                    if (row.right >= 0) QCOMPARE(row.right, right);
                    left += row.left >= 0 ? count : 0;
                    right += row.right >= 0 ? count : 0;
                    QCOMPARE(row.left < 0, row.kind == DiffKind::Added);
                    QCOMPARE(row.right < 0, row.kind == DiffKind::Removed);
                    if (row.kind == DiffKind::Same)
                        QCOMPARE(shown->line(AlignedText::Left, row.left), shown->line(AlignedText::Right, row.right));
                    if (row.kind == DiffKind::Changed)
                        QVERIFY(shown->line(AlignedText::Left, row.left) != shown->line(AlignedText::Right, row.right));
                    const bool differs = row.kind != DiffKind::Same && row.kind != DiffKind::Skipped;
                    differences += differs && !inside ? 1 : 0;
                    inside = differs;
                }
                QCOMPARE(left, static_cast<int>(sides[0].size()));
                QCOMPARE(right, static_cast<int>(sides[1].size()));
                QCOMPARE(differences, static_cast<int>(shown->differences().size()));
            }
        }
    }

    void folds() {
        std::vector<std::string> left;
        for (int i = 0; i < 20; ++i) left.push_back("line " + std::to_string(i));
        auto right = left;
        right[10] = "line ten";
        const auto text = align(left, right);
        QCOMPARE(rowsText(*text->folded(2)), QStringLiteral(".8 =9:9 =10:10 ~11:11 =12:12 =13:13 .7"));
        QCOMPARE(rowsText(*align(left, left)->folded(2)), QStringLiteral(".20"));
    }

    void filters() {
        const std::vector<std::string> left{"\t.text", "loop:", "\tvaddps\t%ymm1, %ymm2, %ymm3", "\tmovq %rax, %rbx",
                                            "# note"};
        const std::vector<std::string> right{"loop:", "\tvaddps\t%ymm7, %ymm8, %ymm9", "\tmovq  %rcx, %rdx"};
        DiffFilter filter;
        filter.hideDirectives = true;
        QCOMPARE(rowsText(*align(left, right, filter)), QStringLiteral("=2:1 ~3:2 ~4:3"));
        filter.ignoreRegisters = true;
        QCOMPARE(rowsText(*align(left, right, filter)), QStringLiteral("=2:1 =3:2 ~4:3"));
        filter.ignoreBlanks = true;
        QCOMPARE(rowsText(*align(left, right, filter)), QStringLiteral("=2:1 =3:2 =4:3"));
        // The width of a register is no matter of names.
        QCOMPARE(rowsText(*align({"vaddps %ymm1, %ymm2, %ymm3"}, {"vaddps %zmm1, %zmm2, %zmm3"}, filter)),
                 QStringLiteral("~1:1"));
    }

    void keysDecideWhatBelongsTogether() {
        const SideText left{"split i 1 x 8\nfuse i\n", {"split i", "fuse i"}, 0};
        const SideText right{"parallel k\nsplit i 2 x 4\nfuse i\n", {"parallel k", "split i", "fuse i"}, 0};
        const auto text = AlignedText::make(left, right, {});
        QCOMPARE(rowsText(*text), QStringLiteral("+0 ~0:1 =1:2"));
        QCOMPARE(text->lineOfNumber(AlignedText::Right, 1), 1);
        QCOMPARE(text->lineOfNumber(AlignedText::Right, 99), 2);
    }

    /// Code in two languages: what is of one thing begins in one row, and nothing is called a difference.
    void otherLanguagesStandBesideEachOther() {
        const SideText left{"pack\nfor i\n  C = 0\n  C += A\n", {"", "i", "C", ""}};
        const SideText right{"__global__\nshared\nif\n  C = 0\n}\n", {"", "S", "", "C", ""}};
        const auto text = AlignedText::beside(left, right, {});
        QCOMPARE(rowsText(*text), QStringLiteral("|1:1 |2:2 |:3 |3:4 |4:5"));
        QVERIFY(text->differences().empty());
        QCOMPARE(text->count(DiffKind::Beside), 5);
        QCOMPARE(rowsText(*text->folded(0)), rowsText(*text)); // nothing is equal either
        QCOMPARE(text->unified(),
                 std::string("-pack\n-for i\n-  C = 0\n-  C += A\n+__global__\n+shared\n+if\n+  C = 0\n+}\n"));
        // In another order only one of them can be met, and without any the lines stand as they come.
        QCOMPARE(rowsText(*AlignedText::beside({"a\nb\n", {"A", "B"}}, {"b\na\n", {"B", "A"}}, {})).count(u':'), 3);
        QCOMPARE(rowsText(*AlignedText::beside({"a\nb\n", {"", ""}}, {"c\n", {""}}, {})), QStringLiteral("|1:1 |2:"));
        std::atomic<bool> cancelled{true};
        QVERIFY(!AlignedText::beside(left, right, {}, &cancelled));
    }

    void wordsThatDiffer() {
        const ChangedParts parts = changedParts("for i in 0..8:", "for i in 0..16:");
        QCOMPARE(parts.left, (std::vector<std::pair<int, int>>{{12, 1}}));
        QCOMPARE(parts.right, (std::vector<std::pair<int, int>>{{12, 2}}));
        QVERIFY(changedParts("same", "same").left.empty());
        QCOMPARE(changedParts("", "all new").right, (std::vector<std::pair<int, int>>{{0, 7}}));
    }
};

LOOPSCOPE_TEST(LineDiffTest)
#include "line_diff_test.moc"
