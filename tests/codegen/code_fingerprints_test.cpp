// The machine code of a list of step lists is what it was: a change of it is meant, and then stands in the same commit
// as the new fingerprints (CONTRIBUTING.md).

#include "code_fingerprints.h"
#include "test_program.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <set>

using namespace loopscope;

class CodeFingerprintsTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() { m_records = codeRecords(codeDataFile("code_records.txt")); }

    /// A list that misses a kind of step would say nothing about it.
    void recordsCoverTheSchedulingLanguage() {
        QVERIFY(m_records.size() >= 100);
        std::set<std::string> workloads;
        std::string all;
        for (const CodeRecord &record : m_records) {
            workloads.insert(record.name.substr(0, record.name.find(" #")));
            all += record.steps;
        }
        QVERIFY(workloads.size() >= 25);
        for (const char *tag :
             {"SP", "FSP", "FFSP", "FU", "RE", "AN", "CA", "CI", "CR", "CHR", "CHW", "RF", "PR", "SA"})
            QVERIFY2(all.find(std::string("[\"") + tag + "\",") != std::string::npos, tag);
        // parallel, vectorize, unroll
        for (const char *annotation : {",3]", ",2]", ",1]"})
            QVERIFY2(QRegularExpression(QString("\\[\"AN\",\\s*\\d+,\\s*\\d+") + annotation)
                         .match(QString::fromStdString(all).remove(' '))
                         .hasMatch(),
                     annotation);
    }

    void codeIsWhatItWas() {
        auto stored = fingerprintLines(codeDataFile("code_fingerprints.txt"));
        QVERIFY(!stored.empty());
        if (fingerprintOrigin() != stored[0])
            QSKIP(qPrintable(QString("the fingerprints were made with %1; %2 makes other code")
                                 .arg(stored[0].c_str(), fingerprintOrigin().c_str())));
        stored.erase(stored.begin());
        const auto now = codeFingerprints(m_records, 0);
        QCOMPARE(now.size(), stored.size());
        QStringList changed;
        for (size_t i = 0; i < now.size(); ++i)
            if (now[i] != stored[i]) changed << QString("%1\n  was: %2").arg(now[i].c_str(), stored[i].c_str());
        QVERIFY2(changed.isEmpty(), qPrintable(QString("%1 of %2 records become other code; if that is meant: "
                                                       "build/release/bin/code_fingerprints --write\n%3")
                                                   .arg(changed.size())
                                                   .arg(m_records.size())
                                                   .arg(changed.join('\n'))));
    }

    /// Neither what was compiled before, nor the number of threads, nor the folder of the workload shows. (That the
    /// process does not is what codeIsWhatItWas says of the one that wrote the file.)
    void fingerprintsDependOnTheRecordAlone() {
        const QTemporaryDir folder;
        std::vector<CodeRecord> some;
        std::vector<CodeRecord> elsewhere;
        for (size_t i = 0; i < m_records.size(); i += 9) {
            some.push_back(m_records[i]);
            elsewhere.push_back(m_records[i]);
            const QString copy = folder.filePath(QString("%1.te").arg(i));
            QVERIFY(QFile::copy(QString::fromStdString(m_records[i].workload), copy));
            elsewhere.back().workload = copy.toStdString();
        }
        QVERIFY(some.size() > 10);
        if (!fingerprintOrigin().ends_with("x86_64")) QSKIP("the targets are x86 processors");
        const auto forwards = codeFingerprints(some, 1);
        std::reverse(elsewhere.begin(), elsewhere.end());
        auto backwards = codeFingerprints(elsewhere, 3);
        std::reverse(backwards.begin(), backwards.end());
        QCOMPARE(backwards, forwards);
    }

  private:
    std::vector<CodeRecord> m_records;
};

LOOPSCOPE_TEST(CodeFingerprintsTest)
#include "code_fingerprints_test.moc"
