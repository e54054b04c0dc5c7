// A network as modules in the window: built by a click, its functions' texts in every form, selection both ways, and a
// library that somebody else made.

#include "small_network.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/network_modules/network_modules_view.h"
#include "views/text/code_text.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

namespace loopscope {

namespace {

struct Bench : ViewBench {
    NetworkModulesView view{context};
    OpenNetworks &networks = session.networks();

    Bench() {
        view.resize(1300, 600);
        view.show();
        (void)QTest::qWaitForWindowActive(&view);
    }
    [[nodiscard]] bool open() {
        networks.show(QStringLiteral("small.net"), smallNetwork());
        return QTest::qWaitFor([this] { return networks.current()->kernels != nullptr; }, 20000);
    }
    [[nodiscard]] bool buildIt() {
        actions.find(QStringLiteral("modules.build"))->trigger();
        return QTest::qWaitFor([this] { return rows() > 0; }, 120000);
    }
    [[nodiscard]] int rows() { return view.tree().model()->rowCount(); }
    /// Of a row of a module, by their names.
    [[nodiscard]] QModelIndex at(const QString &module, const QString &row = {}) {
        const QAbstractItemModel &model = *view.tree().model();
        for (int m = 0; m < model.rowCount(); ++m) {
            const QModelIndex parent = model.index(m, 0);
            if (parent.data().toString() != module) continue;
            if (row.isEmpty()) return parent;
            for (int r = 0; r < model.rowCount(parent); ++r)
                if (model.index(r, 0, parent).data().toString() == row) return model.index(r, 0, parent);
        }
        return {};
    }
    void click(const QModelIndex &index, bool twice = false) {
        view.tree().scrollTo(index);
        const QPoint place = view.tree().visualRect(index).center();
        QTest::mouseClick(view.tree().viewport(), Qt::LeftButton, {}, place);
        if (twice) QTest::mouseDClick(view.tree().viewport(), Qt::LeftButton, {}, place);
    }
    [[nodiscard]] QString cell(const QModelIndex &index, int column) {
        return index.siblingAtColumn(column).data().toString();
    }
    void chooseForm(const QString &title) {
        view.form().setCurrentIndex(view.form().findText(title));
        Q_EMIT view.form().activated(view.form().currentIndex());
    }
    [[nodiscard]] QStringList failures() const {
        QStringList texts;
        for (const Message &message : const_cast<Session &>(session).messages().all())
            if (message.severity == Message::Severity::Failure) texts << message.text + u' ' + message.detail;
        return texts;
    }
    [[nodiscard]] QString selected() const {
        QStringList names;
        for (const std::string &name : networks.current()->selected) names << QString::fromStdString(name);
        return names.join(u' ');
    }
};

} // namespace

class NetworkModulesTest : public QObject {
    Q_OBJECT

  private slots:
    void theModel() {
        Theme theme;
        ModuleModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(inspectLibrary(QStringLiteral(LOOPSCOPE_SOME_LIBRARY)));
        QVERIFY(model.rowCount() > 1);
        const QModelIndex root = model.index(0, 0);
        QCOMPARE(root.data().toString(), QStringLiteral("loopscope_packed_caller.so"));
        QVERIFY(
            root.siblingAtColumn(ModuleModel::Signature).data().toString().startsWith(QStringLiteral("imports lib")));
        QVERIFY(model.rowCount(root) > 0);
        QVERIFY(model.functionAt(model.index(0, 0, root)) != nullptr);
        QVERIFY(model.functionAt(root) == nullptr);
        model.show(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void nothingOpen() {
        Bench bench;
        QVERIFY(bench.view.emptyText().startsWith(QStringLiteral("Open a network")));
        QVERIFY(!bench.actions.find(QStringLiteral("modules.build"))->isEnabled());
        QVERIFY(bench.open());
        QVERIFY2(bench.view.emptyText().startsWith(QStringLiteral("\"Build\" compiles small.net")),
                 qPrintable(bench.view.emptyText()));
    }

    void aNetworkIsBuilt() {
        Bench bench;
        QVERIFY(bench.open());
        QVERIFY(bench.buildIt());
        QVERIFY2(bench.view.sentence().startsWith(QStringLiteral("3 modules with ")),
                 qPrintable(bench.view.sentence()));
        const QModelIndex root = bench.at(QStringLiteral("small.net"));
        QCOMPARE(bench.cell(root, ModuleModel::Signature), QStringLiteral("imports kernels, constants"));
        // The function that runs it is chosen first: its calls in order.
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.code().text().contains(QStringLiteral("conv_relu(")), 20000);
        QVERIFY(!bench.view.form().isEnabled());
        const QModelIndex kernel = bench.at(QStringLiteral("kernels"), QStringLiteral("conv_relu"));
        QVERIFY(kernel.isValid());
        QCOMPARE(bench.cell(kernel, ModuleModel::Calls), QStringLiteral("2"));
        QCOMPARE(bench.cell(kernel, ModuleModel::Origin), QStringLiteral("default"));
        QVERIFY(bench.cell(kernel, ModuleModel::Bytes).endsWith(QStringLiteral("B")));
        bench.click(kernel);
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.code().text().contains(QStringLiteral(" in 0 .. ")), 20000);
        QCOMPARE(bench.selected(), QStringLiteral("stage1/first stage1/relu stage2/first stage2/relu"));
        QVERIFY(bench.view.form().isEnabled());
        for (const auto &[title, word] : {std::pair{"C", "#include"}, std::pair{"LLVM IR", "define "},
                                          std::pair{"Assembly", ".globl"}, std::pair{"Machine code", ":\n"}}) {
            bench.chooseForm(QString::fromLatin1(title));
            QTRY_VERIFY2_WITH_TIMEOUT(bench.view.code().text().contains(QString::fromLatin1(word)), title, 20000);
        }
        // A constant has no text.
        bench.view.tree().expandAll();
        const QModelIndex constants = bench.at(QStringLiteral("constants"));
        bench.click(constants.model()->index(0, 0, constants));
        QTRY_COMPARE(bench.view.code().text(), QString());
        QVERIFY(bench.failures().isEmpty());
    }

    void selectedElsewhere() {
        Bench bench;
        QVERIFY(bench.open());
        QVERIFY(bench.buildIt());
        bench.networks.select(bench.networks.current()->id, {"stage2/sum"});
        QCOMPARE(bench.view.tree().currentIndex().siblingAtColumn(0).data().toString(), QStringLiteral("conv_add"));
        QCOMPARE(bench.selected(), QStringLiteral("stage2/sum")); // it is not widened by that
        QSignalSpy asked(&bench.networks, &OpenNetworks::taskAsked);
        bench.actions.find(QStringLiteral("modules.task"))->trigger();
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.front().at(1).value<size_t>(), size_t{1});
    }

    void filtered() {
        Bench bench;
        QVERIFY(bench.open());
        QVERIFY(bench.buildIt());
        bench.view.startFind();
        auto *filter = bench.view.findChild<QLineEdit *>(QStringLiteral("module_filter"));
        QTRY_VERIFY(filter->hasFocus());
        QTest::keyClicks(filter, QStringLiteral("conv_add"));
        QCOMPARE(bench.rows(), 1);
        QVERIFY(bench.at(QStringLiteral("kernels"), QStringLiteral("conv_add")).isValid());
        QVERIFY(!bench.at(QStringLiteral("kernels"), QStringLiteral("conv_relu")).isValid());
    }

    void otherKernelsByNow() {
        Bench bench;
        QVERIFY(bench.open());
        QVERIFY(bench.buildIt());
        QVERIFY(!bench.view.sentence().contains(QStringLiteral("build again")));
        bench.networks.setFusion(bench.networks.current()->id, FusionMode::Better);
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.sentence().endsWith(QStringLiteral("build again")), 20000);
    }

    void aLibraryOfSomebodyElse() {
        Bench bench;
        bench.view.openLibrary(QStringLiteral(LOOPSCOPE_SOME_LIBRARY));
        QTRY_VERIFY_WITH_TIMEOUT(bench.rows() > 0, 20000);
        const QModelIndex function =
            bench.at(QStringLiteral("loopscope_packed_caller.so"), QStringLiteral("loopscope_call_from_python"));
        QVERIFY(function.isValid());
        bench.click(function);
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.code().text().startsWith(QStringLiteral("loopscope_call_from_python:")),
                                 20000);
        QVERIFY(!bench.view.form().isEnabled());
        QVERIFY(!bench.actions.find(QStringLiteral("modules.task"))->isEnabled());
        // What it wants of others is said to be theirs.
        bench.view.tree().expandAll();
        const QModelIndex wanted = bench.at(QStringLiteral("wanted of others"));
        bench.click(wanted.model()->index(0, 0, wanted));
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.code().text().contains(QStringLiteral("is in none of these modules")),
                                 20000);
        QVERIFY(bench.failures().isEmpty());
    }

    void whatIsNoLibrary() {
        Bench bench;
        const QString path = bench.folder.filePath(QStringLiteral("text.so"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is a text");
        file.close();
        bench.view.openLibrary(path);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.failures().isEmpty(), 20000);
        QVERIFY(bench.view.emptyText().contains(QStringLiteral("not an ELF file")));
    }
};

LOOPSCOPE_WINDOW_TEST(NetworkModulesTest)
} // namespace loopscope

#include "network_modules_test.moc"
