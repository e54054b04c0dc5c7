// Implementations of a network's operators: the table under the tester, why, pins by clicks, rules, and the catalogue.

#include "networks/graph/function_builder.h"
#include "networks/op/operator.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/implementations/choice_page.h"
#include "views/implementations/implementations_view.h"
#include "views/implementations/layout_page.h"
#include "views/implementations/operator_page.h"
#include "views/session/messages.h"
#include "views/session/text.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

namespace loopscope {

namespace {

struct Bench : ViewBench {
    ImplementationsView view{context};
    OpenNetworks &networks = session.networks();
    QTemporaryDir folder;
    QString path = folder.filePath(QStringLiteral("conv.net"));

    Bench() {
        view.resize(1200, 600);
        view.show();
        (void)QTest::qWaitForWindowActive(&view);
    }
    /// A convolution that can be had in Winograd's form.
    [[nodiscard]] bool open() {
        FunctionBuilder builder("main");
        const auto typed = [&](ValueId value) {
            builder.setType(value, TensorType{DType::Float32, asDims({1, 8, 12, 12})});
            return value;
        };
        const ValueId x = builder.addParameter("x", {DType::Float32, asDims({1, 8, 12, 12})});
        const ValueId w = builder.addConstant("w", HostTensor::splat(DType::Float32, {8, 8, 3, 3}, 0.5));
        const ValueId y =
            typed(builder.add("conv", "c1", {x, w}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}, {"c1"}));
        builder.addResult(typed(builder.add("relu", "r1", {y}, {}, {"r1"})));
        Module module;
        module.functions = {std::move(builder).finish()};
        networks.show(path, networkOf(std::move(module)));
        return settled();
    }
    [[nodiscard]] bool settled() {
        return QTest::qWaitFor([this] { return !networks.current()->working(); }, 20000);
    }
    [[nodiscard]] QString page() { return view.choices().why().toPlainText(); }
    [[nodiscard]] QString chosen(int row) {
        return view.choices().model().index(row, DecisionModel::ChosenColumn).data().toString();
    }
    void click(const QString &link) { Q_EMIT view.choices().why().anchorClicked(QUrl(link)); }
};

const QString kWinograd = QStringLiteral("conv2d_nchw_winograd2.x86");

} // namespace

class ImplementationsTest : public QObject {
    Q_OBJECT

  private slots:
    void nothingOpen() {
        Bench bench;
        QVERIFY(!bench.view.choices().table().isVisible());
        const auto *empty = bench.view.findChild<QLabel *>(QStringLiteral("implementations_empty"));
        QVERIFY2(empty->text().startsWith(QStringLiteral("Open a network")), qPrintable(empty->text()));
        QVERIFY(!bench.view.findChild<QComboBox *>(QStringLiteral("implementation_rule"))->isEnabled());
    }

    void whyAndWhyNot() {
        Bench bench;
        DecisionModel model(bench.theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(bench.open());
        model.show(bench.networks.current()->kernels);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(bench.chosen(0), QStringLiteral("conv2d_nchw.x86"));
        QVERIFY2(bench.view.sentence().startsWith(QStringLiteral("2 nodes, of which 1 have a choice")),
                 qPrintable(bench.view.sentence()));
        // Selected in the graph: shown here, and the other way round.
        bench.networks.select(bench.networks.current()->id, {"c1"});
        QCOMPARE(bench.view.choices().chosen()->node, std::string("c1"));
        const QString page = bench.page();
        for (const char *part : {"\u2713 conv2d_nchw.x86", "conv2d_nchw_winograd4.x86", "level 5", "kh == 3", "kh = 3"})
            QVERIFY2(page.contains(QString::fromUtf8(part)), qPrintable(page));
        bench.view.choices().table().setCurrentIndex(bench.view.choices().model().index(1, 0));
        QCOMPARE(bench.networks.current()->selected, std::set<std::string>{"r1"});
    }

    void pinsAreKeptBesideTheNetwork() {
        Bench bench;
        QVERIFY(bench.open());
        bench.view.choices().table().setCurrentIndex(bench.view.choices().model().index(0, 0));
        QVERIFY(bench.view.choices().why().toHtml().contains(QStringLiteral("pin:") + kWinograd));
        const FunctionPtr before = bench.networks.current()->kernels->function;
        bench.click(QStringLiteral("pin:") + kWinograd);
        QVERIFY(bench.settled());
        QVERIFY2(bench.networks.current()->kernelsProblem.isEmpty(),
                 qPrintable(bench.networks.current()->kernelsProblem));
        QCOMPARE(bench.chosen(0), kWinograd + QStringLiteral(" (pinned)"));
        QVERIFY(bench.networks.current()->kernels->function != before);
        QCOMPARE(bench.networks.current()->kernels->forms.back().pass, QStringLiteral("chooseImplementations"));
        QCOMPARE(bench.view.choices().chosen()->node, std::string("c1")); // stays in sight
        QCOMPARE(readPins(pinsPath(bench.path.toStdString())).at("c1"), kWinograd.toStdString());
        bench.click(QStringLiteral("unpin:"));
        QVERIFY(bench.settled());
        QCOMPARE(bench.chosen(0), QStringLiteral("conv2d_nchw.x86"));
        QVERIFY(!QFile::exists(QString::fromStdString(pinsPath(bench.path.toStdString()))));
        QCOMPARE(bench.networks.current()->kernels->function->nodeCount(), before->nodeCount());
    }

    /// A pin that fits nothing is told, and can be taken away.
    void aPinThatFitsNothing() {
        Bench bench;
        writePins(pinsPath(bench.path.toStdString()), {{"nobody", "conv2d_nchw.x86"}});
        QVERIFY(bench.open());
        QVERIFY2(bench.networks.current()->kernelsProblem.contains(QStringLiteral("nobody")),
                 qPrintable(bench.networks.current()->kernelsProblem));
        const auto *empty = bench.view.findChild<QLabel *>(QStringLiteral("implementations_empty"));
        QVERIFY(empty->isVisible() && empty->text().contains(QStringLiteral("nobody")));
        bench.actions.find(QStringLiteral("implementations.unpin"))->trigger();
        QVERIFY(bench.settled());
        QCOMPARE(bench.chosen(0), QStringLiteral("conv2d_nchw.x86"));
        QVERIFY(!bench.actions.find(QStringLiteral("implementations.unpin"))->isEnabled());
    }

    void aDamagedFileOfPins() {
        Bench bench;
        QFile file(QString::fromStdString(pinsPath(bench.path.toStdString())));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("[7]") == 3);
        file.close();
        QVERIFY(bench.open());
        QCOMPARE(bench.chosen(0), QStringLiteral("conv2d_nchw.x86"));
        const size_t told = bench.session.messages().all().size();
        bench.networks.pin(bench.networks.current()->id, "c1", kWinograd.toStdString());
        QVERIFY(bench.session.messages().all().size() > told);
        QVERIFY(bench.networks.current()->choice.pins.empty());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("[7]"));
    }

    void rules() {
        Bench bench;
        QVERIFY(bench.open());
        auto *rule = bench.view.findChild<QComboBox *>(QStringLiteral("implementation_rule"));
        rule->setCurrentIndex(1);
        Q_EMIT rule->activated(1);
        QVERIFY(bench.settled());
        QCOMPARE(bench.networks.current()->choice.rule, ImplementationRule::Measured);
        QVERIFY2(bench.view.sentence().contains(QStringLiteral("no log is open, so levels decide")),
                 qPrintable(bench.view.sentence()));
        QVERIFY(bench.actions.find(QStringLiteral("implementations.again"))->isEnabled());
        const NetworkKernelsPtr before = bench.networks.current()->kernels;
        bench.actions.find(QStringLiteral("implementations.again"))->trigger();
        QVERIFY(bench.settled());
        QVERIFY(bench.networks.current()->kernels != before);
        auto *worst = bench.view.findChild<QComboBox *>(QStringLiteral("implementation_accuracy"));
        worst->setCurrentIndex(0);
        Q_EMIT worst->activated(0);
        QVERIFY(bench.settled());
        QCOMPARE(bench.networks.current()->choice.worst, AccuracyClass::Exact);
        bench.networks.select(bench.networks.current()->id, {"c1"});
        QVERIFY2(!bench.view.choices().why().toHtml().contains(QStringLiteral("pin:") + kWinograd),
                 qPrintable(bench.page()));
    }

    void layouts() {
        Bench bench;
        LayoutModel model(bench.theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(bench.open());
        LayoutPage &page = bench.view.layouts();
        auto *rule = bench.view.findChild<QComboBox *>(QStringLiteral("layout_rule"));
        const auto choose = [&](int index) {
            rule->setCurrentIndex(index);
            Q_EMIT rule->activated(index);
            return bench.settled() && bench.networks.current()->kernelsProblem.isEmpty();
        };
        const auto *empty = bench.view.findChild<QLabel *>(QStringLiteral("layouts_empty"));
        QVERIFY2(empty->text().startsWith(QStringLiteral("Data lies as in the file")), qPrintable(empty->text()));
        const size_t before = bench.networks.current()->kernels->function->nodeCount();
        QVERIFY(choose(1));
        QCOMPARE(bench.view.pages().currentWidget(), static_cast<QWidget *>(&page));
        QVERIFY(page.table().isVisible());
        const NetworkKernels &last = *bench.networks.current()->kernels;
        QCOMPARE(last.forms.back().pass, QStringLiteral("assignLayouts"));
        QCOMPARE(last.function->nodeCount(), before + 2); // x is brought to channels last, the result back
        model.show(bench.networks.current()->kernels);
        QCOMPARE(model.rowCount(), 2);
        const auto text = [&](int row, LayoutModel::Column column) {
            return model.index(row, column).data().toString();
        };
        QCOMPARE(text(0, LayoutModel::LayoutColumn), QStringLiteral("channels last"));
        QCOMPARE(text(0, LayoutModel::FirstColumn), QString()); // nothing was priced
        auto priced = std::make_shared<NetworkKernels>(last);
        priced->layouts->priced = true;
        priced->layouts->unit = "s";
        priced->layouts->transforms = {{"x", DataLayout::ChannelsLast, 0.5e-3, "timed"}};
        model.show(priced);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(text(2, LayoutModel::NodeColumn), QStringLiteral("x"));
        QCOMPARE(text(2, LayoutModel::OperatorColumn), QStringLiteral("transform"));
        QCOMPARE(text(2, LayoutModel::LayoutColumn), QStringLiteral("to channels last"));
        QCOMPARE(text(2, LayoutModel::TransformsColumn), timeText(0.5e-3));
        QVERIFY(model.sourcesOf(2).empty());
        // Selected in the graph: chosen here, and the other way round.
        bench.networks.select(bench.networks.current()->id, {"r1"});
        QCOMPARE(page.table().currentIndex().row(), 1);
        page.table().setCurrentIndex(page.model().index(0, 0));
        QCOMPARE(bench.networks.current()->selected, std::set<std::string>{"c1"});
        QVERIFY(choose(3));
        const std::optional<NetworkLayouts> &timed = bench.networks.current()->kernels->layouts;
        QVERIFY(timed && timed->priced && timed->first > 0 && timed->last > 0);
        QCOMPARE(timed->unit, std::string("s"));
        QVERIFY(page.model().index(0, LayoutModel::LastColumn).data().toString().endsWith(QStringLiteral("s")));
        QVERIFY(bench.actions.find(QStringLiteral("implementations.again"))->isEnabled());
        QVERIFY(choose(0));
        QVERIFY(!bench.networks.current()->kernels->layouts && !page.table().isVisible());
    }

    void theCatalogue() {
        Bench bench;
        QVERIFY(bench.open());
        OperatorPage &operators = bench.view.operators();
        QCOMPARE(operators.list().count(), static_cast<int>(allOperators().size()));
        bench.view.pages().setCurrentWidget(&operators);
        QTest::keyClicks(&operators.filter(), QStringLiteral("global_average"));
        QCOMPARE(operators.list().count(), 1);
        QVERIFY2(operators.page().toPlainText().contains(QStringLiteral("an anchor")),
                 qPrintable(operators.page().toPlainText()));
        QTest::keyClicks(&operators.filter(), QStringLiteral(" nothing has this"));
        QCOMPARE(operators.page().toPlainText(), QStringLiteral("No operator has all of these words."));
        // From a node.
        bench.view.pages().setCurrentIndex(0);
        bench.view.choices().table().setCurrentIndex(bench.view.choices().model().index(0, 0));
        Q_EMIT bench.view.choices().operatorAsked(QStringLiteral("conv"));
        QCOMPARE(bench.view.pages().currentWidget(), static_cast<QWidget *>(&operators));
        const QString page = operators.page().toPlainText();
        for (const char *part : {"Inputs:", "pads", "conv2d_nchw_winograd4.x86", "depthwise_conv2d_nchw.x86"})
            QVERIFY2(page.contains(QString::fromUtf8(part)), qPrintable(page));
    }
};

LOOPSCOPE_WINDOW_TEST(ImplementationsTest)
} // namespace loopscope

#include "implementations_test.moc"
