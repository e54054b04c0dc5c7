// A network run from the window: every kernel has a time and an answer that was checked, what is chosen is chosen
// everywhere, another profile lies beside it, and what goes wrong is said.

#include "small_network.h"
#include "view_bench.h"
#include "views/network_profile/network_profile_view.h"
#include "views/network_profile/profile_timeline.h"
#include "views/session/messages.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QJsonDocument>
#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

namespace loopscope {

namespace {

struct Bench : ViewBench {
    NetworkProfileView view{context};
    OpenNetworks &networks = session.networks();
    const ProfileModel &model = view.model();

    Bench() {
        view.resize(1200, 600);
        view.show();
        (void)QTest::qWaitForWindowActive(&view);
    }
    [[nodiscard]] bool open() {
        networks.show(QStringLiteral("small.net"), smallNetwork());
        return QTest::qWaitFor([this] { return networks.current()->kernels != nullptr; }, 20000);
    }
    [[nodiscard]] bool run() {
        actions.find(QStringLiteral("network_profile.run"))->trigger();
        const bool ran = QTest::qWaitFor(
            [this] {
                return networks.current()->profile != nullptr ||
                       actions.find(QStringLiteral("network_profile.run"))->isEnabled();
            },
            60000);
        if (networks.current()->profile == nullptr) qWarning() << emptyText();
        return ran && networks.current()->profile != nullptr;
    }
    [[nodiscard]] QString emptyText() const {
        return view.findChild<QLabel *>(QStringLiteral("network_profile_empty"))->text();
    }
    [[nodiscard]] QString cell(int row, int column) const { return model.index(row, column).data().toString(); }
};

} // namespace

class NetworkProfileTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }
    void init() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void emptyStatesSayWhatToDo() {
        Bench bench;
        QVERIFY(bench.emptyText().startsWith(QStringLiteral("Open a network")));
        QVERIFY(!bench.actions.find(QStringLiteral("network_profile.run"))->isEnabled());
        QVERIFY(bench.view.exportTo(QStringLiteral("/tmp/none.json")).contains(QStringLiteral("nothing has been run")));
        QVERIFY(bench.open());
        QVERIFY2(bench.emptyText().contains(QStringLiteral("has not been run yet")), qPrintable(bench.emptyText()));
    }

    void everyKernelHasATimeAndARightAnswer() {
        Bench bench;
        const QAbstractItemModelTester tester(bench.view.findChild<ProfileModel *>(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(bench.open());
        QVERIFY(bench.run());
        QVERIFY(bench.model.rowCount() >= 3);
        double sum = 0;
        for (int row = 0; row < bench.model.rowCount(); ++row) {
            const double seconds = bench.model.index(row, ProfileModel::Time).data(ProfileModel::SortRole).toDouble();
            QVERIFY(seconds > 0);
            sum += seconds;
            const QString answer = bench.cell(row, ProfileModel::Answer);
            QVERIFY2(answer.startsWith(QStringLiteral("right")), qPrintable(answer));
        }
        QCOMPARE(sum, bench.networks.current()->profile->profile.sumOfCalls());
        QVERIFY2(bench.view.sentence().contains(QStringLiteral("every answer is right")),
                 qPrintable(bench.view.sentence()));
        QVERIFY(!bench.view.table().isColumnHidden(ProfileModel::Answer));
        QVERIFY(bench.view.table().isColumnHidden(ProfileModel::Other));
        // Bars are as wide as kernels take.
        const ProfileTimeline &line = bench.view.timeline();
        QCOMPARE(line.bar(0).right(), line.bar(1).left());
        QVERIFY(std::abs(line.bar(0).width() / line.bar(1).width() -
                         bench.model.call(0).time.median / bench.model.call(1).time.median) < 1e-6);
    }

    void whatIsChosenIsChosenEverywhere() {
        Bench bench;
        bench.actions.find(QStringLiteral("network_profile.check"))->setChecked(false);
        QVERIFY(bench.open());
        QVERIFY(bench.run());
        QVERIFY(bench.view.table().isColumnHidden(ProfileModel::Answer)); // nobody asked
        ProfileTimeline &line = bench.view.timeline();
        QTest::mouseClick(&line, Qt::LeftButton, {}, line.bar(1).center().toPoint());
        QCOMPARE(bench.networks.current()->selected, bench.networks.current()->profile->sources[1]);
        QTest::keyClick(&line, Qt::Key_Left);
        QCOMPARE(bench.networks.current()->selected, bench.networks.current()->profile->sources[0]);
        bench.networks.select(bench.networks.current()->id, bench.networks.current()->profile->sources[2]);
        const QModelIndexList rows = bench.view.table().selectionModel()->selectedRows();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0].data(ProfileModel::RowRole).toInt(), 2);
        bench.networks.close(bench.networks.current()->id);
        QCOMPARE(bench.model.rowCount(), 0);
    }

    void anotherProfileLiesBesideIt() {
        const QTemporaryDir folder;
        const QString trace = folder.filePath(QStringLiteral("trace.json"));
        Bench bench;
        QVERIFY(bench.open());
        QVERIFY(bench.run());
        QCOMPARE(bench.view.exportTo(trace), QString());
        QFile file(trace);
        QVERIFY(file.open(QIODevice::ReadOnly) && !QJsonDocument::fromJson(file.readAll()).isNull());
        bench.view.openOther(trace);
        QTRY_VERIFY(!bench.model.other().empty());
        for (int row = 0; row < bench.model.rowCount(); ++row) // itself
            QCOMPARE(bench.cell(row, ProfileModel::Other), bench.cell(row, ProfileModel::Time));
        QVERIFY(!bench.view.table().isColumnHidden(ProfileModel::Ratio));
        QVERIFY2(bench.view.sentence().contains(QStringLiteral("trace.json")), qPrintable(bench.view.sentence()));
        const QString table = folder.filePath(QStringLiteral("table.csv"));
        QCOMPARE(bench.view.exportTo(table), QString());
        QFile rows(table);
        QVERIFY(rows.open(QIODevice::ReadOnly));
        QCOMPARE(rows.readAll().count('\n'), bench.model.rowCount() + 1);
        bench.actions.find(QStringLiteral("network_profile.alone"))->trigger();
        QVERIFY(bench.model.other().empty());
        const auto before = bench.session.messages().all().size();
        bench.view.openOther(folder.filePath(QStringLiteral("none.json")));
        QTRY_VERIFY(bench.session.messages().all().size() > before);
    }

    void whatGoesWrongIsSaid() {
        Bench bench;
        QVERIFY(bench.open());
        qputenv("LOOPSCOPE_WORKER", "/nowhere/worker");
        bench.actions.find(QStringLiteral("network_profile.run"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.emptyText().contains(QStringLiteral("/nowhere/worker")), 60000);
        QVERIFY(bench.actions.find(QStringLiteral("network_profile.run"))->isEnabled());
    }
};

} // namespace loopscope

QTEST_MAIN(loopscope::NetworkProfileTest)
#include "network_profile_test.moc"
