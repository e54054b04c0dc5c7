// The network's graph in a session: empty and error states, selection both ways, details and their links, folding,
// finding, overlays, going about by keys, the way into a task.

#include "measure/timing/machine_peaks.h"
#include "small_network.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/graph/graph_find_bar.h"
#include "views/graph/view_overlays.h"
#include "views/network_graph/network_bar.h"
#include "views/network_graph/network_graph_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTabBar>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>

#include <cmath>

namespace loopscope {

namespace {

struct Window : ViewBench {
    NetworkGraphView view{context};
    OpenNetworks &networks = session.networks();

    Window() {
        view.resize(1100, 800);
        view.show();
        (void)QTest::qWaitForWindowActive(&view);
    }
    [[nodiscard]] bool settled() {
        return QTest::qWaitFor(
            [this] {
                return session.jobs().running().empty() && view.scene().picture() != nullptr &&
                       view.graph().notices().busyText().isEmpty();
            },
            60000);
    }
    bool open(int blocks = 2, const QString &name = QStringLiteral("small.net")) {
        networks.show(name, smallNetwork(blocks));
        return settled();
    }
    [[nodiscard]] int box(const QString &name) const {
        const NetworkPicture &picture = *view.scene().picture();
        for (size_t i = 0; i < picture.facts->nodes.size(); ++i)
            if (picture.facts->nodes[i].name == name) return picture.boxOf[i];
        return -1;
    }
    [[nodiscard]] QPoint middle(const QString &name) {
        view.graph().zoomTo(view.scene().rectOf(box(name)));
        return view.graph().mapFromScene(view.scene().rectOf(box(name)).center());
    }
    void click(const QString &name, Qt::KeyboardModifiers keys = {}) {
        QTest::mouseClick(view.graph().viewport(), Qt::LeftButton, keys, middle(name));
    }
    void choose(const char *combo, int item) {
        auto *box = view.findChild<QComboBox *>(QLatin1String(combo));
        box->setFocus();
        while (box->currentIndex() < item) QTest::keyClick(box, Qt::Key_Down);
        while (box->currentIndex() > item) QTest::keyClick(box, Qt::Key_Up);
    }
    [[nodiscard]] QString selected() const {
        QStringList names;
        if (networks.current() != nullptr)
            for (const std::string &name : networks.current()->selected) names << QString::fromStdString(name);
        return names.join(u' ');
    }
    [[nodiscard]] QString page() { return view.details().toPlainText(); }
};

} // namespace

class NetworkGraphViewTest : public QObject {
    Q_OBJECT

  private slots:
    void nothingOpen() {
        Window window;
        QVERIFY(window.view.graph().notices().emptyText().startsWith(QStringLiteral("Open a network")));
        QVERIFY(!window.view.details().isVisible());
        QVERIFY(!window.view.findChild<QTabBar *>(QStringLiteral("network_tabs"))->isVisible());
        QVERIFY(window.view.exportTo(QStringLiteral("/tmp/none.svg")).contains(QStringLiteral("no graph")));
    }

    void aFileThatIsNoNetwork() {
        Window window;
        const QString path = window.folder.filePath(QStringLiteral("broken.onnx"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is no network");
        file.close();
        window.session.files().open({path});
        QTRY_COMPARE(window.networks.current()->state, OpenNetwork::State::Failed);
        QVERIFY2(window.view.graph().notices().emptyText().contains(QStringLiteral("broken.onnx")),
                 qPrintable(window.view.graph().notices().emptyText()));
        QVERIFY(!window.session.messages().all().empty());
        // Closed, nothing is left of it.
        window.actions.find(QStringLiteral("network.close"))->trigger();
        QVERIFY(window.networks.all().empty());
        QVERIFY(window.view.graph().notices().emptyText().startsWith(QStringLiteral("Open a network")));
    }

    void numbersForOpenDims() {
        Window window;
        const QString path = window.folder.filePath(QStringLiteral("open.net"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("network open\n\nfunc main(x: float32[n, 3], y: float32[n, m]) {\n  a = relu(x)\n  b = relu(y)\n"
                   "  return a, b\n}\n");
        file.close();
        window.session.files().open({path});
        QVERIFY(window.settled());
        QAction *sizes = window.actions.find(QStringLiteral("network.sizes"));
        QVERIFY(sizes->isVisible());
        QCOMPARE(window.view.graph().notices().note(), QStringLiteral("No number for 2 dims"));
        // One of them; a batch is one where nobody says otherwise.
        sizes->trigger();
        auto *dialog = window.view.findChild<QDialog *>(QStringLiteral("DimsDialog"));
        QVERIFY(dialog != nullptr && dialog->isVisible());
        const auto field = [](const QDialog *in, const char *name) {
            return in->findChild<QSpinBox *>(QLatin1String(name));
        };
        QCOMPARE(field(dialog, "dim_m")->text(), QStringLiteral("any"));
        QCOMPARE(field(dialog, "dim_n")->value(), 1);
        field(dialog, "dim_n")->selectAll();
        QTest::keyClicks(field(dialog, "dim_n"), QStringLiteral("6"));
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(window.settled());
        QTRY_COMPARE(window.view.graph().notices().note(), QStringLiteral("No number for m"));
        QCOMPARE(window.networks.current()->dims, (NetworkDims{{"n", 6}}));
        QCOMPARE(QString::fromStdString(typeText(window.networks.current()->contents->main->type(
                     window.networks.current()->contents->main->parameters()[0]))),
                 QStringLiteral("float32[6, 3]"));
        // What was given stands there again, and can be taken back.
        sizes->trigger();
        dialog = window.view.findChildren<QDialog *>(QStringLiteral("DimsDialog")).last();
        QCOMPARE(field(dialog, "dim_n")->value(), 6);
        field(dialog, "dim_m")->setValue(5);
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(window.settled());
        QTRY_COMPARE(window.view.graph().notices().note(), QString());
        QVERIFY(sizes->isVisible());
        // Of a network whose dims are known there is nothing to ask.
        QVERIFY(window.open());
        QVERIFY(!sizes->isVisible());
    }

    void clicksSelect() {
        Window window;
        QVERIFY(window.open());
        QVERIFY(window.page().contains(QStringLiteral("small.net")));
        window.click(QStringLiteral("stage1/first"));
        QCOMPARE(window.selected(), QStringLiteral("stage1/first"));
        QVERIFY(window.view.scene().item(window.box(QStringLiteral("stage1/first")))->marks().selected);
        QVERIFY2(window.page().contains(QStringLiteral("constant stage1/first_w")), qPrintable(window.page()));
        window.click(QStringLiteral("stage2/relu"), Qt::ControlModifier);
        QCOMPARE(window.selected(), QStringLiteral("stage1/first stage2/relu"));
        QVERIFY(window.page().startsWith(QStringLiteral("2 nodes")));
        QTest::keyClick(&window.view.graph(), Qt::Key_Escape);
        QVERIFY(window.selected().isEmpty());
    }

    void followsTheSelection() {
        Window window;
        QVERIFY(window.open(12));
        window.view.graph().zoomTo(window.view.scene().rectOf(0));
        window.networks.select(window.networks.current()->id, {"stage12/sum"});
        const auto seen = [&] {
            return window.view.graph().mapToScene(window.view.graph().viewport()->rect()).boundingRect();
        };
        QTRY_VERIFY(seen().contains(window.view.scene().rectOf(window.box(QStringLiteral("stage12/sum")))));
        QVERIFY(window.page().contains(QStringLiteral("stage12/sum")));
    }

    void linksLead() {
        Window window;
        QVERIFY(window.open());
        window.click(QStringLiteral("stage1/relu"));
        Q_EMIT window.view.details().anchorClicked(QUrl(QStringLiteral("node:1")));
        QCOMPARE(window.selected(), QStringLiteral("stage1/first"));
        const QSignalSpy asked(&window.networks, &OpenNetworks::taskAsked);
        Q_EMIT window.view.details().anchorClicked(QUrl(QStringLiteral("task:0")));
        QCOMPARE(asked.size(), 1);
    }

    void aDoubleClickOpensTheTask() {
        Window window;
        QVERIFY(window.open());
        QSignalSpy asked(&window.networks, &OpenNetworks::taskAsked);
        QTest::mouseDClick(window.view.graph().viewport(), Qt::LeftButton, {},
                           window.middle(QStringLiteral("stage2/second")));
        QCOMPARE(asked.size(), 1);
        const auto task = asked.takeFirst().at(1).value<size_t>();
        const NetworkKernels &kernels = *window.networks.current()->kernels;
        QCOMPARE(kernels.tasks[task].name, std::string("conv_add"));
        QVERIFY(workloadText(kernels.tasks[task]).startsWith(QStringLiteral("workload conv_add")));
        // The same by key, and by the action, which knows when there is none.
        QTest::keyClick(&window.view.graph(), Qt::Key_Return);
        QCOMPARE(asked.size(), 1);
        QAction *open = window.actions.find(QStringLiteral("network.open_task"));
        QVERIFY(open->isEnabled());
        window.networks.select(window.networks.current()->id, {});
        QVERIFY(!open->isEnabled());
    }

    void folding() {
        Window window;
        QVERIFY(window.open(6));
        const size_t all = window.view.scene().picture()->boxes.size();
        window.choose("network_fold", static_cast<int>(FoldBy::Blocks));
        QTRY_COMPARE(window.view.scene().picture()->boxes.size(), all - 6 * 3);
        QVERIFY(window.settled());
        // A double click shows its nodes, E folds them again.
        const int block = window.box(QStringLiteral("stage2/first"));
        QVERIFY(window.view.scene().picture()->boxes[static_cast<size_t>(block)].fold >= 0);
        QTest::mouseDClick(window.view.graph().viewport(), Qt::LeftButton, {},
                           window.middle(QStringLiteral("stage2/first")));
        QTRY_COMPARE(window.view.scene().picture()->boxes.size(), all - 5 * 3);
        QVERIFY(window.settled());
        QCOMPARE(window.view.scene().picture()->frames.size(), size_t{1});
        window.click(QStringLiteral("stage2/relu"));
        window.view.graph().setFocus();
        QTest::keyClick(&window.view.graph(), Qt::Key_E);
        QTRY_COMPARE(window.view.scene().picture()->boxes.size(), all - 6 * 3);
        QVERIFY(window.settled());
        // What is selected marks the fold it is in.
        QVERIFY(window.view.scene().item(window.box(QStringLiteral("stage2/relu")))->marks().selected);
        window.choose("network_fold", static_cast<int>(FoldBy::Kernels));
        QTRY_COMPARE(window.view.scene().picture()->boxes.size(), all - 6 * 2);
        QVERIFY(window.settled());
    }

    void formsAfterPasses() {
        Window window;
        QVERIFY(window.open());
        const int last = static_cast<int>(window.networks.current()->kernels->forms.size()) - 1;
        QVERIFY(last > 0);
        window.choose("network_form", last);
        QTRY_VERIFY(window.view.scene().picture()->facts->function == window.networks.current()->kernels->function);
        QVERIFY(window.settled());
        window.networks.showForm(window.networks.current()->id, 0);
        QTRY_VERIFY(window.view.scene().picture()->facts->function == window.networks.current()->contents->main);
        QVERIFY(window.settled());
    }

    void finding() {
        Window window;
        QVERIFY(window.open());
        window.view.startFind();
        auto *bar = window.view.findChild<GraphFindBar *>();
        auto *line = bar->findChild<QLineEdit *>();
        QTRY_VERIFY(line->hasFocus());
        QTest::keyClicks(line, QStringLiteral("conv stage2"));
        QCOMPARE(bar->countText(), QStringLiteral("2 found"));
        QVERIFY(window.view.scene().item(window.box(QStringLiteral("stage2/first")))->marks().match);
        QVERIFY(window.view.scene().item(window.box(QStringLiteral("stage1/first")))->marks().faded);
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(window.selected(), QStringLiteral("stage2/first"));
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(window.selected(), QStringLiteral("stage2/second"));
        QTest::keyClick(line, Qt::Key_Escape);
        QVERIFY(!window.view.scene().item(window.box(QStringLiteral("stage1/first")))->marks().faded);
    }

    void overlays() {
        Window window;
        QVERIFY(window.open());
        const auto conv = [&]() -> const BoxItem & {
            return *window.view.scene().item(window.box(QStringLiteral("stage1/first")));
        };
        QVERIFY(conv().heat() < 0);
        window.choose("network_overlay", static_cast<int>(Overlay::Flops));
        QTRY_VERIFY(conv().heat() > 0.9);
        QVERIFY2(conv().box().texts.back().text.startsWith(QStringLiteral("18.43 kFLOP, 24.")),
                 qPrintable(conv().box().texts.back().text));
        window.choose("network_overlay", static_cast<int>(Overlay::Weights));
        QTRY_VERIFY2(conv().box().texts.back().text.startsWith(QStringLiteral("576 B, ")),
                     qPrintable(conv().box().texts.back().text));
        window.choose("network_overlay", static_cast<int>(Overlay::None));
        QTRY_VERIFY(conv().heat() < 0);
        QVERIFY(window.settled());
    }

    /// A run whose second kernel is wrong, and what the machine can do.
    void overlaysOfARun() {
        Window window;
        int measured = 0;
        window.session.peaks().setMeasurer([&measured](const Target &target, const std::atomic<bool> *) {
            ++measured;
            MachinePeaks peaks;
            peaks.model = processorModel();
            peaks.cpu = target.cpu;
            peaks.vectorBytes = target.vectorBytes;
            peaks.threads = std::max(1, target.hardware.numCores);
            peaks.gflops1 = peaks.gflopsAll = 10;
            return Outcome<MachinePeaks>(peaks);
        });
        QVERIFY(window.open());
        auto *overlays = window.view.findChild<QComboBox *>(QStringLiteral("network_overlay"));
        const auto offered = [overlays](Overlay overlay) {
            const auto *model = qobject_cast<QStandardItemModel *>(overlays->model());
            return model->item(static_cast<int>(overlay))->isEnabled();
        };
        QVERIFY(offered(Overlay::Bytes) && !offered(Overlay::Time) && !offered(Overlay::Error));
        const NetworkKernels &kernels = *window.networks.current()->kernels;
        auto run = std::make_shared<NetworkProfile>();
        for (size_t i = 0; i < kernels.sources.size(); ++i) {
            CallProfile call;
            call.time.median = 1e-3;
            call.flops = i == 0 ? 12e6 : 5e6; // 120 % and 50 %
            run->profile.calls.push_back(call);
            run->sources.push_back(kernels.sources[i]);
            CallVerdict verdict;
            verdict.tolerance = 1e-5;
            verdict.ok = i != 1;
            verdict.error = verdict.ok ? 1e-6 : 3e-5;
            run->verdicts.emplace_back(verdict);
        }
        window.networks.setProfile(window.networks.current()->id, run);
        QVERIFY(offered(Overlay::Time) && offered(Overlay::Roofline) && offered(Overlay::Error));
        QCOMPARE(measured, 0);
        window.choose("network_overlay", static_cast<int>(Overlay::Error));
        const auto box = [&](const char *name) -> const BoxItem & {
            return *window.view.scene().item(window.box(QLatin1String(name)));
        };
        QTRY_VERIFY(box("stage1/second").wrong() == Wrong::First);
        QVERIFY(window.settled());
        QVERIFY(box("stage1/sum").wrong() == Wrong::First); // of the same kernel
        QVERIFY(box("stage1/first").wrong() == Wrong::Not);
        QVERIFY(std::abs(box("stage1/first").heat() - 2.0 / 3) < 0.001); // a tenth of what is allowed
        QCOMPARE(box("stage1/second").box().texts.back().text,
                 QStringLiteral("FIRST WRONG: error 300.0 % of what is allowed"));
        QVERIFY(window.view.graph().notices().note().startsWith(QStringLiteral("stage1/sum is the first")));
        bool pressed = false;
        for (auto *button : window.view.graph().findChildren<QToolButton *>())
            if (button->isVisible() && button->text() == QStringLiteral("Show it")) {
                QTest::mouseClick(button, Qt::LeftButton);
                pressed = true;
                break;
            }
        QVERIFY(pressed);
        QCOMPARE(window.selected(), QStringLiteral("stage1/sum"));

        // The machine is measured once, when somebody asks for it (the keys passed by); above 100 % is explained.
        window.choose("network_overlay", static_cast<int>(Overlay::Roofline));
        QTRY_COMPARE(measured, 1);
        QTRY_COMPARE(box("stage1/second").box().texts.back().text, QStringLiteral("50.0 % of the roofline"));
        QVERIFY(window.settled());
        QCOMPARE(box("stage1/first").box().texts.back().text, QStringLiteral("120.0 % of the roofline"));
        QCOMPARE(box("stage1/first").heat(), 1.0);
        QTRY_VERIFY(window.view.graph().notices().note().startsWith(QStringLiteral("Above 100 %")));
        // Not run any more: kinds of operators again.
        window.networks.setProfile(window.networks.current()->id, nullptr);
        QTRY_VERIFY(box("stage1/first").heat() < 0);
        QVERIFY(window.settled());
    }

    void keysWalkTheGraph() {
        Window window;
        QVERIFY(window.open());
        QWidget *graph = &window.view.graph();
        graph->setFocus();
        window.networks.select(window.networks.current()->id, {"stage1/first"});
        QTest::keyClick(graph, Qt::Key_Down);
        QCOMPARE(window.selected(), QStringLiteral("stage1/relu"));
        QTest::keyClick(graph, Qt::Key_Up);
        QCOMPARE(window.selected(), QStringLiteral("stage1/first"));
        QTest::keyClick(graph, Qt::Key_Period);
        QCOMPARE(window.selected(), QStringLiteral("stage1/relu"));
        QTest::keyClick(graph, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("stage1/relu"));
    }

    void severalNetworks() {
        Window window;
        QVERIFY(window.open(1, QStringLiteral("one.net")));
        QVERIFY(window.open(3, QStringLiteral("three.net")));
        auto *tabs = window.view.findChild<QTabBar *>(QStringLiteral("network_tabs"));
        QCOMPARE(tabs->count(), 2);
        QTRY_COMPARE(window.view.scene().picture()->facts->function->nodeCount(), size_t{15});
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(0).center());
        QTRY_COMPARE(window.view.scene().picture()->facts->function->nodeCount(), size_t{7});
        QTRY_VERIFY(window.view.findChild<NetworkBar *>()->sentence().startsWith(QStringLiteral("7 nodes")));
        QVERIFY(window.settled());
    }

    void exported() {
        Window window;
        QVERIFY(window.open());
        const QString path = window.folder.filePath(QStringLiteral("net.svg"));
        QCOMPARE(window.view.exportTo(path), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("conv"));
    }

    void aThousandNodesStayFluid() {
        Window window;
        QElapsedTimer clock;
        clock.start();
        QVERIFY(window.open(250));
        qInfo("1003 nodes are there after %lld ms", static_cast<long long>(clock.elapsed()));
        QVERIFY(clock.elapsed() < 20000);
        window.view.zoomToFit();
        clock.restart();
        for (int i = 0; i < 10; ++i) window.view.graph().viewport()->repaint();
        qInfo("a frame takes %.1f ms", static_cast<double>(clock.elapsed()) / 10);
        QVERIFY(clock.elapsed() < 10 * 500);
    }
};

LOOPSCOPE_WINDOW_TEST(NetworkGraphViewTest)
} // namespace loopscope

#include "network_graph_view_test.moc"
