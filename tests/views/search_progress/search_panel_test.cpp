// The panel with a made-up document: what can be pressed when, and the plots by mouse.

#include "language/dag/compute_dag.h"
#include "language/target/target.h"
#include "language/task/task.h"
#include "language/te/workload.h"
#include "test_program.h"
#include "trials_from_text.h"
#include "views/search_progress/plot_panes.h"
#include "views/search_progress/prediction_plot.h"
#include "views/search_progress/progress_plot.h"
#include "views/search_progress/search_panel.h"
#include "views/search_progress/setup_form.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

class SearchPanelTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void cleanup();
    void emptyState();
    void emptyPlotsShowTheirTextAlone();
    void running();
    void clockBeginsWithTheSearch();
    void failed();
    void aWideComparisonOffersAnother();
    void clickSelectsTheTrial();
    void failuresCanBeClicked();
    void brushSelectsTrials();
    void ringFollowsTheSelection();
    void neighbours();
    void trialsArriveWhileShown();
    void theLegendNamesWhatArrives();
    void switchesAxes();
    void titleEnlarges();
    void narrowShowsTabs();
    void nothingIsSqueezed();
    void everyRoofHasItsName();
    void formTellsAndRemembers();
    void formIsLocked();
    void thousands();

  private:
    void show(const QString &trials);
    Plot &plot(int index = 0) { return m_panel->findChildren<TrialPlot *>()[index]->plot(); }
    QPoint at(double x, double y) {
        return {qRound(plot().xAxis->coordToPixel(x)), qRound(plot().yAxis->coordToPixel(y))};
    }
    template <typename T> T *child(const char *name) { return m_panel->findChild<T *>(QLatin1String(name)); }

    QTemporaryDir m_folder;
    Theme m_theme;
    std::unique_ptr<Settings> m_settings;
    Document m_document;
    std::unique_ptr<SearchPanel> m_panel;
};

void SearchPanelTest::init() {
    const QString path = m_folder.filePath(QStringLiteral("settings.ini"));
    QFile::remove(path);
    m_settings = std::make_unique<Settings>(path);
    m_document = {};
    m_document.id = 1;
    m_document.name = QStringLiteral("matmul");
    m_panel = std::make_unique<SearchPanel>(m_theme, *m_settings);
    m_panel->resize(1400, 1100);
    m_panel->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
}

void SearchPanelTest::cleanup() { m_panel.reset(); }

void SearchPanelTest::show(const QString &trials) {
    m_document.trials = trialsFromText(trials);
    m_document.best = m_document.trials.empty() ? -1 : 0;
    m_panel->setDocument(&m_document);
    m_panel->updateStatus({}, {});
    QTest::qWait(1);
    plot().replot();
}

void SearchPanelTest::emptyState() {
    m_panel->setDocument(nullptr);
    QVERIFY(!child<QPushButton>("searchPrimary")->isEnabled());
    QVERIFY(!child<QPushButton>("searchBegin")->isVisible());
    show({});
    auto *begin = child<QPushButton>("searchBegin");
    QVERIFY(begin->isVisible());
    QSignalSpy pressed(m_panel.get(), &SearchPanel::primaryClicked);
    QTest::mouseClick(begin, Qt::LeftButton);
    QTest::mouseClick(child<QPushButton>("searchPrimary"), Qt::LeftButton);
    QCOMPARE(pressed.size(), 2);
    m_panel->updateStatus(QStringLiteral("the workload has an error: no such name"), {});
    QVERIFY(!begin->isVisible());
    QCOMPARE(child<QPushButton>("searchPrimary")->toolTip(),
             QStringLiteral("The workload has an error: no such name."));
}

void SearchPanelTest::emptyPlotsShowTheirTextAlone() {
    show(QStringLiteral("4@1 2@2 3@3")); // of a log, which knows no predictions
    // Room for a second axis comes and goes with the size.
    for (const QSize size : {QSize(1400, 500), QSize(1400, 1500)}) {
        m_panel->resize(size);
        QTest::qWait(20);
        for (TrialPlot *pane : m_panel->findChildren<TrialPlot *>()) {
            if (!pane->plot().empty()) continue;
            for (const QCPAxisRect *rect : pane->plot().findChildren<QCPAxisRect *>())
                QVERIFY2(!rect->realVisibility(), qPrintable(QString::number(size.height())));
            for (int i = 0; i < pane->plot().graphCount(); ++i) QVERIFY(!pane->plot().graph(i)->realVisibility());
        }
    }
    auto *prediction = m_panel->findChild<PredictionPlot *>();
    QVERIFY(prediction && prediction->plot().empty());
    m_document.trials = trialsFromText(QStringLiteral("4@1 2@2 3@3"));
    for (auto &trial : m_document.trials) trial.round = 1, trial.predicted = trial.seconds();
    m_panel->setDocument(&m_document);
    QTRY_VERIFY(!prediction->plot().empty());
    for (const QCPAxisRect *rect : prediction->plot().findChildren<QCPAxisRect *>()) QVERIFY(rect->realVisibility());
}

void SearchPanelTest::running() {
    m_document.search.state = SearchState::Running;
    m_document.search.total = 64;
    show(QStringLiteral("4@1 2@2"));
    QCOMPARE(child<QPushButton>("searchPrimary")->text(), QStringLiteral("Pause"));
    QVERIFY(child<QPushButton>("searchStop")->isEnabled());
    QVERIFY(!child<QPushButton>("searchContinue")->isEnabled());
    QSignalSpy stopped(m_panel.get(), &SearchPanel::stopClicked);
    QTest::mouseClick(child<QPushButton>("searchStop"), Qt::LeftButton);
    QCOMPARE(stopped.size(), 1);
    m_document.search.state = SearchState::Paused;
    m_panel->updateStatus(QStringLiteral("the search is running"), QStringLiteral("the search is running"));
    QCOMPARE(child<QPushButton>("searchPrimary")->text(), QStringLiteral("Continue"));
    m_document.search.state = SearchState::Finished;
    m_panel->updateStatus({}, {});
    QSignalSpy more(m_panel.get(), &SearchPanel::continueClicked);
    QTest::mouseClick(child<QPushButton>("searchContinue"), Qt::LeftButton);
    QCOMPARE(more.size(), 1);
    QCOMPARE(more[0][0].toInt(), 64);
}

void SearchPanelTest::clockBeginsWithTheSearch() {
    show({});
    m_panel->updateClock();
    QTest::qWait(300); // nothing runs
    m_document.search.state = SearchState::Running;
    m_document.search.total = 64;
    m_panel->updateStatus({}, {});
    const auto elapsed = [this] {
        for (const auto *label : m_panel->findChildren<QLabel *>())
            if (label->accessibleName() == QLatin1String("Elapsed")) return label->text();
        return QString();
    };
    QCOMPARE(elapsed(), QStringLiteral("0.0 s"));
    QTest::qWait(300);
    m_panel->updateClock();
    QVERIFY(elapsed() != QStringLiteral("0.0 s"));
    m_document.search.elapsed = 7;
    m_panel->updateClock();
    QCOMPARE(elapsed(), QStringLiteral("7.0 s"));
}

void SearchPanelTest::failed() {
    m_document.search.state = SearchState::Failed;
    m_document.search.ended = QStringLiteral("the worker cannot be started");
    show(QStringLiteral("4@1"));
    QCOMPARE(child<QLabel>("searchHeadline")->text(), QStringLiteral("Failed: the worker cannot be started"));
    QVERIFY(child<QPushButton>("searchPrimary")->isEnabled());
}

void SearchPanelTest::aWideComparisonOffersAnother() {
    show(QStringLiteral("10 9"));
    auto *again = child<QPushButton>("compareAgain");
    QVERIFY(!again->isVisible());
    m_document.trials[0].later.change().compared = {1e-3, 0.99e-3, 1.04e-3};
    m_panel->updateStatus({}, {});
    QVERIFY(!again->isVisible());
    m_document.trials[0].later.change().compared = {1e-3, 0.98e-3, 1.3e-3};
    m_panel->updateStatus({}, {});
    QVERIFY(again->isVisible() && again->isEnabled());
    QSignalSpy asked(m_panel.get(), &SearchPanel::compareAgain);
    QTest::mouseClick(again, Qt::LeftButton);
    QCOMPARE(asked.size(), 1);
    m_panel->updateStatus(QStringLiteral("all trials asked for (64) are there"), {});
    QVERIFY(again->isVisible() && again->isEnabled()); // none is added
    m_panel->updateStatus({}, QStringLiteral("trials are being measured again"));
    QVERIFY(again->isVisible() && !again->isEnabled());
    QCOMPARE(again->toolTip(), QStringLiteral("Trials are being measured again."));
    m_document.search.state = SearchState::Running;
    m_panel->updateStatus({}, {});
    QVERIFY(!again->isVisible()); // there will be another comparison anyway
}

void SearchPanelTest::clickSelectsTheTrial() {
    show(QStringLiteral("4@1 2@2 3@3 5@4"));
    QSignalSpy selected(m_panel.get(), &SearchPanel::trialSelected);
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, at(3, 3e-3));
    QCOMPARE(selected.size(), 1);
    QCOMPARE(selected[0][0].toInt(), 2);
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, at(2.5, 4.5e-3));
    QCOMPARE(selected.size(), 1); // nothing there
}

void SearchPanelTest::failuresCanBeClicked() {
    show(QStringLiteral("4@1 !wrong-answer@2 3@3 !run-timeout@4"));
    QSignalSpy selected(m_panel.get(), &SearchPanel::trialSelected);
    QCPAxisRect *strip = plot().axisRect(1);
    const auto place = [&](double x, double y) {
        return QPoint(qRound(strip->axis(QCPAxis::atBottom)->coordToPixel(x)),
                      qRound(strip->axis(QCPAxis::atLeft)->coordToPixel(y)));
    };
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, place(2, 1.5));
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, place(4, 0.5));
    QCOMPARE(selected.size(), 2);
    QCOMPARE(selected[0][0].toInt(), 1);
    QCOMPARE(selected[1][0].toInt(), 3);
}

void SearchPanelTest::brushSelectsTrials() {
    show(QStringLiteral("4@1 2@2 3@3 5@4"));
    QSignalSpy brushed(m_panel.get(), &SearchPanel::trialsBrushed);
    const QPoint from = at(1.5, 3.5e-3);
    const QPoint to = at(3.5, 1.5e-3);
    QTest::mousePress(&plot(), Qt::LeftButton, Qt::ShiftModifier, from);
    QMouseEvent move(QEvent::MouseMove, to, plot().mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
    QCoreApplication::sendEvent(&plot(), &move);
    QTest::mouseRelease(&plot(), Qt::LeftButton, Qt::ShiftModifier, to);
    QCOMPARE(brushed.size(), 1);
    QCOMPARE(brushed[0][0].value<std::vector<int>>(), (std::vector<int>{1, 2}));
    m_panel->select(-1, {1, 2});
    QTest::mouseClick(&plot(), Qt::LeftButton, Qt::ControlModifier, at(4, 5e-3));
    QCOMPARE(brushed[1][0].value<std::vector<int>>(), (std::vector<int>{1, 2, 3}));
    QTest::mouseClick(&plot(), Qt::LeftButton, Qt::ControlModifier, at(2, 2e-3));
    QCOMPARE(brushed[2][0].value<std::vector<int>>(), (std::vector<int>{2}));
}

void SearchPanelTest::ringFollowsTheSelection() {
    show(QStringLiteral("4@1 2@2 3@3"));
    m_panel->select(1, {0, 2});
    const auto overlay = [this] {
        QStringList shown;
        for (int i = 0; i < plot().graphCount(); ++i) {
            const QCPGraph *graph = plot().graph(i);
            if (graph->layer()->name() != QLatin1String("overlay") || graph->keyAxis() != plot().xAxis) continue;
            QStringList keys;
            for (const auto &point : *graph->data()) keys << QString::number(point.key);
            shown << keys.join(QLatin1Char(','));
        }
        return shown.join(QLatin1Char(' '));
    };
    QCOMPARE(overlay(), QStringLiteral("1,3 2"));
    m_panel->select(-1, {});
    QCOMPARE(overlay(), QStringLiteral(" "));
}

void SearchPanelTest::neighbours() {
    show(QStringLiteral("4@1 !wrong-answer@2 3@3"));
    QCOMPARE(m_panel->neighbour(1), 0);
    QCOMPARE(m_panel->neighbour(-1), 2);
    m_panel->select(0, {});
    QCOMPARE(m_panel->neighbour(1), 2); // over the failed one
    QCOMPARE(m_panel->neighbour(-1), -1);
    m_panel->select(1, {});
    QCOMPARE(m_panel->neighbour(1), 2);
    QCOMPARE(m_panel->neighbour(-1), 0);
}

void SearchPanelTest::trialsArriveWhileShown() {
    show(QStringLiteral("4@1 2@2"));
    const auto more = trialsFromText(QStringLiteral("3@3 !wrong-answer@4 1@5"));
    for (const auto &entry : more) {
        m_document.trials.push_back(entry);
        m_panel->addTrials(static_cast<int>(m_document.trials.size()) - 1);
    }
    const auto keys = [this](int graph) {
        QStringList list;
        for (const auto &point : *plot().graph(graph)->data())
            list << QStringLiteral("%1=%2").arg(point.key).arg(point.value * 1e3);
        return list.join(QLatin1Char(' '));
    };
    QCOMPARE(keys(0), QStringLiteral("1=4 2=2 3=3 5=1"));
    QCOMPARE(keys(1), QStringLiteral("1=4 2=2 5=1"));
    QVERIFY(plot().xAxis->range().contains(5));
    m_document.trials.push_back(more[0]);
    m_panel->addTrials(5);
    QCOMPARE(keys(1), QStringLiteral("1=4 2=2 5=1 6=1")); // the line goes on to the newest trial
}

void SearchPanelTest::theLegendNamesWhatArrives() {
    show(QStringLiteral("4@1 2@2"));
    const auto names = [this] {
        QStringList list;
        for (int i = 0; i < plot().legend->itemCount(); ++i)
            if (auto *item = qobject_cast<QCPPlottableLegendItem *>(plot().legend->item(i)))
                list << item->plottable()->name();
        return list.join(QLatin1Char('|'));
    };
    QCOMPARE(names(), QStringLiteral("trial|best so far|best"));
    auto unstable = trialsFromText(QStringLiteral("3@3"));
    unstable[0].trial.unstable = true;
    m_document.trials.push_back(unstable[0]);
    m_panel->addTrials(2);
    QCOMPARE(names(), QStringLiteral("trial|best so far|best|not confirmed"));
}

void SearchPanelTest::switchesAxes() {
    show(QStringLiteral("4@1 2@7"));
    std::vector<QComboBox *> choices;
    for (QWidget *control : m_panel->findChildren<ProgressPlot *>()[0]->controls())
        choices.push_back(qobject_cast<QComboBox *>(control));
    QCOMPARE(choices.size(), size_t(3));
    choices[1]->setCurrentIndex(1);
    QCOMPARE((plot().graph(0)->data()->constEnd() - 1)->key, 7.);
    choices[2]->setCurrentIndex(1);
    QCOMPARE(plot().yAxis->scaleType(), QCPAxis::stLogarithmic);
    QVERIFY(plot().yAxis->range().lower > 0);
    QCOMPARE(m_settings->value(QStringLiteral("search/progress_x")).toInt(), 1);
}

void SearchPanelTest::titleEnlarges() {
    show(QStringLiteral("4@1 2@7"));
    auto &panes = m_panel->panes();
    QVERIFY(panes.showsAll());
    QVERIFY(plot(3).isVisible());
    QLabel *title = nullptr;
    for (auto *label : panes.findChildren<QLabel *>())
        if (label->text() == QLatin1String("Population")) title = label;
    QVERIFY(title);
    QTest::mouseDClick(title, Qt::LeftButton);
    QCOMPARE(panes.enlarged(), 2);
    QVERIFY(plot(2).isVisible());
    QVERIFY(!plot(0).isVisible());
    QTest::mouseDClick(title, Qt::LeftButton);
    QVERIFY(panes.showsAll());
    QVERIFY(plot(0).isVisible());
}

void SearchPanelTest::narrowShowsTabs() {
    show(QStringLiteral("4@1 2@7"));
    m_panel->resize(500, 600);
    QVERIFY(!m_panel->panes().showsAll());
    QVERIFY(plot(0).isVisible());
    QVERIFY(!plot(1).isVisible());
    m_panel->panes().setCurrent(1);
    QVERIFY(plot(1).isVisible());
    QVERIFY(!plot(0).isVisible());
}

void SearchPanelTest::nothingIsSqueezed() {
    show(QStringLiteral("4@1 2@2 3@3 5@4"));
    for (const QSize size : {QSize(1400, 1100), QSize(720, 1000), QSize(560, 700), QSize(300, 900)}) {
        m_panel->resize(size);
        for (int pane = 0; pane < 4; ++pane) {
            m_panel->panes().setCurrent(pane);
            QTest::qWait(20);
            int seen = 0;
            for (const QComboBox *box : m_panel->panes().findChildren<QComboBox *>())
                if (box->isVisible()) {
                    QVERIFY2(box->width() >= box->sizeHint().width(), qPrintable(box->currentText()));
                    ++seen;
                }
            for (const QLabel *label : m_panel->panes().findChildren<QLabel *>())
                if (label->isVisible() && !label->wordWrap()) {
                    QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
                    ++seen;
                }
            for (const QAbstractButton *button : m_panel->findChildren<QAbstractButton *>()) {
                if (!button->isVisible() || button->visibleRegion().isEmpty()) continue;
                const QRect place(button->mapTo(m_panel.get(), QPoint()), button->size());
                QVERIFY2(m_panel->rect().contains(place), qPrintable(button->text() + button->toolTip()));
                ++seen;
            }
            QVERIFY(seen > 0);
        }
    }
}

void SearchPanelTest::everyRoofHasItsName() {
    m_document.task = std::make_shared<const Task>(makeTask(
        ComputeDag::fromWorkload(loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/matmul.te")), parseTarget("llvm")));
    show(QStringLiteral("4@1 2@2 3@3 5@4"));
    MachineRooflines machine;
    machine.cores = 2;
    machine.oneCoreGflops = 320;
    machine.allCoresGflops = 463;
    machine.memories = {{QStringLiteral("L1"), 300e9, 600e9},
                        {QStringLiteral("L2"), 180e9, 330e9},
                        {QStringLiteral("L3"), 70e9, 120e9},
                        {QStringLiteral("DRAM"), 20e9, 31e9}};
    m_panel->setMachine(machine);
    constexpr int kRoofline = 3;
    m_panel->panes().enlarge(kRoofline);
    for (const QSize size : {QSize(420, 560), QSize(640, 700), QSize(1400, 1000)}) {
        m_panel->resize(size);
        QTest::qWait(250);
        plot(kRoofline).replot();
        QStringList names;
        std::vector<QPolygonF> places;
        for (int i = 0; i < plot(kRoofline).itemCount(); ++i) {
            const auto *text = qobject_cast<const QCPItemText *>(plot(kRoofline).item(i));
            if (!text || !text->visible() || text->text().isEmpty()) continue;
            names << text->text();
            const QFontMetricsF metrics(text->font());
            const QSizeF own(metrics.horizontalAdvance(text->text()), metrics.height());
            const Qt::Alignment to = text->positionAlignment();
            const double left = to & Qt::AlignRight ? -own.width() : to & Qt::AlignHCenter ? -own.width() / 2 : 0;
            const double top = to & Qt::AlignBottom ? -own.height() : to & Qt::AlignVCenter ? -own.height() / 2 : 0;
            const QPointF at = text->position->pixelPosition();
            places.push_back(QTransform()
                                 .translate(at.x(), at.y())
                                 .rotate(text->rotation())
                                 .map(QPolygonF(QRectF(QPointF(left, top), own).adjusted(1, 1, -1, -1))));
        }
        for (const char *name : {"L1", "L2", "L3", "DRAM", "all cores", "one core"})
            QVERIFY2(std::any_of(names.begin(), names.end(),
                                 [&](const QString &text) { return text.startsWith(QLatin1String(name)); }),
                     qPrintable(QLatin1String(name) + QStringLiteral(" is not in ") + names.join(u'|')));
        for (size_t a = 0; a < places.size(); ++a)
            for (size_t b = a + 1; b < places.size(); ++b)
                QVERIFY2(!places[a].intersects(places[b]),
                         qPrintable(names[int(a)] + QStringLiteral(" over ") + names[int(b)]));
    }
}

void SearchPanelTest::formTellsAndRemembers() {
    show({});
    auto &form = m_panel->form();
    std::vector<SearchSetup> told;
    connect(&form, &SetupForm::setupChanged, this, [&told](const SearchSetup &setup) { told.push_back(setup); });
    QSpinBox *trials = nullptr;
    for (auto *box : form.findChildren<QSpinBox *>())
        if (box->accessibleName() == QLatin1String("Trials")) trials = box;
    QVERIFY(trials);
    trials->setFocus();
    trials->selectAll();
    QTest::keyClicks(trials, QStringLiteral("200"));
    QTest::keyClick(trials, Qt::Key_Return);
    QCOMPARE(told.size(), size_t(1));
    QCOMPARE(told[0].options.trials, 200);
    QCOMPARE(storedSetup(*m_settings).options.trials, 200);
    SearchSetup other;
    other.options.trials = 32;
    other.options.seed = 5;
    form.setSetup(other, QStringLiteral("llvm"), {});
    QCOMPARE(told.size(), size_t(1)); // shown, not told
    QCOMPARE(form.setup().options.trials, 32);
    QCOMPARE(form.setup().options.seed, uint64_t(5));
    m_settings->setValue(QStringLiteral("search/trials"), -4); // somebody edited the file
    QCOMPARE(storedSetup(*m_settings).options.trials, 1);
}

void SearchPanelTest::formIsLocked() {
    m_document.search.state = SearchState::Running;
    show(QStringLiteral("4@1"));
    auto *target = m_panel->form().findChildren<QComboBox *>()[0];
    QVERIFY(!target->isEnabled());
    QVERIFY(target->toolTip().contains(QStringLiteral("while the search runs")));
    m_document.search.state = SearchState::Finished;
    m_panel->updateStatus({}, {});
    QVERIFY(target->isEnabled());
    QVERIFY(!target->toolTip().contains(QStringLiteral("while the search runs")));
}

void SearchPanelTest::thousands() {
    QString text;
    for (int i = 0; i < 5000; ++i)
        text += i % 20 == 0 ? QStringLiteral("!wrong-answer@%1 ").arg(i)
                            : QStringLiteral("%1@%2#%3~0.5 ").arg(1 + (i * 37) % 100).arg(i).arg(i / 16);
    show(text);
    int shown = 0;
    for (int i = 0; i < plot().graphCount(); ++i)
        if (plot().graph(i)->layer()->name() != QLatin1String("overlay")) shown += plot().graph(i)->data()->size();
    QVERIFY(shown >= 5000); // none is hidden
    plot().replot();
}

LOOPSCOPE_WINDOW_TEST(SearchPanelTest)
#include "search_panel_test.moc"
