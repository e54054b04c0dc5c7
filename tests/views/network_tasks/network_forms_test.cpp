// All forms in which the nodes of a network may be computed, searched side by side: which tasks there are, what of them
// counts, and what the table says of each.

#include "../session/session_fixture.h"
#include "harness/scripted_measurer.h"
#include "small_network.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/network_tasks/network_tasks_view.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QTableView>
#include <QTest>

namespace loopscope {

namespace {

const std::atomic<bool> kGoOn{false};

NetworkKernelsPtr tried(Pins pins = {}) {
    KernelChoice choice;
    choice.rule = ImplementationRule::Tried;
    choice.pins = std::move(pins);
    return kernelsOf(*smallNetwork(), choice, kGoOn);
}

QString names(const NetworkKernels &kernels, size_t from, size_t to) {
    QStringList names;
    for (size_t i = from; i < to; ++i) names << QString::fromStdString(kernels.tasks[i].name);
    return names.join(u' ');
}

/// By the task that has the key of that arm of the first group.
size_t taskOfArm(const NetworkKernels &kernels, size_t arm) {
    const AlternativeTasks &of = kernels.alternatives;
    const std::string &key = of.keys[of.groups.front().arms[arm].tasks.front()];
    return static_cast<size_t>(std::ranges::find(kernels.tasks, key, &NetworkTask::key) - kernels.tasks.begin());
}

NetworkTaskProgress timed(const NetworkKernels &kernels, size_t task, double seconds) {
    return {
        .number = task, .key = kernels.tasks[task].key, .weight = double(kernels.tasks[task].weight), .best = seconds};
}

} // namespace

class NetworkFormsTest : public QObject {
    Q_OBJECT

  private slots:
    void tasksOfOtherFormsStandBehind() {
        const NetworkKernelsPtr usual = kernelsOf(*smallNetwork(), {}, kGoOn);
        const NetworkKernelsPtr all = tried();
        QCOMPARE(usual->tasks.size(), usual->ownTasks);
        QVERIFY(usual->alternatives.groups.empty());
        QCOMPARE(all->ownTasks, usual->tasks.size());
        QCOMPARE(names(*all, 0, all->ownTasks), names(*usual, 0, usual->tasks.size()));
        QVERIFY(all->tasks.size() > all->ownTasks);
        QCOMPARE(all->flops(), usual->flops());
        QCOMPARE(all->kernelCount(), usual->kernelCount());
        QCOMPARE(all->uses.size(), all->tasks.size());
        for (size_t i = all->ownTasks; i < all->tasks.size(); ++i) {
            QVERIFY(all->tasks[i].kernels.empty());
            QVERIFY(!all->uses[i].sources.empty());
        }
        // The first convolutions of both blocks are alike: one group of two nodes.
        const TaskChoiceGroup &first = all->alternatives.groups.front();
        QCOMPARE(groupText(first), QStringLiteral("stage1/first and 1 more like it"));
        QVERIFY(first.arms.size() > 1);
        QVERIFY(all->uses[taskOfArm(*all, 1)].sources.contains("stage2/first"));
    }

    void whatIsPinnedHasNoOtherForm() {
        const NetworkKernelsPtr all = tried();
        const std::string direct = all->alternatives.groups.front().arms.front().name;
        const NetworkKernelsPtr pinned = tried({{"stage1/first", direct}, {"stage2/first", direct}});
        QVERIFY(pinned->alternatives.groups.size() < all->alternatives.groups.size());
        for (const TaskChoiceGroup &group : pinned->alternatives.groups)
            QVERIFY(group.node != "stage1/first" && group.node != "stage2/first");
    }

    void onlyTheFastestFormCounts() {
        const NetworkKernelsPtr all = tried();
        const size_t direct = taskOfArm(*all, 0), other = taskOfArm(*all, 1);
        NetworkProgress progress;
        progress.tasks = {timed(*all, direct, 4e-3), timed(*all, other, 0)};
        progress.groups = {{"stage1/first", 2, {{"direct", {0}}, {"winograd", {1}}}}};
        QCOMPARE(progress.seconds(), 8e-3);
        QVERIFY(progress.complete({})); // the other form need not have a time
        progress.tasks[1].best = 1e-3;
        QCOMPARE(progress.seconds(), 2e-3);
        QCOMPARE(progress.leading(0), std::optional<size_t>(1));
        progress.tasks = {timed(*all, direct, 0), timed(*all, other, 0)};
        QVERIFY(!progress.complete({}));
        QCOMPARE(progress.leading(0), std::nullopt);
    }

    void theTableSaysHowFarEachIsBehind() {
        Theme theme;
        NetworkTaskModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(kernelsOf(*smallNetwork(), {}, kGoOn));
        QVERIFY(!model.hasForms());
        const NetworkKernelsPtr all = tried();
        model.show(all);
        QVERIFY(model.hasForms());
        QVERIFY2(tasksSentence(model).contains(QStringLiteral("in all forms of 4 nodes")),
                 qPrintable(tasksSentence(model)));
        const size_t direct = taskOfArm(*all, 0), other = taskOfArm(*all, 1);
        const auto arms = all->alternatives.groups.front().arms;
        const auto name = [&](size_t arm) { return QString::fromStdString(arms[arm].name); };
        const auto form = [&](size_t task) {
            return model.index(static_cast<int>(task), NetworkTaskModel::Form).data().toString();
        };
        const auto cell = [&](size_t task, int column) {
            return model.index(static_cast<int>(task), column).data().toString();
        };
        QCOMPARE(form(other), QStringLiteral("%1, one of %2").arg(name(1)).arg(arms.size()));
        NetworkProgress progress;
        progress.tasks = {timed(*all, direct, 4e-3)};
        model.setProgress(progress, {});
        QCOMPARE(form(direct), QStringLiteral("%1, the first of %2").arg(name(0)).arg(arms.size()));
        progress.tasks.push_back(timed(*all, other, 1e-3));
        model.setProgress(progress, {});
        QCOMPARE(form(direct), QStringLiteral("%1, +3.000 ms").arg(name(0)));
        QCOMPARE(form(other), QStringLiteral("%1, the fastest of %2").arg(name(1)).arg(arms.size()));
        QCOMPARE(cell(direct, NetworkTaskModel::TimeShare), QStringLiteral("\u2013"));
        QCOMPARE(cell(other, NetworkTaskModel::TimeShare), QStringLiteral("100.0 %"));
        QVERIFY(tasksSentence(model).endsWith(QStringLiteral("; 2 of them with records, 2.000 ms altogether")));
        const QString tip = model.index(static_cast<int>(other), 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("Forms of stage1/first and 1 more like it: %1 (4.000 ms), %2 (1.000 ms)")
                                  .arg(name(0), name(1))),
                 qPrintable(tip));
        QVERIFY(model.index(static_cast<int>(direct), 0).data(Qt::ForegroundRole).isValid()); // quiet
    }

    /// By a click, as users do: the table grows, one search has all forms, and its end says which are the fastest.
    void allAreSearched() {
        ViewBench bench;
        NetworkTasksView view(bench.context);
        view.resize(1400, 500);
        view.show();
        OpenNetworks &networks = bench.session.networks();
        networks.show(QStringLiteral("small.net"), smallNetwork());
        QTRY_VERIFY_WITH_TIMEOUT(networks.current()->kernels != nullptr, 20000);
        QAction *forms = bench.actions.find(QStringLiteral("network_tasks.forms"));
        QVERIFY(forms->isEnabled() && !forms->isChecked());
        QVERIFY(view.table().isColumnHidden(NetworkTaskModel::Form));
        const int before = view.table().model()->rowCount();
        forms->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(view.table().model()->rowCount() > before, 20000);
        QVERIFY(forms->isChecked());
        QVERIFY(!view.table().isColumnHidden(NetworkTaskModel::Form));
        bench.session.peaks().setMeasurer(&SessionFixture::peaksAtOnce);
        bench.session.tuning().setMeasurerFactory([](const Task &) { return std::make_unique<ScriptedMeasurer>(); });
        bench.session.tuning().setSetup({4, 0, QStringLiteral("gain")});
        view.bar().refresh();
        bench.actions.find(QStringLiteral("network_tasks.search"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.tuning().searched() == 0, 120000);
        const NetworkProgress &progress = bench.session.tuning().progress(networks.current()->id);
        QCOMPARE(progress.tasks.size(), size_t(view.table().model()->rowCount()));
        QCOMPARE(progress.groups.size(), networks.current()->kernels->alternatives.groups.size());
        QVERIFY(!progress.estimated.empty());
        const auto &messages = bench.session.messages().all();
        const auto said = std::ranges::find_if(messages, [](const Message &message) {
            return message.detail.startsWith(QStringLiteral("stage1/first and 1 more like it: ")) &&
                   message.detail.contains(QStringLiteral("is the fastest of"));
        });
        QVERIFY(said != messages.end());
        // And back.
        forms->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(view.table().model()->rowCount(), before, 20000);
        QVERIFY(view.table().isColumnHidden(NetworkTaskModel::Form));
    }
};

LOOPSCOPE_WINDOW_TEST(NetworkFormsTest)
} // namespace loopscope

#include "network_forms_test.moc"
