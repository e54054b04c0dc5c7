// On what a search measures: the choice in its form, what the panel waits for, and what it shows where nothing is
// timed.

#include "language/dag/compute_dag.h"
#include "language/target/detected_gpu.h"
#include "language/task/task.h"
#include "language/te/workload.h"
#include "test_program.h"
#include "trials_from_text.h"
#include "views/search_progress/bundle_strip.h"
#include "views/search_progress/prediction_plot.h"
#include "views/search_progress/progress_plot.h"
#include "views/search_progress/search_panel.h"
#include "views/search_progress/setup_form.h"

#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

class MeasuringChoiceTest : public QObject {
    Q_OBJECT

  private slots:
    void init();
    void cleanup();
    void whereToMeasureIsChosen();
    void plotsSayThatNothingWasTimed();
    void whatIsWaitedForIsSaid();

  private:
    void show(const QString &trials);
    template <typename T> T *child(const char *name) { return m_panel->findChild<T *>(QLatin1String(name)); }

    QTemporaryDir m_folder;
    Theme m_theme;
    std::unique_ptr<Settings> m_settings;
    Document m_document;
    std::unique_ptr<SearchPanel> m_panel;
};

void MeasuringChoiceTest::init() {
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

void MeasuringChoiceTest::cleanup() {
    setGpuDetector(nullptr);
    m_panel.reset();
}

void MeasuringChoiceTest::show(const QString &trials) {
    m_document.trials = trialsFromText(trials);
    m_panel->setDocument(&m_document);
    m_panel->updateStatus({}, {});
}

void MeasuringChoiceTest::whereToMeasureIsChosen() {
    const auto workload = ComputeDag::fromWorkload(loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/matmul.te"));
    const auto taskOf = [&](const char *target) {
        return std::make_shared<const Task>(makeTask(workload, parseTarget(target)));
    };
    auto &form = m_panel->form();
    auto *ways = form.findChild<QComboBox *>(QStringLiteral("measureOn"));
    auto *folder = form.findChild<QLineEdit *>(QStringLiteral("bundleFolder"));
    QVERIFY(ways && folder);
    setGpuDetector([]() -> Outcome<DetectedGpu> { return DetectedGpu{"NVIDIA L4", "sm_89", {}, 0}; });
    m_document.task = taskOf("cuda -arch=sm_80");
    show({});
    QVERIFY(ways->isVisible());
    QVERIFY(!folder->isVisible());
    QCOMPARE(ways->currentText(), QStringLiteral("This GPU: NVIDIA L4"));
    std::vector<SearchSetup> told;
    connect(&form, &SetupForm::setupChanged, this, [&](const SearchSetup &setup) {
        told.push_back(setup);
        m_document.setup = setup;
        m_panel->updateStatus({}, {});
    });
    ways->setFocus();
    QTest::keyClick(ways, Qt::Key_Down);
    QCOMPARE(told.size(), size_t{1});
    QVERIFY(told[0].on == MeasureOn::Executor);
    QVERIFY(storedSetup(*m_settings).on == MeasureOn::Executor);
    QCOMPARE(ways->currentText(), QStringLiteral("Executor: answers checked, no times"));

    // Without a GPU its line cannot be chosen, and says why.
    setGpuDetector([]() -> Outcome<DetectedGpu> { return Refusal{"the CUDA driver finds no GPU"}; });
    m_document.setup.on = MeasureOn::Here;
    m_panel->updateStatus({}, {});
    QCOMPARE(ways->currentText(), QStringLiteral("Executor: answers checked, no times"));
    QVERIFY(!ways->model()->flags(ways->model()->index(0, 0)).testFlag(Qt::ItemIsEnabled));
    QCOMPARE(ways->itemData(0, Qt::ToolTipRole).toString(), QStringLiteral("Not here: the CUDA driver finds no GPU"));
    QTest::keyClick(ways, Qt::Key_Up);
    QCOMPARE(told.size(), size_t{1});
    QVERIFY(form.setup().on == MeasureOn::Here); // as was chosen: where a GPU is, it is taken
}

void MeasuringChoiceTest::plotsSayThatNothingWasTimed() {
    show(QStringLiteral("?@1#1~0.5 ?@2#1~0.6"));
    for (const TrialPlot *shown : m_panel->findChildren<TrialPlot *>()) {
        if (!qobject_cast<const ProgressPlot *>(shown) && !qobject_cast<const PredictionPlot *>(shown)) continue;
        QTRY_VERIFY(shown->plot().empty());
        bool said = false;
        for (const QLabel *label : shown->findChildren<QLabel *>())
            said = said || (label->isVisible() && label->text().startsWith(QStringLiteral("2 trials are checked")));
        QVERIFY2(said, shown->metaObject()->className());
    }
}

void MeasuringChoiceTest::whatIsWaitedForIsSaid() {
    m_document.search.state = SearchState::Running;
    m_document.search.total = 64;
    show(QStringLiteral("4@1"));
    auto *strip = child<QFrame>("bundleStrip");
    QVERIFY(strip && !strip->isVisible());
    const QString command = QStringLiteral("make -C /tmp/b/round-003 run");
    m_document.search.waiting =
        BundleWait{QStringLiteral("/tmp/b/round-003"), command, 16, QDateTime::currentDateTime().addSecs(-75)};
    m_panel->updateStatus({}, {});
    QVERIFY(strip->isVisible());
    QCOMPARE(child<QLabel>("searchHeadline")->text(), QStringLiteral("Waiting for the results of 16 trials"));
    QCOMPARE(waitText(*m_document.search.waiting, m_document.search.waiting->since.addSecs(75)),
             QStringLiteral("Round-003 waits for the results of 16 trials, for 1 min 15 s"));
    QCOMPARE(child<QLineEdit>("bundleCommand")->text(), command);
    QTest::mouseClick(child<QPushButton>("bundleCopy"), Qt::LeftButton);
    QCOMPARE(QGuiApplication::clipboard()->text(), command);
    QVERIFY(child<QPushButton>("searchStop")->isEnabled());
    m_document.search.waiting.reset();
    m_panel->updateStatus({}, {});
    QVERIFY(!strip->isVisible());
}

LOOPSCOPE_WINDOW_TEST(MeasuringChoiceTest)
#include "measuring_choice_test.moc"
