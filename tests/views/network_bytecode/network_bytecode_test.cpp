// A network run step by step, by clicks and keys: instructions, places to stop, calls, registers, tensors.

#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/actions/elided_label.h"
#include "views/network_bytecode/network_bytecode_view.h"
#include "views/network_bytecode/number_grid.h"
#include "views/pictures/picture_canvas.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QHeaderView>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>

namespace loopscope {

namespace {

/// Doubles its input three times, then turns it around where a number says so.
const char *const kText = R"(network doubled()

func main(x: float32[2, 3]) {
  trips = constant int64[] 3
  yes = constant bool[] 1
  effect {
    y = loop(trips, _, x, body = "double", carried = 1)
    z = if(yes, y, then = "turned", else = "same")
  } yield z
  return z
}

func double(trip: int64[], more: bool[], v: float32[2, 3]) {
  twice = add(v, v)
  return more, twice
}

func turned(v: float32[2, 3]) {
  n = neg(v)
  return n
}

func same(v: float32[2, 3]) {
  return v
}
)";

NetworkContentsPtr doubled(const QString &dim = QStringLiteral("2")) {
    QString text = QString::fromLatin1(kText);
    text.replace(QStringLiteral("float32[2, 3]"), QStringLiteral("float32[%1, 3]").arg(dim));
    Module module = parseNet(text.toStdString(), "doubled.net").module;
    auto typed = inferTypes(module);
    if (!typed) qFatal("%s", typed.why().c_str());
    return networkOf(*std::move(typed));
}

struct Bench : ViewBench {
    NetworkBytecodeView view{context};
    OpenNetworks &networks = session.networks();

    Bench() {
        view.resize(1100, 800);
        view.show();
        (void)QTest::qWaitForWindowActive(&view);
    }
    [[nodiscard]] bool waits() {
        return QTest::qWaitFor([this] { return view.run().phase() == SteppedRun::Phase::Waiting; }, 20000);
    }
    [[nodiscard]] bool open(const NetworkContentsPtr &contents = doubled()) {
        networks.show(QStringLiteral("doubled.net"), contents);
        return waits();
    }
    /// A key, and what it moves has come to rest.
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(&view.code(), key, modifiers);
        QTRY_VERIFY_WITH_TIMEOUT(view.run().phase() != SteppedRun::Phase::Moving, 20000);
    }
    [[nodiscard]] QString instruction(int row) {
        return view.code().model()->index(row, BytecodeModel::InstructionColumn).data().toString();
    }
    [[nodiscard]] QString current() { return instruction(view.code().currentIndex().row()); }
    [[nodiscard]] int rowWith(const QString &words) {
        for (int row = 0; row < view.code().model()->rowCount(); ++row)
            if (instruction(row).contains(words)) return row;
        qFatal("no instruction with %s", qPrintable(words));
    }
    [[nodiscard]] QString cell(int row, int column) {
        return view.registers().model()->index(row, column).data().toString();
    }
    [[nodiscard]] QString valueOf(const QString &holds) {
        for (int row = 0; row < view.registers().model()->rowCount(); ++row)
            if (cell(row, RegisterModel::HoldsColumn) == holds) return cell(row, RegisterModel::ValueColumn);
        return {};
    }
};

} // namespace

class NetworkBytecodeTest : public QObject {
    Q_OBJECT

  private slots:
    void nothingOpen() {
        Bench bench;
        QVERIFY(bench.view.emptyText().startsWith(QStringLiteral("Open a network")));
        QVERIFY(!bench.view.code().isVisible());
        for (const char *id : {"bytecode.begin", "bytecode.into", "bytecode.over", "bytecode.out", "bytecode.continue",
                               "bytecode.here", "bytecode.halt", "bytecode.stop", "bytecode.no_stops"})
            QVERIFY2(!bench.actions.find(QLatin1String(id))->isEnabled(), id);
    }

    void sizesWithoutNumbers() {
        Bench bench;
        bench.networks.show(QStringLiteral("open.net"), doubled(QStringLiteral("n")));
        QTRY_VERIFY2(bench.view.emptyText().startsWith(QStringLiteral("The dim n has no number")),
                     qPrintable(bench.view.emptyText()));
        QVERIFY(bench.view.emptyText().contains(QStringLiteral("Sizes")));
    }

    void modelsAreModels() {
        Bench bench;
        const QAbstractItemModelTester code(bench.view.code().model());
        const QAbstractItemModelTester registers(bench.view.registers().model());
        const QAbstractItemModelTester numbers(bench.view.value().numbers().model());
        QVERIFY(bench.open());
        while (bench.view.run().phase() == SteppedRun::Phase::Waiting) bench.key(Qt::Key_F11);
        QCOMPARE(bench.view.run().phase(), SteppedRun::Phase::Finished);
    }

    void stepByStep() {
        Bench bench;
        QVERIFY(bench.open());
        QCOMPARE(bench.instruction(0), QStringLiteral("main(t0 = x: float32[2, 3])"));
        QVERIFY(bench.view.sentence().startsWith(QStringLiteral("Next is ")));
        QVERIFY(bench.view.sentence().endsWith(QStringLiteral("0 instructions run so far")));
        QVERIFY(!bench.valueOf(QStringLiteral("x")).isEmpty());
        bench.key(Qt::Key_F11);
        QVERIFY2(bench.view.sentence().endsWith(QStringLiteral("1 instruction run so far")),
                 qPrintable(bench.view.sentence()));
        // Into the loop's body, and out again.
        const auto depth = [&] { return bench.view.calls().count(); };
        for (int i = 0; i < 30 && depth() < 2; ++i) bench.key(Qt::Key_F11);
        QCOMPARE(depth(), 2);
        while (!bench.current().startsWith(QStringLiteral("kernel"))) bench.key(Qt::Key_F11);
        QVERIFY(!bench.valueOf(QStringLiteral("v")).isEmpty());
        // The caller's registers by choice, and the innermost ones again once it moves.
        bench.view.calls().setCurrentIndex(1);
        QVERIFY(!bench.valueOf(QStringLiteral("trips")).isEmpty());
        bench.key(Qt::Key_F11);
        QVERIFY(!bench.valueOf(QStringLiteral("twice")).isEmpty());
        bench.key(Qt::Key_F11, Qt::ShiftModifier);
        QCOMPARE(depth(), 1);
        QVERIFY(!bench.valueOf(QStringLiteral("twice of double")).isEmpty());
        // On to the end: eight times the input, turned around.
        bench.key(Qt::Key_F5, Qt::ControlModifier);
        QCOMPARE(bench.view.run().phase(), SteppedRun::Phase::Finished);
        QVERIFY2(bench.view.sentence().startsWith(QStringLiteral("Finished after ")),
                 qPrintable(bench.view.sentence()));
        QCOMPARE(bench.cell(0, RegisterModel::RegisterColumn), QStringLiteral("r0"));
        QCOMPARE(bench.cell(0, RegisterModel::TypeColumn), QStringLiteral("float32[2, 3]"));
        const double result = bench.cell(0, RegisterModel::ValueColumn).section(u' ', 0, 0).toDouble();
        QVERIFY(!bench.actions.find(QStringLiteral("bytecode.into"))->isEnabled());
        bench.key(Qt::Key_F5, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(bench.waits());
        const double input = bench.valueOf(QStringLiteral("x")).section(u' ', 0, 0).toDouble();
        QVERIFY(input != 0);
        QVERIFY2(std::abs(result + 8 * input) < 1e-4 * std::abs(result), qPrintable(QString::number(result)));
        // Another seed, other inputs.
        bench.view.findChild<QSpinBox *>(QStringLiteral("bytecode_seed"))->setValue(2);
        QVERIFY(bench.waits());
        QVERIFY(bench.valueOf(QStringLiteral("x")).section(u' ', 0, 0).toDouble() != input);
    }

    void overACall() {
        Bench bench;
        QVERIFY(bench.open());
        for (int i = 0; i < 30 && !bench.current().startsWith(QStringLiteral("call")); ++i) bench.key(Qt::Key_F11);
        QVERIFY(bench.current().startsWith(QStringLiteral("call")));
        bench.key(Qt::Key_F10);
        QCOMPARE(bench.view.calls().count(), 1);
        QVERIFY(!bench.current().startsWith(QStringLiteral("call")));
    }

    void placesToStop() {
        Bench bench;
        QVERIFY(bench.open());
        QTableView &code = bench.view.code();
        const int row = bench.rowWith(QStringLiteral("neg"));
        const QModelIndex mark = code.model()->index(row, BytecodeModel::StopColumn);
        code.scrollTo(mark);
        QTest::mouseClick(code.viewport(), Qt::LeftButton, {}, code.visualRect(mark).center());
        QCOMPARE(bench.view.run().stops().size(), size_t{1});
        QVERIFY(!mark.data(Qt::DecorationRole).isNull());
        QCOMPARE(mark.data(Qt::AccessibleTextRole).toString(), QStringLiteral("stops here"));
        bench.key(Qt::Key_F5, Qt::ControlModifier);
        QCOMPARE(bench.view.run().phase(), SteppedRun::Phase::Waiting);
        QCOMPARE(code.currentIndex().row(), row);
        QCOMPARE(bench.view.calls().count(), 2);
        // The same network begun again keeps it; a key takes it away.
        bench.key(Qt::Key_F5, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(bench.waits());
        QCOMPARE(bench.view.run().stops().size(), size_t{1});
        code.setCurrentIndex(mark);
        bench.key(Qt::Key_F9);
        QVERIFY(bench.view.run().stops().empty());
        // To a place, without stopping there ever after.
        code.setCurrentIndex(mark);
        bench.key(Qt::Key_F10, Qt::ControlModifier);
        QCOMPARE(bench.view.run().phase(), SteppedRun::Phase::Waiting);
        QCOMPARE(code.currentIndex().row(), row);
        QVERIFY(bench.view.run().stops().empty());
        bench.key(Qt::Key_F5, Qt::ControlModifier);
        QCOMPARE(bench.view.run().phase(), SteppedRun::Phase::Finished);
    }

    void stepsSelectInTheNetwork() {
        Bench bench;
        QVERIFY(bench.open());
        bench.view.code().setCurrentIndex(
            bench.view.code().model()->index(bench.rowWith(QStringLiteral("\"add\"")), BytecodeModel::NodeColumn));
        QCOMPARE(bench.networks.current()->selected, std::set<std::string>{"twice"});
    }

    void tensorsAsPicturesAndNumbers() {
        Bench bench;
        QVERIFY(bench.open());
        ValuePane &value = bench.view.value();
        QTRY_VERIFY(!value.picture().canvas().image().isNull());
        QCOMPARE(value.picture().canvas().image().size(), QSize(3, 2));
        QCOMPARE(value.numbers().model()->rowCount(), 2);
        QCOMPARE(value.numbers().model()->columnCount(), 3);
        const QString first = value.numbers().model()->index(0, 0).data().toString();
        QVERIFY2(std::abs(first.toDouble() - bench.valueOf(QStringLiteral("x")).section(u' ', 0, 0).toDouble()) < 1e-3,
                 qPrintable(first));
        // A number alone is a picture of one pixel.
        for (int i = 0; i < 30 && bench.valueOf(QStringLiteral("trips")).isEmpty(); ++i) bench.key(Qt::Key_F11);
        const auto *held = qobject_cast<RegisterModel *>(bench.view.registers().model());
        for (int row = 0; row < held->rowCount(); ++row)
            if (held->at(row)->holds == QStringLiteral("trips"))
                bench.view.registers().setCurrentIndex(held->index(row, 0));
        QTRY_COMPARE(value.numbers().model()->index(0, 0).data().toString(), QStringLiteral("3"));
        QCOMPARE(value.picture().canvas().image().size(), QSize(1, 1));
    }

    void emptyTensors() {
        const ShownStage stage = stageOf(WideTensor::zeros(DType::Float32, {0, 4}), QStringLiteral("t"));
        QVERIFY(!stage.isPicture());
        NumberGrid grid;
        grid.show(nullptr, &stage, firstLook(stage));
        QCOMPARE(grid.rowCount(), 0);
    }

    /// The sentence of the machine, in its place; what it held is still to be seen.
    void whatFails() {
        Module module = parseNet("network odd()\n\nfunc main(x: float32[4]) {\n"
                                 "  trips = constant int64[] 9000000000\n"
                                 "  effect {\n    y = loop(trips, _, x, body = \"same\", carried = 1)\n  } yield y\n"
                                 "  return y\n}\n\nfunc same(trip: int64[], more: bool[], v: float32[4]) {\n"
                                 "  return more, v\n}\n",
                                 "odd.net")
                            .module;
        auto typed = inferTypes(module);
        QVERIFY(typed.ok());
        Bench bench;
        QVERIFY(bench.open(networkOf(*std::move(typed))));
        bench.key(Qt::Key_F5, Qt::ControlModifier);
        QCOMPARE(bench.view.run().phase(), SteppedRun::Phase::Failed);
        QVERIFY2(bench.view.sentence().contains(QStringLiteral("a loop may have no end")),
                 qPrintable(bench.view.sentence()));
        QVERIFY(!bench.valueOf(QStringLiteral("x")).isEmpty());
        bench.key(Qt::Key_F5, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(bench.waits());
    }

    void halted() {
        Module module = parseNet("network slow()\n\nfunc main(x: float32[64, 64]) {\n"
                                 "  trips = constant int64[] 100000\n"
                                 "  effect {\n    y = loop(trips, _, x, body = \"body\", carried = 1)\n  } yield y\n"
                                 "  return y\n}\n\nfunc body(trip: int64[], more: bool[], v: float32[64, 64]) {\n"
                                 "  w = matmul(v, v)\n  return more, w\n}\n",
                                 "slow.net")
                            .module;
        auto typed = inferTypes(module);
        QVERIFY(typed.ok());
        Bench bench;
        QVERIFY(bench.open(networkOf(*std::move(typed))));
        QTest::keyClick(&bench.view.code(), Qt::Key_F5, Qt::ControlModifier);
        QCOMPARE(bench.view.run().phase(), SteppedRun::Phase::Moving);
        QVERIFY(bench.view.sentence().startsWith(QStringLiteral("Running from ")));
        QTest::keyClick(&bench.view.code(), Qt::Key_F5, Qt::ShiftModifier);
        QVERIFY(bench.waits());
        // A network that goes while it is run takes its run with it.
        QTest::keyClick(&bench.view.code(), Qt::Key_F5, Qt::ControlModifier);
        bench.networks.close(bench.networks.current()->id);
        QTRY_VERIFY(!bench.view.emptyText().isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.jobs().running().empty(), 20000);
    }
};

LOOPSCOPE_WINDOW_TEST(NetworkBytecodeTest)
} // namespace loopscope

#include "network_bytecode_test.moc"
