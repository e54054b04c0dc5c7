// What is chosen for the worked examples E1 to E10, on the loops they are stated with, and why not otherwise.

#include "codegen/layout/choice.h"
#include "example_nests.h"
#include "test_program.h"

#include <QTest>
#include <string>

using namespace loopscope;

namespace {

LayoutChoice chosen(const LoopState &state, int beam = 1) {
    LayoutChoiceOptions options;
    options.beam = beam;
    auto choice = chooseLayouts(state, options);
    if (!choice) qFatal("%s", choice.why().c_str());
    return std::move(choice).value();
}

/// "B [j][k] by D, ...".
QString choiceText(const LoopState &state, const LayoutChoice &choice) {
    QString text;
    for (const LayoutRequest &request : choice.requests) {
        std::vector<std::string> names;
        for (const TensorLayouts &of : choice.tensors)
            if (of.tensor == request.tensor) names = of.axisNames;
        text +=
            (text.isEmpty() ? "" : ", ") + QString::fromStdString(request.tensor + " " + request.layout.text(names));
        for (const std::string &reader : request.readers) text += " for " + QString::fromStdString(reader);
    }
    const auto applied = applyLayouts(*state.originalDag(), choice.requests);
    if (!applied) qFatal("%s", applied.why().c_str());
    return text;
}

/// E1 with B in rows of 1040, of which 1024 are read.
const std::string kPaddedMatmul = R"(workload padded()
A = placeholder [16, 1024] float32
B = placeholder [1024, 1040] float32
C(i < 16, j < 1024) = sum(k < 1024; A[i, k] * B[k, j])
)";

const PricedLayout *layoutNamed(const TensorLayouts &of, const std::string &text) {
    for (const PricedLayout &layout : of.layouts)
        if (layout.layout.text(of.axisNames) == text) return &layout;
    return nullptr;
}

std::string withRows(std::string text, int rows) {
    for (size_t at = text.find("16, 1024"); at != std::string::npos; at = text.find("16, 1024"))
        text.replace(at, 2, std::to_string(rows));
    for (size_t at = text.find("i < 16"); at != std::string::npos; at = text.find("i < 16"))
        text.replace(at, 6, "i < " + std::to_string(rows));
    return text;
}

} // namespace

class LayoutChoiceTest : public QObject {
    Q_OBJECT

  private slots:
    void examples_data() {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("choice");
        const auto row = [](const char *name, const std::string &workload, const std::string &script,
                            const char *choice) {
            QTest::newRow(name) << QString::fromStdString(workload) << QString::fromStdString(script)
                                << QString(choice);
        };
        const std::string constant = kExampleMatmul + "    @layout_free_placeholders[\"B\"]\n";
        row("E1", kExampleMatmul, "", "B [j][k]");
        row("E2", kExampleMatmul, kLoopsOfE2, "");
        row("E2, one row", withRows(kExampleMatmul, 1), kLoopsOfE2, "");
        row("E3", kExampleMatmul, kLoopsOfE3, "B [j/16][k][16]");
        row("E3, a constant", constant, kLoopsOfE3, "B [j/16][k][16]");
        row("E3, four rows", withRows(kExampleMatmul, 4), kLoopsOfE3, "");
        row("E3, four rows, a constant", withRows(constant, 4), kLoopsOfE3, "B [j/16][k][16]");
        row("E4", kExampleConv, kLoopsOfE4, "w [co/8][ci][ky][kx][8], data [d1][d2][ci]");
        row("E5", exampleTranspose(2048), "", "");
        row("E6", kExampleE6, "", "in [y][x]");
        row("E7", kExampleE7, "", "");
        row("E8", kExampleE8, kLoopsOfE8, "B [j][k] for D");
        row("E9, rows that are padded already", kPaddedMatmul, "", "B [j][k]");
        row("E10 blur", R"(workload blur()
in = placeholder [514, 514] float32
bx(y < 514, x < 512) = in[y, x] + in[y, x + 1] + in[y, x + 2]
by(y < 512, x < 512) = bx[y, x] + bx[y + 1, x] + bx[y + 2, x]
)",
            "", "");
    }

    void examples() {
        QFETCH(QString, workload);
        QFETCH(QString, script);
        QFETCH(QString, choice);
        const LoopState state = exampleState(workload.toStdString(), script.toStdString());
        const LayoutChoice found = chosen(state);
        QString why;
        for (const TensorLayouts &of : found.tensors) why += QString::fromStdString(of.tensor + ": " + of.why + "; ");
        const QString text = choiceText(state, found);
        QVERIFY2(text == choice, qPrintable(text + " because " + why));
        // A beam finds none that is surely cheaper, and of those that cost the same the simplest.
        QCOMPARE(choiceText(state, chosen(state, 4)), choice);
        // On the same loops there is nothing left to choose.
        const auto applied = applyLayouts(*state.originalDag(), found.requests);
        const LoopState again = exampleState(applied->text, script.toStdString());
        QCOMPARE(choiceText(again, chosen(again)), QString());
    }

    /// A stage that copies pays from the second row on that reads what it copied.
    void rowsThatPay() {
        QVERIFY(chosen(exampleState(withRows(kExampleMatmul, 1))).requests.empty());
        const LayoutChoice two = chosen(exampleState(withRows(kExampleMatmul, 2)));
        QCOMPARE(two.requests.size(), size_t{1});
        QCOMPARE(two.requests.front().tensor, std::string("B"));
        QVERIFY(two.after.cycles < 0.2 * two.before.cycles);
    }

    /// E9: padding takes the conflicts of L2 away, and neither the misses of L1 nor those of pages; so it would pay,
    /// but the transpose takes all of them away.
    void paddingIsWeighedAndTheTransposeWins() {
        const LayoutChoice found = chosen(exampleState(kExampleMatmul));
        const TensorLayouts &b = found.tensors.front();
        QCOMPARE(b.tensor, std::string("B"));
        const PricedLayout *padded = layoutNamed(b, "[k][j+16]");
        const PricedLayout *transposed = layoutNamed(b, "[j][k]");
        QVERIFY(padded != nullptr && transposed != nullptr);
        QVERIFY(padded->pays && transposed->pays);
        QVERIFY(padded->cost.misses[0] > 0.95 * found.before.misses[0]);
        QVERIFY(padded->cost.misses[1] < 0.1 * found.before.misses[1]);
        QVERIFY(padded->cost.misses[2] > 0.95 * found.before.misses[2]);
        QVERIFY(transposed < padded && transposed == &b.layouts.front());
        QVERIFY(transposed->saving > padded->saving);
    }
};

LOOPSCOPE_TEST(LayoutChoiceTest)
#include "layout_choice_test.moc"
