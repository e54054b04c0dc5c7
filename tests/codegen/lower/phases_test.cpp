// Transposed convolutions: of a tile each phase sums the terms that are not known to be zero, no condition is left in
// the sum, and conditions that say something else stay where they are.

#include "base/check.h"
#include "base/random.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "harness/program_interpreter.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "harness/transposed_dag.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <map>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace phases_test {

namespace {

using Programs = std::map<std::string, QString>;

/// The program after every pass; each computes what the interpreter computes.
Programs programsOf(const DagPtr &dag, const LoopState &state, int layoutRewrite = 0) {
    Programs after;
    const std::vector<TensorValue> inputs = randomInputs(*dag, 5);
    const std::vector<TensorValue> expected = interpret(*dag, inputs);
    LowerOptions options;
    options.layoutRewrite = layoutRewrite;
    options.observer = [&](std::string_view pass, const LoopProgram &program) {
        const ProgramRun run = runProgram(program, inputs);
        const std::string wrong = run.failure.empty() ? compareOutputs(run.outputs, expected) : run.failure;
        const std::string text = printProgram(program);
        if (!wrong.empty())
            throw std::runtime_error("after " + std::string(pass) + ": " + wrong + "\n" + stepsText(state.steps()) +
                                     "\n" + text);
        after[std::string(pass)] = QString::fromStdString(text);
    };
    const Outcome<LoopProgram> program = lower(state, vectorTarget(), options);
    if (!program) throw std::runtime_error(program.why());
    return after;
}

Programs programsOf(const DagPtr &dag, const char *steps, int layoutRewrite = 0) {
    const Outcome<LoopState> state = replay(dag, stepsFromJson(nlohmann::json::parse(steps)));
    if (!state) throw std::runtime_error(state.why());
    return programsOf(dag, *state, layoutRewrite);
}

/// From the first line with `from` on, without the header.
QString tail(const QString &text, const char *from) {
    const qsizetype at = text.indexOf(QString::fromUtf8(from));
    return at < 0 ? text : text.mid(text.lastIndexOf('\n', at) + 1);
}

// w in tiles of 4 around r and c, o innermost; the tile is outside of the reduction.
constexpr const char *kTiled = R"([["SP",3,0,0,[4],1],["RE",3,[0,3,4,1,2]]])";

DagPtr oneDimension(ReduceKind kind, const std::function<Expr(Expr onValue, Expr read, Expr weight)> &term,
                    ExprKind comparison = ExprKind::Eq) {
    DagBuilder build;
    const Tensor &data = build.placeholder("data", {16});
    const Tensor &weight = build.placeholder("weight", {4});
    const std::vector<Axis> w = {axis("w", 16)};
    const std::vector<Axis> r = {axis("r", 4)};
    const Expr at = w[0].var + r[0].var;
    const Expr onValue = makeBinary(comparison, floorMod(at, 2), makeInt(0));
    const Expr value = term(onValue, load(data, {floorDiv(at, 2)}), load(weight, {r[0].var}));
    return build.build({&build.reduce("conv", w, kind, r, value)});
}

} // namespace

class PhasesTest : public QObject {
    Q_OBJECT
  private slots:
    void aTileIsSplitIntoPhases();
    void firstTermsFollowTheLoopsAround();
    void phasesWithoutTermsAreZero();
    void paddingInlinedIntoTheSumIsReadInPhases();
    void mirroredWeightsArePackedAsTheyAreRead();
    void zerosThatAreStoredAreNotAddedEither();
    void conditionsOfOtherFormsStay_data();
    void conditionsOfOtherFormsStay();
    void randomStridesKernelsAndTiles();
};

void PhasesTest::aTileIsSplitIntoPhases() {
    const DagPtr dag = transposedDag({.in = 3, .channels = 1, .results = 1});
    const Programs after = programsOf(dag, kTiled);
    QVERIFY(after.at("sink inits").contains("floormod"));
    QCOMPARE(tail(after.at("split phases"), "for w.0"), QString(R"(    for w.0 in 0 .. 2:
        for w.1 in 0 .. 2:
            conv[((w.0*4) + (w.1*2)), 0] = 0f
        for r in 0 .. 2:
            for w.1 in 0 .. 2:
                conv[((w.0*4) + (w.1*2)), 0] = (conv[((w.0*4) + (w.1*2)), 0] + (pad[(((w.0*2) + w.1) + r), 0]*weight[(3 - (r*2)), 0, 0]))
        for w.1 in 0 .. 2:
            conv[(((w.0*4) + (w.1*2)) + 1), 0] = 0f
        for r in 0 .. 2:
            for w.1 in 0 .. 2:
                conv[(((w.0*4) + (w.1*2)) + 1), 0] = (conv[(((w.0*4) + (w.1*2)) + 1), 0] + (pad[((((w.0*2) + w.1) + r) + 1), 0]*weight[(2 - (r*2)), 0, 0]))
)"));
}

void PhasesTest::firstTermsFollowTheLoopsAround() {
    // Tiles of 3: whether a tile begins at an even place is known only where it begins.
    const DagPtr dag = transposedDag({.in = 3, .channels = 1, .results = 1});
    const Programs after = programsOf(dag, R"([["SP",3,0,0,[3],1],["RE",3,[0,3,4,1,2]]])");
    QCOMPARE(tail(after.at("split phases"), "for w.0"), QString(R"(    for w.0 in 0 .. 3:
        for w.1 in 0 .. 2:
            if likely (((w.0*3) + (w.1*2)) < 8):
                conv[((w.0*3) + (w.1*2)), 0] = 0f
        for r in 0 .. 2:
            for w.1 in 0 .. 2:
                if likely (((w.0*3) + (w.1*2)) < 8):
                    conv[((w.0*3) + (w.1*2)), 0] = (conv[((w.0*3) + (w.1*2)), 0] + (pad[((floordiv(((w.0*3) + floormod(w.0, 2)), 2) + w.1) + r), 0]*weight[((3 - floormod(w.0, 2)) - (r*2)), 0, 0]))
        conv[((w.0*3) + 1), 0] = 0f
        for r in 0 .. 2:
            conv[((w.0*3) + 1), 0] = (conv[((w.0*3) + 1), 0] + (pad[(floordiv((((w.0*3) + floormod((w.0 + 1), 2)) + 1), 2) + r), 0]*weight[((3 - floormod((w.0 + 1), 2)) - (r*2)), 0, 0]))
)"));
}

void PhasesTest::phasesWithoutTermsAreZero() {
    // Two of three results see one value each, the third none.
    const DagPtr dag = transposedDag({.in = 3, .stride = 3, .kernel = 2, .channels = 1, .results = 1});
    const Programs after = programsOf(dag, R"([["SP",3,0,0,[6],1],["RE",3,[0,3,4,1,2]]])");
    QCOMPARE(tail(after.at("split phases"), "for w.0"), QString(R"(    for w.0 in 0 .. 2:
        for w.1 in 0 .. 2:
            if likely (((w.0*2) + w.1) < 3):
                conv[((w.0*6) + (w.1*3)), 0] = 0f
        for w.1 in 0 .. 2:
            if likely (((w.0*2) + w.1) < 3):
                conv[((w.0*6) + (w.1*3)), 0] = (conv[((w.0*6) + (w.1*3)), 0] + (pad[((w.0*2) + w.1), 0]*weight[1, 0, 0]))
        for w.1 in 0 .. 2:
            if likely (((w.0*2) + w.1) < 3):
                conv[(((w.0*6) + (w.1*3)) + 1), 0] = 0f
        for w.1 in 0 .. 2:
            if likely (((w.0*2) + w.1) < 2):
                conv[(((w.0*6) + (w.1*3)) + 2), 0] = 0f
        for w.1 in 0 .. 2:
            if likely (((w.0*2) + w.1) < 2):
                conv[(((w.0*6) + (w.1*3)) + 2), 0] = (conv[(((w.0*6) + (w.1*3)) + 2), 0] + (pad[(((w.0*2) + w.1) + 1), 0]*weight[0, 0, 0]))
)"));
}

void PhasesTest::paddingInlinedIntoTheSumIsReadInPhases() {
    const DagPtr dag = transposedDag({.in = 8, .border = 1, .channels = 2, .results = 8});
    const Programs after = programsOf(dag, R"([["CI",1],["SP",3,0,0,[8],1],["RE",3,[0,3,4,1,2]],["AN",3,4,2]])");
    QVERIFY2(!after.at("split phases").contains("floormod"), qPrintable(after.at("split phases")));
    QVERIFY2(!after.at("split phases").contains("floordiv"), qPrintable(after.at("split phases")));
    QVERIFY2(after.at("split phases").contains("if_then_else"), qPrintable(after.at("split phases")));
    QVERIFY2(after.at("promote scalars").contains("float32[4, 8] register"), qPrintable(after.at("promote scalars")));
}

/// The kernel is read backwards, and the phases read every other block of what is packed.
void PhasesTest::mirroredWeightsArePackedAsTheyAreRead() {
    const DagPtr dag = transposedDag({.in = 8, .kernel = 4, .channels = 3, .results = 16});
    const char *steps = R"([["SP",3,0,0,[4],1],["SP",3,2,0,[8],1],["SP",3,4,0,[2],1],
        ["RE",3,[2,0,4,5,6,1,3]],["AN",3,6,2]])";
    const QString text = programsOf(dag, steps, 2).at("split phases");
    QVERIFY2(text.contains("weight.packed: float32[2, 2, 2, 3, 8]"), qPrintable(text)); // o.0, r.0, r.1, c, o.1
    QVERIFY2(text.contains("*weight.packed[o.0, (1 - r.0), 1, c, o.1]"), qPrintable(text));
    QVERIFY2(text.contains("*weight.packed[o.0, (1 - r.0), 0, c, o.1]"), qPrintable(text));
    // Of lengths that do not divide, the digits begin before the first element.
    const char *uneven = R"([["SP",3,2,0,[3],1]])";
    QVERIFY(!programsOf(dag, uneven, 2).at("split phases").contains("packed"));
}

/// The same whether the stage that makes the zeros is stored, too, or computed where it is read.
void PhasesTest::zerosThatAreStoredAreNotAddedEither() {
    const DagPtr dag = transposedDag({.in = 3, .border = 1, .channels = 1, .results = 1, .stored = true});
    for (const char *spread : {"", R"(["CI",1],)"}) {
        const std::string steps = std::string("[") + spread + R"(["SP",4,0,0,[4],1],["RE",4,[0,3,4,1,2]]])";
        const QString text = programsOf(dag, steps.c_str()).at("split phases");
        QVERIFY2(text.contains(R"(for r in 0 .. 2:)"), qPrintable(text));
        QVERIFY2(text.contains("(pad[((((w.0*4) + (w.1*2)) + (r*2)) + 1), 0]*weight[(2 - (r*2)), 0, 0])"),
                 qPrintable(text));
        QVERIFY2(text.contains("(pad[((((w.0*4) + (w.1*2)) + (r*2)) + 1), 0]*weight[(3 - (r*2)), 0, 0])"),
                 qPrintable(text));
    }
}

using Term = std::function<Expr(Expr, Expr, Expr)>;

void PhasesTest::conditionsOfOtherFormsStay_data() {
    QTest::addColumn<DagPtr>("dag");
    QTest::addColumn<QString>("steps");
    const Term usual = [](Expr on, Expr read, Expr weight) { return ifThenElse(on, read, makeFloat(0)) * weight; };
    const QString tiled = QStringLiteral(R"([["SP",2,0,0,[4],1],["RE",2,[0,2,1]]])");
    QTest::newRow("the largest of terms is no sum") << oneDimension(ReduceKind::Max, usual) << tiled;
    QTest::newRow("another remainder than one") << oneDimension(ReduceKind::Sum, usual, ExprKind::Ne) << tiled;
    const Term one = [](Expr on, Expr read, Expr weight) { return ifThenElse(on, read, makeFloat(1)) * weight; };
    QTest::newRow("the other terms are not zero") << oneDimension(ReduceKind::Sum, one) << tiled;
    const Term sum = [](Expr on, Expr read, Expr weight) { return ifThenElse(on, read, makeFloat(0)) + weight; };
    QTest::newRow("something is added in any case") << oneDimension(ReduceKind::Sum, sum) << tiled;
    QTest::newRow("a loop of the tile is fused with another")
        << transposedDag({}) << QStringLiteral(R"([["SP",3,0,0,[4],1],["RE",3,[0,3,4,1,2]],["FU",3,[3,4]]])");
}

void PhasesTest::conditionsOfOtherFormsStay() {
    QFETCH(DagPtr, dag);
    QFETCH(QString, steps);
    const Programs after = programsOf(dag, steps.toUtf8().constData());
    QVERIFY(after.at("sink inits").contains("floormod"));
    QCOMPARE(after.at("split phases"), after.at("sink inits"));
}

/// Tiles that need not divide, conditions inside and outside of what is kept in registers, padding of its own or in the
/// sum.
void PhasesTest::randomStridesKernelsAndTiles() {
    int split = 0;
    int cleared = 0;
    constexpr int kRounds = 100;
    for (uint64_t stream = 0; stream < kRounds; ++stream) {
        Random random(31, stream);
        const DagPtr dag = transposedDag(randomTransposed(random));
        const LoopState state = randomTransposedTiles(dag, random);
        try {
            const Programs after = programsOf(dag, state, static_cast<int>(stream % 3));
            if (after.at("split phases") != after.at("sink inits")) ++split;
            if (!tail(after.at("split phases"), "conv[").contains("== 0")) ++cleared;
        } catch (const std::exception &error) {
            QFAIL(("stream " + std::to_string(stream) + " " + error.what()).c_str());
        }
    }
    QVERIFY2(split > kRounds * 4 / 5 && cleared > kRounds * 4 / 5,
             qPrintable(QStringLiteral("%1 split, %2 without any condition left").arg(split).arg(cleared)));
}

LOOPSCOPE_TEST(PhasesTest)

} // namespace phases_test
#include "phases_test.moc"
