// The three ways to fail: refusals are values, errors carry their place, broken invariants say where they stand. And
// what comes out of files: JSON that is none of ours, texts that a terminal would obey, disks that are full.

#include "base/check.h"
#include "base/json_text.h"
#include "base/outcome.h"
#include "base/shown_text.h"
#include "base/whole_file.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <memory>
#include <sys/resource.h>

using namespace loopscope;

namespace {

template <typename Work> std::string sentenceOf(const Work &work) {
    try {
        work();
    } catch (const Error &error) {
        return error.what();
    }
    return {};
}

QByteArray contentOf(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class FailuresTest : public QObject {
    Q_OBJECT

  private slots:
    void outcomeHoldsAValueOrASentence() {
        const Outcome<int> value = 5;
        QVERIFY(value.ok());
        QCOMPARE(*value, 5);
        const Outcome<int> refused = Refusal{"factor 3 does not divide 8"};
        QVERIFY(!refused);
        QCOMPARE(refused.why(), std::string("factor 3 does not divide 8"));
    }

    void outcomeGivesUpItsValue() {
        Outcome<std::unique_ptr<int>> outcome = std::make_unique<int>(7);
        const std::unique_ptr<int> taken = std::move(outcome).value();
        QCOMPARE(*taken, 7);
    }

    void errorNamesItsPlace() {
        QCOMPARE(std::string(Error("a.te", 3, 9, "no such tensor").what()), std::string("a.te:3:9: no such tensor"));
        QCOMPARE(std::string(Error("a.te", 3, 0, "no such tensor").what()), std::string("a.te:3: no such tensor"));
        QCOMPARE(std::string(Error("a.te", 0, 0, "unreadable").what()), std::string("a.te: unreadable"));
        QCOMPARE(std::string(Error("", 3, 9, "no such tensor").what()), std::string("3:9: no such tensor"));
        QCOMPARE(std::string(Error("no libdnnl").what()), std::string("no libdnnl"));
    }

    void checkNamesConditionAndFile() {
        LOOPSCOPE_CHECK(1 + 1 == 2, "never seen");
        try {
            LOOPSCOPE_CHECK(1 + 1 == 3, "arithmetic");
            QFAIL("the failed check went on");
        } catch (const InternalError &error) {
            const std::string text = error.what();
            QVERIFY(text.find("1 + 1 == 3") != std::string::npos);
            QVERIFY(text.find("failures_test.cpp") != std::string::npos);
            QVERIFY(text.find("arithmetic") != std::string::npos);
        }
    }

    void jsonIsReadWithinLimits_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("sentence");
        QTest::newRow("cut off") << std::string("{\"a\": [1,\n  2")
                                 << std::string("f:2:4: the file is not JSON: it ends too early");
        QTest::newRow("empty") << std::string() << std::string("f:1:1: the file is not JSON: it ends too early");
        QTest::newRow("a word") << std::string("{\"a\": yes}")
                                << std::string("f:1:7: the file is not JSON: it goes on with `yes}`");
        QTest::newRow("escape") << std::string("\"\x1b[31m\"")
                                << std::string("f:1:2: the file is not JSON: it goes on with `\\u001b[31m\"`");
        QTest::newRow("number") << std::string("[1e999]")
                                << std::string("f: the file holds a number that is out of range");
        QTest::newRow("deep") << std::string(65, '[') << std::string("f: the file nests deeper than 64 levels");
        QTest::newRow("very deep") << std::string(1000000, '{')
                                   << std::string("f: the file nests deeper than 64 levels");
        std::string many = "[0";
        for (int i = 0; i < 8000000; ++i) many += ",0";
        QTest::newRow("many") << many + "]" << std::string("f: the file holds more than 8 million values");
        // Brackets within strings are none.
        QTest::newRow("string") << "[\"" + std::string(100, '[') + "\\\"[\"]" << std::string();
        QTest::newRow("64 levels") << std::string(64, '[') + std::string(64, ']') << std::string();
    }
    void jsonIsReadWithinLimits() {
        QFETCH(std::string, text);
        QFETCH(std::string, sentence);
        QCOMPARE(sentenceOf([&] { (void)parseJson(text, "f", "the file"); }), sentence);
        QCOMPARE(jsonIn(text).has_value(), sentence.empty());
    }

    void partsOfJsonSayWhereTheyAre() {
        const nlohmann::json document = nlohmann::json::parse(
            R"({"calls": [{"name": "a"}, {"name": 3, "size": -1, "large": 18446744073709551615, "half": 1.5}]})");
        const JsonPart root(document);
        const JsonPart call = root.at("calls").at(1);
        QCOMPARE(root.at("calls").items()[0].at("name").get<std::string>(), std::string("a"));
        QCOMPARE(call.at("name").get<int>(), 3);
        QCOMPARE(call.at("half").get<double>(), 1.5);
        QCOMPARE(call.valueOr("none", 7), 7);
        const auto says = [](const auto &work, const char *sentence) {
            QCOMPARE(sentenceOf(work), std::string(sentence));
        };
        says([&] { (void)call.at("name").get<std::string>(); }, "calls[1].name is a number; a string is expected");
        says([&] { (void)call.at("none"); }, "\"none\" is missing in calls[1]");
        says([&] { (void)root.at("none"); }, "\"none\" is missing");
        says([&] { (void)root.at("calls").at(2); }, "calls has 2 elements, and at least 3 are expected");
        says([&] { (void)root.items(); }, "the document is object; an array is expected");
        says([&] { (void)call.at("size").get<size_t>(); }, "calls[1].size is out of range");
        says([&] { (void)call.at("large").get<int64_t>(); }, "calls[1].large is out of range");
        says([&] { (void)call.at("half").get<int>(); }, "calls[1].half is a number; a whole number is expected");
        says([&] { (void)root.at("calls").get<std::vector<int>>(); }, "calls[0] is object; a whole number is expected");
    }

    void nothingIsObeyed() {
        QCOMPARE(shownText("a\tb\nc"), std::string("a\tb\nc"));
        QCOMPARE(shownText("\x1b]0;title\x07\r\x7f"), std::string("\\u001b]0;title\\u0007\\u000d\\u007f"));
        QCOMPARE(shownText("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
                 std::string("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"));
        QCOMPARE(shownText("\xc2\x9b"
                           "31m"),
                 std::string("\\u009b31m")); // an escape sequence in one character
        QCOMPARE(shownText("a\xe2\x80\xae"
                           "b"),
                 std::string("a\\u202eb"));
        QCOMPARE(shownText("\xff\xc3(\xe2\x82"), std::string("\\u00ff\\u00c3(\\u00e2\\u0082"));
        QCOMPARE(shownText("\xc0\x9b\xed\xa0\x80"), std::string("\\u00c0\\u009b\\u00ed\\u00a0\\u0080"));
    }

    void longLinesAreCutInTheirMiddle() {
        const std::string sentence = "there is no tensor '" + std::string(100000, 'x') + "'; did you mean 'A'?";
        const std::string shown = shownSentence(sentence + "\nshort\n");
        QVERIFY(shown.size() < 800);
        QVERIFY(shown.starts_with("there is no tensor 'xxx"));
        QVERIFY(shown.ends_with("xxx'; did you mean 'A'?\nshort\n"));
        const std::string umlauts =
            shownSentence(std::string(1, 'a') + QByteArray("\xc3\xa4").repeated(1000).toStdString());
        QCOMPARE(shownText(umlauts), umlauts); // no character is cut in two
    }

    void filesAreWrittenWholeOrNotAtAll() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("f");
        writeWholeFile(path.toStdString(), "first");
        QCOMPARE(contentOf(path), QByteArray("first"));
        QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        writeWholeFile(path.toStdString(), "second");
        QVERIFY(QFile(path).permissions().testFlag(QFile::ExeOwner));
        QVERIFY(QFile::link(path, folder.filePath("link")));
        writeWholeFile(folder.filePath("link").toStdString(), "third");
        QCOMPARE(contentOf(path), QByteArray("third"));
        QVERIFY(QFileInfo(folder.filePath("link")).isSymLink());
        {
            WholeFile unfinished(path.toStdString());
            unfinished.write(std::string_view("half"));
        }
        QCOMPARE(contentOf(path), QByteArray("third"));
        writeWholeFile("/dev/null", "anything");
        QVERIFY(!QFileInfo("/dev/null").isFile());
        QVERIFY(sentenceOf([&] {
                    writeWholeFile(folder.path().toStdString(), "x");
                }).ends_with("cannot be written: Is a directory"));
        QVERIFY(sentenceOf([&] {
                    writeWholeFile(folder.filePath("none/f").toStdString(), "x");
                }).ends_with("No such file or directory"));
        // A full disk, which a limit on the size of files stands for.
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{1000, before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const std::string refused = sentenceOf([&] { writeWholeFile(path.toStdString(), std::string(5000000, 'x')); });
        const std::string fresh =
            sentenceOf([&] { writeWholeFile(folder.filePath("new").toStdString(), std::string(2000, 'x')); });
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
        QVERIFY2(refused.ends_with("cannot be written: File too large"), refused.c_str());
        QVERIFY2(fresh.ends_with("cannot be written: File too large"), fresh.c_str());
        QCOMPARE(contentOf(path), QByteArray("third"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::Hidden),
                 QStringList({"f", "link"}));
    }
};

LOOPSCOPE_TEST(FailuresTest)
#include "failures_test.moc"
