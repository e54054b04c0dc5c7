// The start page: every sample with its kind and picture, found by typing, opened by mouse and by keys.

#include "language/te/workload.h"
#include "networks/graph/function_builder.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/session/samples.h"
#include "views/start_page/network_stamp.h"
#include "views/start_page/sample_card.h"
#include "views/start_page/start_page.h"

#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>

using namespace loopscope;

namespace {

using Bench = ViewBench;

void load(StartPage &page) {
    QSignalSpy loaded(&page, &StartPage::loaded);
    page.load();
    QVERIFY(loaded.wait(20000));
}

} // namespace

class StartPageTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_SAMPLES", LOOPSCOPE_SOURCE_DIR "/samples"); }

    void kinds() {
        QCOMPARE(sampleKind(QStringLiteral("conv2d_winograd_nhwc")), QStringLiteral("Winograd"));
        QCOMPARE(sampleKind(QStringLiteral("depthwise_conv2d_nchw")), QStringLiteral("Depthwise convolution"));
        QCOMPARE(sampleKind(QStringLiteral("transpose_batch_matmul")), QStringLiteral("Matrix multiplication"));
        QCOMPARE(sampleKind(QStringLiteral("my_own_thing")), QStringLiteral("Other"));
    }

    void picturesHaveLayers() {
        const Workload workload = parseWorkload("workload w(N = 8)\n"
                                                "A = placeholder [N]\n"
                                                "B = placeholder [N]\n"
                                                "C(i < N) = A[i] * 2\n"
                                                "D(i < N) = sum(k < N; C[k] * B[i])\n",
                                                "w.te");
        const DagStamp picture = drawDag(*ComputeDag::fromWorkload(workload));
        QCOMPARE(picture.layers, 3);
        QCOMPARE(picture.stages, 2);
        QCOMPARE(picture.edges.size(), size_t(3));
        QCOMPARE(picture.nodes.size(), size_t(4));
        // B stands beside C, right above its reader, not at the top.
        int inputsBesideC = 0;
        double depthOfC = -1;
        for (const auto &node : picture.nodes)
            if (node.kind == DagStamp::Kind::Elementwise) depthOfC = node.at.y();
        for (const auto &node : picture.nodes)
            if (node.kind == DagStamp::Kind::Input && node.at.y() == depthOfC) ++inputsBesideC;
        QCOMPARE(inputsBesideC, 1);
        QVERIFY(picture.nodes.back().output);
        QVERIFY(picture.nodes.back().kind == DagStamp::Kind::Reduction);
    }

    void everySampleHasAPicture() {
        Bench bench;
        StartPage page(bench.context);
        load(page);
        QVERIFY(page.samples().size() >= 50);
        const auto pipelines = std::ranges::count(page.samples(), QStringLiteral("Image pipelines"), &Sample::kind);
        QVERIFY(pipelines >= 20);
        QCOMPARE(page.samples().front().kind, QStringLiteral("Networks"));
        for (const Sample &sample : page.samples()) {
            QVERIFY2(sample.picture, qPrintable(sample.name + u' ' + sample.problem));
            QVERIFY2(!sample.comment.isEmpty(), qPrintable(sample.name));
            QVERIFY2(sample.kind != QLatin1String("Other"), qPrintable(sample.name));
            QVERIFY2(!sample.facts.isEmpty(), qPrintable(sample.name));
            QVERIFY2(isSample(sample.path), qPrintable(sample.path)); // and is not written to
            QVERIFY2(!sample.comment.contains(QStringLiteral("--param")), qPrintable(sample.comment));
        }
    }

    void networksHavePicturesOfTheirShape() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, asDims({1, 4})});
        const ValueId w = builder.addConstant("w", HostTensor::splat(DType::Float32, {4, 4}, 1.0));
        const ValueId a = builder.add("dense", "a", {x, w});
        ValueId b = builder.add("relu", "b", {a});
        b = builder.add("add", "sum", {b, a}); // around b
        for (int i = 0; i < 100; ++i) b = builder.add("relu", "r" + std::to_string(i), {b});
        builder.addResult(b);
        const FunctionPtr function = std::move(builder).finish();
        const DagStamp picture = drawNetwork(*function);
        QCOMPARE(picture.layers, 12); // a long stretch is few dots
        QCOMPARE(picture.nodes.size(), size_t(12));
        QVERIFY(picture.nodes[0].kind == DagStamp::Kind::Input);
        QVERIFY(picture.nodes.back().output);
        QCOMPARE(picture.edges.size(), size_t(11));
        QCOMPARE(networkFacts(*function), QStringLiteral("103 nodes \u00b7 64 B"));
    }

    void aNetworkIsOpenedLikeASample() {
        Bench bench;
        StartPage page(bench.context);
        page.resize(1200, 800);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        load(page);
        const QSignalSpy opened(&page, &StartPage::openRequested);
        auto *card = page.findChild<SampleCard *>(QStringLiteral("sample_resnet18"));
        QVERIFY(card);
        QVERIFY2(card->sample().facts.contains(QStringLiteral("nodes")), qPrintable(card->sample().facts));
        QTest::mouseClick(card, Qt::LeftButton);
        QCOMPARE(opened.size(), 1);
        QVERIFY(opened.last().at(0).toStringList().front().endsWith(QStringLiteral("networks/resnet18.net")));
    }

    void opensByMouseAndKeys() {
        Bench bench;
        StartPage page(bench.context);
        page.resize(1200, 800);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        load(page);
        const QSignalSpy opened(&page, &StartPage::openRequested);
        auto *card = page.findChild<SampleCard *>(QStringLiteral("sample_matmul"));
        QVERIFY(card);
        QTest::mouseClick(card, Qt::LeftButton);
        QCOMPARE(opened.size(), 1);
        QCOMPARE(opened.last().at(0).toStringList(), QStringList{card->sample().path});

        page.startFind();
        auto *filter = page.findChild<QLineEdit *>(QStringLiteral("sample_filter"));
        QTest::keyClicks(filter, QStringLiteral("winograd nhwc"));
        auto *grid = page.findChild<SampleGrid *>();
        QCOMPARE(grid->shownCount(), 2);
        QTest::keyClick(filter, Qt::Key_Down); // to the first card
        auto *first = qobject_cast<SampleCard *>(QApplication::focusWidget());
        QVERIFY(first);
        QTest::keyClick(first, Qt::Key_Right);
        auto *second = qobject_cast<SampleCard *>(QApplication::focusWidget());
        QVERIFY(second && second != first);
        QTest::keyClick(second, Qt::Key_Return);
        QCOMPARE(opened.size(), 2);
        QCOMPARE(opened.last().at(0).toStringList(), QStringList{second->sample().path});

        // Return opens the first that is shown, at once.
        QTest::keyClick(filter, Qt::Key_Return);
        QCOMPARE(opened.size(), 3);
        QCOMPARE(opened.last().at(0).toStringList(), QStringList{first->sample().path});

        filter->setText(QStringLiteral("no such thing"));
        QCOMPARE(grid->shownCount(), 0);
        QTest::keyClick(filter, Qt::Key_Return);
        QCOMPARE(opened.size(), 3);
    }

    void recentFilesAreMarkedAndRemoved() {
        Bench bench;
        bench.settings.addRecentFile(QStringLiteral("/no/such/file.te"));
        bench.settings.addRecentFile(QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/matmul.te"));
        StartPage page(bench.context);
        page.resize(1200, 800);
        page.show();
        load(page);
        auto *files = page.findChild<QListWidget *>(QStringLiteral("recent_files"));
        QCOMPARE(files->count(), 2);
        const auto missing = [files](int row) { return files->item(row)->data(Qt::UserRole + 1).toBool(); };
        QTRY_VERIFY(missing(1));
        QVERIFY(!missing(0));
        const QSignalSpy opened(&page, &StartPage::openRequested);
        QTest::mouseClick(files->viewport(), Qt::LeftButton, {}, files->visualItemRect(files->item(0)).center());
        QCOMPARE(opened.size(), 1);
        files->setCurrentRow(1);
        files->setFocus();
        QTest::keyClick(files, Qt::Key_Delete);
        QCOMPARE(bench.settings.recentFiles().size(), 1);
        QCOMPARE(files->count(), 1);
    }

    void offersLogsOfTheFolder() {
        Bench bench;
        StartPage page(bench.context);
        page.offerLogs({QStringLiteral("/tmp/tuning.json")});
        auto *files = page.findChild<QListWidget *>(QStringLiteral("recent_files"));
        QCOMPARE(files->count(), 1);
        QCOMPARE(files->item(0)->text(), QStringLiteral("tuning.json"));
    }
};

LOOPSCOPE_WINDOW_TEST(StartPageTest)
#include "start_page_test.moc"
