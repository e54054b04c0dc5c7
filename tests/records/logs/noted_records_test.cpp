// Which records notes are about, and filters that ask for notes.

#include "log_lines.h"
#include "made_records.h"
#include "records/logs/log_rows.h"
#include "test_program.h"

#include <QStringList>
#include <QTest>

using namespace loopscope;

namespace {

LogNotes noted(const LogDocument &log, bool withLines) {
    LogNotes notes;
    const auto note = [&](size_t record, RecordNote one) {
        if (withLines) one.line = log.row(record).line;
        notes.set(recordName(log.record(record)), std::move(one));
    };
    note(0, {"Look again", {"keep", "Odd"}, false});
    note(2, {"", {"keeper"}, true});
    return notes;
}

QString numbers(const std::vector<uint32_t> &records) {
    QStringList list;
    for (const uint32_t record : records) list << QString::number(record);
    return list.join(u' ');
}

QString numbers(const NotedRecords &noted) {
    QStringList list;
    for (const auto &[record, note] : noted.all) list << QString::number(record);
    return list.join(u' ') + (noted.lost > 0 ? QStringLiteral(", %1 lost").arg(noted.lost) : QString());
}

} // namespace

class NotedRecordsTest : public QObject {
    Q_OBJECT

    // Record 3 measures the schedule of record 0 again, record 4 does so on another machine.
    const TestLog m_file{madeLine({.tile = 8}) + "# a comment\n" + madeLine({.tile = 4}) + madeLine({.tile = 2}) +
                         madeLine({.seconds = {2e-3}, .tile = 8}) + madeLine({.tile = 8, .cores = 16}) +
                         madeLine({.key = R"(["matmul", 32, 32, 32])", .tile = 8})};
    const LogDocument m_log = LogDocument::open(m_file.path());

  private slots:
    void recordsAreFoundByName_data() {
        QTest::addColumn<bool>("withLines");
        QTest::newRow("by line") << true;
        QTest::newRow("by reading all") << false;
    }
    void recordsAreFoundByName() {
        QFETCH(const bool, withLines);
        const NotedRecords found = notedRecords(m_log, noted(m_log, withLines));
        QCOMPARE(numbers(found), QStringLiteral("0 2 3 4"));
        QVERIFY(found.of(3) != nullptr && found.of(3)->text == "Look again");
        QVERIFY(found.of(1) == nullptr && found.of(5) == nullptr);
    }

    void aLineThatIsAnotherRecordsNowIsNoMatter() {
        LogNotes notes = noted(m_log, true);
        for (auto &[name, note] : notes.records) note.line = note.line == 1 ? 3 : 1;
        QCOMPARE(numbers(notedRecords(m_log, notes)), QStringLiteral("0 2 3 4"));
        for (auto &[name, note] : notes.records) note.line = 2; // a comment
        QCOMPARE(numbers(notedRecords(m_log, notes)), QStringLiteral("0 2 3 4"));
    }

    void whatTheLogDoesNotHoldIsCounted() {
        LogNotes notes = noted(m_log, false);
        notes.set("0123456789abcdef", {"gone", {}, false});
        QCOMPARE(numbers(notedRecords(m_log, notes)), QStringLiteral("0 2 3 4, 1 lost"));
        const std::atomic<bool> cancelled{true};
        QCOMPARE(numbers(notedRecords(m_log, notes, &cancelled)), QString());
    }

    void linesStandInTheSidecar() {
        const TestLog file(madeLine({}));
        LogNotes notes;
        notes.set("0123456789abcdef", {"a note", {}, false, 17});
        saveLogNotes(file.path(), notes);
        QCOMPARE(loadLogNotes(file.path()).of("0123456789abcdef").line, 17U);
    }

    void filtersAskForNotes_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("records");
        const auto row = [](const char *filter, const char *records) {
            QTest::newRow(filter) << QString::fromLatin1(filter) << QString::fromLatin1(records);
        };
        row("pinned", "2");
        row("not pinned", "0 1 3 4 5");
        row("noted", "0 2 3 4");
        row("tag:keep", "0 3 4"); // a tag is meant as a whole
        row("tag:ODD", "0 3 4");
        row("tag!=keep", "1 2 5");
        row("note:\"look again\"", "0 3 4");
        row("note:look time > 1.5ms", "3");
        row("pinned or task:2", "2 5");
    }
    void filtersAskForNotes() {
        QFETCH(const QString, filter);
        QFETCH(const QString, records);
        const ParsedLogFilter parsed = parseLogFilter(filter.toStdString());
        QVERIFY2(parsed.filter, parsed.problem ? parsed.problem->sentence.c_str() : "");
        QVERIFY(asksForNotes(*parsed.filter));
        const NotedRecords found = notedRecords(m_log, noted(m_log, false));
        QCOMPARE(numbers(selectRows(m_log, parsed.filter.get(), {}, found)), records);
        // Without notes no record has any.
        const QString none = numbers(selectRows(m_log, parsed.filter.get()));
        QVERIFY(none != records);
    }

    void otherFiltersDoNot() {
        QVERIFY(!asksForNotes(*parseLogFilter("failed or time < 2ms key:matmul").filter));
        QCOMPARE(parseLogFilter("tag").problem->sentence, std::string("`tag` is a text to look in: write `tag:keep`"));
        QCOMPARE(parseLogFilter("pinned:yes").problem->sentence,
                 std::string("`pinned` is a state, not a number: write `pinned` or `not pinned`"));
    }
};

LOOPSCOPE_TEST(NotedRecordsTest)
#include "noted_records_test.moc"
