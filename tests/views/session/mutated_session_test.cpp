// Session files changed in any way: opening one ends with a session or with a sentence of ours, and what is open stays.
// LOOPSCOPE_LONG_TESTS opens many more.

#include "harness/changed_files.h"
#include "session_fixture.h"
#include "test_program.h"

#include <QElapsedTimer>
#include <QJsonDocument>

using namespace loopscope;

class MutatedSessionTest : public QObject {
    Q_OBJECT

  private slots:
    void endInSentences() {
        SessionFixture f;
        f.session->files().open({f.write(QStringLiteral("m.te"), SessionFixture::matmul(16))});
        QVERIFY(f.settled());
        f.session->documents().setText(f.session->document()->text + QStringLiteral("# changed\n"));
        QVERIFY(f.settled());
        const std::string whole = QJsonDocument(f.session->file().json("state")).toJson().toStdString();
        const uint64_t count = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 3000 : 150;
        uint64_t refused = 0;
        for (uint64_t i = 0; i < count; ++i) {
            Random random(11, i);
            const QByteArray text = QByteArray::fromStdString(changedJson(whole, random));
            const QString path = f.write(QStringLiteral("s.loopscope"), text);
            SessionFixture opened;
            QElapsedTimer timer;
            timer.start();
            QByteArray window;
            const bool read = opened.session->file().load(
                path, &window, i % 2 == 0 ? SessionFile::Reading::Whole : SessionFile::Reading::WhatCanBe);
            QVERIFY2(opened.idle(), text.left(2000));
            QVERIFY2(timer.elapsed() < 30000, text.left(2000));
            if (read && opened.failures().isEmpty()) continue;
            ++refused;
            const QString wrong = wrongSentence(opened.failures().toStdString());
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong + u'\n' + QString::fromUtf8(text.left(2000))));
        }
        QVERIFY2(refused > count / 8, QByteArray::number(refused)); // they change something
    }
};

LOOPSCOPE_TEST(MutatedSessionTest)
#include "mutated_session_test.moc"
