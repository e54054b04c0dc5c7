// Axes that begin elsewhere than at 0: text in, counts in the op, the same text out.

#include "language/te/axis_origins.h"

#include "base/outcome.h"
#include "base/random.h"
#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QtTest>
#include <fmt/format.h>

using namespace loopscope;

namespace {

Workload parsed(const std::string &body) { return parseWorkload("workload t(H = 8)\n" + body, "t.te"); }

QString bodyText(const Workload &workload, size_t op) {
    return QString::fromStdString(toText(workload.ops[op]->body[0]));
}

QString printedText(const Workload &workload) {
    return QString::fromStdString(printWorkload(workload.name, workload.ops, workload.args));
}

QString refusal(const std::string &body) {
    try {
        const Workload workload = parsed(body);
        (void)ComputeDag::fromWorkload(workload);
    } catch (const Error &error) {
        return QString::fromStdString(error.sentence());
    }
    return {};
}

/// The same chain of stages twice: in coordinates with origins, and counted from 0 by hand.
struct Chain {
    std::string withOrigins;
    std::string byHand;
};

/// Every stage reads some places of the one before it, which is as large as that needs.
Chain randomChain(Random &random) {
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random.below(static_cast<uint64_t>(n))); };
    struct Stage {
        int64_t first;
        int64_t end;
        std::string sum;     // coordinates
        std::string sumZero; // counts
    };
    // From the last to the first: the extents a stage must have follow from its reader.
    std::vector<Stage> stages;
    int64_t first = below(9) - 4;
    int64_t end = first + 2 + below(6);
    const auto count = static_cast<size_t>(2 + below(3));
    std::vector<std::vector<std::pair<int64_t, int64_t>>> taps(count); // factor, offset
    for (size_t s = 0; s < count; ++s) {
        stages.push_back({first, end, {}, {}});
        int64_t low = INT64_MAX;
        int64_t high = INT64_MIN;
        const int64_t taken = 1 + below(3);
        for (int64_t t = 0; t < taken; ++t) {
            const int64_t factor = 1 + below(2);
            const int64_t offset = below(7) - 3;
            taps[s].emplace_back(factor, offset);
            low = std::min(low, factor * first + offset);
            high = std::max(high, factor * (end - 1) + offset);
        }
        first = low;
        end = high + 1;
    }
    Chain chain;
    const int64_t inputFirst = first;
    chain.withOrigins = chain.byHand = fmt::format("workload chain()\nin = placeholder [{}]\n", end - inputFirst);
    // Inputs count from 0: the first stage shifts by hand.
    for (size_t s = count; s-- > 0;) {
        const Stage &stage = stages[s];
        const bool ofInput = s + 1 == count;
        const std::string from = ofInput ? "in" : fmt::format("s{}", s + 1);
        const int64_t begins = ofInput ? inputFirst : stages[s + 1].first;
        std::string there;
        std::string here;
        for (const auto &[factor, offset] : taps[s]) {
            const std::string join = there.empty() ? "" : " + ";
            there += fmt::format("{}{}[y*{} + {}]", join, from, factor, ofInput ? offset - begins : offset);
            here += fmt::format("{}{}[y*{} + {}]", join, from, factor, factor * stage.first + offset - begins);
        }
        chain.withOrigins += fmt::format("s{}({} <= y < {}) = {} + float32(y)\n", s, stage.first, stage.end, there);
        chain.byHand +=
            fmt::format("s{}(y < {}) = {} + float32(y + {})\n", s, stage.end - stage.first, here, stage.first);
    }
    return chain;
}

} // namespace

class AxisOriginsTest : public QObject {
    Q_OBJECT
  private slots:
    /// Loops and tensors count from 0; what is read keeps its coordinate.
    void textIsInCoordinates() {
        const Workload workload = parsed("in = placeholder [H + 4]\n"
                                         "halo(-2 <= y < H + 2) = in[y + 2]\n"
                                         "out(y < H) = sum(-2 <= r < 3; halo[y + r]) \n"
                                         "late(3 <= y < H) = halo[y - 1] + out[y] + float32(y)\n");
        QCOMPARE(workload.ops[1]->shape(), std::vector<int64_t>{12});
        QCOMPARE(bodyText(workload, 1), QStringLiteral("in[y]"));
        QCOMPARE(workload.ops[2]->reduction->axes[0].extent, 5);
        QCOMPARE(bodyText(workload, 2), QStringLiteral("halo[((y + (r - 2)) + 2)]"));
        QCOMPARE(workload.ops[3]->shape(), std::vector<int64_t>{5});
        QCOMPARE(bodyText(workload, 3), QStringLiteral("((halo[(y + 4)] + out[(y + 3)]) + float32((y + 3)))"));
        QVERIFY(hasOrigins(*workload.ops[2]));
        const QString printed = printedText(workload);
        QVERIFY2(printed.contains(QStringLiteral("halo(-2 <= y < 10) =\n    in[(y + 2)]")), qPrintable(printed));
        QVERIFY2(printed.contains(QStringLiteral("sum(-2 <= r < 3; halo[(y + r)])")), qPrintable(printed));
        QVERIFY2(printed.contains(QStringLiteral("late(3 <= y < 8) =\n    ((halo[(y - 1)] + out[y]) + float32(y))")),
                 qPrintable(printed));
    }

    /// Nobody's key changes: without an origin an op is what it was.
    void nothingMovesWithoutOrigins() {
        const Workload workload = parsed("in = placeholder [H]\nout(y < H - 3) = in[(y + 1) + 2]\n");
        QVERIFY(!hasOrigins(*workload.ops[1]));
        QCOMPARE(bodyText(workload, 1), QStringLiteral("in[((y + 1) + 2)]"));
    }

    void refusals_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const char *text, const char *sentence) {
            QTest::newRow(name) << text << sentence;
        };
        row("empty", "f(3 <= y < 3) = float32(y)\n", "the extent of axis `y` is 0; an extent is at least 1");
        row("no name", "f(3 <= 4 < 5) = 1.0\n", "expected the name of an axis, found `4`");
        row("no end", "f(-3 <= y) = 1.0\n", "expected `<` and the end of axis `y`, found `)`");
        row("not constant", "f(x < 4, x <= y < 9) = 1.0\n",
            "where an axis begins is not a constant; only numbers, parameters and `let` names may stand here");
        row("far", "f(-9000000000 <= y < 3) = 1.0\n",
            "an axis begins at -9000000000; it begins between -2147483647 and 2147483647");
        row("beside", "in = placeholder [H + 1]\nf(-1 <= y < H) = in[y + 1]\ng(y < H) = f[y - 2]\n",
            "'g' reads f[(y - 2)]: index (y - 2) of dimension 0 may leave the tensor (its range is [-2, 5], legal is "
            "[-1, 7]); change the extents, or guard the load with if_then_else (a select evaluates both of its sides)");
    }
    void refusals() {
        QFETCH(const QString, text);
        QFETCH(const QString, sentence);
        QCOMPARE(refusal(text.toStdString()), sentence);
    }

    /// Random chains: printed and read again they are the same, and they compute what the same chain counted by hand
    /// does.
    void randomChains() {
        for (uint64_t seed = 0; seed < 300; ++seed) {
            Random random(seed, 0);
            const Chain chain = randomChain(random);
            const auto because = [&] { return chain.withOrigins + "\n" + chain.byHand; };
            const Workload first = parseWorkload(chain.withOrigins, "chain.te");
            const Workload second = parseWorkload(printWorkload(first.name, first.ops, first.args), "printed.te");
            QCOMPARE(printedText(second), printedText(first));
            for (size_t op = 1; op < first.ops.size(); ++op)
                QVERIFY2(bodyText(second, op) == bodyText(first, op), because().c_str());
            const DagPtr dag = ComputeDag::fromWorkload(first);
            const DagPtr plain = ComputeDag::fromWorkload(parseWorkload(chain.byHand, "hand.te"));
            const std::vector<TensorValue> inputs = randomInputs(*dag, seed);
            const std::vector<TensorValue> answer = interpret(*dag, inputs);
            const std::vector<TensorValue> expected = interpret(*plain, inputs);
            QCOMPARE(answer.size(), expected.size());
            for (size_t i = 0; i < answer.size(); ++i)
                QVERIFY2(answer[i].floats == expected[i].floats, because().c_str());
        }
    }
};

LOOPSCOPE_TEST(AxisOriginsTest)
#include "axis_origins_test.moc"
