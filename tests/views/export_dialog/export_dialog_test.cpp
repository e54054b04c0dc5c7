// The export dialog by clicks and keys: what is offered, what is shown of it, what is written, what is refused.

#include "view_bench.h"

#include "search/sketch/sketch.h"
#include "test_program.h"
#include "views/export_dialog/export_dialog.h"
#include "views/session/edited_schedules.h"
#include "views/text/code_text.h"

#include <QApplication>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>

using namespace loopscope;
using namespace Qt::Literals::StringLiterals;

namespace {

struct Bench : ViewBench {
    Bench() {
        qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker");
        settings.setValue(u"window/folder"_s, folder.path());
        session.documents().openText(u"matmul"_s,
                                     u"workload matmul(N = 32)\nA = placeholder [N, N]\nB = placeholder [N, N]\n"
                                     "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n"_s);
        ready = QTest::qWaitFor([this] { return session.document()->task && !session.document()->sketches.empty(); },
                                20000);
        dialog = std::make_unique<ExportDialog>(context);
    }
    /// Begins, and waits until the files are there.
    void begin() {
        QSignalSpy shown(dialog.get(), &ExportDialog::previewed);
        dialog->begin(session.selection().now().schedule);
        QVERIFY(QTest::qWaitForWindowExposed(dialog.get()));
        QVERIFY(!shown.isEmpty() || shown.wait(20000));
    }
    void click(const QString &title) {
        const auto found = dialog->formats()->findItems(title, Qt::MatchExactly);
        QCOMPARE(found.size(), 1);
        QSignalSpy shown(dialog.get(), &ExportDialog::previewed);
        QTest::mouseClick(dialog->formats()->viewport(), Qt::LeftButton, {},
                          dialog->formats()->visualItemRect(found[0]).center());
        QVERIFY(!shown.isEmpty() || shown.wait(30000));
    }
    void type(const QString &path) {
        dialog->path()->setFocus();
        dialog->path()->selectAll();
        QTest::keyClicks(dialog->path(), path);
    }
    [[nodiscard]] bool save() {
        QSignalSpy done(dialog.get(), &QDialog::accepted);
        QTest::mouseClick(dialog->saveButton(), Qt::LeftButton);
        return !done.isEmpty() || done.wait(30000);
    }
    [[nodiscard]] QString shown() const { return dialog->preview().text(); }
    [[nodiscard]] QString at(const QString &name) const { return folder.filePath(name); }
    [[nodiscard]] QByteArray read(const QString &name) const {
        QFile file(at(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    std::unique_ptr<ExportDialog> dialog;
    bool ready = false;
};

} // namespace

class ExportDialogTest : public QObject {
    Q_OBJECT
  private slots:
    void theNaiveScheduleLeavesAsC();
    void everyFormatIsOfferedAndShown();
    void anEditedScheduleLeaves();
    void anOpenSketchIsRefused();
    void withoutAWorkloadThereIsNothing();
    void whatIsInTheWayIsToldAndStays();
    void theFormatIsRemembered();
    void gpusHaveFormatsOfTheirOwn();
};

void ExportDialogTest::theNaiveScheduleLeavesAsC() {
    Bench bench;
    QVERIFY(bench.ready);
    bench.begin();
    QCOMPARE(bench.dialog->format(), ExportFormat::C);
    QVERIFY2(bench.shown().contains("void matmul(const float *restrict A"_L1), qPrintable(bench.shown()));
    QCOMPARE(bench.dialog->files()->count(), 3);
    QTest::mouseClick(bench.dialog->files(), Qt::LeftButton, {}, bench.dialog->files()->tabRect(2).center());
    QVERIFY(bench.shown().contains("int main(int argc"_L1));
    QCOMPARE(bench.dialog->path()->text(), bench.at(u"matmul.c"_s));
    bench.type(bench.at(u"mine.c"_s));
    QCOMPARE(bench.dialog->saveButton()->text(), u"Save"_s);
    QVERIFY2(bench.save(), qPrintable(bench.dialog->verdict()));
    QVERIFY(bench.read(u"mine.c"_s).contains("#include \"mine.h\""));
    QVERIFY(bench.read(u"mine_main.c"_s).contains("#include \"mine.h\""));
    QVERIFY(bench.read(u"mine.h"_s).contains("void matmul("));
    QVERIFY(!bench.dialog->isVisible());
    QVERIFY(bench.session.messages().all().back().text.contains("mine.c"_L1));
    // Once more over it: said before it is done.
    bench.begin();
    bench.type(bench.at(u"mine.c"_s));
    QCOMPARE(bench.dialog->saveButton()->text(), u"Replace"_s);
}

void ExportDialogTest::everyFormatIsOfferedAndShown() {
    Bench bench;
    QVERIFY(bench.ready);
    bench.begin();
    QCOMPARE(static_cast<size_t>(bench.dialog->formats()->count()), exportFormats().size());
    const std::vector<std::pair<QString, QString>> shown = {
        {u"LLVM IR"_s, u"define void @matmul("_s},
        {u"Assembly"_s, u"matmul:"_s},
        {u"Schedule script"_s, u"# matmul for"_s},
        {u"Halide in C++"_s, u"Halide.h"_s},
        {u"TensorIR schedule in Python"_s, u"tvm"_s},
        {u"TE schedule in Python"_s, u"te.compute"_s},
        {u"Ansor record"_s, u"\"v\": \"v0.6\""_s},
        {u"C++ on Loopscope's core"_s, u"LoopState schedule(const DagPtr &dag)"_s},
        {u"Reproducer"_s, u"make run"_s}};
    for (const auto &[title, text] : shown) {
        bench.click(title);
        if (QTest::currentTestFailed()) return;
        QVERIFY2(bench.shown().contains(text), qPrintable(title + u": "_s + bench.dialog->verdict()));
        QVERIFY(bench.dialog->saveButton()->isEnabled());
    }
    QCOMPARE(bench.dialog->path()->text(), bench.at(u"matmul-reproducer"_s));
    QVERIFY2(bench.save(), qPrintable(bench.dialog->verdict()));
    QVERIFY(bench.read(u"matmul-reproducer/workload.te"_s).contains("workload matmul"));
}

void ExportDialogTest::anEditedScheduleLeaves() {
    Bench bench;
    QVERIFY(bench.ready);
    const QString why = bench.session.edits().apply({}, AnnotateStep{StageId(2), IterId(0), Annotation::Parallel});
    QVERIFY2(why.isEmpty(), qPrintable(why));
    QCOMPARE(bench.session.selection().now().schedule.kind, ScheduleRef::Kind::Edited);
    bench.begin();
    bench.click(u"Schedule script"_s);
    QVERIFY2(bench.shown().contains("parallel C i"_L1), qPrintable(bench.shown()));
    QVERIFY(bench.save());
    QVERIFY(bench.read(u"matmul.schedule"_s).contains("parallel C i"));
}

void ExportDialogTest::anOpenSketchIsRefused() {
    Bench bench;
    QVERIFY(bench.ready);
    bench.session.selection().selectSchedule({ScheduleRef::Kind::Sketch, 0});
    QVERIFY(!bench.session.document()->sketches[0].state.concrete());
    bench.begin();
    QVERIFY2(bench.dialog->verdict().contains("lengths of its tiles are open"_L1), qPrintable(bench.dialog->verdict()));
    QVERIFY(!bench.dialog->saveButton()->isEnabled());
    bench.click(u"Reproducer"_s);
    QVERIFY(bench.dialog->verdict().contains("lengths of its tiles are open"_L1));
    QVERIFY(!bench.dialog->saveButton()->isEnabled());
}

void ExportDialogTest::withoutAWorkloadThereIsNothing() {
    const ExportChoice none = exportChoice(nullptr, {});
    QVERIFY(!none.request);
    QVERIFY(none.refusal.contains("no workload"_L1));
    Document document;
    document.logTask = UnknownWorkload{};
    QVERIFY(exportChoice(&document, {}).refusal.contains(".te file"_L1));
    Bench bench;
    QVERIFY(bench.ready);
    QVERIFY(exportChoice(bench.session.document(), {ScheduleRef::Kind::Trial, 3}).refusal.contains("any more"_L1));
}

void ExportDialogTest::whatIsInTheWayIsToldAndStays() {
    Bench bench;
    QVERIFY(bench.ready);
    QFile precious(bench.at(u"matmul.h"_s));
    QVERIFY(precious.open(QIODevice::WriteOnly));
    precious.write("int mine;\n");
    precious.close();
    bench.begin();
    QTest::mouseClick(bench.dialog->saveButton(), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return bench.dialog->verdict().contains("another file of that name"_L1); }, 20000));
    QVERIFY(bench.dialog->isVisible());
    QCOMPARE(bench.read(u"matmul.h"_s), QByteArray("int mine;\n"));
    bench.type(u"/proc/self/none.c"_s);
    QVERIFY(bench.dialog->verdict().isEmpty()); // another path, another chance
    QTest::mouseClick(bench.dialog->saveButton(), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return bench.dialog->verdict().contains("cannot be written"_L1); }, 20000));
    QVERIFY(bench.dialog->saveButton()->isEnabled());
    QTest::keyClick(bench.dialog.get(), Qt::Key_Escape);
    QVERIFY(!bench.dialog->isVisible());
}

void ExportDialogTest::theFormatIsRemembered() {
    Bench bench;
    QVERIFY(bench.ready);
    bench.begin();
    bench.click(u"Schedule script"_s);
    QVERIFY(bench.save());
    ExportDialog again(bench.context);
    again.begin(bench.session.selection().now().schedule);
    QCOMPARE(again.format(), ExportFormat::Script);
    QCOMPARE(again.path()->text(), bench.at(u"matmul.schedule"_s));
}

void ExportDialogTest::gpusHaveFormatsOfTheirOwn() {
    Bench bench;
    QVERIFY(bench.ready);
    const auto offered = [&] {
        QStringList titles;
        for (int i = 0; i < bench.dialog->formats()->count(); ++i)
            if (!bench.dialog->formats()->item(i)->isHidden()) titles << bench.dialog->formats()->item(i)->text();
        return titles;
    };
    bench.begin();
    QVERIFY(offered().contains(u"C with OpenMP"_s) && !offered().contains(u"CUDA C++"_s));
    bench.session.documents().setTarget(u"cuda -arch=sm_80"_s);
    QTRY_VERIFY_WITH_TIMEOUT(bench.session.document()->task && bench.session.document()->task->target.isGpu() &&
                                 !bench.session.document()->sketches.empty(),
                             20000);
    bench.begin();
    QCOMPARE(offered(), (QStringList{u"Ansor record"_s, u"Schedule script"_s, u"CUDA C++"_s, u"TE schedule in Python"_s,
                                     u"Reproducer"_s}));
    QCOMPARE(bench.dialog->format(), ExportFormat::Cuda);
    QVERIFY2(bench.shown().contains(u"__global__ void __launch_bounds__("_s), qPrintable(bench.shown()));
    QCOMPARE(bench.dialog->path()->text(), bench.at(u"matmul.cu"_s));
    QVERIFY2(bench.save(), qPrintable(bench.dialog->verdict()));
    QVERIFY(bench.read(u"matmul.cu"_s).contains("extern \"C\" cudaError_t matmul("));
}

LOOPSCOPE_WINDOW_TEST(ExportDialogTest)
#include "export_dialog_test.moc"
