// A network searched on nodes of a cluster: chosen in the form, seen in the dock of nodes, given back at the end.
// Slurm's commands are scripts that give two nodes and start the worker here.

#include "../session/session_fixture.h"
#include "small_network.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/fleet/fleet_view.h"
#include "views/network_tasks/network_tasks_view.h"

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QTableView>
#include <QTest>

namespace loopscope {

namespace {

constexpr const char *kSalloc = R"(#!/bin/sh
echo "$@" >"$(dirname "$0")/asked"
while [ "$1" != /bin/sh ]; do shift; done
export SLURM_JOB_ID=7 SLURM_JOB_NODELIST='n[1-2]' SLURM_JOB_CPUS_PER_NODE='64(x2)'
exec "$@"
)";
constexpr const char *kSrun = R"(#!/bin/sh
while [ "${1#--}" != "$1" ]; do shift; done
exec "$@"
)";
constexpr const char *kNoNodes = R"(#!/bin/sh
echo "salloc: error: the cluster is closed" >&2
exit 1
)";

struct Bench : ViewBench {
    NetworkTasksView view{context};
    FleetView nodes{context};
    OpenNetworks &networks = session.networks();
    QByteArray path = qgetenv("PATH");

    Bench() {
        view.resize(1200, 400);
        nodes.resize(1200, 300);
        view.show();
        nodes.show();
        session.peaks().setMeasurer(&SessionFixture::peaksAtOnce);
        networks.show(QStringLiteral("small.net"), smallNetwork());
    }
    ~Bench() { qputenv("PATH", path); }
    void commands(const char *salloc) {
        script(QStringLiteral("salloc"), salloc);
        script(QStringLiteral("srun"), kSrun);
        qputenv("PATH", folder.path().toUtf8() + ':' + path);
    }
    void script(const QString &name, const char *text) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) return;
        file.write(text);
        file.setPermissions(file.permissions() | QFile::ExeOwner);
    }
    /// As a user chooses it: the second of the ways, and the words.
    void choose(const QString &words) {
        auto *on = view.findChild<QComboBox *>(QStringLiteral("network_measure_on"));
        on->setFocus();
        QTest::keyClick(on, Qt::Key_Down);
        auto *asked = view.findChild<QLineEdit *>(QStringLiteral("network_nodes"));
        asked->setText(words);
        Q_EMIT asked->editingFinished();
    }
    void start() {
        auto setup = session.tuning().setup();
        setup.trials = 4;
        session.tuning().setSetup(setup);
        actions.find(QStringLiteral("network_tasks.search"))->trigger();
    }
    [[nodiscard]] const NetworkProgress &progress() { return session.tuning().progress(networks.current()->id); }
    [[nodiscard]] QString said(Message::Severity severity) {
        QStringList texts;
        for (const Message &message : session.messages().all())
            if (message.severity == severity) texts << message.text + u' ' + message.detail;
        return texts.join(u'\n');
    }
    [[nodiscard]] bool ready() {
        return QTest::qWaitFor([this] { return networks.current()->kernels != nullptr; }, 20000);
    }
    [[nodiscard]] bool ended() {
        return QTest::qWaitFor([this] { return session.tuning().searched() == 0; }, 240000);
    }
};

} // namespace

class NetworkNodesTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void chosenInTheForm() {
        Bench bench;
        QVERIFY(bench.ready());
        bench.actions.find(QStringLiteral("network_tasks.options"))->trigger();
        auto *words = bench.view.findChild<QLineEdit *>(QStringLiteral("network_nodes"));
        QVERIFY(!words->isVisible());
        bench.choose(QStringLiteral("nodes=2,tolerance=1000%"));
        QVERIFY(words->isVisible());
        QVERIFY(bench.session.tuning().setup().onNodes);
        QCOMPARE(bench.session.tuning().setup().nodes, QStringLiteral("nodes=2,tolerance=1000%"));
    }

    void nodesMeasureAndAreGivenBack() {
        Bench bench;
        QVERIFY(bench.ready());
        bench.commands(kSalloc);
        bench.choose(QStringLiteral("nodes=2,tolerance=1000%,partition=p,worker=there"));
        size_t most = 0;
        QObject::connect(&bench.session.tuning(), &NetworkTuning::changed, &bench.view,
                         [&] { most = std::max(most, bench.progress().besides()); });
        bench.start();
        QTRY_VERIFY_WITH_TIMEOUT(bench.nodes.table().model()->rowCount() == 2, 60000);
        // What each does, with the task that it is of.
        QTRY_VERIFY_WITH_TIMEOUT(bench.progress().trials > 0, 120000);
        QVERIFY(bench.actions.find(QStringLiteral("fleet.stop"))->isEnabled());
        // Four rounds are under way, of as many tasks; all of them are said to be searched.
        QVERIFY(most > 0);
        QVERIFY(bench.ended());
        QCOMPARE(bench.progress().besides(), size_t{0});
        QCOMPARE(bench.said(Message::Severity::Failure), QString());
        QCOMPARE(bench.progress().trials, 16);
        QCOMPARE(bench.progress().timed(), size_t{4});
        QVERIFY2(bench.said(Message::Severity::Note).contains(QStringLiteral("Job 7: n1, n2")),
                 qPrintable(bench.said(Message::Severity::Note)));
        QFile asked(bench.folder.filePath(QStringLiteral("asked")));
        QVERIFY(asked.open(QIODevice::ReadOnly));
        const QByteArray words = asked.readAll();
        QVERIFY2(words.contains("--nodes=2") && words.contains("--partition=p"), words.constData());
        QFile log(bench.progress().logPath);
        QVERIFY(log.open(QIODevice::ReadOnly));
        QVERIFY(log.readAll().contains("# measured on n"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.nodes.sentence().startsWith(QStringLiteral("Given back. 2 nodes, ")), 60000);
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.jobs().running().empty(), 60000);
    }

    void stoppedFromTheDock() {
        Bench bench;
        QVERIFY(bench.ready());
        bench.commands(kSalloc);
        bench.choose(QStringLiteral("nodes=2,tolerance=1000%,worker=there"));
        auto setup = bench.session.tuning().setup();
        setup.trials = 1000;
        bench.session.tuning().setSetup(setup);
        bench.actions.find(QStringLiteral("network_tasks.search"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.progress().trials > 0, 120000);
        bench.actions.find(QStringLiteral("fleet.stop"))->trigger();
        QVERIFY(bench.ended());
        QCOMPARE(bench.said(Message::Severity::Failure), QString());
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.jobs().running().empty(), 60000);
    }

    void whatSlurmSaysIsShown() {
        Bench bench;
        QVERIFY(bench.ready());
        bench.commands(kNoNodes);
        bench.choose(QStringLiteral("nodes=2"));
        bench.start();
        QVERIFY(bench.ended());
        QVERIFY2(bench.said(Message::Severity::Failure)
                     .contains(QStringLiteral("Slurm gives no nodes: the cluster is closed")),
                 qPrintable(bench.said(Message::Severity::Failure)));
        // Words that are none.
        bench.choose(QStringLiteral("node=2"));
        bench.start();
        QVERIFY(bench.ended());
        QVERIFY2(bench.said(Message::Severity::Failure).contains(QStringLiteral("'node=2' is not known; nodes=N, ")),
                 qPrintable(bench.said(Message::Severity::Failure)));
    }
};

LOOPSCOPE_WINDOW_TEST(NetworkNodesTest)
} // namespace loopscope

#include "network_nodes_test.moc"
