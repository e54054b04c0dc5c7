// Every file of tests/failures/te is refused with the place and the sentence its .expected file states, and no mutation
// of a good file does worse than that.

#include "base/outcome.h"
#include "base/random.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QtTest>

using namespace loopscope;

namespace {

QString readText(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList filesIn(const QString &folder, const QString &pattern) {
    const QDir dir(QString(LOOPSCOPE_SOURCE_DIR) + "/" + folder);
    QStringList paths;
    for (const QString &name : dir.entryList({pattern}, QDir::Files, QDir::Name)) paths << dir.filePath(name);
    return paths;
}

} // namespace

class FailuresTest : public QObject {
    Q_OBJECT
  private slots:
    void refusedWithSentence_data();
    void refusedWithSentence();
    void caretStandsUnderThePlace();
    void everyLineEndCounts();
    void invisibleCharactersAreNamed();
    void missingFile();
    void unknownParameter();
    void mutationsAreParsedOrRefused();
};

void FailuresTest::refusedWithSentence_data() {
    QTest::addColumn<QString>("path");
    const QStringList paths = filesIn("tests/failures/te", "*.te");
    QVERIFY(paths.size() >= 40);
    for (const QString &path : paths) QTest::newRow(qPrintable(QFileInfo(path).baseName())) << path;
}

void FailuresTest::refusedWithSentence() {
    QFETCH(QString, path);
    const QString expected = readText(path.chopped(3) + ".expected").trimmed();
    QVERIFY2(!expected.isEmpty(), "the .expected file is missing");
    try {
        loadWorkload(path.toStdString());
        QFAIL("the file was accepted");
    } catch (const Error &error) {
        const QString got =
            QString("%1:%2: %3").arg(error.line()).arg(error.column()).arg(QString::fromStdString(error.sentence()));
        QCOMPARE(got, expected);
        QCOMPARE(QString::fromStdString(error.path()), path);
        QVERIFY(!error.excerpt().empty());
    }
}

void FailuresTest::caretStandsUnderThePlace() {
    const std::string text =
        "workload t()\nx = placeholder [4] float32\n  # comment\ny(i < 4) = \"\xc3\xa4\"[i] + zz[i]\n";
    try {
        parseWorkload(text, "t.te");
        QFAIL("accepted");
    } catch (const Error &error) {
        // The two-byte letter counts as one column.
        QCOMPARE(error.line(), 4);
        QCOMPARE(error.column(), 12);
        const QStringList lines = QString::fromStdString(error.excerpt()).split('\n');
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0], QString::fromUtf8("y(i < 4) = \"\xc3\xa4\"[i] + zz[i]"));
        QCOMPARE(lines[1].indexOf('^'), 11);
        QCOMPARE(QString(error.what()).left(10), QString("t.te:4:12:"));
    }
}

void FailuresTest::everyLineEndCounts() {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        const std::string head = "workload t(N = 4) # a remark" + end + end + "x = placeholder [N] float32" + end;
        QCOMPARE(parseWorkload(head + "y(i < N) = x[i]", "t.te").ops.size(), size_t{2});
        try {
            parseWorkload(head + "y(i < N) = x[i] + zz[i]" + end + end, "t.te");
            QFAIL("accepted");
        } catch (const Error &error) {
            QCOMPARE(QString(error.what()).left(10), QString("t.te:4:19:"));
            QCOMPARE(QString::fromStdString(error.excerpt()), QString("y(i < N) = x[i] + zz[i]\n                  ^^"));
        }
        const QTemporaryDir folder;
        const QString path = folder.filePath("t.te");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(head + "y(i < N) = \x01"));
        file.close();
        try {
            loadWorkload(path.toStdString());
            QFAIL("accepted");
        } catch (const Error &error) {
            QCOMPARE(error.line(), 4);
            QCOMPARE(error.column(), 12);
        }
    }
}

void FailuresTest::invisibleCharactersAreNamed() {
    const std::string text =
        "workload t()\nx = placeholder [4] float32\n"
        "y(i < 4) = \"\xe2\x80\xae\"[i]\xc2\xa0+ zz[i]\n"; // right-to-left override, no-break space
    try {
        parseWorkload(text, "t.te");
        QFAIL("accepted");
    } catch (const Error &error) {
        QCOMPARE(QString(error.what()),
                 QString("t.te:3:18: the character `U+00A0` means nothing outside a comment or a quoted name"));
        QCOMPARE(QString::fromStdString(error.excerpt()), QString("y(i < 4) = \"U+202E\"[i]U+00A0+ zz[i]\n"
                                                                  "                      ^^^^^^"));
    }
}

void FailuresTest::missingFile() {
    QVERIFY_EXCEPTION_THROWN(loadWorkload("/nonexistent/file.te"), Error);
    QVERIFY_EXCEPTION_THROWN(loadWorkload("/"), Error);
    QVERIFY_EXCEPTION_THROWN(parseWorkload("", "empty.te"), Error);
}

void FailuresTest::unknownParameter() {
    const std::string path = std::string(LOOPSCOPE_SOURCE_DIR) + "/samples/conv2d_bias_relu.te";
    try {
        loadWorkload(path, {{"strid", 2}});
        QFAIL("accepted");
    } catch (const Error &error) {
        const QString sentence = QString::fromStdString(error.sentence());
        QVERIFY2(sentence.contains("did you mean `stride`?"), error.what());
        for (const char *name : {"`N`", "`CI`", "`pad`"}) QVERIFY2(sentence.contains(name), error.what());
    }
    // Values that make an extent impossible are an error at that extent.
    QVERIFY_EXCEPTION_THROWN(loadWorkload(path, {{"H", 0}}), Error);
    QVERIFY_EXCEPTION_THROWN(loadWorkload(path, {{"H", int64_t{1} << 40}}), Error);
    QVERIFY_EXCEPTION_THROWN(loadWorkload(path, {{"stride", 0}}), Error);
    QCOMPARE(loadWorkload(path, {{"CI", 2039}}).ops[0]->shape()[1], int64_t{2039});
}

void FailuresTest::mutationsAreParsedOrRefused() {
    QStringList texts;
    for (const QString &path : filesIn("samples", "*.te") + filesIn("tests/failures/te", "*.te"))
        if (readText(path).size() < 2500) texts << readText(path);
    QVERIFY(texts.size() > 60);
    static const char *snippets[] = {"(",
                                     ")",
                                     "[",
                                     "]",
                                     ",",
                                     ";",
                                     "=",
                                     "<",
                                     "\"",
                                     "@",
                                     "#",
                                     "\n",
                                     "-",
                                     "0",
                                     "1e400",
                                     "99999999999999999999",
                                     "sum(",
                                     "reduce(",
                                     "i",
                                     "N",
                                     "let ",
                                     "args ",
                                     "output ",
                                     "placeholder ",
                                     "->",
                                     "from ",
                                     "where ",
                                     "float32(",
                                     "max(",
                                     "//",
                                     "\xff",
                                     "let(",
                                     "abs(",
                                     "%",
                                     "!",
                                     "true",
                                     "inf(float32)",
                                     ".v0",
                                     "tir."};
    size_t accepted = 0;
    size_t refused = 0;
    for (int round = 0; round < 4000; ++round) {
        Random random(1234, static_cast<uint64_t>(round));
        const std::string original =
            texts[static_cast<int>(random.index(static_cast<size_t>(texts.size())))].toStdString();
        std::string text = original;
        for (size_t edits = 1 + random.index(3); edits > 0 && !text.empty(); --edits) {
            const size_t at = random.index(text.size());
            switch (random.index(4)) {
            case 0:
                text.erase(at, 1 + random.index(6));
                break;
            case 1:
                text.insert(at, snippets[random.index(std::size(snippets))]);
                break;
            case 2:
                text[at] = static_cast<char>(random.index(256));
                break;
            default:
                text += text.substr(at, random.index(80));
                break;
            }
        }
        try {
            const Workload workload = parseWorkload(text, "mutated.te");
            QVERIFY(!workload.args.empty());
            ++accepted;
        } catch (const Error &error) {
            QVERIFY2(!error.sentence().empty(), text.c_str());
            ++refused;
        } catch (const std::exception &other) {
            QFAIL(qPrintable(
                QString("neither parsed nor refused: %1\n%2").arg(other.what(), QString::fromStdString(text))));
        }
    }
    QVERIFY2(accepted > 100 && refused > 1000,
             qPrintable(QString("%1 accepted, %2 refused").arg(accepted).arg(refused)));
}

LOOPSCOPE_TEST(FailuresTest)
#include "failures_test.moc"
