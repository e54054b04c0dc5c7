// What operators compute: small cases by hand, from text to text, refusals word for word.

#include "net_lines.h"

#include <QTest>

using namespace loopscope;

namespace {

struct Row {
    const char *name;
    const char *lines;
    const char *expected;
};

const Row kElementwise[] = {
    {"relu", "x = constant float32[3] [-1.5, 0.0, 2.0]\ny = relu(x)", "float32[3] 0 0 2"},
    {"relu of integers", "x = constant int32[3] [-1, 0, 2]\ny = relu(x)", "int32[3] 0 0 2"},
    {"leaky_relu", "x = constant float32[2] [-2.0, 2.0]\ny = leaky_relu(x, alpha = 0.1)", "float32[2] -0.2 2"},
    {"elu", "x = constant float32[2] [-1.0, 2.0]\ny = elu(x, alpha = 2.0)", "float32[2] -1.26424 2"},
    {"sigmoid", "x = constant float32[3] [-1000.0, 0.0, 1.0]\ny = sigmoid(x)", "float32[3] 0 0.5 0.731059"},
    {"tanh", "x = constant float32[2] [0.0, 1.0]\ny = tanh(x)", "float32[2] 0 0.761594"},
    {"exp", "x = constant float32[2] [0.0, 1.0]\ny = exp(x)", "float32[2] 1 2.71828"},
    {"log", "x = constant float32[3] [1.0, 10.0, 0.0]\ny = log(x)", "float32[3] 0 2.30259 -inf"},
    {"sqrt", "x = constant float32[2] [4.0, 2.0]\ny = sqrt(x)", "float32[2] 2 1.41421"},
    {"neg", "x = constant float32[2] [4.0, -2.0]\ny = neg(x)", "float32[2] -4 2"},
    {"neg wraps", "x = constant int8[2] [-128, 5]\ny = neg(x)", "int8[2] -128 -5"},
    {"abs", "x = constant int32[2] [-3, 3]\ny = abs(x)", "int32[2] 3 3"},
    {"reciprocal", "x = constant float32[2] [4.0, -2.0]\ny = reciprocal(x)", "float32[2] 0.25 -0.5"},
    {"erf", "x = constant float32[2] [0.0, 1.0]\ny = erf(x)", "float32[2] 0 0.842701"},
    {"floor", "x = constant float32[2] [-1.5, 1.5]\ny = floor(x)", "float32[2] -2 1"},
    {"ceil", "x = constant float32[2] [-1.5, 1.5]\ny = ceil(x)", "float32[2] -1 2"},
    {"round", "x = constant float32[5] [0.5, 1.5, 2.5, -2.5, 2.6]\ny = round(x)", "float32[5] 0 2 2 -2 3"},
    {"sign", "x = constant float32[3] [-0.5, 0.0, 7.0]\ny = sign(x)", "float32[3] -1 0 1"},
    {"sin", "x = constant float32[2] [0.0, 1.0]\ny = sin(x)", "float32[2] 0 0.841471"},
    {"cos", "x = constant float32[2] [0.0, 1.0]\ny = cos(x)", "float32[2] 1 0.540302"},
    {"not", "x = constant bool[2] [0, 1]\ny = not(x)", "bool[2] 1 0"},
    {"softplus", "x = constant float32[3] [0.0, 1000.0, -1.0]\ny = softplus(x)", "float32[3] 0.693147 1000 0.313262"},
    {"hard_sigmoid", "x = constant float32[3] [-9.0, 1.0, 9.0]\ny = hard_sigmoid(x)", "float32[3] 0 0.7 1"},
    {"hard_swish", "x = constant float32[3] [-4.0, 1.5, 4.0]\ny = hard_swish(x)", "float32[3] 0 1.125 4"},
    {"gelu", "x = constant float32[2] [1.0, -1.0]\ny = gelu(x)", "float32[2] 0.841345 -0.158655"},
    {"clip", "x = constant float32[3] [-1.0, 3.0, 9.0]\ny = clip(x, min = 0, max = 6.0)", "float32[3] 0 3 6"},
    {"clip with one limit", "x = constant float32[2] [-1.0, 3.0]\ny = clip(x, max = 1.0)", "float32[2] -1 1"},
    {"clip of integers", "x = constant int64[3] [-5, 2, 9]\ny = clip(x, min = -1.5, max = 3.5)", "int64[3] -1 2 3"},
    {"clip between limits that cross", "x = constant float32[2] [0.0, 5.0]\ny = clip(x, min = 3.0, max = 1.0)",
     "float32[2] 1 1"},
    {"cast to integers", "x = constant float32[4] [1.9, -1.9, 300.0, nan]\ny = cast(x, to = \"uint8\")",
     "uint8[4] 1 255 44 0"},
    {"cast to bool", "x = constant float32[3] [0.0, 0.5, nan]\ny = cast(x, to = \"bool\")", "bool[3] 0 1 1"},
    {"cast rounds",
     "x = constant float64[2] [0.1, 70000.0]\nh = cast(x, to = \"float16\")\ny = cast(h, to = \"float64\")",
     "float64[2] 0.0999756 inf"},
    {"cast of integers", "x = constant int32[2] [-1, 200]\ny = cast(x, to = \"int8\")", "int8[2] -1 -56"},
    {"identity", "x = constant bool[2] [1, 0]\ny = identity(x)", "bool[2] 1 0"},

    {"add", "a = constant float32[2, 1] [1.0, 2.0]\nb = constant float32[3] [10.0, 20.0, 30.0]\ny = add(a, b)",
     "float32[2, 3] 11 21 31 12 22 32"},
    {"add wraps", "a = constant uint8[1] [200]\nb = constant uint8[2] [100, 1]\ny = add(a, b)", "uint8[2] 44 201"},
    {"sub", "a = constant uint8[1] [1]\nb = constant uint8[1] [2]\ny = sub(a, b)", "uint8[1] 255"},
    {"mul", "a = constant int64[1] [4611686018427387904]\nb = constant int64[2] [2, 3]\ny = mul(a, b)",
     "int64[2] -9223372036854775808 -4611686018427387904"},
    {"div", "a = constant float32[2] [1.0, -1.0]\nb = constant float32[1] [0.0]\ny = div(a, b)", "float32[2] inf -inf"},
    {"div of integers", "a = constant int32[2] [-7, 7]\nb = constant int32[1] [2]\ny = div(a, b)", "int32[2] -3 3"},
    {"div by 0", "a = constant int32[2] [-7, 7]\nb = constant int32[2] [2, 0]\ny = div(a, b)",
     "div 'y': an integer is divided by 0"},
    {"div that does not fit", "a = constant int32[1] [-2147483648]\nb = constant int32[1] [-1]\ny = div(a, b)",
     "int32[1] -2147483648"},
    {"pow", "a = constant float32[3] [2.0, 4.0, -1.0]\nb = constant float32[3] [3.0, 0.5, 0.5]\ny = pow(a, b)",
     "float32[3] 8 2 nan"},
    {"pow of integers", "a = constant int32[3] [2, -2, 3]\nb = constant int32[3] [31, 3, -1]\ny = pow(a, b)",
     "int32[3] -2147483648 -8 0"},
    {"pow of two types", "a = constant int32[2] [2, 3]\nb = constant float32[2] [2.5, 1.0]\ny = pow(a, b)",
     "int32[2] 5 3"},
    {"maximum", "a = constant float32[3] [1.0, nan, 5.0]\nb = constant float32[3] [2.0, 2.0, nan]\ny = maximum(a, b)",
     "float32[3] 2 nan nan"},
    {"minimum", "a = constant int32[2] [1, 7]\nb = constant int32[1] [3]\ny = minimum(a, b)", "int32[2] 1 3"},
    {"mod", "a = constant int32[4] [-4, 7, 5, -5]\nb = constant int32[4] [3, -3, 8, -8]\ny = mod(a, b)",
     "int32[4] 2 -2 5 -5"},
    {"mod as of C",
     "a = constant int32[4] [-4, 7, 5, -5]\nb = constant int32[4] [3, -3, 8, -8]\ny = mod(a, b, fmod = 1)",
     "int32[4] -1 1 5 -5"},
    {"mod of floats", "a = constant float32[2] [-4.25, 7.0]\nb = constant float32[1] [2.0]\ny = mod(a, b, fmod = 1)",
     "float32[2] -0.25 1"},
    {"mod of floats by the divisor's sign",
     "a = constant float32[7] [-4.25, 7.0, -4.0, inf, 3.0, -3.0, nan]\n"
     "b = constant float32[7] [2.0, -4.0, 2.0, 2.0, inf, inf, 2.0]\ny = mod(a, b)",
     "float32[7] 1.75 -1 0 nan 3 inf nan"},
    {"equal", "a = constant int64[2] [1, 2]\nb = constant int64[1] [2]\ny = equal(a, b)", "bool[2] 0 1"},
    {"less", "a = constant float32[3] [1.0, 2.0, nan]\nb = constant float32[1] [2.0]\ny = less(a, b)", "bool[3] 1 0 0"},
    {"greater_equal", "a = constant float32[2] [1.0, 2.0]\nb = constant float32[1] [2.0]\ny = greater_equal(a, b)",
     "bool[2] 0 1"},
    {"and", "a = constant bool[4] [0, 0, 1, 1]\nb = constant bool[4] [0, 1, 0, 1]\ny = and(a, b)", "bool[4] 0 0 0 1"},
    {"or", "a = constant bool[4] [0, 0, 1, 1]\nb = constant bool[4] [0, 1, 0, 1]\ny = or(a, b)", "bool[4] 0 1 1 1"},
    {"xor", "a = constant bool[4] [0, 0, 1, 1]\nb = constant bool[4] [0, 1, 0, 1]\ny = xor(a, b)", "bool[4] 0 1 1 0"},
    {"prelu", "x = constant float32[2, 2] [-1.0, 1.0, -2.0, -3.0]\ns = constant float32[2] [0.5, 2.0]\ny = prelu(x, s)",
     "float32[2, 2] -0.5 1 -1 -6"},
    {"where",
     "c = constant bool[2, 1] [1, 0]\na = constant float32[2] [1.0, 2.0]\nb = constant float32[] 9.0\ny = where(c, a, "
     "b)",
     "float32[2, 2] 1 2 9 9"},
    {"add_n", "a = constant float32[2] [1.0, 2.0]\nb = constant float32[1] [10.0]\ny = add_n(a, b, a)",
     "float32[2] 12 14"},
};

const Row kOthers[] = {
    {"lrn",
     "x = constant float32[1, 4, 1] [1.0, 2.0, 3.0, 4.0]\ny = lrn(x, size = 2, alpha = 2.0, beta = 1.0, bias = 1.0)",
     "float32[1, 4, 1] 0.166667 0.142857 0.115385 0.235294"},
    {"batch_norm",
     "x = constant float32[1, 2, 2] [1.0, 2.0, 3.0, 4.0]\ns = constant float32[2] [2.0, 1.0]\nb = constant float32[2] "
     "[0.5, 0.0]\n"
     "m = constant float32[2] [1.0, 3.0]\nv = constant float32[2] [3.0, 0.0]\ny = batch_norm(x, s, b, m, v, epsilon = "
     "1.0)",
     "float32[1, 2, 2] 0.5 1.5 0 1"},
    {"layer_norm",
     "x = constant float32[2, 2] [1.0, 3.0, 5.0, 5.0]\ns = constant float32[2] [1.0, 2.0]\nb = constant float32[2] "
     "[0.0, 1.0]\n"
     "y = layer_norm(x, s, b, epsilon = 0.0001)",
     "float32[2, 2] -0.99995 2.9999 0 1"},
    {"instance_norm",
     "x = constant float32[1, 1, 2] [1.0, 3.0]\ns = constant float32[1] [2.0]\nb = constant float32[1] [1.0]\n"
     "y = instance_norm(x, s, b, epsilon = 0.0)",
     "float32[1, 1, 2] -1 3"},
    {"softmax", "x = constant float32[2, 2] [0.0, 0.0, 1000.0, 1001.0]\ny = softmax(x)",
     "float32[2, 2] 0.5 0.5 0.268941 0.731059"},
    {"softmax down", "x = constant float32[2, 2] [0.0, 5.0, 0.0, 5.0]\ny = softmax(x, axis = 0)",
     "float32[2, 2] 0.5 0.5 0.5 0.5"},
    {"log_softmax", "x = constant float32[2] [0.0, 1.0]\ny = log_softmax(x)", "float32[2] -1.31326 -0.313262"},
    {"gemm",
     "a = constant float32[2, 1] [1.0, 2.0]\nb = constant float32[2, 2] [1.0, 2.0, 3.0, 4.0]\nc = constant float32[1, "
     "2] [10.0, 20.0]\n"
     "y = gemm(a, b, c, alpha = 2.0, beta = 0.5, trans_a = 1, trans_b = 1)",
     "float32[1, 2] 15 32"},
    {"dense", "x = constant float32[1, 2] [1.0, 2.0]\nw = constant float32[2, 2] [1.0, 2.0, 3.0, 4.0]\ny = dense(x, w)",
     "float32[1, 2] 5 11"},
    {"bias_add",
     "x = constant float32[1, 2, 2] [1.0, 2.0, 3.0, 4.0]\nb = constant float32[2] [10.0, 20.0]\ny = bias_add(x, b)",
     "float32[1, 2, 2] 11 12 23 24"},
    {"matmul of a row",
     "a = constant float32[2] [1.0, 2.0]\nb = constant float32[2, 3] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]\ny = matmul(a, b)",
     "float32[3] 9 12 15"},
    {"matmul of a column",
     "a = constant float32[2, 2] [1.0, 2.0, 3.0, 4.0]\nb = constant float32[2] [1.0, 10.0]\ny = matmul(a, b)",
     "float32[2] 21 43"},
    {"matmul of integers", "a = constant int8[1, 1] [100]\nb = constant int8[1, 1] [2]\ny = matmul(a, b)",
     "int8[1, 1] -56"},
    {"global_average_pool", "x = constant float32[1, 2, 2] [1.0, 2.0, 3.0, 5.0]\ny = global_average_pool(x)",
     "float32[1, 2, 1] 1.5 4"},
    {"global_max_pool", "x = constant float32[1, 2, 2] [1.0, 2.0, 5.0, 3.0]\ny = global_max_pool(x)",
     "float32[1, 2, 1] 2 5"},

    {"reduce_sum",
     "x = constant float32[2, 2, 2] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]\ny = reduce_sum(x, axes = [0, 2], "
     "keep_dims = 0)",
     "float32[2] 14 22"},
    {"reduce_mean", "x = constant float32[2, 2] [1.0, 2.0, 3.0, 4.0]\ny = reduce_mean(x)", "float32[1, 1] 2.5"},
    {"reduce_max", "x = constant int32[2, 2] [-1, -2, -3, -4]\ny = reduce_max(x, axes = [1])", "int32[2, 1] -1 -3"},
    {"reduce_min", "x = constant float32[2, 2] [1.0, 2.0, 3.0, 4.0]\ny = reduce_min(x, axes = [0])",
     "float32[1, 2] 1 2"},
    {"reduce_prod", "x = constant int64[3] [2, 3, 4]\ny = reduce_prod(x, keep_dims = 0)", "int64[] 24"},
    {"reduce_l2", "x = constant float32[2] [3.0, 4.0]\ny = reduce_l2(x)", "float32[1] 5"},
    {"reduce_sum_square", "x = constant float32[2] [3.0, 4.0]\ny = reduce_sum_square(x)", "float32[1] 25"},
    {"argmax", "x = constant float32[2, 3] [1.0, 3.0, 3.0, 2.0, 1.0, 0.0]\ny = argmax(x, axis = 1)", "int64[2, 1] 1 0"},
    {"argmax, the last", "x = constant float32[3] [1.0, 3.0, 3.0]\ny = argmax(x, select_last = 1, keep_dims = 0)",
     "int64[] 2"},
    {"argmin", "x = constant int32[2, 2] [4, 3, 2, 5]\ny = argmin(x)", "int64[1, 2] 1 0"},

    {"sort", "x = constant float32[2, 3] [3.0, 1.0, 2.0, -1.0, 5.0, 5.0]\ny = sort(x)", "float32[2, 3] 1 2 3 -1 5 5"},
    {"sort down", "x = constant int32[3, 2] [1, 5, 3, 2, 2, 9]\ny = sort(x, axis = 0, descending = 1)",
     "int32[3, 2] 3 9 2 5 1 2"},
    {"sort what is no number", "x = constant float32[4] [2.0, nan, -1.0, inf]\ny = sort(x)", "float32[4] -1 2 inf nan"},
    {"argsort, equal ones", "x = constant float32[5] [2.0, 1.0, 2.0, 1.0, 0.0]\ny = argsort(x)", "int64[5] 4 1 3 0 2"},
    {"argsort down, equal ones", "x = constant float32[5] [2.0, 1.0, 2.0, 1.0, 0.0]\ny = argsort(x, descending = 1)",
     "int64[5] 0 2 1 3 4"},
    {"topk", "x = constant float32[2, 4] [4.0, 1.0, 3.0, 2.0, 0.0, 7.0, 7.0, 5.0]\ny, i = topk(x, k = 2)",
     "float32[2, 2] 4 3 7 7"},
    {"topk, their places", "x = constant float32[2, 4] [4.0, 1.0, 3.0, 2.0, 0.0, 7.0, 7.0, 5.0]\nv, y = topk(x, k = 2)",
     "int64[2, 2] 0 2 1 2"},
    {"topk, the least of columns",
     "x = constant int64[3, 2] [4, 1, 3, 2, 9, 0]\ny, i = topk(x, k = 1, axis = 0, largest = 0)", "int64[1, 2] 3 0"},
    {"topk of none", "x = constant float32[3] [4.0, 1.0, 3.0]\ny, i = topk(x, k = 0)", "float32[0]"},
    {"cumsum", "x = constant int32[2, 3] [1, 2, 3, 4, 5, 6]\ny = cumsum(x, axis = 1)", "int32[2, 3] 1 3 6 4 9 15"},
    {"cumsum from the end", "x = constant float32[3] [1.0, 2.0, 4.0]\ny = cumsum(x, axis = 0, reverse = 1)",
     "float32[3] 7 6 4"},
    {"cumsum without itself", "x = constant float32[3, 1] [1.0, 2.0, 4.0]\ny = cumsum(x, axis = 0, exclusive = 1)",
     "float32[3, 1] 0 1 3"},
    {"cumsum wraps", "x = constant int8[2] [100, 100]\ny = cumsum(x, axis = 0)", "int8[2] 100 -56"},
    {"one_hot", "i = constant int64[3] [1, -1, 5]\nv = constant float32[2] [0.0, 2.0]\ny = one_hot(i, v, depth = 3)",
     "float32[3, 3] 0 2 0 0 0 2 0 0 0"},
    {"one_hot, first axis",
     "i = constant int32[2] [1, 0]\nv = constant int64[2] [7, 8]\ny = one_hot(i, v, depth = 3, axis = 0)",
     "int64[3, 2] 7 8 8 7 7 7"},

    {"reshape", "x = constant int32[2, 3] [1, 2, 3, 4, 5, 6]\ny = reshape(x, [3, -1])", "int32[3, 2] 1 2 3 4 5 6"},
    {"flatten", "x = constant int32[1, 2, 2] [1, 2, 3, 4]\ny = flatten(x, axis = 2)", "int32[2, 2] 1 2 3 4"},
    {"transpose", "x = constant int32[2, 3] [1, 2, 3, 4, 5, 6]\ny = transpose(x)", "int32[3, 2] 1 4 2 5 3 6"},
    {"transpose of three", "x = constant int32[1, 2, 3] [1, 2, 3, 4, 5, 6]\ny = transpose(x, permutation = [2, 0, 1])",
     "int32[3, 1, 2] 1 4 2 5 3 6"},
    {"unsqueeze", "x = constant int32[2] [1, 2]\ny = unsqueeze(x, axes = [1])", "int32[2, 1] 1 2"},
    {"squeeze", "x = constant int32[1, 2, 1] [1, 2]\ny = squeeze(x)", "int32[2] 1 2"},
    {"expand", "x = constant int32[2, 1] [1, 2]\ny = expand(x, [2, 2])", "int32[2, 2] 1 1 2 2"},
    {"the mask of dropout", "x = constant float32[2] [1.0, 2.0]\nz, y = dropout(x)", "bool[2] 1 1"},
    {"concat", "a = constant int32[2, 1] [1, 2]\nb = constant int32[2, 2] [3, 4, 5, 6]\ny = concat(a, b, axis = 1)",
     "int32[2, 3] 1 3 4 2 5 6"},
    {"split", "x = constant int32[2, 3] [1, 2, 3, 4, 5, 6]\nz, y = split(x, axis = 1, sizes = [1, 2])",
     "int32[2, 2] 2 3 5 6"},
    {"tile", "x = constant int32[1, 2] [1, 2]\ny = tile(x, [2, 2])", "int32[2, 4] 1 2 1 2 1 2 1 2"},
    {"depth_to_space", "x = constant int32[1, 8, 1, 1] [0, 1, 2, 3, 4, 5, 6, 7]\ny = depth_to_space(x, block = 2)",
     "int32[1, 2, 2, 2] 0 2 4 6 1 3 5 7"},
    {"depth_to_space, column first",
     "x = constant int32[1, 8, 1, 1] [0, 1, 2, 3, 4, 5, 6, 7]\ny = depth_to_space(x, block = 2, mode = \"CRD\")",
     "int32[1, 2, 2, 2] 0 1 2 3 4 5 6 7"},
    {"space_to_depth", "x = constant int32[1, 2, 2, 2] [0, 1, 2, 3, 4, 5, 6, 7]\ny = space_to_depth(x, block = 2)",
     "int32[1, 8, 1, 1] 0 4 1 5 2 6 3 7"},
    {"slice", "x = constant int32[2, 4] [1, 2, 3, 4, 5, 6, 7, 8]\ny = slice(x, [1, 0], [2, 1000], [0, 1], [1, 2])",
     "int32[1, 2] 5 7"},
    {"slice backwards", "x = constant int32[5] [1, 2, 3, 4, 5]\ny = slice(x, [-1], [-6], [0], [-2])", "int32[3] 5 3 1"},
    {"slice of nothing", "x = constant int32[5] [1, 2, 3, 4, 5]\ny = slice(x, [3], [1])", "int32[0] "},
    {"gather", "x = constant int32[2, 2] [1, 2, 3, 4]\ni = constant int64[3] [1, -2, 1]\ny = gather(x, i, axis = 1)",
     "int32[2, 3] 2 1 2 4 3 4"},
    {"gather of a row", "x = constant int32[2, 2] [1, 2, 3, 4]\ni = constant int64[] 1\ny = gather(x, i)",
     "int32[2] 3 4"},
    {"scatter_nd",
     "x = constant int32[2, 2] [1, 2, 3, 4]\ni = constant int64[2, 1] [-1, 0]\nu = constant int32[2, 2] [5, 6, 7, "
     "8]\ny = "
     "scatter_nd(x, i, u)",
     "int32[2, 2] 7 8 5 6"},
    {"scatter_nd of elements",
     "x = constant int32[2, 2] [1, 2, 3, 4]\ni = constant int64[2, 2] [0, 1, 0, 1]\nu = constant int32[2] [5, 6]\ny = "
     "scatter_nd(x, i, u)",
     "int32[2, 2] 1 6 3 4"},
    {"scatter_nd: outside",
     "x = constant int32[2, 2] [1, 2, 3, 4]\ni = constant int64[1, 2] [0, 2]\nu = constant int32[1] [5]\ny = "
     "scatter_nd(x, i, u)",
     "scatter_nd 'y': index 2 is outside of axis 1 of x [2, 2]"},
    {"gather_elements",
     "x = constant int32[2, 2] [1, 2, 3, 4]\ni = constant int64[2, 2] [0, 0, -1, 0]\ny = gather_elements(x, i, axis = "
     "1)",
     "int32[2, 2] 1 1 4 3"},
    {"gather_nd", "x = constant int32[2, 2] [1, 2, 3, 4]\ni = constant int64[2, 2] [0, 1, -1, -2]\ny = gather_nd(x, i)",
     "int32[2] 2 3"},
    {"gather_nd in batches",
     "x = constant int32[2, 2, 1] [1, 2, 3, 4]\ni = constant int64[2, 1] [1, -2]\n"
     "y = gather_nd(x, i, batch_dims = 1)",
     "int32[2, 1] 2 3"},
    {"gather_nd: outside",
     "x = constant int32[2, 3] [1, 2, 3, 4, 5, 6]\ni = constant int64[1, 2] [1, 3]\ny = gather_nd(x, i)",
     "gather_nd 'y': index 3 is outside of axis 1 of x [2, 3]"},
    {"gather_elements: outside",
     "x = constant int32[2, 2] [1, 2, 3, 4]\ni = constant int64[1, 1] [2]\ny = gather_elements(x, i)",
     "gather_elements 'y': index 2 is outside of axis 0 of x [2, 2]"},
    {"pad", "x = constant int32[2, 2] [1, 2, 3, 4]\nv = constant int32[] 9\ny = pad(x, [1, 0, 0, 1], v)",
     "int32[3, 3] 9 9 9 1 2 9 3 4 9"},
    {"pad by a negative number", "x = constant int32[4] [1, 2, 3, 4]\ny = pad(x, [-1, 1])", "int32[4] 2 3 4 0"},
    {"pad with the edge", "x = constant int32[2] [1, 2]\ny = pad(x, [2, 1], mode = \"edge\")", "int32[5] 1 1 1 2 2"},
    {"pad by reflection", "x = constant int32[3] [1, 2, 3]\ny = pad(x, [2, 2], mode = \"reflect\")",
     "int32[7] 3 2 1 2 3 2 1"},
    {"resize to the nearest",
     "x = constant int32[2] [1, 2]\ny = resize(x, scales = [2.5], coordinates = \"asymmetric\", nearest = \"floor\")",
     "int32[5] 1 1 1 2 2"},
    {"resize, halves down", "x = constant float32[4] [1.0, 2.0, 3.0, 4.0]\ny = resize(x, sizes = [2])",
     "float32[2] 1 3"},
    {"resize, halves up",
     "x = constant float32[4] [1.0, 2.0, 3.0, 4.0]\ny = resize(x, sizes = [2], nearest = \"round_prefer_ceil\")",
     "float32[2] 2 4"},
    {"resize linearly", "x = constant float32[1, 2] [1.0, 2.0]\ny = resize(x, scales = [1.0, 2.0], mode = \"linear\")",
     "float32[1, 4] 1 1.25 1.75 2"},
    {"resize linearly between the corners",
     "x = constant float32[2] [1.0, 2.0]\ny = resize(x, sizes = [5], mode = \"linear\", coordinates = "
     "\"align_corners\")",
     "float32[5] 1 1.25 1.5 1.75 2"},
    {"resize to one",
     "x = constant float32[4] [1.0, 2.0, 3.0, 4.0]\ny = resize(x, sizes = [1], mode = \"linear\", coordinates = "
     "\"pytorch_half_pixel\")",
     "float32[1] 1"},

    {"shape", "x = constant float32[2, 3] 0.0\ny = shape(x, start = 1)", "int64[1] 3"},
    {"constant_of_shape", "y = constant_of_shape([2], value = tensor float32[1] 0.5)", "float32[2] 0.5 0.5"},
    {"constant_of_shape of zeros", "y = constant_of_shape([2])", "float32[2] 0 0"},
    {"range", "a = constant int64[] 10\nb = constant int64[] 3\nc = constant int64[] -3\ny = range(a, b, c)",
     "int64[3] 10 7 4"},
    {"range of floats",
     "a = constant float32[] 0.0\nb = constant float32[] 1.0\nc = constant float32[] 0.4\ny = range(a, b, c)",
     "float32[3] 0 0.4 0.8"},
    {"range whose end is computed",
     "a = constant float32[] 0.0\nb = constant float32[] 1.0\nd = add(b, b)\ny = range(a, d, b)", "float32[2] 0 1"},
    {"reshape to a shape that is computed",
     "x = constant float32[2, 2] [1.0, 2.0, 3.0, 4.0]\ns = shape(x)\np = reduce_prod(s)\ny = reshape(x, p)",
     "float32[4] 1 2 3 4"},
};

} // namespace

class EvaluateTest : public QObject {
    Q_OBJECT
  private slots:
    void values_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("expected");
        for (const Row &row : kElementwise) QTest::newRow(row.name) << row.lines << row.expected;
        for (const Row &row : kOthers) QTest::newRow(row.name) << row.lines << row.expected;
    }
    void values() {
        QFETCH(QString, lines);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(computed(lines.toStdString())), expected);
    }
};

QTEST_APPLESS_MAIN(EvaluateTest)
#include "evaluate_test.moc"
