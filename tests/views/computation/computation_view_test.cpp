// The computation view in a session of its own: text, problems, parameters, the stage under the caret, the dialog.

#include "test_program.h"
#include "view_bench.h"
#include "views/computation/computation_view.h"
#include "views/computation/new_workload_dialog.h"
#include "views/computation/param_form.h"
#include "views/computation/problem_bar.h"
#include "views/text/code_text.h"

#include <Qsci/qsciscintilla.h>

#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QTreeWidget>
#include <QtTest>

namespace loopscope {

namespace {

const QString kText = QStringLiteral("workload mm(M = 64, N = 64, K = 32)\n"
                                     "A = placeholder [M, K] float32\n"
                                     "B = placeholder [K, N] float32\n"
                                     "C(i < M, j < N) =\n"
                                     "    sum(k < K; A[i, k] * B[k, j])\n"
                                     "D(i < M, j < N) = max(C[i, j], 0)\n");

} // namespace

class ComputationViewTest : public QObject {
    Q_OBJECT

    struct Bench : ViewBench {
        ComputationView view{context};

        void open(const QString &text) {
            view.resize(420, 700);
            view.show();
            session.documents().openText(QStringLiteral("mm"), text);
        }
        [[nodiscard]] const Document *document() const { return session.document(); }
        /// As the user's keys do.
        void type(const QString &text) {
            view.editor()->setText(text);
            Q_EMIT view.editor()->textEdited(text);
        }
    };

  private slots:
    void showsTextAndFacts() {
        Bench bench;
        bench.open(kText);
        QTRY_VERIFY_WITH_TIMEOUT(bench.document()->task != nullptr, 20000);
        QCOMPARE(bench.view.editor()->text(), kText);
        QCOMPARE(bench.view.form()->params().size(), size_t(3));
        QVERIFY(bench.view.problemBar()->sentence().isEmpty());
        QVERIFY(bench.actions.find(QStringLiteral("computation.copyKey"))->isEnabled());
    }

    /// What another view makes of the text is one step back for whoever goes on here.
    void whatOthersMakeOfTheTextIsUndone() {
        Bench bench;
        bench.open(kText);
        QTRY_VERIFY_WITH_TIMEOUT(bench.document()->task != nullptr, 20000);
        QTRY_COMPARE(bench.view.editor()->text(), kText);
        const QString other = QString(kText).replace(QStringLiteral("max(C[i, j], 0)"), QStringLiteral("C[i, j] + 1"));
        bench.session.documents().setText(other);
        QTRY_COMPARE_WITH_TIMEOUT(bench.view.editor()->text(), other, 60000);
        QCOMPARE(bench.document()->text, other);
        QApplication::setActiveWindow(&bench.view);
        QsciScintilla *editor = bench.view.editor()->editor();
        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(bench.view.editor()->text(), kText);
        QTRY_COMPARE(bench.document()->text, kText);
    }

    void problemsShowAsOneTypes() {
        Bench bench;
        bench.open(kText);
        QTRY_VERIFY_WITH_TIMEOUT(bench.document()->task != nullptr, 20000);
        QString wrong = kText;
        bench.type(wrong.replace(QStringLiteral("max(C["), QStringLiteral("max(CC[")));
        // On a busy machine it first says that the text is being read.
        QTRY_VERIFY2_WITH_TIMEOUT(
            bench.view.problemBar()->sentence().startsWith(QLatin1String("Line 6: `CC` is not defined")),
            qPrintable(bench.view.problemBar()->sentence()), 20000);
        bench.actions.find(QStringLiteral("computation.goToProblem"))->trigger();
        QCOMPARE(bench.view.editor()->currentLine(), 6);
        bench.type(kText);
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.problemBar()->sentence().isEmpty(), 20000);
    }

    void parametersReachTheTask() {
        Bench bench;
        bench.open(kText);
        QTRY_VERIFY_WITH_TIMEOUT(bench.document()->task != nullptr, 20000);
        const double before = bench.document()->flops();
        bench.view.form()->field(QStringLiteral("K"))->setValue(64);
        QTRY_VERIFY_WITH_TIMEOUT(bench.document()->flops() > before, 20000);
        QCOMPARE(bench.document()->params, (ParamOverrides{{"K", 64}}));
        QVERIFY(bench.actions.find(QStringLiteral("computation.resetParameters"))->isEnabled());
        bench.actions.find(QStringLiteral("computation.resetParameters"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(bench.document()->flops(), before, 20000);
    }

    void caretAndStageFollowEachOther() {
        Bench bench;
        bench.open(kText);
        QTRY_VERIFY_WITH_TIMEOUT(bench.document()->task != nullptr, 20000);
        Q_EMIT bench.view.editor()->lineClicked(5);
        QTRY_COMPARE_WITH_TIMEOUT(bench.session.selection().now().stage, QStringLiteral("C"), 5000);
        // Passing over other lines is no choice: only where the caret rests counts.
        QSignalSpy changes(&bench.session.selection(), &Selection::changed);
        for (const int line : {4, 3, 2, 6}) Q_EMIT bench.view.editor()->lineClicked(line);
        QTRY_COMPARE_WITH_TIMEOUT(bench.session.selection().now().stage, QStringLiteral("D"), 5000);
        QCOMPARE(changes.count(), 1);
        Q_EMIT bench.view.editor()->lineClicked(1); // the head of the file is no stage
        QTest::qWait(400);
        QCOMPARE(bench.session.selection().now().stage, QStringLiteral("D"));
    }

    void dialogMakesAWorkload() {
        Bench bench;
        bench.view.show();
        bench.actions.find(QStringLiteral("computation.new"))->trigger();
        auto *dialog = bench.view.findChild<NewWorkloadDialog *>();
        QVERIFY(dialog != nullptr && dialog->isVisible());
        QSignalSpy previewed(dialog, &NewWorkloadDialog::previewed);
        dialog->filter()->setText(QStringLiteral("softm"));
        QCOMPARE(dialog->draft().op, QStringLiteral("softmax"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog->preview().text.contains(QLatin1String("softmax(data)")), 20000);
        QVERIFY(!dialog->preview().problem);
        dialog->accept();
        QVERIFY(bench.document() != nullptr);
        QVERIFY(bench.document()->text.contains(QLatin1String("workload softmax(M = 1024, N = 1024)")));
        QTRY_VERIFY_WITH_TIMEOUT(bench.document()->task != nullptr, 20000);
        QCOMPARE(bench.view.editor()->text(), bench.document()->text);
    }

    void dialogCreatesWhatTheFormSays() {
        Bench bench;
        bench.view.show();
        NewWorkloadDialog *dialog = bench.view.newWorkload();
        dialog->chooseOperator(QStringLiteral("matmul"));
        Draft draft = dialog->draft();
        draft.params[0].second = 96;
        dialog->setDraft(draft);
        dialog->accept(); // before any preview could come
        QVERIFY2(bench.document()->text.contains(QLatin1String("M = 96")), qPrintable(bench.document()->text));
        QCOMPARE(bench.document()->targetText, QStringLiteral("llvm"));
    }

    void dialogChoosesTheTarget() {
        Bench bench;
        bench.view.show();
        NewWorkloadDialog *dialog = bench.view.newWorkload();
        QComboBox *target = dialog->target();
        QCOMPARE(target->currentData().toString(), QStringLiteral("llvm"));
        const int a100 = target->findData(QStringLiteral("cuda -model=a100"));
        QVERIFY(a100 > 0);
        target->setCurrentIndex(a100);
        dialog->chooseOperator(QStringLiteral("matmul"));
        dialog->accept();
        QCOMPARE(bench.document()->targetText, QStringLiteral("cuda -model=a100"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.document()->task && bench.document()->task->target.isGpu(), 20000);
    }
};

LOOPSCOPE_WINDOW_TEST(ComputationViewTest)
} // namespace loopscope

#include "computation_view_test.moc"
