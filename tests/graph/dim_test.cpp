// Dims: canonical forms, texts that are read again, symbols of any name.

#include "graph/dim.h"

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
};

QTEST_APPLESS_MAIN(DimTest)
#include "dim_test.moc"
