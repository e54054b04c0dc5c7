// Files from the window's menus: new ones, samples that stay as they are, the folder one was in, and a log whose
// workload is not known.

#include "language/dag/compute_dag.h"
#include "records/record/record_writer.h"
#include "test_program.h"
#include "views/computation/computation_view.h"
#include "views/computation/log_task_page.h"
#include "views/computation/new_workload_dialog.h"
#include "views/session/text.h"
#include "window_start.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

namespace {

struct Bench : WindowInOwnFolder {
    QString write(const QString &name, const QByteArray &bytes) const {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("cannot write");
        return file.fileName();
    }
    [[nodiscard]] QFileDialog *dialog() {
        for (auto *found : window.findChildren<QFileDialog *>())
            if (found->isVisible()) return found;
        return nullptr;
    }
};

const QByteArray kText = "workload matmul(N = 92)\nA = placeholder [N, N]\nB = placeholder [N, N]\n"
                         "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n";

QByteArray bytesOf(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class WindowFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        // Wherever the test runs: a file that is no sample would be saved without a question.
        qputenv("LOOPSCOPE_SAMPLES", LOOPSCOPE_SOURCE_DIR "/samples");
    }

    void savingASampleAsksWhere() {
        Bench bench;
        QVERIFY(bench.ready);
        const QString sample = QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/matmul.te");
        const QByteArray shipped = bytesOf(sample);
        bench.settings.setValue(QStringLiteral("window/folder"), bench.folder.path());
        bench.window.openFiles({sample}, false);
        QTRY_VERIFY(bench.session.document() && bench.session.document()->task);
        bench.session.documents().setText(bench.session.document()->text + QStringLiteral("# mine\n"));
        QTest::keyClick(&bench.window, Qt::Key_S, Qt::ControlModifier);
        QTRY_VERIFY(bench.dialog());
        QFileDialog *dialog = bench.dialog();
        QCOMPARE(dialog->acceptMode(), QFileDialog::AcceptSave);
        QCOMPARE(QFileInfo(dialog->selectedFiles().value(0)).fileName(), QStringLiteral("matmul.te"));
        QCOMPARE(dialog->directory().absolutePath(), bench.folder.path()); // not the samples' folder
        QTest::keyClick(dialog->findChild<QLineEdit *>(), Qt::Key_Return);
        QTRY_COMPARE(bench.session.document()->path, bench.folder.filePath(QStringLiteral("matmul.te")));
        QVERIFY(bytesOf(bench.session.document()->path).endsWith("# mine\n"));
        QCOMPARE(bytesOf(sample), shipped);
        QVERIFY(!bench.session.document()->modified);
        bench.session.documents().setText(bench.session.document()->text + QStringLiteral("# more\n"));
        QTest::keyClick(&bench.window, Qt::Key_S, Qt::ControlModifier); // has a file now
        QTRY_VERIFY(bytesOf(bench.session.document()->path).endsWith("# more\n"));
    }

    void newIsInTheFileMenu() {
        Bench bench;
        QVERIFY(bench.ready);
        QAction *create = bench.actions.find(QStringLiteral("file.new"));
        QVERIFY(create);
        QMenu *file = nullptr;
        for (QAction *menu : bench.window.menuBar()->actions())
            if (menu->text().remove(u'&') == QLatin1String("File")) file = menu->menu();
        QVERIFY(file);
        QCOMPARE(file->actions().front(), create);
        QVERIFY(bench.window.onStartPage());
        QTest::keyClick(&bench.window, Qt::Key_N, Qt::ControlModifier);
        QTRY_VERIFY(bench.window.findChild<NewWorkloadDialog *>());
        auto *dialog = bench.window.findChild<NewWorkloadDialog *>();
        QVERIFY(dialog->isVisible());
        dialog->chooseOperator(QStringLiteral("softmax"));
        dialog->accept();
        QVERIFY(bench.session.document());
        QVERIFY(bench.session.document()->path.isEmpty());
    }

    void openRemembersItsFolder() {
        Bench bench;
        QVERIFY(bench.ready);
        QVERIFY(QDir(bench.folder.path()).mkpath(QStringLiteral("deep/down")));
        bench.window.openFiles({bench.write(QStringLiteral("deep/down/m.te"), kText)}, false);
        QTRY_VERIFY(bench.session.document() && bench.session.document()->task);
        bench.window.openFiles({QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/softmax.te")},
                               false); // no place of one's own
        QTest::keyClick(&bench.window, Qt::Key_O, Qt::ControlModifier);
        QTRY_VERIFY(bench.dialog());
        QCOMPARE(bench.dialog()->directory().absolutePath(), bench.folder.filePath(QStringLiteral("deep/down")));
    }

    void aLogWithoutWorkloadSaysWhyOnScreen() {
        Bench bench;
        QVERIFY(bench.ready);
        const Task task =
            makeTask(ComputeDag::fromWorkload(parseWorkload(kText.toStdString(), "m.te", {})), parseTarget("llvm"));
        const QString log = bench.folder.filePath(QStringLiteral("foreign.json"));
        {
            RecordWriter writer(std8(log));
            for (int i = 0; i < 3; ++i) {
                Trial trial;
                trial.steps = {SplitStep{StageId(2), IterId(0), 92, {2}, true}};
                trial.seconds = {1e-3 * (i + 1)};
                writer.append(makeRecord(task, trial));
            }
        }
        bench.window.openFiles({log}, false);
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document() && bench.session.document()->logTask, 60000);
        QVERIFY(!bench.window.onStartPage());
        bench.window.docks().showDock(QStringLiteral("computation"), true);
        auto *page = bench.window.findChild<LogTaskPage *>();
        QTRY_VERIFY(page && page->isVisible());
        QVERIFY2(page->cause().startsWith(QStringLiteral("The workload of this log is not known")),
                 qPrintable(page->cause()));
        QCOMPARE(page->steps()->count(), 1);
        QCOMPARE(page->steps()->item(0)->text(), QStringLiteral("0  split stage 2.loop 0 into 46 \u00d7 2"));
        // Every panel lives with it.
        for (const DockInfo &info : dockList()) {
            bench.window.docks().showDock(info.id, false);
            QTest::qWait(20);
        }
        for (int trial = 0; trial < 3; ++trial)
            bench.session.selection().selectSchedule({ScheduleRef::Kind::Trial, trial});
        QTest::qWait(50);
        bench.window.docks().showDock(QStringLiteral("computation"), true);
        QTest::mouseClick(page->findChild<QPushButton *>(QStringLiteral("find_workload")), Qt::LeftButton);
        QTRY_VERIFY(bench.dialog());
        QFileDialog *dialog = bench.dialog();
        QVERIFY(QDir(bench.folder.path()).mkpath(QStringLiteral("elsewhere")));
        dialog->selectFile(bench.write(QStringLiteral("elsewhere/m.te"), kText));
        QTest::keyClicks(dialog->findChild<QLineEdit *>(), QString());
        QTest::keyClick(dialog->findChild<QLineEdit *>(), Qt::Key_Return);
        QTRY_VERIFY(bench.session.document() && bench.session.document()->task);
        QTRY_COMPARE(bench.session.document()->trials.size(), size_t{3});
        QCOMPARE(bench.session.documents().all().size(), size_t{1});
        QTRY_VERIFY(!page->isVisible());
    }
};

LOOPSCOPE_WINDOW_TEST(WindowFilesTest)
#include "window_files_test.moc"
