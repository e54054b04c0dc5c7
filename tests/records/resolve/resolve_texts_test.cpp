// What the operator library of TVM prints for operators of networks, written by hand from what those operators are:
// the hash of such a text, with the shapes of its task, is resolved to a workload of exactly that text.

#include "language/dag/compute_dag.h"
#include "language/dag/dag_text.h"
#include "language/dag/md5.h"
#include "language/interpret/interpreter.h"
#include "language/te/workload.h"
#include "records/resolve/resolver.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

using namespace loopscope;

namespace {

/// One line an op, without the blank behind PLACEHOLDER, which is hard to see.
std::string hashedTextOf(const char *text) {
    std::string out;
    for (std::string_view rest = text; !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        out += rest.substr(0, end);
        if (rest.substr(0, end).ends_with("PLACEHOLDER")) out += ' ';
        out += '\n';
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
}

} // namespace

class ResolveTextsTest : public QObject {
    Q_OBJECT

  private slots:
    void resolvesTheText_data() {
        QTest::addColumn<QString>("operators");
        QTest::addColumn<QString>("shapes");
        QTest::addColumn<QString>("text");
        int rows = 0;
        const auto row = [&rows](const char *operators, const char *shapes, const char *text) {
            QTest::addRow("%s, %d", operators, ++rows) << operators << shapes << text;
        };
        // Since 2021 poolings may be dilated, and count their values otherwise.
        row("avg_pool2d_nhwc", "[1, 35, 35, 192], [1, 35, 35, 192]",
            "p0 = PLACEHOLDER\n"
            "pad_temp(ax0, ax1, ax2, ax3) = Op(tir.if_then_else)\n"
            "pool_sum(ax0, ax1, ax2, ax3) += pad_temp[ax0, (ax1 + rv0), (ax2 + rv1), ax3]\n"
            "pool_avg(ax0, ax1, ax2, ax3) = (pool_sum[ax0, ax1, ax2, ax3]/float32(max((((min(((ax1 - 1) + 2), 34) - "
            "((ax1 - 1) + max((0 - (ax1 - 1)), 0))) + 1)*((min(((ax2 - 1) + 2), 34) - ((ax2 - 1) + max((0 - (ax2 - "
            "1)), 0))) + 1)), 1)))");
        row("avg_pool2d_nchw", "[1, 128, 56, 56], [1, 128, 28, 28]",
            "p0 = PLACEHOLDER\n"
            "pool_sum(ax0, ax1, ax2, ax3) += p0[ax0, ax1, ((ax2*2) + rv0), ((ax3*2) + rv1)]\n"
            "pool_avg(ax0, ax1, ax2, ax3) = (pool_sum[ax0, ax1, ax2, ax3]/float32(max((((min(((ax2*2) + 1), 55) - "
            "((ax2*2) + max((0 - (ax2*2)), 0))) + 1)*((min(((ax3*2) + 1), 55) - ((ax3*2) + max((0 - (ax3*2)), 0))) + "
            "1)), 1)))");
        row("avg_pool2d_nchw", "[1, 192, 35, 35], [1, 192, 35, 35]", // padding counts, since 2022
            "p0 = PLACEHOLDER\n"
            "pad_temp(ax0, ax1, ax2, ax3) = Op(tir.if_then_else)\n"
            "pool_sum(ax0, ax1, ax2, ax3) += pad_temp[ax0, ax1, (ax2 + rv0), (ax3 + rv1)]\n"
            "pool_avg(ax0, ax1, ax2, ax3) = (pool_sum[ax0, ax1, ax2, ax3]/float32((((min(((ax2 - 1) + 2), 35) - (ax2 - "
            "1)) + 1)*((min(((ax3 - 1) + 2), 35) - (ax3 - 1)) + 1))))");
        row("avg_pool2d_nchw", "[1, 192, 35, 35], [1, 192, 35, 35]", // padding counts, before
            "p0 = PLACEHOLDER\n"
            "pad_temp(ax0, ax1, ax2, ax3) = Op(tir.if_then_else)\n"
            "pool_sum(ax0, ax1, ax2, ax3) += pad_temp[ax0, ax1, (ax2 + rv0), (ax3 + rv1)]\n"
            "pool_avg(ax0, ax1, ax2, ax3) = (pool_sum[ax0, ax1, ax2, ax3]/9f)");
        // Blocks of channels, as networks for processors have them.
        row("max_pool2d_nchwc", "[1, 4, 112, 112, 16], [1, 4, 56, 56, 16]",
            "p0 = PLACEHOLDER\n"
            "pad_temp(ax0, ax1, ax2, ax3, ax4) = Op(tir.if_then_else)\n"
            "pool_max(ax0, ax1, ax2, ax3, ax4) max= pad_temp[ax0, ax1, ((ax2*2) + rv0), ((ax3*2) + rv1), ax4]");
        row("max_pool2d_nchwc", "[1, 4, 55, 55, 16], [1, 4, 27, 27, 16]", // of the time when nothing had a name
            "placeholder = PLACEHOLDER\n"
            "tensor(ax0, ax1, ax2, ax3, ax4) max= placeholder[ax0, ax1, ((ax2*2) + rv0), ((ax3*2) + rv1), ax4]");
        row("avg_pool2d_nchwc", "[1, 8, 56, 56, 16], [1, 8, 28, 28, 16]",
            "placeholder = PLACEHOLDER\n"
            "tensor(ax0, ax1, ax2, ax3, ax4) += placeholder[ax0, ax1, ((ax2*2) + rv0), ((ax3*2) + rv1), ax4]\n"
            "tensor(ax0, ax1, ax2, ax3, ax4) = (tensor[ax0, ax1, ax2, ax3, ax4]/float32(max(((min(((ax2*2) + 2), 56) - "
            "max((ax2*2), 0))*(min(((ax3*2) + 2), 56) - max((ax3*2), 0))), 1)))");
        row("adaptive_avg_pool2d_nchwc", "[1, 32, 7, 7, 16], [1, 32, 1, 1, 16]",
            "p0 = PLACEHOLDER\n"
            "adaptive_pool_sum(ax0, ax1, ax2, ax3, ax4) += p0[ax0, ax1, ((ax2*7) + rv0), ((ax3*7) + rv1), ax4]\n"
            "adaptive_pool_avg(ax0, ax1, ax2, ax3, ax4) = (adaptive_pool_sum[ax0, ax1, ax2, ax3, "
            "ax4]/(float32((select((bool)1, ((ax2 + 1)*7), (((ax2 + 1)*7) + 1)) - (ax2*7)))*float32((select((bool)1, "
            "((ax3 + 1)*7), (((ax3 + 1)*7) + 1)) - (ax3*7)))))");
        row("max_pool3d_ncdhw + relu", "[1, 64, 16, 56, 56], [1, 64, 8, 28, 28]",
            "p0 = PLACEHOLDER\n"
            "pad_temp(ax0, ax1, ax2, ax3, ax4) = Op(tir.if_then_else)\n"
            "pool_max(ax0, ax1, ax2, ax3, ax4) max= pad_temp[ax0, ax1, ((ax2*2) + rv0), ((ax3*2) + rv1), ((ax4*2) + "
            "rv2)]\n"
            "T_relu(ax0, ax1, ax2, ax3, ax4) = max(pool_max[ax0, ax1, ax2, ax3, ax4], 0f)");
        row("max_pool1d_ncw", "[1, 64, 128], [1, 64, 64]",
            "p0 = PLACEHOLDER\n"
            "pool_max(ax0, ax1, ax2) max= p0[ax0, ax1, ((ax2*2) + rv0)]");
        // AlexNet.
        row("lrn", "[1, 96, 55, 55], [1, 96, 55, 55]",
            "p0 = PLACEHOLDER\n"
            "pad_data(ax0, ax1, ax2, ax3) = Op(tir.if_then_else)\n"
            "tensor(ax0, ax1, ax2, ax3) += (pad_data[ax0, (ax1 + rxs), ax2, ax3]*pad_data[ax0, (ax1 + rxs), ax2, "
            "ax3])\n"
            "tensor(ax0, ax1, ax2, ax3) = Op(tir.pow)\n"
            "T_divide(ax0, ax1, ax2, ax3) = (p0[ax0, ax1, ax2, ax3]/tensor[ax0, ax1, ax2, ax3])");
        row("lrn", "[1, 27, 27, 192], [1, 27, 27, 192]",
            "p0 = PLACEHOLDER\n"
            "pad_data(ax0, ax1, ax2, ax3) = Op(tir.if_then_else)\n"
            "tensor(ax0, ax1, ax2, ax3) += (pad_data[ax0, ax1, ax2, (ax3 + rxs)]*pad_data[ax0, ax1, ax2, (ax3 + "
            "rxs)])\n"
            "tensor(ax0, ax1, ax2, ax3) = Op(tir.pow)\n"
            "T_divide(ax0, ax1, ax2, ax3) = (p0[ax0, ax1, ax2, ax3]/tensor[ax0, ax1, ax2, ax3])");
        // DCGAN: the library for processors; for graphics cards before and since groups; the blocks of x86.
        row("conv2d_transpose_nchw + relu", "[1, 1024, 4, 4], [1024, 512, 3, 3], [1, 512, 8, 8]",
            "p0 = PLACEHOLDER\n"
            "data_dilate(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
            "data_pad(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
            "p1 = PLACEHOLDER\n"
            "kernel_transform(o, i, h, w) = p1[i, o, (2 - h), (2 - w)]\n"
            "compute(b, c, h, w) += (data_pad[b, dc, (h + dh), (w + dw)]*kernel_transform[c, dc, dh, dw])\n"
            "T_relu(ax0, ax1, ax2, ax3) = max(compute[ax0, ax1, ax2, ax3], 0f)");
        row("conv2d_transpose_nchw + tanh", "[1, 128, 16, 16], [128, 3, 4, 4], [1, 3, 32, 32]",
            "placeholder = PLACEHOLDER\n"
            "data_pad(n, c, y, x) = Op(tir.if_then_else)\n"
            "placeholder = PLACEHOLDER\n"
            "compute(b, c, h, w) += (data_pad[b, dc, (h + dh), (w + dw)]*placeholder[dc, c, (3 - dh), (3 - dw)])\n"
            "T_tanh(ax0, ax1, ax2, ax3) = Op(tir.tanh)");
        row("conv2d_transpose_nchw + bias + relu", "[1, 512, 4, 4], [512, 256, 5, 5], [1, 256, 1, 1], [1, 256, 8, 8]",
            "p0 = PLACEHOLDER\n"
            "data_pad(n, c, y, x) = Op(tir.if_then_else)\n"
            "p1 = PLACEHOLDER\n"
            "compute(b, c, h, w) += (data_pad[b, ((floordiv(c, 256)*512) + dc), (h + dh), (w + dw)]*p1[((floordiv(c, "
            "256)*512) + dc), floormod(c, 256), (4 - dh), (4 - dw)])\n"
            "p2 = PLACEHOLDER\n"
            "T_add(ax0, ax1, ax2, ax3) = (compute[ax0, ax1, ax2, ax3] + p2[ax0, ax1, 0, 0])\n"
            "T_relu(ax0, ax1, ax2, ax3) = max(T_add[ax0, ax1, ax2, ax3], 0f)");
        row("conv2d_transpose_nchw + relu", "[1, 256, 8, 8], [256, 128, 4, 4], [1, 128, 16, 16]",
            "p0 = PLACEHOLDER\n"
            "data_dilate(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
            "data_pad(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
            "data_vec(bs, c, h, w, vc) = data_pad[bs, ((c*16) + vc), h, w]\n"
            "p1 = PLACEHOLDER\n"
            "kernel_transform(o, i, h, w) = p1[i, o, (3 - h), (3 - w)]\n"
            "kernel_vec(occ, icc, k_h, k_w, icb, ocb) = kernel_transform[((occ*16) + ocb), ((icc*16) + icb), k_h, "
            "k_w]\n"
            "conv2d_NCHWc(n, oc_chunk, oh, ow, oc_block) += (data_vec[n, floordiv(ic, 16), (oh + kh), (ow + kw), "
            "floormod(ic, 16)]*kernel_vec[oc_chunk, floordiv(ic, 16), kh, kw, floormod(ic, 16), oc_block])\n"
            "output_unpack(n, c, h, w) = conv2d_NCHWc[n, floordiv(c, 16), h, w, floormod(c, 16)]\n"
            "T_relu(ax0, ax1, ax2, ax3) = max(output_unpack[ax0, ax1, ax2, ax3], 0f)");
        row("conv2d_transpose_nchw", "[1, 32, 14, 14], [32, 4, 4, 4], [1, 16, 28, 28]", // 4 groups
            "p0 = PLACEHOLDER\n"
            "data_dilate(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
            "data_pad(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
            "p1 = PLACEHOLDER\n"
            "kernel_transform(i, o, h, w) = p1[o, i, (3 - h), (3 - w)]\n"
            "compute(b, c, h, w) += (data_pad[b, ((floordiv(c, 4)*8) + dc), (h + dh), (w + dw)]*kernel_transform["
            "floormod(c, 4), ((floordiv(c, 4)*8) + dc), dh, dw])");
        row("conv1d_transpose_ncw", "[1, 64, 50], [64, 32, 4], [1, 32, 100]",
            "p0 = PLACEHOLDER\n"
            "data_dilate(i0, i1, i2) = Op(tir.if_then_else)\n"
            "data_pad(i0, i1, i2) = Op(tir.if_then_else)\n"
            "p1 = PLACEHOLDER\n"
            "kernel(o, i, w) = p1[i, o, (3 - w)]\n"
            "compute(b, c, w) += (data_pad[b, dc, (w + dw)]*kernel[c, dc, dw])");
        row("conv3d_transpose_ncdhw", "[1, 16, 8, 14, 14], [16, 8, 2, 2, 2], [1, 8, 16, 28, 28]",
            "p0 = PLACEHOLDER\n"
            "data_dilate(i0, i1, i2, i3, i4) = Op(tir.if_then_else)\n"
            "data_pad(i0, i1, i2, i3, i4) = Op(tir.if_then_else)\n"
            "p1 = PLACEHOLDER\n"
            "kernel_transform(o, i, d, h, w) = p1[i, o, (1 - d), (1 - h), (1 - w)]\n"
            "compute(b, c, d, h, w) += (data_pad[b, dc, (d + dd), (h + dh), (w + dw)]*kernel_transform[c, dc, dd, dh, "
            "dw])");
        // Slopes of their own for every channel.
        row("conv2d_nchw + bias + prelu", "[1, 64, 28, 28], [64, 64, 3, 3], [1, 64, 1, 1], [64], [1, 64, 28, 28]",
            "p0 = PLACEHOLDER\n"
            "pad_temp(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
            "p1 = PLACEHOLDER\n"
            "conv2d_nchw(nn, ff, yy, xx) += (pad_temp[nn, rc, (yy + ry), (xx + rx)]*p1[ff, rc, ry, rx])\n"
            "p2 = PLACEHOLDER\n"
            "T_add(ax0, ax1, ax2, ax3) = (conv2d_nchw[ax0, ax1, ax2, ax3] + p2[ax0, ax1, 0, 0])\n"
            "p3 = PLACEHOLDER\n"
            "T_prelu(ax0, ax1, ax2, ax3) = select((T_add[ax0, ax1, ax2, ax3] > 0f), T_add[ax0, ax1, ax2, ax3], "
            "(T_add[ax0, ax1, ax2, ax3]*p3[ax1]))");
        row("conv2d_nhwc + prelu", "[1, 28, 28, 64], [1, 1, 64, 32], [32], [1, 28, 28, 32]",
            "p0 = PLACEHOLDER\n"
            "pad_temp(i0, i1, i2, i3) = p0[i0, i1, i2, i3]\n"
            "p1 = PLACEHOLDER\n"
            "conv2d_nhwc(nn, yy, xx, ff) += (pad_temp[nn, (yy + ry), (xx + rx), rc]*p1[ry, rx, rc, ff])\n"
            "p2 = PLACEHOLDER\n"
            "T_prelu(ax0, ax1, ax2, ax3) = select((conv2d_nhwc[ax0, ax1, ax2, ax3] > 0f), conv2d_nhwc[ax0, ax1, ax2, "
            "ax3], (conv2d_nhwc[ax0, ax1, ax2, ax3]*p2[ax3]))");
        // 8 bits: the sums are rounded, shifted and limited again.
        row("conv2d_nhwc + bias + relu + requantize by 7 bits",
            "[1, 56, 56, 64], [3, 3, 64, 64], [1, 1, 1, 64], [1, 56, 56, 64]",
            "p0 = PLACEHOLDER\n"
            "pad_temp(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
            "p1 = PLACEHOLDER\n"
            "conv2d_nhwc(nn, yy, xx, ff) += (int32(pad_temp[nn, (yy + ry), (xx + rx), rc])*int32(p1[ry, rx, rc, "
            "ff]))\n"
            "p2 = PLACEHOLDER\n"
            "T_add(ax0, ax1, ax2, ax3) = (conv2d_nhwc[ax0, ax1, ax2, ax3] + p2[ax0, 0, 0, ax3])\n"
            "T_relu(ax0, ax1, ax2, ax3) = max(T_add[ax0, ax1, ax2, ax3], 0)\n"
            "compile_engine_const() = 64\n"
            "T_add(ax0, ax1, ax2, ax3) = (T_relu[ax0, ax1, ax2, ax3] + compile_engine_const[])\n"
            "compile_engine_const() = 7\n"
            "T_right_shift(ax0, ax1, ax2, ax3) = Op(tir.shift_right)\n"
            "compute(i0, i1, i2, i3) = max(min(T_right_shift[i0, i1, i2, i3], 127), -127)\n"
            "T_cast(ax0, ax1, ax2, ax3) = int8(compute[ax0, ax1, ax2, ax3])");
        row("dense + bias", "[1, 512], [1000, 512], [1000], [1, 1000]",
            "p0 = PLACEHOLDER\n"
            "p1 = PLACEHOLDER\n"
            "T_matmul_NT(i, j) += (int32(p0[i, k])*int32(p1[j, k]))\n"
            "p2 = PLACEHOLDER\n"
            "T_add(ax0, ax1) = (T_matmul_NT[ax0, ax1] + p2[ax1])");
        // The activation of BERT, by its hyperbolic tangent.
        row("dense + bias + gelu", "[128, 768], [3072, 768], [3072], [128, 3072]",
            "p0 = PLACEHOLDER\n"
            "p1 = PLACEHOLDER\n"
            "T_matmul_NT(i, j) += (p0[i, k]*p1[j, k])\n"
            "p2 = PLACEHOLDER\n"
            "T_add(ax0, ax1) = (T_matmul_NT[ax0, ax1] + p2[ax1])\n"
            "compile_engine_const() = 0.5f\n"
            "compile_engine_const() = 1f\n"
            "compile_engine_const() = 0.797885f\n"
            "compile_engine_const() = 0.044715f\n"
            "compile_engine_const() = 3f\n"
            "T_power(ax0, ax1) = Op(tir.pow)\n"
            "T_multiply(ax0, ax1) = (compile_engine_const[]*T_power[ax0, ax1])\n"
            "T_add(ax0, ax1) = (T_add[ax0, ax1] + T_multiply[ax0, ax1])\n"
            "T_multiply(ax0, ax1) = (compile_engine_const[]*T_add[ax0, ax1])\n"
            "T_tanh(ax0, ax1) = Op(tir.tanh)\n"
            "T_add(ax0, ax1) = (compile_engine_const[] + T_tanh[ax0, ax1])\n"
            "T_multiply(ax0, ax1) = (compile_engine_const[]*T_add[ax0, ax1])\n"
            "T_multiply(ax0, ax1) = (T_add[ax0, ax1]*T_multiply[ax0, ax1])");
        // Group normalisation: everything behind the group.
        row("mean", "[1, 32, 16, 14, 14], [1, 32]",
            "p0 = PLACEHOLDER\n"
            "p0_red(ax0, ax1) += p0[ax0, ax1, k2, k3, k4]\n"
            "T_divide(ax0, ax1) = (p0_red[ax0, ax1]/3136f)");
        row("silu + mean", "[1, 7, 7, 1280], [1, 1, 1, 1280]",
            "p0 = PLACEHOLDER\n"
            "T_sigmoid(ax0, ax1, ax2, ax3) = Op(tir.sigmoid)\n"
            "T_multiply(ax0, ax1, ax2, ax3) = (p0[ax0, ax1, ax2, ax3]*T_sigmoid[ax0, ax1, ax2, ax3])\n"
            "T_multiply_red(ax0, ax1, ax2, ax3) += T_multiply[ax0, k1, k2, ax3]\n"
            "T_divide(ax0, ax1, ax2, ax3) = (T_multiply_red[ax0, ax1, ax2, ax3]/49f)");
    }
    void resolvesTheText() {
        QFETCH(QString, operators);
        QFETCH(QString, shapes);
        QFETCH(QString, text);
        const std::string hashed = hashedTextOf(text.toUtf8().constData());
        const std::string key = "[\"" + md5Hex(hashed) + "\", " + shapes.toStdString() + "]";
        const Resolver resolver;
        const Outcome<ResolutionPtr> found = resolver.resolve(key);
        QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
        QCOMPARE(QString::fromStdString((*found)->operators), operators);
        QCOMPARE((*found)->dag->key(), key);
        QCOMPARE((*found)->dag->text(DagTextMode::Simple), hashed);
    }

    /// As TVM's documentation prints the tasks of ResNet-50, ResNet-18 and MobileNet, and its users the keys of theirs.
    void publishedKeys_data() {
        QTest::addColumn<QString>("operators");
        const auto row = [](const char *operators, const char *key) { QTest::newRow(key) << operators; };
        row("conv2d_nhwc",
            R"(["8654f16aeddf785bad9f028164b3a48d", [1, 56, 56, 64], [1, 1, 64, 256], [1, 56, 56, 256]])");
        row("conv2d_nhwc",
            R"(["06f578e6519a86e85028eecf4de64b25", [1, 56, 56, 256], [1, 1, 256, 512], [1, 28, 28, 512]])");
        row("conv2d_nhwc + bias + relu",
            R"(["1037be767e8e18197e87653d81c34558", [1, 7, 7, 1024], [1, 1, 1024, 1024], [1, 1, 1, 1024], [1, 7, 7, 1024]])");
        row("conv2d_nhwc + bias + relu",
            R"(["56af7508fbcdf6d851892b1e8434667b", [1, 14, 14, 1024], [1, 1, 1024, 512], [1, 1, 1, 512], [1, 7, 7, 512]])");
        row("conv2d_nhwc + bias + relu",
            R"(["86551f1a74663d3ceafd5884659d3478", [1, 7, 7, 512], [3, 3, 512, 512], [1, 1, 1, 512], [1, 7, 7, 512]])");
        row("conv2d_nhwc + bias + relu",
            R"(["96daaa9daa1b41bc383b7c05ce8b58de", [1, 224, 224, 3], [7, 7, 3, 64], [1, 1, 1, 64], [1, 112, 112, 64]])");
        row("conv2d_nhwc + add",
            R"(["12cb81d4ad0a81be02dedf09d1ac8391", [1, 7, 7, 512], [1, 1, 512, 2048], [1, 7, 7, 2048], [1, 7, 7, 2048]])");
        row("conv2d_nhwc + add + bias + relu",
            R"(["b9a4f9bd1416ba25810cb3de27628ace", [1, 28, 28, 128], [1, 1, 128, 512], [1, 28, 28, 512], [1, 1, 1, 512], [1, 28, 28, 512]])");
        row("conv2d_nhwc + add + multiply + bias + relu",
            R"(["ff5ea7f814e5c497bb685e7385cf7159", [1, 7, 7, 512], [1, 1, 512, 2048], [1, 7, 7, 2048], [1, 1, 1, 2048], [1, 1, 1, 2048], [1, 7, 7, 2048]])");
        row("conv2d_nhwc + multiply + bias + relu", // scales and biases of the wrong dimension, and yet
            R"(["2ca148ecea6508ce625f85719021344f", [1, 224, 224, 3], [3, 3, 3, 32], [1, 112, 1, 1], [1, 112, 1, 1], [1, 112, 112, 32]])");
        row("depthwise_conv2d_nhwc + bias + relu",
            R"(["06fce76bd84cb904eee50b905ca9449a", [1, 28, 28, 256], [3, 3, 256, 1], [1, 1, 1, 256], [1, 28, 28, 256]])");
        row("depthwise_conv2d_nhwc + bias + relu",
            R"(["c87ba68bc180312f5716af09a77ca15b", [1, 56, 56, 128], [3, 3, 128, 1], [1, 1, 1, 128], [1, 28, 28, 128]])");
        row("conv2d_winograd_nhwc + bias + relu",
            R"(["c68f92478eb18145106184c587d212b6", [1, 14, 14, 256], [6, 6, 256, 256], [1, 1, 1, 256], [1, 14, 14, 256]])");
        row("conv2d_winograd_nhwc + bias + relu",
            R"(["ecec634b4882c5731f86cce3109db636", [1, 28, 28, 128], [6, 6, 128, 128], [1, 1, 1, 128], [1, 28, 28, 128]])");
        row("conv2d_winograd_nhwc + add + bias + relu",
            R"(["c4500b4e2fd04e695c32d2f31bbdc14a", [1, 28, 28, 128], [4, 4, 128, 128], [1, 28, 28, 128], [1, 1, 1, 128], [1, 28, 28, 128]])");
        row("conv2d_winograd_nhwc + add",
            R"(["3ea73fb9b0364374730d09e068821f95", 1, 56, 56, 64, 6, 6, 64, 64, 1, 56, 56, 64, 1, 56, 56, 64])");
        row("max_pool2d_nhwc + bias + relu",
            R"(["64b98c71af70a904fdbb81d7d4188d84", [1, 112, 112, 64], [1, 1, 1, 64], [1, 56, 56, 64]])");
        row("adaptive_avg_pool2d_nhwc", R"(["69115f188984ae34ede37c3b8ca40b43", [1, 7, 7, 2048], [1, 1, 1, 2048]])");
        row("dense + bias", R"(["7d44c6e3c81cd80f61ff2265b2bae89a", [1, 2048], [1000, 2048], [1, 1000], [1, 1000]])");
        row("softmax", R"(["d7b65649a4dd54becea0a52aabbc5af5", [1, 1000], [1, 1000]])");
    }
    void publishedKeys() {
        QFETCH(QString, operators);
        const std::string key = QTest::currentDataTag();
        const Resolver resolver;
        const Outcome<ResolutionPtr> found = resolver.resolve(key);
        QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
        QCOMPARE(QString::fromStdString((*found)->operators), operators);
    }

    /// Where the text leaves open what is computed, the likeliest is.
    void computesTheOperator_data() {
        QTest::addColumn<QString>("shapes");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("te"); // of the same values in another order of stages
        const char *const transposed = "a = placeholder [1, 16, 3, 3]\nb = placeholder [16, 16, 4, 4]\n"
                                       "r = conv2d_transpose_nchw(a, b, 2, 1)\n";
        const char *const shapes = "[1, 16, 3, 3], [16, 16, 4, 4], [1, 16, 6, 6]";
        QTest::newRow("transposed, padded at once")
            << shapes
            << "p0 = PLACEHOLDER\ndata_pad(n, c, y, x) = Op(tir.if_then_else)\np1 = PLACEHOLDER\n"
               "compute(b, c, h, w) += (data_pad[b, dc, (h + dh), (w + dw)]*p1[dc, c, (3 - dh), (3 - dw)])"
            << transposed;
        QTest::newRow("transposed, one group")
            << shapes
            << "p0 = PLACEHOLDER\ndata_pad(n, c, y, x) = Op(tir.if_then_else)\np1 = PLACEHOLDER\n"
               "compute(b, c, h, w) += (data_pad[b, ((floordiv(c, 16)*16) + dc), (h + dh), (w + dw)]*p1[((floordiv(c, "
               "16)*16) + dc), floormod(c, 16), (3 - dh), (3 - dw)])"
            << transposed;
        QTest::newRow("transposed, in blocks")
            << shapes
            << "p0 = PLACEHOLDER\ndata_dilate(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
               "data_pad(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
               "data_vec(bs, c, h, w, vc) = data_pad[bs, ((c*8) + vc), h, w]\np1 = PLACEHOLDER\n"
               "kernel_transform(o, i, h, w) = p1[i, o, (3 - h), (3 - w)]\n"
               "kernel_vec(occ, icc, k_h, k_w, icb, ocb) = kernel_transform[((occ*8) + ocb), ((icc*8) + icb), k_h, "
               "k_w]\n"
               "conv2d_NCHWc(n, oc_chunk, oh, ow, oc_block) += (data_vec[n, floordiv(ic, 8), (oh + kh), (ow + kw), "
               "floormod(ic, 8)]*kernel_vec[oc_chunk, floordiv(ic, 8), kh, kw, floormod(ic, 8), oc_block])\n"
               "output_unpack(n, c, h, w) = conv2d_NCHWc[n, floordiv(c, 8), h, w, floormod(c, 8)]"
            << transposed;
        QTest::newRow("transposed, the output padded")
            << "[1, 16, 3, 3], [16, 16, 3, 3], [1, 16, 6, 6]"
            << "p0 = PLACEHOLDER\ndata_pad(n, c, y, x) = Op(tir.if_then_else)\np1 = PLACEHOLDER\n"
               "compute(b, c, h, w) += (data_pad[b, dc, (h + dh), (w + dw)]*p1[dc, c, (2 - dh), (2 - dw)])"
            << "a = placeholder [1, 16, 3, 3]\nb = placeholder [16, 16, 3, 3]\n"
               "r = conv2d_transpose_nchw(a, b, 2, 1, output_padding = 1)\n";
        const std::string pooled = "p0 = PLACEHOLDER\npad_temp(ax0, ax1, ax2, ax3) = Op(tir.if_then_else)\n"
                                   "pool_sum(ax0, ax1, ax2, ax3) += pad_temp[ax0, ax1, (ax2 + rv0), (ax3 + rv1)]\n"
                                   "pool_avg(ax0, ax1, ax2, ax3) = (pool_sum[ax0, ax1, ax2, ax3]/float32(";
        QTest::newRow("average of what lies inside")
            << "[1, 2, 5, 5], [1, 2, 5, 5]"
            << QString::fromStdString(pooled) +
                   "max((((min(((ax2 - 1) + 2), 4) - ((ax2 - 1) + max((0 - (ax2 - 1)), 0))) + 1)*((min(((ax3 - 1) + "
                   "2), 4) - ((ax3 - 1) + max((0 - (ax3 - 1)), 0))) + 1)), 1)))"
            << "a = placeholder [1, 2, 5, 5]\nr = avg_pool2d(a, 3, 1, 1)\n";
        QTest::newRow("average with the padding")
            << "[1, 2, 5, 5], [1, 2, 5, 5]"
            << QString::fromStdString(pooled) +
                   "(((min(((ax2 - 1) + 2), 5) - (ax2 - 1)) + 1)*((min(((ax3 - 1) + 2), 5) - (ax3 - 1)) + 1))))"
            << "a = placeholder [1, 2, 5, 5]\nr = avg_pool2d(a, 3, 1, 1, 0, 1)\n";
        QTest::newRow("maximum in blocks")
            << "[1, 4, 7, 7, 1], [1, 4, 4, 4, 1]"
            << "p0 = PLACEHOLDER\npad_temp(ax0, ax1, ax2, ax3, ax4) = Op(tir.if_then_else)\n"
               "pool_max(ax0, ax1, ax2, ax3, ax4) max= pad_temp[ax0, ax1, ((ax2*2) + rv0), ((ax3*2) + rv1), ax4]"
            << "a = placeholder [1, 4, 7, 7]\nr = max_pool2d(a, 3, 2, 1)\n";
        QTest::newRow("slopes")
            << "[2, 3, 4, 4], [3], [2, 3, 4, 4]"
            << "p0 = PLACEHOLDER\np1 = PLACEHOLDER\n"
               "T_prelu(ax0, ax1, ax2, ax3) = select((p0[ax0, ax1, ax2, ax3] > 0f), p0[ax0, ax1, ax2, ax3], (p0[ax0, "
               "ax1, ax2, ax3]*p1[ax1]))"
            << "a = placeholder [2, 3, 4, 4]\nb = placeholder [3]\n"
               "r(n < 2, c < 3, y < 4, x < 4) = max(a[n, c, y, x], 0) + b[c]*min(a[n, c, y, x], 0)\n";
    }
    void computesTheOperator() {
        QFETCH(QString, shapes);
        QFETCH(QString, text);
        QFETCH(QString, te);
        const std::string key =
            "[\"" + md5Hex(hashedTextOf(text.toUtf8().constData())) + "\", " + shapes.toStdString() + "]";
        const Resolver resolver;
        const Outcome<ResolutionPtr> found = resolver.resolve(key);
        QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
        const DagPtr plain = ComputeDag::fromWorkload(parseWorkload("workload plain()\n" + te.toStdString(), {}));
        std::vector<TensorValue> inputs = randomInputs(*plain, 7);
        const std::vector<double> want = interpret(*plain, inputs).front().floats;
        size_t next = 0;
        for (const Tensor *arg : (*found)->dag->args())
            if (arg->op->isPlaceholder()) inputs.at(next++).shape = arg->shape;
        const std::vector<double> got = interpret(*(*found)->dag, inputs).front().floats;
        QCOMPARE(got.size(), want.size());
        for (size_t i = 0; i < want.size(); ++i)
            QVERIFY2(std::abs(got[i] - want[i]) <= 1e-5 * (1 + std::abs(want[i])), std::to_string(i).c_str());
    }
};

LOOPSCOPE_TEST(ResolveTextsTest)
#include "resolve_texts_test.moc"
