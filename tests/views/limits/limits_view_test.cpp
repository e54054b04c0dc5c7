// The limits of the schedule shown, in a window of their own on a real session.

#include "test_program.h"
#include "view_bench.h"
#include "views/limits/limits_model.h"
#include "views/limits/limits_view.h"

#include <QClipboard>
#include <QLabel>
#include <QTreeView>
#include <QtTest>

using namespace loopscope;

namespace {

constexpr int kPatience = 60000;

const QString kMatmul = QStringLiteral("workload mm(M = 64, N = 64, K = 64)\n"
                                       "A = placeholder [M, K] float32\n"
                                       "B = placeholder [K, N] float32\n"
                                       "C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])\n");

struct Bench : ViewBench {
    LimitsView view{context};

    void open(const char *target) {
        view.resize(600, 500);
        view.show();
        session.documents().openText(QStringLiteral("mm"), kMatmul);
        session.documents().setTarget(QString::fromLatin1(target));
    }
    [[nodiscard]] QString said() const {
        QStringList texts;
        for (const QLabel *label : view.findChildren<QLabel *>())
            if (label->isVisible()) texts << label->text();
        return texts.join(u'\n');
    }
    [[nodiscard]] QString cell(int row, int column) const {
        const LimitsModel &model = view.model();
        return model.index(row, column, model.index(0, 0)).data().toString();
    }
};

} // namespace

class LimitsViewTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void saysWhyThereIsNothing() {
        Bench bench;
        bench.view.show();
        QVERIFY2(bench.said().startsWith(QStringLiteral("Open a workload")), qPrintable(bench.said()));
        bench.open("llvm");
        QTRY_VERIFY2_WITH_TIMEOUT(bench.said().startsWith(QStringLiteral("The target is a processor.")),
                                  qPrintable(bench.said()), kPatience);
    }

    void theKernelsOfTheNaiveSchedule() {
        Bench bench;
        bench.open("cuda -arch=sm_80");
        QTRY_COMPARE_WITH_TIMEOUT(bench.view.model().rowCount(), 1, kPatience);
        QVERIFY2(bench.said().contains(QStringLiteral("108 multiprocessors")), qPrintable(bench.said()));
        QCOMPARE(bench.cell(1, LimitsModel::UsedColumn), QStringLiteral("1"));
        // By a click its loop is selected everywhere.
        QTreeView &tree = bench.view.tree();
        QTest::mouseClick(tree.viewport(), Qt::LeftButton, {},
                          tree.visualRect(bench.view.model().index(0, 0)).center());
        QVERIFY(bench.session.selection().now().node >= 0);
        QTest::keyClick(&tree, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("Threads a block\t1\t1024")));
        const QString path = bench.folder.filePath(QStringLiteral("limits.csv"));
        QCOMPARE(bench.view.exportTo(path), QString());
        QVERIFY(QFile::exists(path));
    }

    void whatIsTooMuchIsShownWithItsRefusal() {
        Bench bench;
        bench.view.resize(600, 500);
        bench.view.show();
        bench.session.documents().openText(QStringLiteral("wide"), QStringLiteral("workload wide(M = 4, N = 2048)\n"
                                                                                  "A = placeholder [M, N] float32\n"
                                                                                  "C(i < M, j < N) = A[i, j] * 2\n"));
        bench.session.documents().setTarget(QStringLiteral("cuda -arch=sm_80"));
        QTRY_COMPARE_WITH_TIMEOUT(bench.view.model().rowCount(), 1, kPatience);
        Selection &selection = bench.session.selection();
        for (const auto &[loop, annotation] : {std::pair(0, Annotation::BlockX), std::pair(1, Annotation::ThreadX)})
            QCOMPARE(bench.session.edits().apply(selection.now().schedule,
                                                 AnnotateStep{StageId(1), IterId(loop), annotation}),
                     QString());
        QTRY_COMPARE_WITH_TIMEOUT(bench.cell(1, LimitsModel::UsedColumn), QStringLiteral("2048"), kPatience);
        QCOMPARE(bench.cell(3, LimitsModel::UsedColumn), QStringLiteral("not compiled"));
        QVERIFY2(bench.said().contains(QStringLiteral("asks for 2048 threads a block, of which the target runs 1024")),
                 qPrintable(bench.said()));
        QVERIFY(bench.view.model().kernels()[0].refused);
    }

    /// Compiled or not, as there is an assembler or none: both say it.
    void registersOrWhyNot() {
        Bench bench;
        bench.open("cuda -arch=sm_80");
        QTRY_COMPARE_WITH_TIMEOUT(bench.view.model().rowCount(), 1, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(bench.cell(3, LimitsModel::UsedColumn).toInt() > 0 ||
                                     bench.said().contains(QStringLiteral("Registers and spills are not known: ")),
                                 kPatience);
    }
};

LOOPSCOPE_WINDOW_TEST(LimitsViewTest)
#include "limits_view_test.moc"
