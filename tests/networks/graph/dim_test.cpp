// Dims: canonical forms, texts that are read again, symbols of any name.

#include "networks/graph/dim.h"
#include "networks/graph/dim_match.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

class DimTest : public QObject {
    Q_OBJECT

  private slots:
    void textIsReadAgain_data() {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("canonical");
        QTest::newRow("integer") << "12" << "12";
        QTest::newRow("symbol") << "n" << "n";
        QTest::newRow("order") << "1 + m*2 + n - m" << "m + n + 1";
        QTest::newRow("zero") << "n - n" << "0";
        QTest::newRow("product") << "(n + 1)*(n - 1)" << "n*n - 1";
        QTest::newRow("quotient") << "floordiv(n + 3, 2)" << "floordiv(n + 1, 2) + 1";
        QTest::newRow("quotient by itself") << "floordiv(4*n + 3, 4)" << "n";
        QTest::newRow("quoted") << "2*\"batch size\" + \"n\"" << "2*\"batch size\" + n";
        QTest::newRow("named as a function") << "\"floordiv\"" << "\"floordiv\"";
        QTest::newRow("negative") << "-n - 2" << "-n - 2";
    }
    void textIsReadAgain() {
        QFETCH(QString, written);
        QFETCH(QString, canonical);
        const auto dim = parseDim(written.toStdString());
        QVERIFY(dim.has_value());
        QCOMPARE(QString::fromStdString(dim->text()), canonical);
        QVERIFY(parseDim(dim->text()) == dim);
    }

    void symbolsOfAnyName() {
        for (const char *name : {"a b", "a*b", "1", "", "\"", "\\", "n\n\x01", "\xC3\xA4", "from"}) {
            const Dim dim = Dim::symbol(name) * 2 + 1;
            QVERIFY2(parseDim(dim.text()) == dim, name);
            QCOMPARE(dim.symbols(), std::vector<std::string>{name});
        }
        QVERIFY(!(Dim::symbol("a*b") == Dim::symbol("a") * Dim::symbol("b")));
    }

    void othersAreNotRead_data() {
        QTest::addColumn<QString>("text");
        for (const char *text : {"", "n +", "(n", "floordiv(n)", "floordiv(n, 0)", "n n", "99999999999999999999",
                                 "n % 2", "\"n", "\"n\\q\"", "\"n\\"})
            QTest::newRow(text) << text;
        QTest::newRow("too deep") << QString(100, '(') + "n" + QString(100, ')');
        QString product = "(a + b + c + d + e + f + g + h)";
        QTest::newRow("too many terms") << product + "*" + product + "*" + product + "*" + product;
    }
    void othersAreNotRead() {
        QFETCH(QString, text);
        QVERIFY(!parseDim(text.toStdString()).has_value());
    }

    void renaming() {
        const Dim dim = *parseDim("2*n*m + floordiv(n + 3, k)");
        QCOMPARE(dim.renamed({{"n", "z"}, {"k", "a"}}).text(), std::string("floordiv(z + 3, a) + 2*m*z"));
        // Both at once.
        QCOMPARE(parseDim("n + 2*m")->renamed({{"n", "m"}, {"m", "n"}}).text(), std::string("m + 2*n"));
    }

    void evaluation() {
        const Dim dim = *parseDim("2*n + floordiv(m, 3)");
        QCOMPARE(dim.evaluate({{"n", 5}, {"m", -1}}), std::optional<int64_t>(9));
        QVERIFY(!dim.evaluate({{"n", 5}}).has_value());
        QVERIFY(!dim.evaluate({{"n", INT64_MAX}, {"m", 0}}).has_value());
    }

    void matching_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QList<qint64>>("actual");
        QTest::addColumn<QString>("found");
        const auto row = [](const char *pattern, const QList<qint64> &actual, const char *found) {
            QTest::newRow(qPrintable(QString(pattern) + " " + found)) << QString(pattern) << actual << QString(found);
        };
        row("n", {3}, "n=3");
        row("n + 1, n", {4, 3}, "n=3");
        row("n, 4*m", {4, 12}, "m=3 n=4");
        row("10 - n", {7}, "n=3");
        row("n*m, n, m", {6, 2, 3}, "m=3 n=2"); // told by those behind it
        row("n*m, n", {6, 2}, "m=3 n=2");
        row("floordiv(n, 2), n", {3, 7}, "n=7");
        row("k, 2*k", {5, 10}, "k=5");
        row("k, 2*k", {5, 9}, "dim 1 has to be 2*k = 10, it is 9");
        row("5", {4}, "dim 0 has to be 5, it is 4");
        row("4*n", {6}, "dim 0 has to be 4*n for a whole n of at least 0, it is 6");
        row("n + 5", {4}, "dim 0 has to be n + 5 for a whole n of at least 0, it is 4");
        row("n + m", {4}, "dim 0 is 4, which m + n does not tell the symbols of");
        row("n*n", {4}, "dim 0 is 4, which n*n does not tell the symbols of");
        row("n, n*m", {0, 0}, "dim 1 is 0, which m*n does not tell the symbols of");
        row("n - 9223372036854775807", {INT64_MAX},
            "dim 0 has to be n - 9223372036854775807 for a whole n of at least "
            "0, it is 9223372036854775807");
    }
    void matching() {
        QFETCH(QString, pattern);
        QFETCH(QList<qint64>, actual);
        QFETCH(QString, found);
        Dims dims;
        int depth = 0;
        QString one;
        for (const QChar c : pattern + ",") {
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == ',' && depth == 0) {
                dims.push_back(*parseDim(one.trimmed().toStdString()));
                one.clear();
            } else {
                one += c;
            }
        }
        SymbolNumbers symbols;
        const auto wrong = matchDims(dims, std::vector<int64_t>(actual.begin(), actual.end()), symbols);
        QStringList told;
        for (const auto &[name, number] : symbols) told << QString("%1=%2").arg(name.c_str()).arg(number);
        QCOMPARE(wrong ? QString::fromStdString(wrong->sentence) : told.join(" "), found);
        if (wrong) QVERIFY(symbols.empty());
    }
};

LOOPSCOPE_TEST(DimTest)
#include "dim_test.moc"
