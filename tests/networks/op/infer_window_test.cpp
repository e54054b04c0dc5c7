// Shapes that convolutions, pools, normalisations and matrix products give: from text to text, refusals word for word.

#include "net_lines.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace infer_window_test {

namespace {

struct Row {
    const char *name;
    const char *parameters;
    const char *lines;
    const char *expected;
};

const Row kRows[] = {
    {"conv", "x: float32[1, 3, 224, 224], w: float32[64, 3, 7, 7], b: float32[64]",
     "y = conv(x, w, b, strides = [2, 2], pads = [3, 3, 3, 3])", "float32[1, 64, 112, 112]"},
    {"conv of one axis, dilated", "x: float32[2, 4, 10], w: float32[6, 4, 3]", "y = conv(x, w, dilations = [2])",
     "float32[2, 6, 6]"},
    {"conv in groups", "x: float32[1, 8, 5, 5], w: float32[8, 1, 3, 3]",
     "y = conv(x, w, pads = [1, 1, 1, 1], group = 8)", "float32[1, 8, 5, 5]"},
    {"conv of a symbolic batch", "x: float32[n, 3, 2*k, 9], w: float32[4, 3, 2, 2]", "y = conv(x, w, strides = [2, 2])",
     "float32[n, 4, k, 4]"},
    {"conv: channels", "x: float32[1, 3, 8, 8], w: float32[4, 64, 3, 3]", "y = conv(x, w)",
     "conv 'y': x has 3 channels, w takes 64 in 1 group"},
    {"conv: channels not known", "x: float32[1, c, 8, 8], w: float32[4, 8, 3, 3]", "y = conv(x, w, group = 2)",
     "conv 'y': x has c channels, w takes 16 in 2 groups"},
    {"conv: groups", "x: float32[1, 4, 8, 8], w: float32[3, 2, 3, 3]", "y = conv(x, w, group = 2)",
     "conv 'y': 3 output channels do not fall into 2 groups"},
    {"conv: no group", "x: float32[1, 4, 8, 8], w: float32[3, 2, 3, 3]", "y = conv(x, w, group = 0)",
     "conv 'y': group is 0, it is at least 1"},
    {"conv: bias", "x: float32[1, 4, 8, 8], w: float32[3, 4, 3, 3], b: float32[4]", "y = conv(x, w, b)",
     "conv 'y': b [4] has to be a vector of 3 elements, one for each output channel"},
    {"conv: rank", "x: float32[1, 4, 8, 8], w: float32[3, 4, 3]", "y = conv(x, w)",
     "conv 'y': w [3, 4, 3] has rank 3, it takes 4"},
    {"conv: type", "x: float32[1, 4, 8, 8], w: float16[3, 4, 3, 3]", "y = conv(x, w)",
     "conv 'y': x has elements of float32 and w of float16, they have to be of one type"},
    {"conv: integers", "x: int32[1, 4, 8, 8], w: int32[3, 4, 3, 3]", "y = conv(x, w)",
     "conv 'y': x has elements of int32, it takes floating point"},
    {"conv: kernel too large", "x: float32[1, 4, 4, 8], w: float32[3, 4, 3, 3]", "y = conv(x, w, dilations = [2, 2])",
     "conv 'y': a kernel that reaches over 5 elements does not fit into axis 2 of extent 4 with padding 0 + 0"},
    {"conv: strides", "x: float32[1, 4, 8, 8], w: float32[3, 4, 3, 3]", "y = conv(x, w, strides = [1])",
     "conv 'y': strides has 1 numbers, it takes 2 for 2 spatial axes"},
    {"conv: stride 0", "x: float32[1, 4, 8, 8], w: float32[3, 4, 3, 3]", "y = conv(x, w, strides = [1, 0])",
     "conv 'y': strides has 0, each is from 1 to 2147483647"},
    {"conv: pads", "x: float32[1, 4, 8, 8], w: float32[3, 4, 3, 3]", "y = conv(x, w, pads = [0, 0, -1, 0])",
     "conv 'y': pads has -1, each is from 0 to 2147483647"},
    {"conv: kernel not known", "x: float32[1, 4, 8, 8], w: float32[3, 4, k, 3]", "y = conv(x, w)",
     "conv 'y': the size of the kernel w [3, 4, k, 3] is not known"},

    {"conv, channels last", "x: float32[n, 224, 220, 3], w: float32[7, 5, 3, 64], b: float32[64]",
     "y = conv(x, w, b, strides = [2, 2], pads = [3, 2, 3, 2], layout = \"channels_last\")",
     "float32[n, 112, 110, 64]"},
    {"conv in groups, channels last", "x: float32[1, 9, 8], w: float32[3, 2, 12]",
     "y = conv(x, w, group = 4, layout = \"channels_last\")", "float32[1, 7, 12]"},
    {"conv: no layout", "x: float32[1, 4, 8, 8], w: float32[3, 4, 3, 3]", "y = conv(x, w, layout = \"NHWC\")",
     "conv 'y': layout is 'NHWC', it is channels_first or channels_last"},
    {"conv: channels, channels last", "x: float32[1, 8, 8, 3], w: float32[3, 3, 64, 4]",
     "y = conv(x, w, layout = \"channels_last\")", "conv 'y': x has 3 channels, w takes 64 in 1 group"},
    {"conv: kernel too large, channels last", "x: float32[1, 4, 8, 4], w: float32[3, 3, 4, 3]",
     "y = conv(x, w, dilations = [2, 2], layout = \"channels_last\")",
     "conv 'y': a kernel that reaches over 5 elements does not fit into axis 1 of extent 4 with padding 0 + 0"},
    {"max_pool, channels last", "x: float32[2, 9, 7, 5]",
     "y = max_pool(x, kernel = [3, 2], strides = [2, 1], layout = \"channels_last\")", "float32[2, 4, 6, 5]"},
    {"max_pool: no layout", "x: float32[2, 9, 7, 5]", "y = max_pool(x, kernel = [3, 2], layout = \"last\")",
     "max_pool 'y': layout is 'last', it is channels_first or channels_last"},
    {"average_pool: padding, channels last", "x: float32[2, 9, 7, 5]",
     "y = average_pool(x, kernel = [3, 2], pads = [0, 2, 0, 0], layout = \"channels_last\")",
     "average_pool 'y': padding 2 + 0 of axis 2: a window of 2 would see nothing but padding"},
    {"global_average_pool, channels last", "x: float32[n, 9, 7, 5]",
     "y = global_average_pool(x, layout = \"channels_last\")", "float32[n, 1, 1, 5]"},
    {"global_max_pool: no layout", "x: float32[2, 9, 7, 5]", "y = global_max_pool(x, layout = \"\")",
     "global_max_pool 'y': layout is '', it is channels_first or channels_last"},

    {"conv_transpose", "x: float32[1, 4, 3, 3], w: float32[4, 2, 3, 3]", "y = conv_transpose(x, w)",
     "float32[1, 2, 5, 5]"},
    {"conv_transpose with everything", "x: float32[n, 4, 3, 3], w: float32[4, 2, 3, 3], b: float32[4]",
     "y = conv_transpose(x, w, b, strides = [3, 2], pads = [1, 0, 1, 1], output_padding = [1, 1], dilations = [1, 2], "
     "group = 2)",
     "float32[n, 4, 8, 9]"},
    {"conv_transpose: channels", "x: float32[1, 4, 3, 3], w: float32[3, 2, 3, 3]", "y = conv_transpose(x, w)",
     "conv_transpose 'y': x has 4 channels, w takes 3"},
    {"conv_transpose: groups", "x: float32[1, 4, 3, 3], w: float32[4, 2, 3, 3]", "y = conv_transpose(x, w, group = 3)",
     "conv_transpose 'y': 4 channels do not fall into 3 groups"},
    {"conv_transpose: output_padding", "x: float32[1, 4, 3, 3], w: float32[4, 2, 3, 3]",
     "y = conv_transpose(x, w, output_padding = [1])",
     "conv_transpose 'y': output_padding has 1 numbers, it takes 2 for as many spatial axes"},
    {"conv_transpose: negative output_padding", "x: float32[1, 4, 3, 3], w: float32[4, 2, 3, 3]",
     "y = conv_transpose(x, w, output_padding = [1, -2])",
     "conv_transpose 'y': output_padding has -2, each is from 0 to 2147483647"},
    {"conv_transpose: pads", "x: float32[1, 4, 1, 3], w: float32[4, 2, 1, 3]",
     "y = conv_transpose(x, w, pads = [2, 0, 2, 0])",
     "conv_transpose 'y': padding 2 + 2 takes away more than the whole axis 2"},

    {"winograd_weight", "w: float32[8, 3, 3, 3]", "y = winograd_weight(w, tile = 4)", "float32[6, 6, 3, 8]"},
    {"winograd_weight: tile", "w: float32[8, 3, 3, 3]", "y = winograd_weight(w, tile = 1)",
     "winograd_weight 'y': tile is 1, it is from 2 to 8"},
    {"winograd_weight: kernel", "w: float32[8, 3, 5, 3]", "y = winograd_weight(w, tile = 2)",
     "winograd_weight 'y': w [8, 3, 5, 3] is a kernel of 5 x 3, it has to be 3 x 3"},
    {"winograd_conv", "x: float32[n, 3, 8, k], u: float32[4, 4, 3, 8], b: float32[8]",
     "y = winograd_conv(x, u, b, tile = 2, pads = [1, 0, 1, 2])", "float32[n, 8, 8, k]"},
    {"winograd_conv: tile", "x: float32[1, 3, 8, 8], u: float32[4, 4, 3, 8]", "y = winograd_conv(x, u, tile = 4)",
     "winograd_conv 'y': u [4, 4, 3, 8] is transformed for other tiles, of tile 4 it is 6 x 6"},
    {"winograd_conv: channels", "x: float32[1, 4, 8, 8], u: float32[4, 4, 3, 8]", "y = winograd_conv(x, u, tile = 2)",
     "winograd_conv 'y': x has 4 channels, u takes 3"},
    {"winograd_conv: bias", "x: float32[1, 3, 8, 8], u: float32[4, 4, 3, 8], b: float32[3]",
     "y = winograd_conv(x, u, b, tile = 2)",
     "winograd_conv 'y': b [3] has to be a vector of 8 elements, one for each output channel"},
    {"winograd_conv: pads", "x: float32[1, 3, 8, 8], u: float32[4, 4, 3, 8]",
     "y = winograd_conv(x, u, tile = 2, pads = [1, 1])",
     "winograd_conv 'y': pads has 2 numbers, it takes 4 for 2 spatial axes"},
    {"winograd_conv: negative pads", "x: float32[1, 3, 8, 8], u: float32[4, 4, 3, 8]",
     "y = winograd_conv(x, u, tile = 2, pads = [1, 1, -1, 0])",
     "winograd_conv 'y': pads has -1, each is from 0 to 65536"},
    {"winograd_conv: too small", "x: float32[1, 3, 2, 8], u: float32[4, 4, 3, 8]", "y = winograd_conv(x, u, tile = 2)",
     "winograd_conv 'y': a kernel of 3 x 3 does not fit into axis 2 of extent 2 with padding 0 + 0"},

    {"max_pool", "x: float32[1, 64, 112, 112]",
     "y = max_pool(x, kernel = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1])", "float32[1, 64, 56, 56]"},
    {"max_pool, one-sided pads", "x: float32[1, 64, 112, 112]",
     "y = max_pool(x, kernel = [3, 3], strides = [2, 2], pads = [0, 0, 1, 1])", "float32[1, 64, 56, 56]"},
    {"max_pool rounded up", "x: float32[1, 1, 6, 6]",
     "y = max_pool(x, kernel = [3, 3], strides = [2, 2], ceil_mode = 1)", "float32[1, 1, 3, 3]"},
    {"max_pool rounded up, a window in the padding dropped", "x: float32[1, 1, 5, 5]",
     "y = max_pool(x, kernel = [2, 2], strides = [2, 2], pads = [1, 1, 1, 1], ceil_mode = 1)", "float32[1, 1, 3, 3]"},
    {"max_pool of bytes", "x: uint8[1, 1, 5]", "y = max_pool(x, kernel = [2], dilations = [2])", "uint8[1, 1, 3]"},
    {"max_pool: nothing but padding", "x: float32[1, 1, 5]", "y = max_pool(x, kernel = [2], pads = [2, 0])",
     "max_pool 'y': padding 2 + 0 of axis 2: a window of 2 would see nothing but padding"},
    {"max_pool: kernel", "x: float32[1, 1, 5]", "y = max_pool(x, kernel = [2, 2])",
     "max_pool 'y': kernel has 2 numbers, x [1, 1, 5] has 1 spatial axes"},
    {"max_pool: extent of the kernel", "x: float32[1, 1, 5]", "y = max_pool(x, kernel = [0])",
     "max_pool 'y': the kernel has extent 0, each is from 1 to 65536"},
    {"max_pool: bools", "x: bool[1, 1, 5]", "y = max_pool(x, kernel = [2])",
     "max_pool 'y': x has elements of bool, it takes numbers"},
    {"max_pool: how often it fits", "x: float32[1, 1, n]",
     "y = max_pool(x, kernel = [2], strides = [3], ceil_mode = 1)",
     "max_pool 'y': with ceil_mode, how often the window fits into axis 2 of extent n is not known"},
    {"average_pool", "x: float32[1, 8, n, 7]", "y = average_pool(x, kernel = [1, 7])", "float32[1, 8, n, 1]"},
    {"average_pool: integers", "x: int32[1, 8, 7, 7]", "y = average_pool(x, kernel = [1, 7])",
     "average_pool 'y': x has elements of int32, it takes floating point"},
    {"global_average_pool", "x: float32[n, 8, 7, 7]", "y = global_average_pool(x)", "float32[n, 8, 1, 1]"},
    {"global_max_pool", "x: float32[n, c, 7]", "y = global_max_pool(x)", "float32[n, c, 1]"},
    {"global_max_pool: rank", "x: float32[n, c]", "y = global_max_pool(x)",
     "global_max_pool 'y': x [n, c] has rank 2, it takes at least 3"},

    {"lrn", "x: float32[1, 8, 7, 7]", "y = lrn(x, size = 5)", "float32[1, 8, 7, 7]"},
    {"lrn: size", "x: float32[1, 8, 7, 7]", "y = lrn(x, size = 0)", "lrn 'y': size is 0, it is at least 1"},
    {"batch_norm", "x: float32[n, 8, 7, 7], a: float32[8]", "y = batch_norm(x, a, a, a, a)", "float32[n, 8, 7, 7]"},
    {"batch_norm: channels", "x: float32[n, 8, 7, 7], a: float32[8], b: float32[7]", "y = batch_norm(x, a, a, b, a)",
     "batch_norm 'y': mean [7] has to be a vector of 8 elements, one for each channel of x"},
    {"layer_norm", "x: float32[n, 8, 7], a: float32[7]", "y = layer_norm(x, a, a)", "float32[n, 8, 7]"},
    {"layer_norm over two axes", "x: float32[n, 8, 7], a: float32[8, 7]", "y = layer_norm(x, a, axis = 1)",
     "float32[n, 8, 7]"},
    {"layer_norm: scale", "x: float32[n, 8, 7], a: float32[8]", "y = layer_norm(x, a)",
     "layer_norm 'y': what is normalised [7] and scale [8] do not broadcast: 7 and 8 differ"},
    {"layer_norm: scale too large", "x: float32[n, 8, 1], a: float32[8]", "y = layer_norm(x, a)",
     "layer_norm 'y': scale [8] does not broadcast to what is normalised [1]"},
    {"instance_norm", "x: float32[n, 8, 7], a: float32[8]", "y = instance_norm(x, a, a)", "float32[n, 8, 7]"},
    {"softmax", "x: float32[n, 8]", "y = softmax(x)", "float32[n, 8]"},
    {"softmax: axis", "x: float32[n, 8]", "y = softmax(x, axis = 2)", "softmax 'y': axis 2 is outside of rank 2"},
    {"log_softmax", "x: float32[n, 8]", "y = log_softmax(x, axis = 0)", "float32[n, 8]"},

    {"matmul", "a: float32[2, 3], b: float32[3, 4]", "y = matmul(a, b)", "float32[2, 4]"},
    {"matmul of batches", "a: float32[n, 1, 2, 3], b: float32[5, 3, 4]", "y = matmul(a, b)", "float32[n, 5, 2, 4]"},
    {"matmul of a row", "a: float32[3], b: float32[5, 3, 4]", "y = matmul(a, b)", "float32[5, 4]"},
    {"matmul of a column", "a: float32[2, 3], b: float32[3]", "y = matmul(a, b)", "float32[2]"},
    {"matmul of two vectors", "a: float32[k], b: float32[k]", "y = matmul(a, b)", "float32[]"},
    {"matmul: inner", "a: float32[2, 3], b: float32[k, 4]", "y = matmul(a, b)",
     "matmul 'y': rows of a [2, 3] and columns of b [k, 4] do not fit: 3 and k are not known to be equal"},
    {"matmul: batch", "a: float32[2, 2, 3], b: float32[3, 3, 4]", "y = matmul(a, b)",
     "matmul 'y': the batch of a [2] and that of b [3] do not broadcast: 2 and 3 differ"},
    {"matmul: scalar", "a: float32[], b: float32[3]", "y = matmul(a, b)",
     "matmul 'y': a [] has rank 0, it takes at least 1"},
    {"gemm", "a: float32[3, 2], b: float32[4, 3], c: float32[4]", "y = gemm(a, b, c, trans_a = 1, trans_b = 1)",
     "float32[2, 4]"},
    {"gemm: inner", "a: float32[3, 2], b: float32[3, 4]", "y = gemm(a, b)",
     "gemm 'y': a [3, 2] and b [3, 4] do not fit: 2 and 3 differ"},
    {"gemm: inner, transposed", "a: float32[2, 3], b: float32[3, 4]", "y = gemm(a, b, trans_b = 1)",
     "gemm 'y': a [2, 3] and b [3, 4] transposed do not fit: 3 and 4 differ"},
    {"gemm: sum", "a: float32[1, 3], b: float32[3, 4], c: float32[2, 4]", "y = gemm(a, b, c)",
     "gemm 'y': c [2, 4] does not broadcast to the product [1, 4]"},
    {"dense", "x: float32[n, 3], w: float32[4, 3]", "y = dense(x, w)", "float32[n, 4]"},
    {"dense: inner", "x: float32[n, 3], w: float32[3, 4]", "y = dense(x, w)",
     "dense 'y': rows of x [n, 3] and of w [3, 4] do not fit: 3 and 4 differ"},
    {"bias_add", "x: float32[n, 3], b: float32[3]", "y = bias_add(x, b)", "float32[n, 3]"},
    {"bias_add: length", "x: float32[n, 3, 4], b: float32[3]", "y = bias_add(x, b, axis = -1)",
     "bias_add 'y': bias [3] has to be a vector of 4 elements, one for each index of axis 2"},
};

} // namespace

class InferWindowTest : public QObject {
    Q_OBJECT
  private slots:
    void types_data() {
        QTest::addColumn<QString>("parameters");
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("expected");
        for (const Row &row : kRows) QTest::newRow(row.name) << row.parameters << row.lines << row.expected;
    }
    void types() {
        QFETCH(QString, parameters);
        QFETCH(QString, lines);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(inferredType(parameters.toStdString(), lines.toStdString())), expected);
    }
};

LOOPSCOPE_TEST(InferWindowTest)

} // namespace infer_window_test
#include "infer_window_test.moc"
