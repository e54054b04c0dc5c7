// Passes over a network: the table under the tester, going through it by keys, what a pass did to which node.

#include "small_network.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/network_passes/form_diff_page.h"
#include "views/network_passes/network_passes_view.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>

namespace loopscope {

namespace {

const std::atomic<bool> kGoOn{false};

struct Bench : ViewBench {
    NetworkPassesView view{context};
    OpenNetworks &networks = session.networks();

    Bench() {
        view.resize(1100, 500);
        view.show();
        (void)QTest::qWaitForWindowActive(&view);
    }
    [[nodiscard]] bool open() {
        networks.show(QStringLiteral("small.net"), smallNetwork());
        return QTest::qWaitFor([this] { return networks.current()->kernels != nullptr; }, 20000);
    }
};

} // namespace

class NetworkPassesTest : public QObject {
    Q_OBJECT

  private slots:
    void theModel() {
        Theme theme;
        PassModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const NetworkKernelsPtr kernels = kernelsOf(*smallNetwork(), {}, kGoOn);
        QVERIFY(kernels->forms.size() > 1); // flatten becomes a reshape
        model.show(kernels);
        QCOMPARE(model.rowCount(), static_cast<int>(kernels->report.rows.size()) + 1);
        QCOMPARE(model.index(0, PassModel::Pass).data().toString(), QStringLiteral("as in the file"));
        QCOMPARE(model.index(0, PassModel::Nodes).data().toString(), QStringLiteral("11"));
        int changed = 0;
        for (int row = 1; row < model.rowCount(); ++row)
            if (model.index(row, PassModel::What).data().toString() == QStringLiteral("changed it")) ++changed;
        QCOMPARE(changed, static_cast<int>(kernels->forms.size()) - 1);
        QCOMPARE(model.formOf(model.rowCount() - 1), static_cast<int>(kernels->forms.size()) - 1);
        for (size_t form = 0; form < kernels->forms.size(); ++form)
            QCOMPARE(model.formOf(model.rowOf(static_cast<int>(form))), static_cast<int>(form));
        size_t events = 0;
        for (int row = 0; row < model.rowCount(); ++row) events += model.eventsOf(row).size();
        QCOMPARE(events, kernels->report.events.size());
        model.show(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void nothingOpen() {
        Bench bench;
        QVERIFY(!bench.view.table().isVisible());
        QVERIFY(bench.view.findChild<QLabel *>()->text().startsWith(QStringLiteral("Open a network")));
    }

    void arrowKeysGoThroughThem() {
        Bench bench;
        QVERIFY(bench.open());
        QCOMPARE(bench.view.table().currentIndex().row(), 0);
        QCOMPARE(bench.networks.current()->form, 0);
        bench.view.table().setFocus();
        for (int row = 1; row < bench.view.table().model()->rowCount(); ++row)
            QTest::keyClick(&bench.view.table(), Qt::Key_Down);
        const NetworkKernels &kernels = *bench.networks.current()->kernels;
        QCOMPARE(bench.networks.current()->form, static_cast<int>(kernels.forms.size()) - 1);
        QVERIFY(bench.networks.current()->function() == kernels.function);
        // From elsewhere.
        bench.networks.showForm(bench.networks.current()->id, 0);
        QCOMPARE(bench.view.table().currentIndex().row(), 0);
        bench.networks.showForm(bench.networks.current()->id, 1);
        QVERIFY(bench.view.table().currentIndex().row() > 0);
    }

    void whatDiffersIsTold() {
        const auto form = [](bool folded, float weight) {
            FunctionBuilder builder("main");
            const TensorType type{DType::Float32, asDims({1, 4})};
            const ValueId x = builder.addParameter("x", type);
            const auto add = [&](const char *op, const char *name, std::vector<ValueId> inputs, Attributes attributes) {
                const ValueId made =
                    builder.add(op, name, std::move(inputs), std::move(attributes), {std::string("file_") + name});
                builder.setType(made, type);
                return made;
            };
            const ValueId w = builder.addConstant("w", HostTensor::splat(DType::Float32, {4, 4}, weight));
            ValueId y = add("dense", "d", {x, w}, {});
            y = add("identity", folded ? "j" : "i", {y}, {});
            y = add("leaky_relu", "r", {y}, {{"alpha", folded ? 0.5 : 0.25}});
            if (folded) y = add("relu", "extra", {y}, {});
            builder.addResult(y);
            return std::move(builder).finish();
        };
        const auto told = [](const FormDiff &diff) {
            QStringList lines;
            const std::array kinds{QStringLiteral("gone"), QStringLiteral("new"), QStringLiteral("changed")};
            for (const FormChange &change : diff.changes)
                lines << kinds[static_cast<size_t>(change.kind)] + u' ' + change.name + QStringLiteral(": ") +
                             change.before + QStringLiteral(" | ") + change.after;
            return lines.join(u'\n');
        };
        const FunctionPtr before = form(false, 1), after = form(true, 2);
        const std::optional<FormDiff> diff = compareForms(*before, *after, kGoOn);
        QVERIFY(diff);
        QCOMPARE(told(*diff), QStringLiteral("gone i: identity(d) \u2192 float32[1, 4] | \n"
                                             "new j:  | identity(d) \u2192 float32[1, 4]\n"
                                             "changed r: leaky_relu(i; alpha 0.25) \u2192 float32[1, 4] | "
                                             "leaky_relu(j; alpha 0.5) \u2192 float32[1, 4]\n"
                                             "new extra:  | relu(r) \u2192 float32[1, 4]\n"
                                             "changed w: float32 4 \u00d7 4, 64 B | "
                                             "float32 4 \u00d7 4, 64 B, other numbers"));
        QCOMPARE(formDiffSentence(*diff), QStringLiteral("1 node gone, 2 new, 1 changed; 1 constant changed"));
        QCOMPARE(diff->changes[0].sources, std::set<std::string>{"file_i"});
        const std::optional<FormDiff> back = compareForms(*after, *before, kGoOn);
        QCOMPARE(formDiffSentence(*back), QStringLiteral("2 nodes gone, 1 new, 1 changed; 1 constant changed"));
        QCOMPARE(back->changes[0].name, QStringLiteral("j"));
        const std::optional<FormDiff> same = compareForms(*before, *form(false, 1), kGoOn);
        QVERIFY(same && same->changes.empty());
        QCOMPARE(formDiffSentence(*same), QStringLiteral("Nothing differs"));
        const std::atomic<bool> cancelled{true};
        QVERIFY(!compareForms(*before, *after, cancelled));
        Theme theme;
        FormDiffModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(*diff);
        QCOMPARE(model.rowCount(), 5);
        QCOMPARE(model.index(4, FormDiffModel::What).data().toString(), QStringLiteral("constant changed"));
    }

    void anyTwoFormsAreCompared() {
        Bench bench;
        QVERIFY(bench.open());
        FormDiffPage &page = bench.view.difference();
        const auto *model = page.findChild<FormDiffModel *>();
        const auto &forms = bench.networks.current()->kernels->forms;
        const auto &passes = static_cast<PassModel &>(*bench.view.table().model());
        QVERIFY(forms.size() > 1);
        QCOMPARE(model->rowCount(), 0); // nobody looks yet
        QTabBar *tabs = bench.view.pages().tabBar();
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center());
        // The file against the end, while the file is chosen.
        QTRY_VERIFY(page.ready() && model->rowCount() > 0);
        QCOMPARE(page.from(), 0);
        QCOMPARE(page.to(), static_cast<int>(forms.size()) - 1);
        QVERIFY2(page.sentence().contains(QStringLiteral("node")), qPrintable(page.sentence()));
        // Around a pass, once it is chosen.
        const int row = passes.rowOf(1);
        bench.view.table().setFocus();
        while (bench.view.table().currentIndex().row() < row) QTest::keyClick(&bench.view.table(), Qt::Key_Down);
        QCOMPARE(page.from(), 0);
        QCOMPARE(page.to(), 1);
        QTRY_VERIFY(page.ready() && model->rowCount() > 0);
        // A click on a node selects it.
        int changed = -1;
        for (int i = 0; i < model->rowCount() && changed < 0; ++i)
            if (!model->diff().changes[static_cast<size_t>(i)].sources.empty()) changed = i;
        QVERIFY(changed >= 0);
        const QRect cell = page.table().visualRect(model->index(changed, FormDiffModel::Name));
        QTest::mouseClick(page.table().viewport(), Qt::LeftButton, {}, cell.center());
        QCOMPARE(bench.networks.current()->selected, model->diff().changes[static_cast<size_t>(changed)].sources);
        // Any two, by the keys.
        page.fromBox().setFocus();
        QTest::keyClick(&page.fromBox(), Qt::Key_Down);
        QCOMPARE(page.from(), 1);
        QTRY_VERIFY(page.ready());
        QCOMPARE(model->rowCount(), 0);
        QVERIFY2(page.sentence().startsWith(QStringLiteral("The same form twice")), qPrintable(page.sentence()));
        page.toBox().setFocus();
        QTest::keyClick(&page.toBox(), Qt::Key_Up);
        QCOMPARE(page.to(), 0);
        QTRY_VERIFY(page.ready() && model->rowCount() > 0); // backwards
        bench.networks.close(bench.networks.current()->id);
        QCOMPARE(model->rowCount(), 0);
        QCOMPARE(page.fromBox().count(), 0);
    }

    void eventsNameNodes() {
        Bench bench;
        QVERIFY(bench.open());
        const auto &model = static_cast<PassModel &>(*bench.view.table().model());
        int row = -1;
        for (int i = 1; i < model.rowCount() && row < 0; ++i)
            if (!model.eventsOf(i).empty()) row = i;
        QVERIFY(row > 0);
        bench.view.table().setCurrentIndex(model.index(row, 0));
        const QString node = QString::fromStdString(model.eventsOf(row)[0].node);
        QVERIFY2(bench.view.events().toPlainText().contains(node), qPrintable(bench.view.events().toPlainText()));
        Q_EMIT bench.view.events().anchorClicked(
            QUrl(QStringLiteral("node:") + QString::fromLatin1(QUrl::toPercentEncoding(node))));
        QCOMPARE(bench.networks.current()->selected, std::set<std::string>{node.toStdString()});
    }
};

LOOPSCOPE_WINDOW_TEST(NetworkPassesTest)
} // namespace loopscope

#include "network_passes_test.moc"
