// Softmax and 2-norm are found in any spelling that computes them, and what comes close is refused with what differs.

#include "language/te/workload.h"
#include "recognised_answer.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

DagPtr dagOf(const QString &text) {
    return ComputeDag::fromWorkload(parseWorkload("workload w(M = 4, N = 5)\n" + text.toStdString(), "test"));
}

/// A softmax written stage by stage; a test changes what it is about.
struct SoftmaxLines {
    QString inputs = "x = placeholder [M, N]";
    QString top = "top(i < M) = max(k < N; x[i, k])";
    QString e = "e(i < M, j < N) = exp(x[i, j] - top[i])";
    QString s = "s(i < M) = sum(k < N; e[i, k])";
    QString y = "y(i < M, j < N) = e[i, j] / s[i]";
};
QString text(const SoftmaxLines &lines) {
    return QStringList{lines.inputs, lines.top, lines.e, lines.s, lines.y, {}}.join('\n');
}

/// 2-norms of rows, likewise.
struct NormLines {
    QString inputs = "x = placeholder [M, N]";
    QString s = "s(i < M) = sum(k < N; x[i, k]*x[i, k])";
    QString y = "y(i < M) = sqrt(s[i])";
};
QString text(const NormLines &lines) { return QStringList{lines.inputs, lines.s, lines.y, {}}.join('\n'); }

} // namespace

class RecogniseRowsTest : public QObject {
    Q_OBJECT

  private slots:
    void recognised_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("description");
        QTest::newRow("softmax") << "A = placeholder [M, N]\nB = softmax(A)\n"
                                 << "softmax 4x5";
        QTest::newRow("softmax of a vector") << "A = placeholder [1, N]\nB = softmax(A)\n"
                                             << "softmax 1x5";
        QTest::newRow("softmax of one column") << "A = placeholder [M, 1]\nB = softmax(A)\n"
                                               << "softmax 4x1";
        QTest::newRow("softmax of attention") << "A = placeholder [2, 3, M, N]\nB = softmax(A)\n"
                                              << "softmax 24x5";
        QTest::newRow("exponentials without a stage") << R"(
            x = placeholder [M, N]
            top(i < M) = max(k < N; x[i, k])
            total(i < M) = sum(k < N; exp(x[i, k] - top[i]))
            y(i < M, j < N) = exp(x[i, j] - top[i]) / total[i]
        )"
                                                      << "softmax 4x5";
        QTest::newRow("row values of shape [M, 1]") << R"(
            x = placeholder [M, N]
            top(i < M, z < 1) = max(k < N; x[i, k])
            shifted(i < M, j < N) = x[i, j] - top[i, 0]
            e(i < M, j < N) = exp(shifted[i, j])
            total(i < M, z < 1) = sum(k < N; e[i, k])
            y(i < M, j < N) = e[i, j] / total[i, 0]
        )"
                                                    << "softmax 4x5";
        QTest::newRow("norm") << "A = placeholder [1, M, N]\nD = norm(A)\n"
                              << "norm of 20";
        QTest::newRow("norms") << "A = placeholder [3, M, N]\nD = norm(A)\n"
                               << "norm of 20 batch 3";
        QTest::newRow("norms of rows") << text(NormLines{}) << "norm of 5 batch 4";
        QTest::newRow("inner axis named first")
            << text(NormLines{.inputs = "x = placeholder [2, M, N]",
                              .s = "s(b < 2) = sum(j < N, i < M; x[b, i, j]*x[b, i, j])",
                              .y = "y(b < 2) = sqrt(s[b])"})
            << "norm of 20 batch 2";
        QTest::newRow("squares in a stage") << R"(
            x = placeholder [2, 3, N]
            q(b < 2, h < 3, k < N) = x[b, h, k]*x[b, h, k]
            s(b < 2, h < 3) = sum(k < N; q[b, h, k])
            y(b < 2, h < 3) = sqrt(s[b, h])
        )"
                                            << "norm of 5 batch 6";
    }
    void recognised() {
        QFETCH(QString, text);
        QFETCH(QString, description);
        const DagPtr dag = dagOf(text);
        const auto found = recognise(*dag);
        QVERIFY2(found.ok(), found ? "" : found.why().c_str());
        QCOMPARE(QString::fromStdString(describe(found->problem)), description);
        QCOMPARE(differenceFromInterpreter(*dag, *found), std::string());
    }

    /// So that speeds of a library and of a kernel can be set side by side.
    void operationsAreCountedAsForTheWorkload() {
        const DagPtr softmax = dagOf("A = placeholder [M, N]\nB = softmax(A)\n");
        QCOMPARE(flops(recognise(*softmax).value().problem), softmax->flops());
        const DagPtr norms = dagOf("A = placeholder [3, M, N]\nD = norm(A)\n");
        QCOMPARE(flops(recognise(*norms).value().problem), norms->flops());
    }

    void refused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("reason");
        QTest::newRow("no exponentials") << R"(
            x = placeholder [M, N]
            s(i < M) = sum(k < N; x[i, k])
            y(i < M, j < N) = x[i, j] / s[i]
        )"
                                         << "divides exponentials by their sum, but y takes x[i, j]";
        QTest::newRow("divided by the sum of something else")
            << R"(
            x = placeholder [M, N]
            top(i < M) = max(k < N; x[i, k])
            s(i < M) = sum(k < N; x[i, k])
            y(i < M, j < N) = exp(x[i, j] - top[i]) / s[i]
        )"
            << "divides exponentials by their sum, but s takes x[i, j]";
        QTest::newRow("nothing subtracted")
            << text(SoftmaxLines{.top = "", .e = "e(i < M, j < N) = exp(x[i, j])"})
            << "subtracts the largest element of the row before exp, but y takes the exp of x[i, j]";
        QTest::newRow("the least subtracted") << text(SoftmaxLines{.top = "low(i < M) = min(k < N; x[i, k])",
                                                                   .e = "e(i < M, j < N) = exp(x[i, j] - low[i])"})
                                              << "subtracts the largest element of the row";
        QTest::newRow("along the columns") << "A = placeholder [M, N]\nB = softmax(A, axis = 0)\n"
                                           << "T_softmax_maxelem does not reduce the last dimension of T_softmax_norm";
        QTest::newRow("sum along the columns") << text(SoftmaxLines{.inputs = "x = placeholder [M, M]",
                                                                    .top = "top(i < M) = max(k < M; x[i, k])",
                                                                    .e = "e(i < M, j < M) = exp(x[i, j] - top[i])",
                                                                    .s = "s(j < M) = sum(k < M; e[k, j])",
                                                                    .y = "y(i < M, j < M) = e[i, j] / s[j]"})
                                               << "s does not reduce the last dimension of y";
        QTest::newRow("half of the row") << text(SoftmaxLines{.inputs = "x = placeholder [M, 8]",
                                                              .top = "top(i < M) = max(k < 8; x[i, k])",
                                                              .e = "e(i < M, j < 8) = exp(x[i, j] - top[i])",
                                                              .s = "s(i < M) = sum(k < 4; e[i, k])",
                                                              .y = "y(i < M, j < 8) = e[i, j] / s[i]"})
                                         << "s does not reduce the last dimension of y";
        QTest::newRow("the sum under a condition")
            << text(SoftmaxLines{.s = "s(i < M) = sum(k < N where k <= i; e[i, k])"}) << "no library fuses";
        QTest::newRow("two operands") << text(SoftmaxLines{.inputs = "x = placeholder [M, N]\nz = placeholder [M, N]",
                                                           .top = "top(i < M) = max(k < N; z[i, k])"})
                                      << "one operand, but y reads x and z";
        QTest::newRow("of a product") << R"(
            a = placeholder [M, 3]
            b = placeholder [3, N]
            c(i < M, j < N) = sum(k < 3; a[i, k]*b[k, j])
            y = softmax(c)
        )"
                                      << "an operand as it is, but T_softmax_norm takes it of c[i0, i1]";
        QTest::newRow("scaled") << R"(
            x = placeholder [M, N]
            c(i < M, j < N) = x[i, j]*0.125
            y = softmax(c)
        )"
                                << "an operand as it is, but T_softmax_norm takes it of (x[i0, i1]*0.125f)";
        QTest::newRow("transposed") << R"(
            x = placeholder [N, M]
            t(i < M, j < N) = x[j, i]
            y = softmax(t)
        )"
                                    << "lies in memory as its operand does, but T_softmax_norm reads x[i1, i0]";
        QTest::newRow("part of the rows") << R"(
            x = placeholder [M, 8]
            t(i < M, j < N) = x[i, j]
            y = softmax(t)
        )"
                                          << "lies in memory as its operand does";
        QTest::newRow("double softmax") << "A = placeholder [M, N] float64\nB = softmax(A)\n"
                                        << "compared in float32";

        QTest::newRow("root of a mean") << text(NormLines{.y = "y(i < M) = sqrt(s[i] / 5)"})
                                        << "the root of a sum of squares, but y takes the root of (s[i]/5f)";
        QTest::newRow("root of an argument") << R"(
            x = placeholder [M, N]
            y(i < M, j < N) = sqrt(x[i, j])
        )"
                                             << "the root of a sum of squares, but y takes the root of x[i, j]";
        QTest::newRow("root of products") << text(NormLines{.inputs = "x = placeholder [M, N]\nz = placeholder [M, N]",
                                                            .s = "s(i < M) = sum(k < N; x[i, k]*z[i, k])"})
                                          << "the root of a sum of squares, but s adds up (x[i, k]*z[i, k])";
        QTest::newRow("root of neighbours' products")
            << text(NormLines{.inputs = "x = placeholder [M, 8]", .s = "s(i < M) = sum(k < 7; x[i, k]*x[i, k + 1])"})
            << "adds up (x[i, k]*x[i, (k + 1)])";
        QTest::newRow("norm of columns") << text(NormLines{.s = "s(j < N) = sum(k < M; x[k, j]*x[k, j])",
                                                           .y = "y(j < N) = sqrt(s[j])"})
                                         << "contiguous elements, one batch after the other, but s reads x[k, j]";
        QTest::newRow("norm of every other row") << text(NormLines{.inputs = "x = placeholder [8, N]",
                                                                   .s = "s(i < 4) = sum(k < N; x[i*2, k]*x[i*2, k])",
                                                                   .y = "y(i < 4) = sqrt(s[i])"})
                                                 << "one batch after the other";
        QTest::newRow("norm of part of the rows")
            << text(NormLines{.s = "s(z < 1) = sum(i < M, k < 3; x[i, k]*x[i, k])", .y = "y(z < 1) = sqrt(s[z])"})
            << "contiguous elements";
        QTest::newRow("norm from the second row on")
            << text(NormLines{.s = "s(i < 3) = sum(k < N; x[i + 1, k]*x[i + 1, k])", .y = "y(i < 3) = sqrt(s[i])"})
            << "contiguous elements";
        QTest::newRow("norms the other way round")
            << text(NormLines{.y = "y(i < M) = sqrt(s[3 - i])"}) << "one batch after the other";
        QTest::newRow("norm of what is positive") << R"(
            x = placeholder [M, N]
            p(i < M, j < N) = max(x[i, j], 0)
            s(i < M) = sum(k < N; p[i, k]*p[i, k])
            y(i < M) = sqrt(s[i])
        )"
                                                  << "an operand as it is, but s squares max(x[i, k], 0f)";
    }
    void refused() {
        QFETCH(QString, text);
        QFETCH(QString, reason);
        const auto found = recognise(*dagOf(text));
        QVERIFY(!found);
        QVERIFY2(QString::fromStdString(found.why()).contains(reason), found.why().c_str());
    }
};

LOOPSCOPE_TEST(RecogniseRowsTest)
#include "recognise_rows_test.moc"
