// Networks that are open as documents: files that cannot be read, what is told of them, closing, and session files.

#include "session_fixture.h"
#include "small_network.h"
#include "test_program.h"
#include "views/session/networks_in_session.h"
#include "views/session/open_networks.h"
#include "views/session/session_text.h"

#include <QSignalSpy>

using namespace loopscope;

class OpenNetworksTest : public QObject {
    Q_OBJECT

  private slots:
    void madeOnesAreReadyAtOnce() {
        SessionFixture f;
        OpenNetworks &networks = f.session->networks();
        const QSignalSpy opened(&networks, &OpenNetworks::openedByUser);
        networks.show(QStringLiteral("small"), smallNetwork());
        QCOMPARE(opened.size(), 1);
        QCOMPARE(networks.current()->state, OpenNetwork::State::Ready);
        QVERIFY(f.idle());
        QVERIFY(networks.current()->kernels != nullptr);
        const NetworkKernels &kernels = *networks.current()->kernels;
        QCOMPARE(kernels.tasks[static_cast<size_t>(kernels.taskAt({"stage2/second"}))].name, std::string("conv_add"));
        QCOMPARE(kernels.taskAt({"nobody"}), -1);
        QVERIFY(!f.session->file().json({}).contains(QStringLiteral("networks"))); // it has no file
        networks.close(networks.current()->id);
        QVERIFY(networks.all().empty() && networks.current() == nullptr);
    }

    void selectionIsTold() {
        SessionFixture f;
        OpenNetworks &networks = f.session->networks();
        networks.show(QStringLiteral("small"), smallNetwork());
        const QSignalSpy changed(&networks, &OpenNetworks::selectionChanged);
        networks.select(networks.current()->id, {"a"});
        networks.select(networks.current()->id, {"a"});
        networks.select(77, {"a"});
        QCOMPARE(changed.size(), 1);
        QVERIFY(f.idle());
    }

    void whatIsNoNetworkIsTold() {
        SessionFixture f;
        const QString path = f.write(QStringLiteral("bad.onnx"), "no network at all");
        f.session->files().open({path});
        OpenNetworks &networks = f.session->networks();
        QVERIFY(f.idle());
        QCOMPARE(networks.all().size(), size_t{1});
        QCOMPARE(networks.current()->state, OpenNetwork::State::Failed);
        QVERIFY(!f.failures().isEmpty());
        QVERIFY(f.settings->recentFiles().contains(path));
        // Opened again it is read anew, and not there twice.
        f.session->files().open({path});
        QVERIFY(f.idle());
        QCOMPARE(networks.all().size(), size_t{1});
    }

    void problemsAreListed() {
        SessionFixture f;
        OpenNetworks &networks = f.session->networks();
        std::vector<NetworkProblem> problems{{QStringLiteral("n1"), QStringLiteral("Loop"), 9, QStringLiteral("no")},
                                             {{}, {}, 0, QStringLiteral("odd")}};
        networks.show(QStringLiteral("bad"), networkOf({}, problems));
        QCOMPARE(networks.current()->state, OpenNetwork::State::Failed);
        QCOMPARE(f.failures(),
                 QStringLiteral("bad cannot be used: it has 2 problems\nbad: Loop 'n1' (opset 9): no\nbad: odd"));
    }

    void openNetworksComeBack() {
        SessionFixture f;
        const QString first = f.write(QStringLiteral("a.onnx"), "x");
        const QString second = f.write(QStringLiteral("b.onnx"), "y");
        OpenNetworks &networks = f.session->networks();
        networks.open(first);
        networks.open(second);
        networks.setCurrent(networks.all()[0]->id);
        QVERIFY(f.idle());
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());
        QCOMPARE(sessionHolds(f.session->file().json({})), QStringLiteral("2 networks"));
        QVERIFY(QFile::remove(second));
        f.restart();
        QVERIFY(f.session->file().load(file, nullptr));
        QVERIFY(f.idle());
        OpenNetworks &again = f.session->networks();
        QCOMPARE(again.all().size(), size_t{1});
        QCOMPARE(again.current()->path, first);
        QVERIFY(f.failures().contains(QStringLiteral("%1 is not there any more").arg(second)));
    }

    void numbersOfDimsComeBack() {
        SessionFixture f;
        const QString path = f.write(QStringLiteral("a.net"), "network a\n\nfunc main(x: float32[n, 3]) {\n"
                                                              "  y = relu(x)\n  return y\n}\n");
        OpenNetworks &networks = f.session->networks();
        networks.open(path);
        QVERIFY(f.idle());
        QCOMPARE(networks.current()->contents->symbols, std::vector<std::string>{"n"});
        networks.setDims(networks.current()->id, {{"n", 4}});
        QVERIFY(f.idle());
        QVERIFY(networks.current()->contents->symbols.empty());
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());
        f.restart();
        QVERIFY(f.session->file().load(file, nullptr));
        QVERIFY(f.idle());
        const OpenNetwork *again = f.session->networks().current();
        QCOMPARE(again->dims, (NetworkDims{{"n", 4}}));
        QCOMPARE(typeText(again->contents->main->type(again->contents->main->parameters()[0])),
                 std::string("float32[4, 3]"));
        // A dim that the network does not have is a problem of the file.
        f.session->networks().setDims(again->id, {{"k", 4}});
        QVERIFY(f.idle());
        QCOMPARE(f.session->networks().current()->state, OpenNetwork::State::Failed);
    }

    void howItBecomesKernelsComesBack() {
        SessionFixture f;
        const QString path = f.write(QStringLiteral("a.net"), "network a\n\nfunc main(x: float32[2, 3]) {\n"
                                                              "  y = relu(x)\n  return y\n}\n");
        OpenNetworks &networks = f.session->networks();
        networks.open(path);
        QVERIFY(f.idle());
        KernelChoice wanted;
        wanted.rule = ImplementationRule::Measured;
        wanted.worst = AccuracyClass::Exact;
        wanted.layouts = DataLayoutRule::Last;
        networks.setFusion(networks.current()->id, FusionMode::Better, true);
        networks.setImplementations(networks.current()->id, wanted);
        QVERIFY(f.idle());
        QCOMPARE(networks.current()->kernelsProblem, QString());
        wanted.fusion = FusionMode::Better;
        wanted.confirmed = true;
        QVERIFY(networks.current()->choice == wanted);
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());
        f.restart();
        QVERIFY(f.session->file().load(file, nullptr));
        QVERIFY(f.idle());
        QVERIFY(f.session->networks().current()->choice == wanted);
    }

    /// As task extraction of TVM sees it; better fusion has the normalisation as one kernel.
    void compatibleKernelsHaveNoLayerNormalisation() {
        SessionFixture f;
        const QString path =
            f.write(QStringLiteral("a.net"),
                    "network a\n\nfunc main(x: float32[4, 8]) {\n"
                    "  mean = reduce_mean(x, axes = [1])\n  off = sub(x, mean)\n"
                    "  square = mul(off, off)\n  spread = reduce_mean(square, axes = [1])\n"
                    "  eps = constant float32[] 0.00001\n  sum = add(spread, eps)\n  root = sqrt(sum)\n"
                    "  y = div(off, root)\n  return y\n}\n");
        OpenNetworks &networks = f.session->networks();
        networks.open(path);
        QVERIFY(f.idle());
        QCOMPARE(networks.current()->kernelsProblem, QString());
        const auto normalises = [&] {
            const GraphFunction &function = *networks.current()->kernels->function;
            for (size_t n = 0; n < function.nodeCount(); ++n)
                if (function.node(NodeId(n)).op == "layer_norm") return true;
            return false;
        };
        QVERIFY(!normalises());
        networks.setFusion(networks.current()->id, FusionMode::Better);
        QVERIFY(f.idle());
        QVERIFY(normalises());
    }

    void damagedSessionFilesOpen() {
        SessionFixture f;
        QVERIFY(f.session->file().load(
            f.write(
                QStringLiteral("s.loopscope"),
                R"({"loopscope_session": 2, "documents": [], "networks": {"current": "x", "open": [3, {}, "", {"path": 7, "dims": {"n": "x"}}]}})"),
            nullptr));
        QVERIFY(f.session->networks().all().empty());
    }
};

LOOPSCOPE_WINDOW_TEST(OpenNetworksTest)
#include "open_networks_test.moc"
