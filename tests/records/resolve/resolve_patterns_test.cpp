// Hashes of operators as networks fuse them are resolved to those operators, in every form keys have.

#include "language/dag/compute_dag.h"
#include "language/dag/layout_free.h"
#include "language/te/workload.h"
#include "records/resolve/fit.h"
#include "records/resolve/resolver.h"
#include "records/resolve/task_key.h"
#include "test_program.h"

#include <QTest>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

using namespace loopscope;

namespace {

DagPtr dagOf(const std::string &te) { return ComputeDag::fromWorkload(parseWorkload(te, "test.te")); }

/// All extents of the key run together, as logs had them before 2021.
std::string flatKey(const ComputeDag &dag) {
    std::string key = "[\"" + dag.hash() + "\"";
    for (const Tensor *arg : dag.args())
        for (const int64_t extent : arg->shape) key += fmt::format(", {}", extent);
    return key + "]";
}

/// Inputs named as they were before 2022.
std::string withPlaceholders(std::string te) {
    for (const char digit : {'0', '1', '2', '3', '4', '5'}) {
        const std::string from = fmt::format("p{} = placeholder", digit);
        if (const size_t at = te.find(from); at != std::string::npos)
            te.replace(at, from.size(), fmt::format("p{} \"placeholder\" = placeholder", digit));
    }
    return te;
}

} // namespace

class ResolvePatternsTest : public QObject {
    Q_OBJECT

  private slots:
    void resolves_data() {
        QTest::addColumn<QString>("te");
        QTest::addColumn<QString>("operators");
        int rows = 0;
        const auto row = [&rows](const char *operators, const char *te) {
            QTest::addRow("%s, %d", operators, ++rows) << QString("workload task()\n") + te << operators;
        };
        row("conv2d_nhwc + bias + relu",
            "p0 = placeholder [1, 56, 56, 64]\np1 = placeholder [3, 3, 64, 128]\n"
            "c = conv2d_nhwc(p0, p1, 2, 1)\np2 = placeholder [1, 1, 1, 128]\nr = relu(add(c, p2))");
        row("conv2d_nhwc + bias", "p0 = placeholder [1, 35, 35, 64]\np1 = placeholder [1, 7, 64, 48]\n"
                                  "c = conv2d_nhwc(p0, p1, 1, [0, 3])\np2 = placeholder [48]\nr = add(c, p2)");
        row("conv2d_nchw + bias + relu6", "p0 = placeholder [1, 3, 224, 224]\np1 = placeholder [32, 3, 3, 3]\n"
                                          "c = conv2d_nchw(p0, p1, 2, 1)\np2 = placeholder [32, 1, 1]\na = add(c, p2)\n"
                                          "r \"compute\"(i0 < 1, i1 < 32, i2 < 112, i3 < 112) = "
                                          "max(min(a[i0, i1, i2, i3], 6), 0)");
        row("conv2d_nchw", "p0 = placeholder [1, 64, 28, 28]\np1 = placeholder [64, 8, 3, 3]\n"
                           "c = conv2d_nchw(p0, p1, 1, 2, 2, 8)");
        row("conv2d_nhwc + multiply + bias + leaky_relu 0.1",
            "p0 = placeholder [1, 13, 13, 64]\np1 = placeholder [3, 3, 64, 32]\nc = conv2d_nhwc(p0, p1, 1, 1)\n"
            "p2 = placeholder [1, 1, 1, 32]\nm = multiply(c, p2)\np3 = placeholder [1, 1, 1, 32]\n"
            "r = leaky_relu(add(m, p3), 0.1)");
        row("conv2d_nchw + bias + hard_swish",
            "p0 = placeholder [1, 16, 28, 28]\np1 = placeholder [40, 16, 1, 1]\nc = conv2d_nchw(p0, p1)\n"
            "p2 = placeholder [1, 40, 1, 1]\na = add(c, p2)\nthree \"compile_engine_const\"() = 3.0\nu = add(a, "
            "three)\n"
            "v \"compute\"(i0 < 1, i1 < 40, i2 < 28, i3 < 28) = max(min(u[i0, i1, i2, i3], 6), 0)\n"
            "six \"compile_engine_const\"() = 6.0\nw = divide(v, six)\nr = multiply(a, w)");
        row("depthwise_conv2d_nhwc + bias + relu6",
            "p0 = placeholder [1, 112, 112, 32]\np1 = placeholder [3, 3, 32, 1]\nc = depthwise_conv2d_nhwc(p0, p1, 1, "
            "1)\n"
            "p2 = placeholder [1, 1, 1, 32]\na = add(c, p2)\n"
            "r \"compute\"(i0 < 1, i1 < 112, i2 < 112, i3 < 32) = max(min(a[i0, i1, i2, i3], 6), 0)");
        row("depthwise_conv2d_nchw + bias + silu",
            "p0 = placeholder [1, 96, 56, 56]\np1 = placeholder [96, 1, 5, 5]\nc = depthwise_conv2d_nchw(p0, p1, 2, "
            "2)\n"
            "p2 = placeholder [96, 1, 1]\na = add(c, p2)\nr = multiply(a, sigmoid(a))");
        row("conv2d_transpose_nchw + tanh", "p0 = placeholder [1, 64, 32, 32]\np1 = placeholder [64, 3, 4, 4]\n"
                                            "r = tanh(conv2d_transpose_nchw(p0, p1, 2, 1))");
        row("conv2d_winograd_nchw + bias", "p0 = placeholder [1, 64, 56, 56]\np1 = placeholder [6, 6, 64, 64]\n"
                                           "c = conv2d_winograd_nchw(p0, p1, 1, 4)\np2 = placeholder [64, 1, 1]\n"
                                           "r = add(c, p2)");
        row("conv1d_ncw + bias + relu", "p0 = placeholder [1, 64, 128]\np1 = placeholder [32, 64, 3]\n"
                                        "c \"conv1d_ncw\" = conv1d_ncl(p0, p1, 1, 1)\np2 = placeholder [32, 1]\n"
                                        "r = relu(add(c, p2))");
        row("conv3d_ncdhw", "p0 = placeholder [1, 8, 16, 28, 28]\np1 = placeholder [16, 8, 3, 3, 3]\n"
                            "c = conv3d_ncdhw(p0, p1, 2, 1)");
        row("dense + bias + gelu",
            "p0 = placeholder [128, 768]\np1 = placeholder [3072, 768]\nc = dense(p0, p1)\np2 = placeholder [3072]\n"
            "x = add(c, p2)\nhalf \"compile_engine_const\"() = 0.5\nroot \"compile_engine_const\"() = "
            "0.70710678118654752\n"
            "e = erf(multiply(x, root))\nk \"compile_engine_const\"() = 0.5\nr = multiply(x, add(half, multiply(e, "
            "k)))");
        row("dense + bias + add",
            "p0 = placeholder [128, 768]\np1 = placeholder [768, 768]\nc = dense(p0, p1)\n"
            "p2 = placeholder [768]\na = add(c, p2)\np3 = placeholder [128, 768]\nr = add(a, p3)");
        row("batch_matmul", "p0 = placeholder [12, 128, 64]\np1 = placeholder [12, 128, 64]\n"
                            "c = batch_matmul(p0, p1, 0, 1)");
        row("batch_matmul + divide 8.0",
            "p0 = placeholder [12, 64, 128]\np1 = placeholder [12, 128, 64]\n"
            "c = batch_matmul(p0, p1)\nk \"compile_engine_const\"() = 8.0\nr = divide(c, k)");
        row("softmax", "p0 = placeholder [1, 12, 128, 128]\nr = softmax(p0)");
        row("mean", "p0 = placeholder [1, 128, 768]\nr = mean(p0, -1, 1)");
        row("bias + mean", "p0 = placeholder [1, 128, 768]\np1 = placeholder [768]\nr = mean(add(p0, p1), -1, 1)");
        row("subtract + square + mean", "p0 = placeholder [1, 128, 768]\np1 = placeholder [1, 128, 1]\n"
                                        "d = subtract(p0, p1)\nr = mean(multiply(d, d), -1, 1)");
        row("mean", "p0 = placeholder [1, 1280, 7, 7]\nr = mean(p0, [2, 3])");
        row("subtract + power 2 + mean",
            "p0 = placeholder [1, 128, 768]\np1 = placeholder [1, 128, 1]\nd = subtract(p0, p1)\n"
            "q \"T_power\"(ax0 < 1, ax1 < 128, ax2 < 768) = pow(d[ax0, ax1, ax2], 2.0)\nr = mean(q, -1, 1)");
        row("log_softmax", "p0 = placeholder [4, 10]\nT_softmax_maxelem(i0 < 4) = max(k < 10; p0[i0, k])\n"
                           "c \"compute\"(i0 < 4) = sum(k < 10; exp(p0[i0, k] - T_softmax_maxelem[i0]))\n"
                           "r \"compute\"(i0 < 4, i1 < 10) = p0[i0, i1] - T_softmax_maxelem[i0] - log(c[i0])");
        row("max_pool2d_nchw", "p0 = placeholder [1, 64, 112, 112]\nr = max_pool2d(p0, 3, 2, 1)");
        row("avg_pool2d_nhwc", "p0 = placeholder [1, 35, 35, 192]\nr = avg_pool2d(p0, 3, 1, 1, layout = \"NHWC\")");
        row("avg_pool2d_nchw", "p0 = placeholder [1, 192, 35, 35]\nr = avg_pool2d(p0, 3, 1, 1, 0, 1)");
        row("adaptive_avg_pool2d_nchw", "p0 = placeholder [1, 512, 7, 7]\nr = adaptive_avg_pool2d(p0)");
        row("conv2d_nhwc + add + relu", "p0 = placeholder [1, 14, 14, 8]\np1 = placeholder [1, 14, 14, 16]\n"
                                        "p2 = placeholder [3, 3, 16, 8]\nr = relu(add(p0, conv2d_nhwc(p1, p2, 1, 1)))");
        row("conv2d_nchwc + bias + add + relu",
            "p0 = placeholder [1, 4, 14, 14, 16]\np1 = placeholder [2, 4, 3, 3, 16, 16]\n"
            "d \"data_pad\"(i0 < 1, i1 < 4, i2 < 16, i3 < 16, i4 < 16) = if_then_else(i2 >= 1 && i2 < 15 && i3 >= 1 && "
            "i3 < 15, p0[i0, i1, i2 - 1, i3 - 1, i4], 0)\n"
            "c \"conv2d_NCHWc\"(n < 1, oc_chunk < 2, oh < 14, ow < 14, oc_block < 16) = sum(ic < 64, kh < 3, kw < 3; "
            "d[n, ic // 16, oh + kh, ow + kw, ic % 16]*p1[oc_chunk, ic // 16, kh, kw, ic % 16, oc_block])\n"
            "p2 = placeholder [1, 2, 1, 1, 16]\np3 = placeholder [1, 2, 14, 14, 16]\n"
            "r = relu(add(add(c, p2), p3))");
        row("depthwise_conv2d_nchwc + bias + silu",
            "p0 = placeholder [1, 6, 28, 28, 16]\np1 = placeholder [6, 1, 3, 3, 1, 16]\n"
            "d \"PaddedInput\"(i0 < 1, i1 < 6, i2 < 30, i3 < 30, i4 < 16) = if_then_else(i2 >= 1 && i2 < 29 && i3 >= 1 "
            "&& i3 < 29, p0[i0, i1, i2 - 1, i3 - 1, i4], 0)\n"
            "c \"DepthwiseConv2d\"(b < 1, oco < 6, oh < 28, ow < 28, oci < 16) = sum(kh < 3, kw < 3; d[b, (oco*16 + "
            "oci) "
            "// 16, oh + kh, ow + kw, (oco*16 + oci) % 16]*p1[oco, 0, kh, kw, 0, oci])\n"
            "p2 = placeholder [1, 6, 1, 1, 16]\na = add(c, p2)\nr = multiply(a, sigmoid(a))");
        row("conv2d_winograd_nhwc + bias + add + relu",
            "p0 = placeholder [1, 14, 14, 256]\np1 = placeholder [6, 6, 256, 256]\n"
            "c = conv2d_winograd_nhwc(p0, p1, 1, 4)\np2 = placeholder [1, 1, 1, 256]\n"
            "p3 = placeholder [1, 14, 14, 256]\nr = relu(add(add(c, p2), p3))");
        row("conv2d_nhwc + bias + add + relu",
            "p0 = placeholder [1, 56, 56, 64]\np1 = placeholder [1, 1, 64, 256]\nc = conv2d_nhwc(p0, p1)\n"
            "p2 = placeholder [1, 1, 1, 256]\np3 = placeholder [1, 56, 56, 256]\nr = relu(add(add(c, p2), p3))");
        row("conv2d_nchw + bias + sigmoid",
            "p0 = placeholder [1, 32, 1, 1]\np1 = placeholder [96, 32, 1, 1]\nc = conv2d_nchw(p0, p1)\n"
            "p2 = placeholder [96, 1, 1]\nr = sigmoid(add(c, p2))");
        row("conv2d_nhwc + multiply + bias + add + relu",
            "p0 = placeholder [1, 28, 28, 64]\np1 = placeholder [3, 3, 64, 64]\nc = conv2d_nhwc(p0, p1, 1, 1)\n"
            "p2 = placeholder [64]\np3 = placeholder [64]\np4 = placeholder [1, 28, 28, 64]\n"
            "r = relu(add(add(multiply(c, p2), p3), p4))");
        row("dense + bias + tanh", "p0 = placeholder [1, 768]\np1 = placeholder [768, 768]\nc = dense(p0, p1)\n"
                                   "p2 = placeholder [768]\nr = tanh(add(c, p2))");
        row("batch_matmul + multiply 0.125 + add",
            "p0 = placeholder [12, 128, 64]\np1 = placeholder [12, 128, 64]\nc = batch_matmul(p0, p1, 0, 1)\n"
            "k \"compile_engine_const\"() = 0.125\nm = multiply(c, k)\np2 = placeholder [12, 128, 128]\n"
            "r = add(m, p2)");
        row("conv2d_transpose_nchw + bias + relu",
            "p0 = placeholder [1, 64, 8, 8]\np1 = placeholder [64, 32, 3, 3]\n"
            "c = conv2d_transpose_nchw(p0, p1, 2, 1, output_padding = 1)\np2 = placeholder [32, 1, 1]\n"
            "r = relu(add(c, p2))");
        row("conv2d_nchwc + relu",
            "p0 = placeholder [1, 4, 14, 14, 16]\np1 = placeholder [2, 4, 1, 1, 16, 16]\n"
            "c \"conv2d_NCHWc\"(n < 1, oc_chunk < 2, oh < 14, ow < 14, oc_block < 16) = sum(ic < 64, kh < 1, kw < 1; "
            "p0[n, ic // 16, oh + kh, ow + kw, ic % 16]*p1[oc_chunk, ic // 16, kh, kw, ic % 16, oc_block])\nr = "
            "relu(c)");
    }
    void resolves() {
        QFETCH(QString, te);
        QFETCH(QString, operators);
        const Resolver resolver;
        for (const bool old : {false, true}) {
            const DagPtr dag = dagOf(old ? withPlaceholders(te.toStdString()) : te.toStdString());
            // Shapes run together are as old as inputs without names, nearly.
            std::vector<std::string> keys = {old ? flatKey(*dag) : dag->key()};
            if (operators.startsWith("conv2d_nhwc")) keys.push_back(old ? dag->key() : flatKey(*dag));
            for (const std::string &key : keys) {
                const Outcome<ResolutionPtr> found = resolver.resolve(key);
                QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
                const Resolution &resolution = **found;
                QCOMPARE(QString::fromStdString(resolution.operators), operators);
                QVERIFY(resolution.source == Resolution::Source::Pattern);
                QCOMPARE(resolution.dag->key(), dag->key());
                QCOMPARE(dagOf(resolution.te)->key(), dag->key());
            }
        }
    }

    void namesOf2020() {
        const Resolver resolver;
        const DagPtr pool = dagOf("workload task()\np0 \"placeholder\" = placeholder [1, 4, 8, 8]\n"
                                  "r \"tensor\"(ax0 < 1, ax1 < 4, ax2 < 4, ax3 < 4) = "
                                  "max(dh < 2, dw < 2; p0[ax0, ax1, ax2*2 + dh, ax3*2 + dw])\n");
        const auto found = resolver.resolve(flatKey(*pool));
        QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
        QCOMPARE((*found)->operators, std::string("max_pool2d_nchw"));
        // The layout that was tuned then had names of its own, and a dense layer another one.
        const auto dense = resolver.resolve("[\"9847f8cc0b305137f49f2c5c0c8ab25d\", 1, 512, 1000, 512, 1000, 1, 1000]");
        QVERIFY2(dense.ok(), dense.ok() ? "" : dense.why().c_str());
        QCOMPARE((*dense)->name, std::string("dense + bias 1x512, 1000 outputs"));
        QCOMPARE((*dense)->dag->op(2).name, std::string("T_dense"));
        // All inputs have one name, and only the weight may be laid out anew.
        QVERIFY(!isLayoutFree(*(*dense)->dag, (*dense)->dag->args()[0]));
        QVERIFY(isLayoutFree(*(*dense)->dag, (*dense)->dag->args()[1]));
        const auto conv = resolver.resolve(
            "[\"12b88bedece6984af589a28b43e0f3c4\", 1, 28, 28, 128, 3, 3, 128, 256, 1, 1, 1, 256, 1, 14, 14, 256]");
        QVERIFY2(conv.ok(), conv.ok() ? "" : conv.why().c_str());
        QCOMPARE((*conv)->name, std::string("conv2d_nhwc + bias + relu 1x28x28x128, 3x3, 256 channels, stride 2"));
        QCOMPARE((*conv)->origin, std::string("operator pattern conv2d_nhwc with padding 1:1, 1:1"));
    }

    /// The text of a pooling does not tell its window; the steps do.
    void stepsTellWhatTheTextDoesNot() {
        const Resolver resolver;
        const std::string key =
            dagOf("workload task()\np0 = placeholder [1, 4, 9, 9]\nr = max_pool2d(p0, 3, 2)\n")->key();
        const Steps ofThree = {SplitStep{StageId{1}, IterId{4}, 3, {1}, true}};
        const Steps ofTwo = {SplitStep{StageId{1}, IterId{4}, 2, {1}, true}};
        const Steps ofSix = {SplitStep{StageId{1}, IterId{4}, 6, {1}, true}};
        const auto three = resolver.resolve(key, ofThree);
        const auto two = resolver.resolve(key, ofTwo);
        QVERIFY2(three.ok(), three.ok() ? "" : three.why().c_str());
        QVERIFY2(two.ok(), two.ok() ? "" : two.why().c_str());
        QCOMPARE((*three)->dag->op(1).reduction->axes[0].extent, 3);
        QCOMPARE((*two)->dag->op(1).reduction->axes[0].extent, 2);
        QCOMPARE((*two)->dag->key(), key);
        const auto six = resolver.resolve(key, ofSix);
        QVERIFY(!six.ok());
        QVERIFY2(
            six.why().starts_with("the key is that of max_pool2d_nchw 1x4x9x9, 3x3, stride 2, but the record does not "
                                  "fit: step 0 (SP) splits loop 4 (rv0) of stage 1 (pool_max) of extent 6, which is 3 "
                                  "here"),
            six.why().c_str());
        const auto all = resolver.candidates(key);
        QVERIFY(all.ok());
        QVERIFY(all->size() >= 2);
    }

    void paddingIsLikelyEqual() {
        const Resolver resolver;
        const std::string key =
            dagOf("workload task()\np0 = placeholder [1, 56, 56, 8]\np1 = placeholder [3, 3, 8, 8]\n"
                  "r = conv2d_nhwc(p0, p1, 2, [0, 0, 1, 1])\n")
                ->key();
        const auto found = resolver.resolve(key);
        QVERIFY(found.ok());
        QCOMPARE((*found)->dag->op(1).shape()[1], 58);
        // A record that splits the padded rows tells the other one.
        const auto other = resolver.resolve(key, {SplitStep{StageId{1}, IterId{1}, 57, {3}, true}});
        QVERIFY2(other.ok(), other.ok() ? "" : other.why().c_str());
        QCOMPARE((*other)->dag->op(1).shape()[1], 57);
    }

    void refusesWhatNoOperatorHas() {
        ResolverOptions options;
        options.maxCandidates = 500;
        const Resolver resolver(options);
        const auto unknown = resolver.resolve("[\"00000000000000000000000000000000\", [1, 8], [1, 8]]");
        QVERIFY(!unknown.ok());
        QVERIFY2(unknown.why().starts_with(
                     "the hash 00000000000000000000000000000000 is that of none of the 0 .te files, and "
                     "of none of "),
                 unknown.why().c_str());
        QVERIFY(
            unknown.why().ends_with("combinations of operators that have the extents 1 8 1 8; add the .te file of the "
                                    "workload, or an entry of the key table"));
        const auto shapes = resolver.resolve("[\"00000000000000000000000000000000\", [2, 2, 2, 2, 2, 2, 2], [3]]");
        QVERIFY(!shapes.ok());
        QCOMPARE(
            shapes.why(),
            std::string("the hash 00000000000000000000000000000000 is that of none of the 0 .te files, and no operator "
                        "pattern has the extents 2 2 2 2 2 2 2 3"));
    }

    void isCancelled() {
        const Resolver resolver;
        const std::atomic<bool> cancelled = true;
        const std::string key = dagOf("workload task()\np0 = placeholder [4, 8]\nr = softmax(p0)\n")->key();
        const auto found = resolver.resolve(key, &cancelled);
        QVERIFY(!found.ok());
        QCOMPARE(found.why(), std::string("the search for the workload was cancelled"));
        QVERIFY(resolver.resolve(key).ok()); // nothing of it is kept
    }
};

LOOPSCOPE_TEST(ResolvePatternsTest)
#include "resolve_patterns_test.moc"
