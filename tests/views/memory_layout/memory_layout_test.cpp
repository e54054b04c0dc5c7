// The memory layout view by clicks and keys: empty states, candidates with their costs, one that pays and one that does
// not, a layout that is typed, the workload rewritten and gone back to.

#include "test_program.h"
#include "view_bench.h"
#include "views/memory_layout/candidate_model.h"
#include "views/memory_layout/memory_canvas.h"
#include "views/memory_layout/memory_layout_view.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeView>
#include <QtTest>

namespace loopscope {

namespace {

constexpr int kLong = 60000;
/// Rows times columns, as the naive loops i, j, k have it: B is walked down.
const QString kProduct = QStringLiteral("workload product(N = 256)\n"
                                        "A = placeholder [N, N] float32\n"
                                        "B = placeholder [N, N] float32\n"
                                        "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n");
const QString kBlur = QStringLiteral("workload blur(W = 62, H = 46)\n"
                                     "in = placeholder [H + 2, W + 2] float32\n"
                                     "bx(y < H + 2, x < W) = (in[y, x] + in[y, x + 1] + in[y, x + 2]) / 3\n"
                                     "by(y < H, x < W) = (bx[y, x] + bx[y + 1, x] + bx[y + 2, x]) / 3\n");

} // namespace

class MemoryLayoutTest : public QObject {
    Q_OBJECT

    struct Bench : ViewBench {
        MemoryLayoutView view{context};
        Bench() {
            view.resize(1000, 700);
            view.show();
            (void)QTest::qWaitForWindowExposed(&view);
        }
        void open(const QString &text) {
            session.documents().openText(QStringLiteral("test"), text);
            QTRY_VERIFY_WITH_TIMEOUT(session.document()->task, kLong);
        }
        bool studied(const QString &tensor) {
            return QTest::qWaitFor(
                [&] {
                    return view.candidates().study().tensor == tensor && !view.candidates().study().candidates.empty();
                },
                kLong);
        }
        [[nodiscard]] const LayoutCandidate &best() const {
            const LayoutStudy &study = view.candidates().study();
            return study.candidates[static_cast<size_t>(study.best)];
        }
    };

  private slots:
    void saysWhyThereIsNothing() {
        Bench bench;
        QVERIFY(bench.view.emptyText().startsWith(QStringLiteral("Open a workload to see in which order")));
        bench.open(QStringLiteral("workload v(N = 5)\na = placeholder [N] float32\nb(i < N) = a[i] + 1\n"));
        QTRY_VERIFY(
            bench.view.emptyText().startsWith(QStringLiteral("No tensor of v that lies in memory has two axes")));
    }

    void columnsAreTurned() {
        Bench bench;
        bench.open(kProduct);
        QVERIFY(bench.studied(QStringLiteral("B")));
        const QAbstractItemModelTester tester(&bench.view.candidates(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        const LayoutStudy &study = bench.view.candidates().study();
        QCOMPARE(study.candidates.front().words, QStringLiteral("as it is"));
        QVERIFY2(study.best == 1, qPrintable(bench.view.candidates().text()));
        QVERIFY2(bench.best().cost.misses[0] < study.candidates.front().cost.misses[0] / 4,
                 qPrintable(bench.view.candidates().text()));
        QVERIFY(bench.view.said().contains(QStringLiteral("saves")));
        QCOMPARE(bench.view.table().currentIndex().row(), 1);
        // A vector along k: a line each before, fewer after.
        bench.view.vectorAxis().setCurrentIndex(0);
        // Pointed at anew each time: a layout that comes late moves what is under the pointer.
        const auto pointed = [&] {
            const QPointF place = bench.view.before().rectOf(3).center();
            QMouseEvent move(QEvent::MouseMove, place, bench.view.before().mapToGlobal(place), Qt::NoButton,
                             Qt::NoButton, {});
            QApplication::sendEvent(&bench.view.before(), &move);
            return bench.view.readout();
        };
        QTRY_VERIFY2(pointed().startsWith(QStringLiteral("Before: B[")), qPrintable(pointed()));
        QVERIFY2(bench.view.readout().contains(QStringLiteral("\nAfter: B[")), qPrintable(bench.view.readout()));
        QCOMPARE(bench.view.after().pointed(), std::optional(3));
        QVERIFY(bench.view.after().picture().linesOfVector(3) < bench.view.before().picture().linesOfVector(3));
        // Applied: another text, another task; the one before stays.
        QTest::mouseClick(&bench.view.applyButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document()->text != kProduct, kLong);
        QTRY_VERIFY_WITH_TIMEOUT(
            !bench.session.document()->analysing && bench.session.document()->task->dag->size() == 4, kLong);
        QVERIFY(!bench.session.document()->problem);
        bench.session.documents().setText(kProduct);
        QTRY_VERIFY_WITH_TIMEOUT(
            !bench.session.document()->analysing && bench.session.document()->task->dag->size() == 3, kLong);
    }

    /// Keys as they are struck where Apply left the focus.
    void appliedLayoutsAreTakenBack() {
        Bench bench;
        bench.open(kProduct);
        QVERIFY(bench.studied(QStringLiteral("B")));
        const auto press = [](int key, Qt::KeyboardModifiers modifiers) {
            QVERIFY(QApplication::focusWidget() != nullptr);
            QTest::keyClick(QApplication::focusWidget(), static_cast<Qt::Key>(key), modifiers);
        };
        QApplication::setActiveWindow(&bench.view);
        bench.view.applyButton().setFocus();
        press(Qt::Key_Z, Qt::ControlModifier); // nothing yet
        QCOMPARE(bench.session.document()->text, kProduct);
        QVERIFY2(bench.view.said().contains(QStringLiteral("nothing to take back")), qPrintable(bench.view.said()));
        QTest::mouseClick(&bench.view.applyButton(), Qt::LeftButton);
        const QString applied = bench.session.document()->text;
        QVERIFY(applied.contains(QStringLiteral("B_packed")));
        press(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(bench.session.document()->text, kProduct);
        press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(bench.session.document()->text, applied);
        press(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(bench.session.document()->text, kProduct);
        QTRY_VERIFY_WITH_TIMEOUT(
            !bench.session.document()->analysing && bench.session.document()->task->dag->size() == 3, kLong);
        // What somebody typed since is not taken back with it.
        QVERIFY(bench.studied(QStringLiteral("B")));
        QTest::mouseClick(&bench.view.applyButton(), Qt::LeftButton);
        const QString typed = bench.session.document()->text + QStringLiteral("# mine\n");
        bench.session.documents().setText(typed);
        press(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(bench.session.document()->text, typed);
        QVERIFY2(bench.view.said().contains(QStringLiteral("undone in Computation")), qPrintable(bench.view.said()));
    }

    void whatLiesAsItIsReadStays() {
        Bench bench;
        bench.open(kBlur);
        bench.session.selection().selectStage(QStringLiteral("bx"));
        QVERIFY(bench.studied(QStringLiteral("bx")));
        QCOMPARE(bench.view.candidates().study().best, 0);
        QVERIFY2(!bench.view.said().contains(QStringLiteral("saves ")) ||
                     bench.view.said().contains(QStringLiteral("no other")),
                 qPrintable(bench.view.said()));
    }

    void layoutsAreTyped() {
        Bench bench;
        bench.open(kProduct);
        QVERIFY(bench.studied(QStringLiteral("B")));
        QTest::keyClicks(&bench.view.line(), QStringLiteral("[j] [k] [z]"));
        QTest::keyClick(&bench.view.line(), Qt::Key_Return);
        QVERIFY2(bench.view.said().contains(QStringLiteral("z")), qPrintable(bench.view.said()));
        bench.view.line().clear();
        QTest::keyClicks(&bench.view.line(), QStringLiteral("[j/24] [k] [j%24]"));
        QTest::keyClick(&bench.view.line(), Qt::Key_Return);
        const auto shown = [&] { return bench.view.table().currentIndex().data().toString(); };
        QTRY_VERIFY2_WITH_TIMEOUT(shown() == QStringLiteral("[j/24][k][24]"),
                                  qPrintable(shown() + u' ' + bench.view.said()), kLong);
        const QString table = bench.folder.filePath(QStringLiteral("layouts.tsv"));
        QCOMPARE(bench.view.exportTo(table), QString());
        QVERIFY(QFile::exists(table));
    }
};

LOOPSCOPE_WINDOW_TEST(MemoryLayoutTest)
} // namespace loopscope

#include "memory_layout_test.moc"
