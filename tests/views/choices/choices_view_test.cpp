// The view of choices on a searched session: weights, brushing and clicking in both plots, trials that come later.

#include "../session/scripted_session.h"

#include "test_program.h"
#include "views/actions/actions.h"
#include "views/choices/choice_list_model.h"
#include "views/choices/choices_view.h"
#include "views/choices/parallel_plot.h"
#include "views/choices/slice_plot.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTreeView>

#include <cmath>
#include <numeric>

using namespace loopscope;

namespace {

/// A session with a search of that many trials behind it, and the view on it.
struct Window : ScriptedSession {
    Theme theme;
    Actions actions;
    std::unique_ptr<ChoicesView> view;

    void show() {
        view = std::make_unique<ChoicesView>(ViewContext{*session, *settings, theme, actions});
        view->resize(1200, 800);
        view->show();
        QVERIFY(QTest::qWaitForWindowExposed(view.get()));
    }
    void search(int trials) const {
        setUp(trials);
        session->search().start();
        QVERIFY(ended());
    }
    [[nodiscard]] bool weighed(size_t trials) const {
        return QTest::qWaitFor([&] { return view->choices() && view->choices()->trials == trials; }, 30000);
    }
    [[nodiscard]] QString text() const {
        QStringList texts;
        for (const auto *label : view->findChildren<QLabel *>())
            if (label->isVisible()) texts << label->text();
        return texts.join(u'|');
    }
    static QPoint pixel(const TrialPlot &plot, const QPointF &at) {
        const Plot &p = plot.plot();
        return {qRound(p.xAxis->coordToPixel(at.x())), qRound(p.yAxis->coordToPixel(at.y()))};
    }
    /// A drag with Shift held, which brushes.
    static void brush(const TrialPlot &plot, const QPointF &from, const QPointF &to) {
        Plot &p = plot.plot();
        const QPoint a = pixel(plot, from);
        const QPoint b = pixel(plot, to);
        QTest::mousePress(&p, Qt::LeftButton, Qt::ShiftModifier, a);
        QTest::mouseMove(&p, (a + b) / 2);
        QMouseEvent move(QEvent::MouseMove, b, p.mapToGlobal(b), Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
        QApplication::sendEvent(&p, &move);
        QTest::mouseRelease(&p, Qt::LeftButton, Qt::ShiftModifier, b);
    }
};

} // namespace

class ChoicesViewTest : public QObject {
    Q_OBJECT

  private slots:
    void saysWhyItIsEmpty() {
        Window w;
        w.show();
        QVERIFY2(w.text().contains(QStringLiteral("Open a workload")), qPrintable(w.text()));
        w.openMatmul(32);
        QVERIFY2(w.text().contains(QStringLiteral("No trials yet")), qPrintable(w.text()));
        w.session->files().open({w.write(QStringLiteral("bad.te"), "workload bad(N = 8)\nC(i < N) = sum(\n")});
        QVERIFY(w.settled());
        QVERIFY2(w.text().contains(QStringLiteral("The workload has an error: ")), qPrintable(w.text()));
    }

    void trialsAreWeighedAsTheyCome() {
        Window w;
        w.show();
        w.openMatmul(8);
        w.search(8);
        QVERIFY(w.weighed(8));
        QVERIFY2(w.text().contains(QStringLiteral("Fewer than 20 valid trials")), qPrintable(w.text()));
        QVERIFY(w.view->list().model()->rowCount() > 3);
        const QAbstractItemModelTester tester(w.view->list().model());
        w.session->search().continueWith(40);
        QVERIFY(w.ended());
        QVERIFY(w.weighed(48));
        QVERIFY2(w.text().contains(QStringLiteral("of the differences in time")), qPrintable(w.text()));
        const std::vector<double> &shares = w.view->choices()->importance.share;
        QVERIFY(std::fabs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1) < 1e-6);
        for (size_t i = 1; i < shares.size(); ++i)
            QVERIFY(w.view->choices()->share(w.view->choices()->order[i - 1]) >=
                    w.view->choices()->share(w.view->choices()->order[i]));
    }

    void aLineOfTheListIsTheSlice() {
        Window w;
        searched(w);
        QTreeView &list = w.view->list();
        QCOMPARE(w.view->slice().choice(), w.view->choices()->order.front());
        const QRect third = list.visualRect(list.model()->index(2, 0));
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, third.center());
        QCOMPARE(w.view->slice().choice(), w.view->choices()->order[2]);
        QTest::keyClick(&list, Qt::Key_Down);
        QCOMPARE(w.view->slice().choice(), w.view->choices()->order[3]);
        // It stays while trials come, wherever it stands then.
        const QString name = list.currentIndex().siblingAtColumn(0).data().toString();
        w.session->search().continueWith(8);
        QVERIFY(w.ended());
        QVERIFY(w.weighed(56));
        QCOMPARE(list.currentIndex().siblingAtColumn(0).data().toString(), name);
    }

    void aClickSelectsTheTrialAndABrushMany() {
        Window w;
        searched(w);
        const ParallelPlot &plot = w.view->parallel();
        QVERIFY(plot.shown().size() > 2);
        const int best = w.session->document()->best;
        w.session->selection().selectSchedule({});
        const QPointF at = plot.crossing(best, plot.shown().size()); // the fastest stands alone on the axis of speed
        QTest::mouseClick(&plot.plot(), Qt::LeftButton, {}, Window::pixel(plot, at));
        QCOMPARE(w.session->selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Trial, best}));
        // All that chose what the best chose on the first axis.
        Window::brush(plot, plot.crossing(best, 0) + QPointF(-0.3, 0.06), plot.crossing(best, 0) + QPointF(0.3, -0.06));
        const std::vector<int> brushed = w.session->selection().now().trials;
        const auto &places = w.view->choices()->axes[static_cast<size_t>(plot.shown()[0])].placeOf;
        std::vector<int> expected;
        for (size_t i = 0; i < places.size(); ++i)
            if (places[i] == places[static_cast<size_t>(best)]) expected.push_back(static_cast<int>(i));
        QCOMPARE(brushed, expected);
    }

    void theSliceSelectsAsWell() {
        Window w;
        searched(w);
        const SlicePlot &plot = w.view->slice();
        Window::brush(plot, {-0.5, 1.02}, {static_cast<double>(w.view->choices()->trials), -0.05});
        QCOMPARE(w.session->selection().now().trials.size(), size_t{48});
    }

    void theChoicesAreExported() {
        Window w;
        searched(w);
        const QString path = w.folder.filePath(QStringLiteral("choices.csv"));
        QVERIFY(w.view->exportSuffixes().contains(QStringLiteral("csv")));
        QCOMPARE(w.view->exportTo(path), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 49);
        QVERIFY2(lines[0].startsWith(QStringLiteral("trial,seconds,\"")), qPrintable(lines[0]));
        QVERIFY2(lines[1].startsWith(QStringLiteral("1,")), qPrintable(lines[1]));
    }

    void anotherTaskHasItsOwn() {
        Window w;
        searched(w);
        w.session->documents().setParams({{"N", 32}});
        QTRY_VERIFY_WITH_TIMEOUT(w.text().contains(QStringLiteral("No trials yet")), 20000);
        QVERIFY(!w.view->choices());
    }

  private:
    static void searched(Window &w) {
        w.show();
        w.openMatmul(48);
        w.search(48);
        QVERIFY(w.weighed(48));
        QTest::qWait(50); // drawn
    }
};

LOOPSCOPE_WINDOW_TEST(ChoicesViewTest)
#include "choices_view_test.moc"
