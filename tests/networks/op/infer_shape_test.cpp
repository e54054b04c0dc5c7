// Shapes that elementwise operators, reductions and movements of elements give: from text to text, refusals word for
// word.

#include "net_lines.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace infer_shape_test {

namespace {

struct Row {
    const char *name;
    const char *parameters;
    const char *lines;
    const char *expected;
};

const Row kRows[] = {
    {"relu", "x: float32[n, 3]", "y = relu(x)", "float32[n, 3]"},
    {"relu of integers", "x: int8[n, 3]", "y = relu(x)", "int8[n, 3]"},
    {"relu: bools", "x: bool[3]", "y = relu(x)", "relu 'y': x has elements of bool, it takes numbers"},
    {"exp: integers", "x: int8[3]", "y = exp(x)", "exp 'y': x has elements of int8, it takes floating point"},
    {"not", "x: bool[3]", "y = not(x)", "bool[3]"},
    {"not: numbers", "x: float32[3]", "y = not(x)", "not 'y': x has elements of float32, it takes bool"},
    {"cast", "x: float32[n]", "y = cast(x, to = \"int64\")", "int64[n]"},
    {"cast: type", "x: float32[n]", "y = cast(x, to = \"float\")",
     "cast 'y': there is no element type 'float' to convert to"},
    {"clip", "x: float32[n]", "y = clip(x, min = 0, max = 6.0)", "float32[n]"},

    {"add", "a: float32[n, 1, 3], b: float32[4, 3]", "y = add(a, b)", "float32[n, 4, 3]"},
    {"add of a scalar", "a: float32[], b: float32[4, m]", "y = add(a, b)", "float32[4, m]"},
    {"add: shapes", "a: float32[2, 3], b: float32[2, 4]", "y = add(a, b)",
     "add 'y': a [2, 3] and b [2, 4] do not broadcast: 3 and 4 differ"},
    {"add: not known", "a: float32[n, 3], b: float32[m, 3]", "y = add(a, b)",
     "add 'y': a [n, 3] and b [m, 3] do not broadcast: n and m are not known to be equal"},
    {"add: known to differ", "a: float32[n], b: float32[n + 1]", "y = add(a, b)",
     "add 'y': a [n] and b [n + 1] do not broadcast: n and n + 1 differ"},
    {"add: types", "a: float32[3], b: float64[3]", "y = add(a, b)",
     "add 'y': a has elements of float32 and b of float64, they have to be of one type"},
    {"pow", "a: float32[3], b: int64[1]", "y = pow(a, b)", "float32[3]"},
    {"less", "a: float32[3], b: float32[1]", "y = less(a, b)", "bool[3]"},
    {"and: numbers", "a: int32[3], b: int32[3]", "y = and(a, b)", "and 'y': a has elements of int32, it takes bool"},
    {"mod: floats", "a: float32[3], b: float32[3]", "y = mod(a, b)", "float32[3]"},
    {"prelu", "x: float32[n, 3, 2], s: float32[3, 1]", "y = prelu(x, s)", "float32[n, 3, 2]"},
    {"prelu: slope", "x: float32[1, 2], s: float32[3, 2]", "y = prelu(x, s)",
     "prelu 'y': slope [3, 2] does not broadcast to x [1, 2]"},
    {"where", "c: bool[n, 1], a: float32[3], b: float32[]", "y = where(c, a, b)", "float32[n, 3]"},
    {"where: condition", "c: float32[n, 1], a: float32[3], b: float32[]", "y = where(c, a, b)",
     "where 'y': condition has elements of float32, it takes bool"},
    {"add_n", "a: float32[n, 3], b: float32[3], c: float32[1]", "y = add_n(a, b, c)", "float32[n, 3]"},
    {"add_n: shapes", "a: float32[3], b: float32[3], c: float32[2]", "y = add_n(a, b, c)",
     "add_n 'y': what stands before it, [3] and x[2] [2] do not broadcast: 3 and 2 differ"},

    {"reduce_mean", "x: float32[n, 8, 7, 7]", "y = reduce_mean(x, axes = [2, -1])", "float32[n, 8, 1, 1]"},
    {"reduce_max without its axes", "x: int32[n, 8, 7]", "y = reduce_max(x, axes = [1], keep_dims = 0)", "int32[n, 7]"},
    {"reduce_sum of everything", "x: float32[n, 8]", "y = reduce_sum(x, keep_dims = 0)", "float32[]"},
    {"reduce_sum: axis", "x: float32[n, 8]", "y = reduce_sum(x, axes = [2])",
     "reduce_sum 'y': axis 2 is outside of rank 2"},
    {"reduce_sum: twice", "x: float32[n, 8]", "y = reduce_sum(x, axes = [1, -1])",
     "reduce_sum 'y': axis -1 is named twice"},
    {"reduce_l2: integers", "x: int32[3]", "y = reduce_l2(x)",
     "reduce_l2 'y': x has elements of int32, it takes floating point"},
    {"argmax", "x: float32[n, 8]", "y = argmax(x, axis = 1, keep_dims = 0)", "int64[n]"},
    {"argmin: nothing", "x: float32[n, 0]", "y = argmin(x, axis = 1)",
     "argmin 'y': axis 1 of x [n, 0] has no elements"},
    {"sort", "x: float32[n, 8]", "y = sort(x)", "float32[n, 8]"},
    {"sort: bool", "x: bool[3]", "y = sort(x)", "sort 'y': x has elements of bool, it takes numbers"},
    {"sort: axis", "x: float32[n, 8]", "y = sort(x, axis = 2)", "sort 'y': axis 2 is outside of rank 2"},
    {"argsort", "x: float32[n, 8]", "y = argsort(x, axis = 0)", "int64[n, 8]"},
    {"topk", "x: float32[n, 8]", "y, i = topk(x, k = 3)", "float32[n, 3]"},
    {"topk of a symbolic axis", "x: float32[n, 8]", "y, i = topk(x, k = 3, axis = 0)", "float32[3, 8]"},
    {"topk: too many", "x: float32[n, 8]", "y, i = topk(x, k = 9)",
     "topk 'y': k is 9; axis 1 of x [n, 8] has elements 0 to 8"},
    {"topk: fewer than none", "x: float32[8]", "y, i = topk(x, k = -1)",
     "topk 'y': k is -1; axis 0 of x [8] has elements 0 to 8"},
    {"cumsum", "x: int8[n]", "y = cumsum(x, axis = 0)", "int8[n]"},
    {"one_hot", "i: int64[n, 4], v: float32[2]", "y = one_hot(i, v, depth = 7, axis = 1)", "float32[n, 7, 4]"},
    {"one_hot: depth", "i: int64[4], v: float32[2]", "y = one_hot(i, v, depth = 0)",
     "one_hot 'y': depth is 0; it is at least 1"},
    {"one_hot: axis", "i: int64[4], v: float32[2]", "y = one_hot(i, v, depth = 2, axis = 2)",
     "one_hot 'y': axis is 2; a result of rank 2 has axes -2 to 1"},
    {"one_hot: indices", "i: float32[4], v: float32[2]", "y = one_hot(i, v, depth = 2)",
     "one_hot 'y': indices has elements of float32, it takes int64 or int32"},
    {"one_hot: values", "i: int64[4], v: float32[3]", "y = one_hot(i, v, depth = 2)",
     "one_hot 'y': values [3] has to be a vector of 2 elements, off and on"},

    {"reshape", "x: float32[2, 3, 4]", "y = reshape(x, [0, -1])", "float32[2, 12]"},
    {"reshape of a symbolic batch", "x: float32[n, 12, 64]", "y = reshape(x, [-1, 768])", "float32[n, 768]"},
    {"reshape that keeps a symbol", "x: float32[n, 12, 64]", "y = reshape(x, [0, 0, 8, 8])", "float32[n, 12, 8, 8]"},
    {"reshape with a dim of none", "x: float32[0, 3]", "y = reshape(x, [3, 0], allow_zero = 1)", "float32[3, 0]"},
    {"reshape: elements", "x: float32[2, 3]", "y = reshape(x, [4, 2])",
     "reshape 'y': x [2, 3] does not fit into [4, 2]: 6 elements and 8, 6 and 8 differ"},
    {"reshape: symbolic elements", "x: float32[n, 3]", "y = reshape(x, [1, 3])",
     "reshape 'y': x [n, 3] does not fit into [1, 3]: 3*n elements and 3, 3*n and 3 are not known to be equal"},
    {"reshape: no multiple", "x: float32[2, 3]", "y = reshape(x, [4, -1])",
     "reshape 'y': x [2, 3] does not fit into [4, -1]: 6 elements are not known to be a multiple of 4"},
    {"reshape: two open", "x: float32[2, 3]", "y = reshape(x, [-1, -1])",
     "reshape 'y': shape [-1, -1] leaves more than one dim open"},
    {"reshape: open beside none", "x: float32[0, 3]", "y = reshape(x, [0, -1], allow_zero = 1)",
     "reshape 'y': which dim -1 of [0, -1] is cannot be told, the others have no element"},
    {"reshape: negative", "x: float32[2, 3]", "y = reshape(x, [-2, -3])",
     "reshape 'y': shape [-2, -3] has a negative dim"},
    {"reshape: nothing to keep", "x: float32[6]", "y = reshape(x, [6, 0])",
     "reshape 'y': shape [6, 0] keeps dim 1, x [6] has none"},
    {"reshape: not known", "x: float32[6], s: int64[2]", "y = reshape(x, s)",
     "reshape 'y': what shape holds is not known before the network runs, and the shape of the result depends on it"},
    {"flatten", "x: float32[n, 3, 4]", "y = flatten(x)", "float32[n, 12]"},
    {"flatten behind the last axis", "x: float32[n, 3]", "y = flatten(x, axis = 2)", "float32[3*n, 1]"},
    {"flatten: axis", "x: float32[n, 3]", "y = flatten(x, axis = 3)", "flatten 'y': axis 3 is outside of rank 2"},
    {"transpose", "x: float32[2, n, 4]", "y = transpose(x)", "float32[4, n, 2]"},
    {"transpose of a batch", "x: float32[2, n, 4]", "y = transpose(x, permutation = [0, 2, 1])", "float32[2, 4, n]"},
    {"transpose: twice", "x: float32[2, n, 4]", "y = transpose(x, permutation = [0, 0, 1])",
     "transpose 'y': permutation has to name each of the 3 axes of x once"},
    {"unsqueeze", "x: float32[2, n]", "y = unsqueeze(x, axes = [0, -1])", "float32[1, 2, n, 1]"},
    {"squeeze", "x: float32[1, 2, 1]", "y = squeeze(x)", "float32[2]"},
    {"squeeze of one axis", "x: float32[1, n, 1]", "y = squeeze(x, axes = [0])", "float32[n, 1]"},
    {"squeeze: extent", "x: float32[1, n, 1]", "y = squeeze(x, axes = [1])",
     "squeeze 'y': axis 1 of x [1, n, 1] is not known to have extent 1"},
    {"squeeze: which", "x: float32[1, n, 1]", "y = squeeze(x)",
     "squeeze 'y': whether axis 1 of x [1, n, 1] has extent 1 is not known; name the axes that go"},
    {"expand", "x: float32[3, 1]", "y = expand(x, [2, 1, 4])", "float32[2, 3, 4]"},
    {"dropout", "x: float32[n]", "y, mask = dropout(x)", "float32[n]"},

    {"concat", "a: float32[n, 2], b: float32[n, 3]", "y = concat(a, b, a, axis = -1)", "float32[n, 7]"},
    {"concat along a symbol", "a: float32[n, 2], b: float32[m, 2]", "y = concat(a, b, axis = 0)", "float32[m + n, 2]"},
    {"concat: others", "a: float32[n, 2], b: float32[m, 3]", "y = concat(a, b, axis = 1)",
     "concat 'y': x[1] [m, 3] does not stand behind x[0] [n, 2] along axis 1: n and m are not known to be equal"},
    {"concat: rank", "a: float32[n, 2], b: float32[n]", "y = concat(a, b, axis = 0)",
     "concat 'y': x[1] [n] and x[0] [n, 2] are of different rank"},
    {"split", "x: float32[n, 7]", "y, z = split(x, axis = 1, sizes = [3, 4])", "float32[n, 3]"},
    {"split: sum", "x: float32[n, 7]", "y, z = split(x, axis = 1, sizes = [3, 3])",
     "split 'y': the sizes add up to 6, axis 1 of x [n, 7] has 7"},
    {"split: outputs", "x: float32[n, 7]", "y, z = split(x, axis = 1, sizes = [7])",
     "split 'y': it has 2 outputs and sizes for 1"},
    {"tile", "x: float32[n, 7]", "y = tile(x, [2, 3])", "float32[2*n, 21]"},
    {"tile: rank", "x: float32[n, 7]", "y = tile(x, [2])", "tile 'y': repeats has 1 numbers, x [n, 7] has 2 axes"},
    {"depth_to_space", "x: float32[n, 8, 2, 3]", "y = depth_to_space(x, block = 2)", "float32[n, 2, 4, 6]"},
    {"depth_to_space: channels", "x: float32[n, 6, 2, 3]", "y = depth_to_space(x, block = 2)",
     "depth_to_space 'y': 6 channels of x [n, 6, 2, 3] do not fall into blocks of 2 by 2"},
    {"depth_to_space: mode", "x: float32[n, 8, 2, 3]", "y = depth_to_space(x, block = 2, mode = \"dcr\")",
     "depth_to_space 'y': mode is 'dcr', it is DCR or CRD"},
    {"space_to_depth", "x: float32[n, 2, 4, 6]", "y = space_to_depth(x, block = 2)", "float32[n, 8, 2, 3]"},
    {"space_to_depth: plane", "x: float32[n, 2, 4, 5]", "y = space_to_depth(x, block = 2)",
     "space_to_depth 'y': the plane of x [n, 2, 4, 5] does not fall into blocks of 2 by 2"},

    {"slice", "x: float32[10, n, 5]", "y = slice(x, [1, 1], [-2, 100], [0, 2], [2, 1])", "float32[4, n, 4]"},
    {"slice backwards", "x: float32[10]", "y = slice(x, [-1], [-100], [0], [-3])", "float32[4]"},
    {"slice of a symbol", "x: float32[n]", "y = slice(x, [1], [9223372036854775807])", "float32[n - 1]"},
    {"slice without the last", "x: float32[n]", "y = slice(x, [0], [-1])", "float32[n - 1]"},
    {"slice: not known", "x: float32[n]", "y = slice(x, [0], [3])",
     "slice 'y': how many elements of axis 0 of extent n there are from 0 to 3 is not known"},
    {"slice: step 0", "x: float32[4]", "y = slice(x, [0], [3], [0], [0])", "slice 'y': a step is 0"},
    {"slice: lengths", "x: float32[4, 4]", "y = slice(x, [0], [3, 3])",
     "slice 'y': there are 1 starts, 2 ends, 1 axes and 1 steps"},
    {"gather", "x: float32[30522, 768], i: int64[n, 128]", "y = gather(x, i)", "float32[n, 128, 768]"},
    {"gather of a column", "x: float32[n, 3, 4], i: int32[]", "y = gather(x, i, axis = 1)", "float32[n, 4]"},
    {"gather: floats", "x: float32[n, 3], i: float32[2]", "y = gather(x, i)",
     "gather 'y': indices has elements of float32, it takes int64 or int32"},
    {"gather: outside", "x: float32[3]", "y = gather(x, [3])", "gather 'y': index 3 is outside of axis 0 of x [3]"},
    {"scatter_nd", "x: float32[n, 4, 5], i: int64[7, 2], u: float32[7, 5]", "y = scatter_nd(x, i, u)",
     "float32[n, 4, 5]"},
    {"scatter_nd: updates", "x: float32[3, 4], i: int64[7, 1], u: float32[7, 3]", "y = scatter_nd(x, i, u)",
     "scatter_nd 'y': updates are float32[7, 3]; for x [3, 4] and indices [7, 1] they are float32[7, 4]"},
    {"scatter_nd: places", "x: float32[3, 4], i: int64[7, 3], u: float32[7]", "y = scatter_nd(x, i, u)",
     "scatter_nd 'y': indices [7, 3] name no places in x [3, 4]; the last axis of the indices has 1 to 2 numbers"},
    {"gather_elements", "x: float32[3, 4], i: int64[2, 4]", "y = gather_elements(x, i)", "float32[2, 4]"},
    {"gather_elements: beyond", "x: float32[3, 4], i: int64[2, 5]", "y = gather_elements(x, i)",
     "gather_elements 'y': indices [2, 5] reach beyond axis 1 of x [3, 4]"},

    {"pad", "x: float32[n, 3]", "y = pad(x, [0, 1, 2, -1])", "float32[n + 2, 3]"},
    {"pad: numbers", "x: float32[n, 3]", "y = pad(x, [0, 1])",
     "pad 'y': pads has 2 numbers, it takes 4 for the 2 axes of x"},
    {"pad: reflected", "x: float32[3]", "y = pad(x, [3, 0], mode = \"reflect\")",
     "pad 'y': axis 0 of extent 3 has not enough elements for padding of 3 in mode reflect"},
    {"pad: mode", "x: float32[3]", "y = pad(x, [3, 0], mode = \"wrap\")",
     "pad 'y': mode is 'wrap', it is constant, edge or reflect"},
    {"pad: less than nothing", "x: float32[3]", "y = pad(x, [-2, -2])",
     "pad 'y': pads [-2, -2] take away more than axis 0 of x [3] has"},
    {"resize by scales", "x: float32[n, 3, 4, 5]", "y = resize(x, scales = [1.0, 1.0, 2.0, 0.6])",
     "float32[n, 3, 8, 3]"},
    {"resize to sizes", "x: float32[1, 3, 4, 5]", "y = resize(x, sizes = [1, 3, 7, 9], mode = \"linear\")",
     "float32[1, 3, 7, 9]"},
    {"resize: neither", "x: float32[1, 3]", "y = resize(x)", "resize 'y': neither sizes nor scales are given"},
    {"resize: mode", "x: float32[1, 3]", "y = resize(x, sizes = [1, 3], mode = \"cubic\")",
     "resize 'y': mode is 'cubic', it is nearest or linear"},

    {"shape", "x: float32[n, 3, 4]", "y = shape(x)", "int64[3]"},
    {"shape in part", "x: float32[n, 3, 4]", "y = shape(x, start = -2)", "int64[2]"},
    {"constant_of_shape", "", "y = constant_of_shape([2, 3], value = tensor int32[1] 7)", "int32[2, 3]"},
    {"constant_of_shape: value", "", "y = constant_of_shape([2], value = tensor int32[2] [7, 8])",
     "constant_of_shape 'y': value has 2 elements, it has to have one"},
    {"range", "", "a = constant int64[] 1\nb = constant int64[] 8\nc = constant int64[] 3\ny = range(a, b, c)",
     "int64[3]"},
    {"range: delta", "", "a = constant int64[] 1\nc = constant int64[] 0\ny = range(a, a, c)", "range 'y': delta is 0"},
    {"range: too many", "",
     "a = constant int64[] 0\nb = constant int64[] 4611686018427387904\nc = constant int64[] 1\ny = range(a, b, c)",
     "range 'y': from 0 to 4611686018427387904 by 1 are too many numbers"},

    {"more than can be counted", "x: float32[4294967296, 1], z: float32[1, 4294967296]", "y = add(x, z)",
     "add 'y': the result [4294967296, 4294967296] has more elements than can be counted"},
    {"a type that is declared", "x: float32[n, 3]", "y: float32[n, 4] = relu(x)",
     "relu 'y': 'y' is declared as float32[n, 4], it is float32[n, 3]"},
    {"a type that is declared in another form", "x: float32[n, 3]", "y: float32[m, 3] = relu(x)", "float32[n, 3]"},
};

} // namespace

class InferShapeTest : public QObject {
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

LOOPSCOPE_TEST(InferShapeTest)

} // namespace infer_shape_test
#include "infer_shape_test.moc"
