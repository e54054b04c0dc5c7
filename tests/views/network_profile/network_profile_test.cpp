// A network run from the window: every kernel has a time and an answer that was checked, what is chosen is chosen
// everywhere, another profile lies beside it, and what goes wrong is said.

#include "deploy/network/default_schedule.h"
#include "records/record/record_writer.h"
#include "small_network.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/network_profile/kept_runs.h"
#include "views/network_profile/layer_path.h"
#include "views/network_profile/network_profile_view.h"
#include "views/network_profile/profile_diff_model.h"
#include "views/network_profile/profile_pages.h"
#include "views/network_profile/profile_timeline.h"
#include "views/network_profile/profile_tree_model.h"
#include "views/session/layer_names.h"
#include "views/session/messages.h"
#include "views/session/open_logs.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

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
    [[nodiscard]] KeptRuns &beside() { return *session.file().findChild<KeptRuns *>(); }
    /// On a tab, as a user does.
    void showPage(ProfilePages::Page page) {
        QTabBar &tabs = view.pages().tabs();
        QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(page).center());
    }
    /// "stage1 4 kernels", a line for each entry, as deep as it lies.
    [[nodiscard]] QString treeText(const QModelIndex &parent = {}, const QString &indent = {}) const {
        const QAbstractItemModel *tree = view.findChild<ProfileTreeModel *>();
        QString text;
        for (int row = 0; row < tree->rowCount(parent); ++row) {
            const QModelIndex at = tree->index(row, 0, parent);
            text += indent + at.data().toString() + u' ' +
                    at.siblingAtColumn(ProfileTreeModel::Kernel).data().toString() + u'\n' +
                    treeText(at, indent + QStringLiteral("  "));
        }
        return text;
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
        QVERIFY(!bench.view.pages().table().isColumnHidden(ProfileModel::Answer));
        QVERIFY(bench.view.pages().table().isColumnHidden(ProfileModel::Other));
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
        QVERIFY(bench.view.pages().table().isColumnHidden(ProfileModel::Answer)); // nobody asked
        ProfileTimeline &line = bench.view.timeline();
        QTest::mouseClick(&line, Qt::LeftButton, {}, line.bar(1).center().toPoint());
        QCOMPARE(bench.networks.current()->selected, bench.networks.current()->profile->sources[1]);
        QTest::keyClick(&line, Qt::Key_Left);
        QCOMPARE(bench.networks.current()->selected, bench.networks.current()->profile->sources[0]);
        bench.networks.select(bench.networks.current()->id, bench.networks.current()->profile->sources[2]);
        const QModelIndexList rows = bench.view.pages().table().selectionModel()->selectedRows();
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
        QVERIFY(!bench.view.pages().table().isColumnHidden(ProfileModel::Ratio));
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

    void namesAreLevels_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("path");
        QTest::newRow("slashes") << "layer1/0/conv1" << "layer1|0|conv1";
        QTest::newRow("dots") << "layer1.0.conv1" << "layer1|0|conv1";
        QTest::newRow("exported from PyTorch") << "/layer1/layer1.0/conv1/Conv" << "layer1|0|conv1|Conv";
        QTest::newRow("twice") << "/features/features.0/features.0.0/Conv" << "features|0|0|Conv";
        QTest::newRow("likely, but not the same") << "layer1/layer10.2" << "layer1|layer10|2";
        QTest::newRow("one word") << "conv_1" << "conv_1";
        QTest::newRow("separators alone") << "//./" << "";
        QTest::newRow("deep") << QString(QStringLiteral("a/")).repeated(40)
                              << QString(QStringLiteral("a|")).repeated(31) + QStringLiteral("a/a/a/a/a/a/a/a/a");
    }
    void namesAreLevels() {
        QFETCH(QString, name);
        QFETCH(QString, path);
        QStringList parts;
        for (const std::string &part : layerPath(name.toStdString())) parts << QString::fromStdString(part);
        QCOMPARE(parts.join(u'|'), path);
    }

    void kernelsLieInTheLevelOfAllTheirLayers() {
        const LayerPlace place = placeOf({"layer1/0/conv2", "layer1/0/sum", "layer1/0/act/relu"});
        QCOMPARE(place.level, (std::vector<std::string>{"layer1", "0"}));
        QCOMPARE(place.layers, (std::vector<std::string>{"conv2", "sum", "act/relu"}));
        QVERIFY(placeOf({"layer1/0/conv", "head"}).level.empty());
        QVERIFY(placeOf({}).layers.empty());
    }

    void weightsNameLayersWhereNodesDoNot() {
        const auto told = [](const char *second) {
            FunctionBuilder builder("main");
            const ValueId x = builder.addParameter("x", {DType::Float32, asDims({1, 4})});
            const ValueId w = builder.addConstant("fire2/squeeze1x1_w_0", someWeights({4, 4}));
            const ValueId v = builder.addConstant("res2_0", someWeights({4, 4}));
            const ValueId a = builder.add("dense", "n0", {x, w});
            const ValueId b = builder.add("relu", second, {a});
            builder.addResult(builder.add("dense", "n2", {b, v}));
            QStringList names;
            for (const auto &[node, layer] : layerNames(*std::move(builder).finish()))
                names << QString::fromStdString(layer);
            return names.join(u' ');
        };
        QCOMPARE(told("n1"), QStringLiteral("fire2/squeeze1x1/n0 fire2/squeeze1x1/n1 res2_0/n2"));
        QCOMPARE(told("act/n1"), QStringLiteral("act/n1 n0 n2")); // nodes have names: those count
    }

    /// The log takes loops as they are written for the best, which they are not.
    void schedulesCompeteWhereTheyRun() {
        Bench bench;
        QVERIFY(bench.open());
        QAction *select = bench.actions.find(QStringLiteral("network_profile.contest"));
        select->setChecked(true);
        QVERIFY(bench.run()); // without a log those that are estimated best compete
        QVERIFY(bench.networks.current()->profile->secondsUnselected > 0);
        QVERIFY2(bench.view.sentence().contains(QStringLiteral("every answer is right")),
                 qPrintable(bench.view.sentence()));
        const QTemporaryDir folder;
        const QString log = folder.filePath(QStringLiteral("log.json"));
        size_t searchable = 0;
        {
            RecordWriter writer(log.toStdString());
            for (const NetworkTask &task : bench.networks.current()->kernels->tasks) {
                if (!task.searchable) continue;
                ++searchable;
                const Task made = makeTask(task.dag, parseTarget("llvm"));
                Trial slow;
                slow.seconds = {1e-3};
                writer.append(makeRecord(made, slow));
                Trial fast;
                fast.steps = defaultSchedules(made, {.population = 64}).value().front();
                fast.seconds = {2e-3};
                writer.append(makeRecord(made, fast));
            }
        }
        QVERIFY(searchable > 0);
        bench.session.logs().open(log);
        QTRY_VERIFY(bench.session.logs().current()->log);
        bench.networks.setProfile(bench.networks.current()->id, nullptr);
        QVERIFY(bench.run());
        const NetworkProfile &profile = *bench.networks.current()->profile;
        QVERIFY(profile.rechosen > 0);
        QVERIFY(profile.secondsSelected < profile.secondsUnselected);
        QVERIFY2(bench.view.sentence().contains(QStringLiteral("every answer is right")) &&
                     bench.view.sentence().contains(QStringLiteral("changed by selection where they run")),
                 qPrintable(bench.view.sentence()));
        select->setChecked(false);
    }

    void levelsSumTheirKernels() {
        Bench bench;
        const QAbstractItemModelTester tester(bench.view.findChild<ProfileTreeModel *>(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        bench.actions.find(QStringLiteral("network_profile.check"))->setChecked(false);
        QVERIFY(bench.open());
        QVERIFY(bench.run());
        QCOMPARE(bench.treeText(), QStringLiteral("stage1 2 kernels\n"
                                                  "  first, relu conv_relu\n"
                                                  "  second, sum conv_add\n"
                                                  "stage2 2 kernels\n"
                                                  "  first, relu conv_relu\n"
                                                  "  second, sum conv_add\n"
                                                  "pool global_average_pool\n"
                                                  "out dense\n"));
        bench.showPage(ProfilePages::Layers);
        QTreeView &tree = bench.view.pages().tree();
        QVERIFY(tree.isVisible());
        const QModelIndex stage = tree.model()->index(1, 0);
        const double sum = bench.model.call(2).time.median + bench.model.call(3).time.median;
        QCOMPARE(stage.siblingAtColumn(ProfileTreeModel::Time).data(ProfileTreeModel::SortRole).toDouble(), sum);
        QCOMPARE(stage.siblingAtColumn(ProfileTreeModel::Share).data(ProfileTreeModel::SortRole).toDouble(),
                 sum / bench.networks.current()->profile->profile.whole.median);
        // A click on a level chooses all of its kernels, in the table and in the network.
        QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(stage).center());
        QCOMPARE(bench.view.pages().chosen(), (std::set<int>{2, 3}));
        QCOMPARE(bench.view.pages().table().selectionModel()->selectedRows().size(), 2);
        std::set<std::string> both = bench.networks.current()->profile->sources[2];
        both.merge(std::set(bench.networks.current()->profile->sources[3]));
        QCOMPARE(bench.networks.current()->selected, both);
        // The keys open it and go on to a kernel of it.
        QTest::keyClick(&tree, Qt::Key_Right);
        QVERIFY(tree.isExpanded(stage));
        QTest::keyClick(&tree, Qt::Key_Down);
        QCOMPARE(bench.view.pages().chosen(), (std::set<int>{2}));
        QCOMPARE(bench.networks.current()->selected, bench.networks.current()->profile->sources[2]);
        // What is chosen elsewhere is found in the tree, which opens for it.
        bench.networks.select(bench.networks.current()->id, bench.networks.current()->profile->sources[0]);
        QVERIFY(tree.isExpanded(tree.model()->index(0, 0)));
        QCOMPARE(tree.currentIndex().parent(), tree.model()->index(0, 0));
        bench.actions.find(QStringLiteral("network_profile.collapse"))->trigger();
        QVERIFY(!tree.isExpanded(tree.model()->index(0, 0)));
        bench.actions.find(QStringLiteral("network_profile.expand"))->trigger();
        QVERIFY(tree.isExpanded(stage));
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("layers.csv"));
        QCOMPARE(bench.view.exportTo(path), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().split('\n');
        QVERIFY2(lines[2].startsWith("\"stage1/first, relu\",conv_relu,"), lines[2].constData());
    }

    /// Nothing is imported: the nodes of the text stand for themselves.
    void aNetworkWrittenByHandHasLayersToo() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("hand.net"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("network hand\nfunc main(x: float32[1, 64]) {\n"
                   "  w = constant float32[64, 64] random normal(seed = 7, deviation = 0.1)\n"
                   "  a = dense(x, w) @ \"body.first\"\n  b = softmax(a, axis = 1) @ \"body.then\"\n"
                   "  c = dense(b, w) @ \"head\"\n  return c\n}\n");
        file.close();
        Bench bench;
        bench.actions.find(QStringLiteral("network_profile.check"))->setChecked(false);
        bench.networks.open(path);
        QVERIFY(QTest::qWaitFor([&] { return bench.networks.current()->kernels != nullptr; }, 20000));
        QVERIFY(bench.run());
        QCOMPARE(bench.treeText(), QStringLiteral("body 2 kernels\n  first dense\n  then softmax\nhead dense\n"));
        bench.networks.select(bench.networks.current()->id, {"body.then"});
        QCOMPARE(bench.view.pages().chosen(), (std::set<int>{1}));
        QCOMPARE(bench.cell(1, ProfileModel::Nodes), QStringLiteral("body.then"));
        bench.showPage(ProfilePages::Layers);
        const auto *flat = bench.view.findChild<QLabel *>(QStringLiteral("network_profile_flat"));
        QVERIFY(!flat->isVisible());
        // Where no name has parts, that is said.
        auto next = std::make_shared<NetworkProfile>(*bench.networks.current()->profile);
        for (CallProfile &call : next->profile.calls) call.sources = {"n" + std::to_string(call.flops)};
        for (CallProfile &call : next->profile.calls) std::erase(call.sources.front(), '.');
        bench.networks.setProfile(bench.networks.current()->id, next);
        QVERIFY(flat->isVisible());
        QCOMPARE(bench.view.findChild<ProfileTreeModel *>()->rowCount(), 3);
    }

    /// What lies beside a run is there again when the session is; what is damaged in its file is not.
    void sessionsKeepWhatLiesBeside() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("small.net"));
        Bench bench;
        bench.networks.show(path, smallNetwork());
        QVERIFY(bench.beside().save().isNull());
        const TimeSummary time{1e-3, 2e-3, 1.5e-3, 4e-3, 9};
        bench.beside().keep(
            bench.networks.current()->id,
            {QStringLiteral("yesterday"), std::make_shared<const std::vector<TracedKernel>>(std::vector<TracedKernel>{
                                              {"a", "conv", {{1, 2}, {}}, time}, {"b", "relu", {{3}}, time}})});
        QJsonArray saved = bench.beside().save().toArray();
        QCOMPARE(saved.size(), 1);

        Bench next;
        next.networks.show(path, smallNetwork());
        next.beside().load(saved, {});
        QCOMPARE(next.beside().save(), QJsonValue(saved));
        const KeptRun *kept = next.beside().find(next.networks.current()->id);
        QVERIFY(kept != nullptr);
        QCOMPARE(kept->name, QStringLiteral("yesterday"));
        QCOMPARE(kept->kernels->size(), size_t{2});
        QCOMPARE(kept->kernels->front().outputs, (std::vector<std::vector<int64_t>>{{1, 2}, {}}));
        QCOMPARE(kept->kernels->front().time.median, time.median);
        QCOMPARE(kept->kernels->front().time.samples, time.samples);

        QJsonObject damaged = saved.first().toObject();
        QJsonArray kernels = damaged[QStringLiteral("kernels")].toArray();
        kernels[0] = QJsonObject{{QStringLiteral("name"), QStringLiteral("a")}, {QStringLiteral("time"), 7}};
        damaged[QStringLiteral("kernels")] = kernels;
        next.beside().load(QJsonArray{QJsonValue(3), QJsonObject{{QStringLiteral("path"), path}}, damaged}, {});
        QCOMPARE(next.beside().find(next.networks.current()->id)->kernels->size(), size_t{1});
        next.beside().forget(next.networks.current()->id);
        QVERIFY(next.beside().save().isNull());
    }

    void aKeptRunIsComparedKernelByKernel() {
        Bench bench;
        const QAbstractItemModelTester tester(bench.view.findChild<ProfileDiffModel *>(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        bench.actions.find(QStringLiteral("network_profile.check"))->setChecked(false);
        QVERIFY(!bench.actions.find(QStringLiteral("network_profile.keep"))->isEnabled());
        QVERIFY(bench.open());
        QVERIFY(bench.run());
        bench.showPage(ProfilePages::Compared);
        const auto *alone = bench.view.findChild<QLabel *>(QStringLiteral("network_profile_uncompared"));
        QVERIFY(alone->isVisible() && alone->text().contains(QStringLiteral("Keep it for comparison")));
        bench.actions.find(QStringLiteral("network_profile.keep"))->trigger();
        QVERIFY(!alone->isVisible() && bench.view.pages().diff().isVisible());
        // What one looks at is told of first.
        QVERIFY2(bench.view.sentence().startsWith(QStringLiteral("Beside it the run that was kept at ")),
                 qPrintable(bench.view.sentence()));
        QVERIFY2(bench.view.sentence().contains(QStringLiteral("; a run takes ")), qPrintable(bench.view.sentence()));
        bench.showPage(ProfilePages::Kernels);
        QVERIFY2(bench.view.sentence().startsWith(QStringLiteral("A run takes ")), qPrintable(bench.view.sentence()));
        bench.showPage(ProfilePages::Compared);

        // Another run, of which the numbers are known: one kernel twice as fast, one slower by a hundred seconds.
        auto next = std::make_shared<NetworkProfile>(*bench.networks.current()->profile);
        next->profile.calls[1].time.median /= 2;
        next->profile.calls[3].time.median += 100;
        const double gained = next->profile.calls[1].time.median;
        bench.networks.setProfile(bench.networks.current()->id, next);
        const ProfileDiffModel &diff = bench.view.pages().difference();
        const int total = bench.model.rowCount();
        QCOMPARE(diff.rowCount(), total + 1);
        QCOMPARE(diff.kernelOf(0), 3); // what changed most comes first
        QCOMPARE(diff.kernelOf(1), 1);
        QCOMPARE(diff.index(1, ProfileDiffModel::Ratio).data().toString(), QStringLiteral("2.00"));
        QCOMPARE(diff.index(1, ProfileDiffModel::Change).data().toString(), timeChangeText(-gained));
        QCOMPARE(diff.index(0, ProfileDiffModel::Change).data().toString(), QStringLiteral("+100.0 s"));
        QCOMPARE(diff.index(1, ProfileDiffModel::Change).data(Qt::ForegroundRole).value<QColor>(),
                 bench.theme.color(Role::Good));
        QCOMPARE(diff.index(0, ProfileDiffModel::Change).data(Qt::ForegroundRole).value<QColor>(),
                 bench.theme.color(Role::Bad));
        QVERIFY(!diff.index(2, ProfileDiffModel::Change).data(Qt::ForegroundRole).isValid());
        QCOMPARE(diff.after() - diff.before(), 100 - gained);
        // The total stays at the end, whatever is sorted, and whichever way.
        QTableView &table = bench.view.pages().diff();
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder})
            for (int column = 0; column < diff.columnCount(); ++column) {
                table.sortByColumn(column, order);
                QCOMPARE(diff.kernelOf(total), -1);
                QCOMPARE(diff.index(total, 0).data().toString(), QStringLiteral("All kernels"));
            }
        // A click chooses the kernel as in the table.
        table.sortByColumn(ProfileDiffModel::Change, Qt::DescendingOrder);
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(diff.index(0, 0)).center());
        QCOMPARE(bench.view.pages().chosen(), (std::set<int>{3}));
        QCOMPARE(bench.networks.current()->selected, next->sources[3]);
        table.sortByColumn(ProfileDiffModel::Change, Qt::AscendingOrder); // and stays chosen
        QCOMPARE(diff.kernelOf(table.selectionModel()->selectedRows().first().row()), 3);
        // Each network has its own.
        bench.networks.show(QStringLiteral("other.net"), smallNetwork(1));
        QVERIFY(bench.model.other().empty());
    }

    void kernelsOfOneSideAloneGainOrLoseAllTheirTime() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("foreign.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"([{"cat":"Node","name":"lost_kernel_time","ph":"X","ts":0,"dur":7000000,
                       "args":{"op_name":"Sort","output_type_shape":[{"float":[77]}]}}])");
        file.close();
        Bench bench;
        bench.actions.find(QStringLiteral("network_profile.check"))->setChecked(false);
        QVERIFY(bench.open());
        QVERIFY(bench.run());
        bench.view.openOther(path);
        QTRY_VERIFY(!bench.model.other().empty());
        const ProfileDiffModel &diff = bench.view.pages().difference();
        QCOMPARE(diff.rowCount(), bench.model.rowCount() + 2);
        QCOMPARE(diff.index(0, ProfileDiffModel::Kernel).data().toString(), QStringLiteral("Sort"));
        QCOMPARE(diff.index(0, ProfileDiffModel::Nodes).data().toString(), QStringLiteral("lost"));
        QCOMPARE(diff.index(0, ProfileDiffModel::Change).data().toString(), timeChangeText(-7));
        QCOMPARE(diff.index(0, ProfileDiffModel::After).data().toString(), QStringLiteral("\u2013"));
        QCOMPARE(diff.index(1, ProfileDiffModel::Before).data().toString(), QStringLiteral("\u2013"));
        QVERIFY(diff.index(1, 0).data(Qt::ToolTipRole).toString().startsWith(QStringLiteral("Only in this run")));
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

LOOPSCOPE_WINDOW_TEST(NetworkProfileTest)
} // namespace loopscope

#include "network_profile_test.moc"
