// What the program does around its window: the command line, the meeting of two starts, exceptions that escape.

#include "arguments.h"
#include "check_files.h"
#include "single_instance.h"
#include "workbench_application.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <stdexcept>

using namespace loopscope;

namespace {

/// As Jobs or a view of ours would be: its event handler throws.
class Thrower : public QObject {
    Q_OBJECT

  public:
    bool event(QEvent *event) override {
        if (event->type() == QEvent::User) throw std::runtime_error("the stage is gone");
        return QObject::event(event);
    }
};

QStringList words(const char *line) { return QString::fromLatin1(line).split(u' ', Qt::SkipEmptyParts); }

/// A log of one record as a frame of zstd that stores its text as it is.
QByteArray packedLog() {
    const QByteArray record("{\"i\": [[\"[\\\"odd\\\", 1]\", \"llvm\"], [[], []]], \"r\": [[1e-06], 0, 0.5, 17], "
                            "\"v\": \"v0.6\"}\n");
    const auto size = static_cast<int>(record.size());
    const int block = (size << 3) | 1;
    QByteArray frame("\x28\xb5\x2f\xfd\x20", 5);
    frame += static_cast<char>(size);
    frame += static_cast<char>(block & 0xff);
    frame += static_cast<char>(block >> 8);
    frame += '\0';
    return frame + record;
}

} // namespace

class WorkbenchTest : public QObject {
    Q_OBJECT

  private slots:
    void readsArguments() {
        const Arguments plain = readArguments(words("a.te /tmp/b.json"));
        QCOMPARE(plain.files.size(), 2);
        QVERIFY(plain.files[0].startsWith(u'/') && plain.files[0].endsWith(QLatin1String("/a.te")));
        QCOMPARE(plain.files[1], QStringLiteral("/tmp/b.json"));
        QVERIFY(!plain.compare && !plain.newWindow && plain.problem.isEmpty());

        const Arguments diff = readArguments(words("-d /tmp/a.json /tmp/b.json"));
        QVERIFY(diff.compare);
        QCOMPARE(diff.files, words("/tmp/a.json /tmp/b.json"));
        const Arguments more = readArguments(words("/tmp/c.te --diff /tmp/a.json /tmp/b.json /tmp/d.te --new-window"));
        QVERIFY2(more.problem.isEmpty(), qPrintable(more.problem));
        QVERIFY(more.compare && more.newWindow);
        QCOMPARE(more.files, words("/tmp/a.json /tmp/b.json /tmp/c.te /tmp/d.te")); // the two to compare first
        QVERIFY(readArguments(words("-")).files[0].endsWith(QLatin1String("/-")));
        QVERIFY(readArguments(words("-- -d")).files[0].endsWith(QLatin1String("/-d")));
        const Arguments last = readArguments(words("--diff=/tmp/a.te /tmp/b.te -- --new-window"));
        QVERIFY(last.compare && !last.newWindow && last.files.size() == 3);
        QCOMPARE(readArguments(words("/tmp/[a,b]")).files, words("/tmp/[a,b]"));
        QCOMPARE(readArguments(words("[a,b]")).files.size(), 1);
        QVERIFY(readArguments(words("--new-window --new-window")).newWindow);
        QVERIFY(readArguments(words("--help")).help && readArguments(words("-h")).help);
        QVERIFY(readArguments(words("--version")).version && readArguments(words("-v")).version);
        QVERIFY(readArguments(words("--manual")).manual);
        const Arguments check = readArguments(words("--check /tmp/a.te"));
        QVERIFY(check.check && check.files == words("/tmp/a.te"));
    }

    void refusesArguments_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("problem");
        QTest::newRow("unknown") << "--fast"
                                 << "unknown option --fast; loopscope --help lists them";
        QTest::newRow("mistyped") << "a.te --chekc"
                                  << "unknown option --chekc (did you mean `--check`?); loopscope --help lists them";
        QTest::newRow("one to compare, other spelling") << "a.te --diff b.json --new-window"
                                                        << "--diff needs two files: loopscope -d BASE NEW";
        QTest::newRow("one to compare") << "-d a.json"
                                        << "-d needs two files: loopscope -d BASE NEW";
        QTest::newRow("three to compare") << "-d a b -d c"
                                          << "-d needs two files: loopscope -d BASE NEW";
        QTest::newRow("letters run together") << "-dv"
                                              << "-d needs two files: loopscope -d BASE NEW";
        QTest::newRow("false for a flag") << "--check=false a.te"
                                          << "--check takes no value";
        QTest::newRow("a value for a flag") << "--check=maybe a.te"
                                            << "--check takes no value";
        QTest::newRow("nothing to check") << "--check"
                                          << "--check needs files";
    }
    void refusesArguments() {
        QFETCH(QString, line);
        QFETCH(QString, problem);
        QCOMPARE(readArguments(line.split(u' ')).problem, problem);
    }

    void checksFiles() {
        QTemporaryDir folder;
        const QString broken = folder.filePath(QStringLiteral("broken.te"));
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("workload w(N = 8)\nA(i < N) = B[i]\n");
        file.close();
        const QString good = QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/matmul.te");
        QCOMPARE(checkFiles({good}), 0);
        QCOMPARE(checkFiles({good, broken}), 1);
        QCOMPARE(checkFiles({folder.filePath(QStringLiteral("none.json"))}), 1);
        // A packed log is told by what stands in it.
        const QByteArray frame = packedLog();
        const auto packed = [&folder](const QByteArray &bytes) {
            QFile log(folder.filePath(QStringLiteral("packed.zst")));
            if (!log.open(QIODevice::WriteOnly) || log.write(bytes) != bytes.size()) qFatal("cannot write");
            return log.fileName();
        };
        QCOMPARE(checkFiles({packed(frame)}), 0);
        QCOMPARE(checkFiles({packed(frame.chopped(20))}), 1); // without its record
    }

    void helpNamesPackedLogs() { QVERIFY(helpText().contains(QStringLiteral("(.json, .log, also .gz and .zst)"))); }

    void aSecondStartHandsOver() {
        QTemporaryDir folder;
        SingleInstance first(folder.path());
        QVERIFY(!SingleInstance(folder.path()).handOver({}, false)); // nobody is there yet
        QVERIFY(first.listen());
        QVERIFY(!SingleInstance(folder.path()).listen());
        QSignalSpy received(&first, &SingleInstance::received);
        bool taken = false;
        // Handing over waits for the answer, as another process does.
        const std::unique_ptr<QThread> second(QThread::create([&] {
            taken = SingleInstance(folder.path())
                        .handOver({QStringLiteral("/tmp/a.te"), QStringLiteral("/tmp/b.te")}, true);
        }));
        second->start();
        QVERIFY(received.wait(5000));
        QVERIFY(second->wait(5000));
        QVERIFY(taken);
        QCOMPARE(received.front().at(0).toStringList(), words("/tmp/a.te /tmp/b.te"));
        QVERIFY(received.front().at(1).toBool());
    }

    void anEscapedExceptionBecomesAMessage() {
        QString said;
        auto *application = static_cast<WorkbenchApplication *>(QCoreApplication::instance());
        application->setWitness([&said](const QString &cause) { said = cause; });
        Thrower thrower;
        QEvent event(QEvent::User);
        QCoreApplication::sendEvent(&thrower, &event);
        QVERIFY2(said.startsWith(QStringLiteral("the stage is gone\nin ")), qPrintable(said));
        QVERIFY(said.contains(QStringLiteral("Thrower")));
        application->setWitness({});
    }
};

int main(int argc, char **argv) {
    WorkbenchApplication application(argc, argv);
    WorkbenchTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "workbench_test.moc"
