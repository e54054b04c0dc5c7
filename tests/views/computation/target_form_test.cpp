// The target of a workload by clicks and keys: machines to choose from, figures
// changed and put back, text typed, what is no target told in a sentence;
// another target is another task of the document.

#include "test_program.h"
#include "view_bench.h"
#include "views/computation/computation_view.h"
#include "views/computation/target_choices.h"
#include "views/computation/target_form.h"
#include "views/session/tasks.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <QtTest>

namespace loopscope {

class TargetFormTest : public QObject {
    Q_OBJECT

    static QString named(const QString &text) {
        const std::vector<TargetChoice> choices = targetChoices(text);
        const int at = choiceOf(choices, text);
        return at < 0 ? QString() : choices[static_cast<size_t>(at)].name;
    }

  private slots:
    void attributesOfATarget() {
        const QString arch = QStringLiteral("arch");
        QCOMPARE(withAttribute(QStringLiteral("cuda"), arch, QStringLiteral("sm_75")),
                 QStringLiteral("cuda -arch=sm_75"));
        QCOMPARE(withAttribute(QStringLiteral("cuda  -arch sm_80 -model=a100"), arch, QStringLiteral("sm_86")),
                 QStringLiteral("cuda -arch=sm_86 -model=a100"));
        QCOMPARE(withAttribute(QStringLiteral("cuda --arch=sm_80 -model=a100"), arch, QString()),
                 QStringLiteral("cuda -model=a100"));
        QVERIFY(!hasAttribute(QStringLiteral("cuda -architecture=x"), arch));
        QVERIFY(hasAttribute(QStringLiteral("cuda -arch sm_80"), arch));
        QCOMPARE(targetProblem(QStringLiteral("cuda -arch=sm_80")), QString());
        QVERIFY(targetProblem(QStringLiteral("cuda -arch=80")).contains(QStringLiteral("an architecture like sm_80")));
    }

    void choices() {
        QCOMPARE(named(QStringLiteral("llvm")), QStringLiteral("This machine's processor (llvm)"));
        QCOMPARE(named(QStringLiteral("cuda -model=rtx-3090")), QStringLiteral("GeForce RTX 3090 (sm_86)"));
        // With a figure of its own it still begins from that GPU.
        QCOMPARE(named(QStringLiteral("cuda -model=rtx-3090 -num-multiprocessors=80")),
                 QStringLiteral("GeForce RTX 3090 (sm_86)"));
        // What nobody offers stands there as it is written.
        QCOMPARE(named(QStringLiteral("cuda  -arch=sm_72")), QStringLiteral("cuda -arch=sm_72"));
        QCOMPARE(named(QStringLiteral("llvm -mcpu=x86-64-v3")), QStringLiteral("llvm -mcpu=x86-64-v3"));
    }

    void figuresAreChangedAndPutBack() {
        Theme theme;
        TargetForm form(theme);
        QSignalSpy chosen(&form, &TargetForm::targetChosen);
        form.resize(500, 400);
        form.setTarget(QStringLiteral("cuda -model=rtx-3090"));
        form.more()->setChecked(true);
        form.show();
        QVERIFY(QTest::qWaitForWindowExposed(&form));
        QSpinBox *multiprocessors = form.figure(QStringLiteral("num-multiprocessors"));
        QVERIFY(multiprocessors != nullptr);
        QCOMPARE(multiprocessors->value(), 82);
        multiprocessors->setFocus();
        QTest::keyClick(multiprocessors, Qt::Key_Up);
        QCOMPARE(chosen.takeLast().at(0).toString(), QStringLiteral("cuda -model=rtx-3090 -num-multiprocessors=83"));
        QCOMPARE(form.line()->text(), QStringLiteral("cuda -model=rtx-3090 -num-multiprocessors=83"));
        QToolButton *back = nullptr;
        for (auto *button : form.findChildren<QToolButton *>())
            if (button->accessibleName() == QStringLiteral("Reset Multiprocessors")) back = button;
        QVERIFY(back != nullptr && back->isVisible());
        QTest::mouseClick(back, Qt::LeftButton);
        QCOMPARE(chosen.takeLast().at(0).toString(), QStringLiteral("cuda -model=rtx-3090"));
        QCOMPARE(multiprocessors->value(), 82);
        QVERIFY(!back->isVisible());
    }

    void figuresThatCannotBe() {
        Theme theme;
        TargetForm form(theme);
        QSignalSpy chosen(&form, &TargetForm::targetChosen);
        form.setTarget(QStringLiteral("cuda -model=rtx-3090"));
        form.more()->setChecked(true);
        form.show();
        QSpinBox *shared = form.figure(QStringLiteral("max_shared_memory_per_block"));
        shared->setValue(200 * 1024); // a block of that architecture has 99 KiB
        QCOMPARE(chosen.size(), 0);
        QVERIFY2(form.problem().contains(QStringLiteral("bytes at most")), qPrintable(form.problem()));
        QCOMPARE(shared->value(), 48 * 1024);
    }

    void textIsTakenOverByEnter() {
        Theme theme;
        TargetForm form(theme);
        QSignalSpy chosen(&form, &TargetForm::targetChosen);
        form.setTarget(QStringLiteral("llvm"));
        form.more()->setChecked(true);
        form.show();
        form.line()->setFocus();
        form.line()->selectAll();
        QTest::keyClicks(form.line(), QStringLiteral("cuba"));
        QVERIFY2(form.problem().contains(QStringLiteral("cuba")), qPrintable(form.problem()));
        QTest::keyClick(form.line(), Qt::Key_Return);
        QCOMPARE(chosen.size(), 0);
        form.line()->selectAll();
        QTest::keyClicks(form.line(), QStringLiteral("cuda -arch=sm_75"));
        QCOMPARE(form.problem(), QString());
        QTest::keyClick(form.line(), Qt::Key_Return);
        QCOMPARE(chosen.takeLast().at(0).toString(), QStringLiteral("cuda -arch=sm_75"));
        QVERIFY(form.figure(QStringLiteral("num-multiprocessors")) != nullptr);
        QVERIFY(form.figure(QStringLiteral("num-cores")) == nullptr); // of the processor
    }

    void anotherTargetIsAnotherTask() {
        ViewBench bench;
        ComputationView view(bench.context);
        view.resize(700, 800);
        view.show();
        bench.session.documents().openText(QStringLiteral("mm"),
                                           QStringLiteral("workload mm(N = 8)\nA = placeholder [N, N] float32\n"
                                                          "C(i < N, j < N) = sum(k < N; A[i, k] * A[k, j])\n"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document() && bench.session.document()->task, 20000);
        QVERIFY(!bench.session.document()->task->target.isGpu());
        QComboBox *choices = view.targetForm()->choices();
        const int gpu = choices->findText(QStringLiteral("RTX 3090 ("), Qt::MatchContains);
        QVERIFY(gpu > 0);
        choices->setFocus();
        choices->setCurrentIndex(gpu);
        Q_EMIT choices->activated(gpu);
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document()->task->target.isGpu(), 20000);
        QCOMPARE(bench.session.document()->targetText, QStringLiteral("cuda -model=rtx-3090"));
        QCOMPARE(view.targetForm()->choices()->currentIndex(), gpu);
    }
};

LOOPSCOPE_WINDOW_TEST(TargetFormTest)
} // namespace loopscope

#include "target_form_test.moc"
