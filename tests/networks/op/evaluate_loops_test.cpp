// Convolutions, pools and matrix products of drawn sizes against loops that say what they are and nothing else.

#include "base/random.h"
#include "net_lines.h"
#include "networks/op/reference.h"
#include "test_program.h"

#include <QTest>
#include <cmath>
#include <limits>

using namespace loopscope;

namespace {

using Ints = std::vector<int64_t>;

WideTensor drawn(Random &random, Ints dims) {
    WideTensor tensor = WideTensor::zeros(DType::Float64, std::move(dims));
    for (double &number : tensor.floats) number = random.uniform() * 2 - 1;
    return tensor;
}

int64_t between(Random &random, int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random.below(static_cast<uint64_t>(most - least + 1)));
}

/// One node on wide inputs. The refusal, if any, fails the test.
WideTensor evaluated(const std::string &op, Attributes attributes, const std::vector<const WideTensor *> &inputs,
                     int threads) {
    Node node = {"y", op, std::vector<ValueId>(inputs.size(), ValueId(0)), {ValueId(1)}, std::move(attributes), {}};
    for (size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i]) node.inputs[i] = ValueId();
    ThreadPool pool(threads);
    auto outputs = evaluateNode(node, inputs, pool);
    if (!outputs) throw Error(outputs.why());
    return std::move(*outputs)[0];
}

/// Element of a tensor [a, b, c, d]; zero outside of its last two axes.
double at(const WideTensor &x, int64_t a, int64_t b, int64_t c, int64_t d) {
    if (c < 0 || c >= x.dims[2] || d < 0 || d >= x.dims[3]) return 0;
    return x.floats[static_cast<size_t>(((a * x.dims[1] + b) * x.dims[2] + c) * x.dims[3] + d)];
}

struct DrawnWindow {
    Ints kernel, strides, pads, dilations;
    explicit DrawnWindow(Random &random) {
        for (int axis = 0; axis < 2; ++axis) {
            kernel.push_back(between(random, 1, 3));
            strides.push_back(between(random, 1, 3));
            dilations.push_back(between(random, 1, 2));
        }
        for (size_t i = 0; i < 4; ++i) {
            const int64_t reach = dilations[i % 2] * (kernel[i % 2] - 1);
            pads.push_back(between(random, 0, reach)); // less than the window
        }
    }
    [[nodiscard]] int64_t input(int64_t output, int64_t k, size_t axis) const {
        return output * strides[axis] + k * dilations[axis] - pads[axis];
    }
};

QString difference(const WideTensor &a, const WideTensor &b) {
    if (a.dims != b.dims) return "other dims";
    for (size_t i = 0; i < a.floats.size(); ++i)
        if (!(std::abs(a.floats[i] - b.floats[i]) <= 1e-12)) return QString("element %1").arg(i);
    return {};
}

} // namespace

class EvaluateLoopsTest : public QObject {
    Q_OBJECT
  private slots:
    void convolutions() {
        for (uint64_t seed = 0; seed < 120; ++seed) {
            Random random(seed, 1);
            const DrawnWindow window(random);
            const int64_t groups = between(random, 1, 3);
            const int64_t taken = between(random, 1, 3);
            const int64_t channels = groups * between(random, 1, 6);
            const WideTensor x =
                drawn(random, {between(random, 1, 2), groups * taken, between(random, 5, 9), between(random, 5, 20)});
            const WideTensor w = drawn(random, {channels, taken, window.kernel[0], window.kernel[1]});
            const WideTensor b = drawn(random, {channels});
            const bool biased = random.below(2) == 0;
            const WideTensor y = evaluated("conv",
                                           {{"strides", window.strides},
                                            {"pads", window.pads},
                                            {"dilations", window.dilations},
                                            {"group", groups}},
                                           {&x, &w, biased ? &b : nullptr}, 2);
            WideTensor expected = WideTensor::zeros(y.dtype, y.dims);
            size_t place = 0;
            for (int64_t n = 0; n < y.dims[0]; ++n)
                for (int64_t m = 0; m < channels; ++m)
                    for (int64_t i = 0; i < y.dims[2]; ++i)
                        for (int64_t j = 0; j < y.dims[3]; ++j) {
                            double sum = biased ? b.floats[static_cast<size_t>(m)] : 0;
                            for (int64_t c = 0; c < taken; ++c)
                                for (int64_t p = 0; p < window.kernel[0]; ++p)
                                    for (int64_t q = 0; q < window.kernel[1]; ++q)
                                        sum += at(x, n, m / (channels / groups) * taken + c, window.input(i, p, 0),
                                                  window.input(j, q, 1)) *
                                               at(w, m, c, p, q);
                            expected.floats[place++] = sum;
                        }
            QVERIFY2(difference(y, expected).isEmpty(), qPrintable(QString::number(seed) + difference(y, expected)));
        }
    }

    /// The two operators of Winograd's form together are a convolution, whatever the tile and the borders.
    void winogradConvolutions() {
        for (uint64_t seed = 0; seed < 60; ++seed) {
            Random random(seed, 7);
            const int64_t tile = between(random, 2, 6);
            const int64_t taken = between(random, 1, 4);
            const int64_t channels = between(random, 1, 5);
            const Ints pads = {between(random, 0, 2), between(random, 0, 2), between(random, 0, 2),
                               between(random, 0, 2)};
            const WideTensor x =
                drawn(random, {between(random, 1, 2), taken, between(random, 3, 11), between(random, 3, 9)});
            const WideTensor w = drawn(random, {channels, taken, 3, 3});
            const WideTensor b = drawn(random, {channels});
            const bool biased = random.below(2) == 0;
            const WideTensor expected = evaluated("conv", {{"pads", pads}}, {&x, &w, biased ? &b : nullptr}, 1);
            const WideTensor u = evaluated("winograd_weight", {{"tile", tile}}, {&w}, 2);
            QCOMPARE(u.dims, (Ints{tile + 2, tile + 2, taken, channels}));
            const WideTensor y =
                evaluated("winograd_conv", {{"tile", tile}, {"pads", pads}}, {&x, &u, biased ? &b : nullptr}, 2);
            QVERIFY2(difference(y, expected).isEmpty(), qPrintable(QString::number(seed) + difference(y, expected)));
        }
    }

    void transposedConvolutions() {
        for (uint64_t seed = 0; seed < 80; ++seed) {
            Random random(seed, 2);
            DrawnWindow window(random);
            const int64_t groups = between(random, 1, 2);
            const int64_t perGroup = between(random, 1, 3);
            const int64_t channels = groups * between(random, 1, 3);
            const WideTensor x = drawn(random, {2, channels, between(random, 3, 6), between(random, 3, 6)});
            const WideTensor w = drawn(random, {channels, perGroup, window.kernel[0], window.kernel[1]});
            const Ints more = {between(random, 0, 1), between(random, 0, 1)};
            const WideTensor y = evaluated("conv_transpose",
                                           {{"strides", window.strides},
                                            {"pads", window.pads},
                                            {"dilations", window.dilations},
                                            {"output_padding", more},
                                            {"group", groups}},
                                           {&x, &w}, 1);
            for (size_t axis = 0; axis < 2; ++axis)
                QCOMPARE(y.dims[axis + 2], window.strides[axis] * (x.dims[axis + 2] - 1) + more[axis] +
                                               (window.kernel[axis] - 1) * window.dilations[axis] + 1 -
                                               window.pads[axis] - window.pads[axis + 2]);
            WideTensor expected = WideTensor::zeros(y.dtype, y.dims);
            for (int64_t n = 0; n < 2; ++n)
                for (int64_t c = 0; c < channels; ++c)
                    for (int64_t m = 0; m < perGroup; ++m)
                        for (int64_t i = 0; i < x.dims[2]; ++i)
                            for (int64_t j = 0; j < x.dims[3]; ++j)
                                for (int64_t p = 0; p < window.kernel[0]; ++p)
                                    for (int64_t q = 0; q < window.kernel[1]; ++q) {
                                        const int64_t row = window.input(i, p, 0);
                                        const int64_t column = window.input(j, q, 1);
                                        if (row < 0 || row >= y.dims[2] || column < 0 || column >= y.dims[3]) continue;
                                        const int64_t channel = c / (channels / groups) * perGroup + m;
                                        const int64_t to =
                                            ((n * y.dims[1] + channel) * y.dims[2] + row) * y.dims[3] + column;
                                        expected.floats[static_cast<size_t>(to)] +=
                                            at(x, n, c, i, j) * at(w, c, m, p, q);
                                    }
            QVERIFY2(difference(y, expected).isEmpty(), qPrintable(QString::number(seed) + difference(y, expected)));
        }
    }

    void pools() {
        for (uint64_t seed = 0; seed < 200; ++seed) {
            Random random(seed, 3);
            DrawnWindow window(random);
            const bool greatest = random.below(2) == 0;
            if (!greatest) {
                window.dilations = {1, 1};
                for (size_t i = 0; i < 4; ++i) window.pads[i] = std::min(window.pads[i], window.kernel[i % 2] - 1);
            }
            const int64_t ceilMode = between(random, 0, 1);
            const int64_t padding = between(random, 0, 1);
            const WideTensor x = drawn(random, {2, 2, between(random, 5, 9), between(random, 5, 9)});
            Attributes attributes = {
                {"kernel", window.kernel}, {"strides", window.strides}, {"pads", window.pads}, {"ceil_mode", ceilMode}};
            attributes.emplace(greatest ? "dilations" : "count_include_pad",
                               greatest ? Attribute(window.dilations) : Attribute(padding));
            const WideTensor y = evaluated(greatest ? "max_pool" : "average_pool", attributes, {&x}, 2);
            WideTensor expected = WideTensor::zeros(y.dtype, y.dims);
            for (size_t place = 0; place < y.floats.size(); ++place) {
                const auto index = static_cast<int64_t>(place);
                const int64_t j = index % y.dims[3];
                const int64_t i = index / y.dims[3] % y.dims[2];
                const int64_t plane = index / (y.dims[3] * y.dims[2]);
                double sum = 0;
                double most = -std::numeric_limits<double>::infinity();
                double count = 0;
                for (int64_t p = 0; p < window.kernel[0]; ++p)
                    for (int64_t q = 0; q < window.kernel[1]; ++q) {
                        const int64_t row = window.input(i, p, 0);
                        const int64_t column = window.input(j, q, 1);
                        const bool inside = row >= 0 && row < x.dims[2] && column >= 0 && column < x.dims[3];
                        const bool padded = row < x.dims[2] + window.pads[2] && column < x.dims[3] + window.pads[3];
                        if (inside) most = std::max(most, at(x, plane / 2, plane % 2, row, column));
                        if (inside || (padding == 1 && padded)) count += 1;
                        sum += at(x, plane / 2, plane % 2, row, column);
                    }
                expected.floats[place] = greatest ? most : sum / count;
            }
            for (double &number : expected.floats) // windows that see nothing
                if (std::isinf(number)) number = 1e9;
            WideTensor seen = y;
            for (double &number : seen.floats)
                if (std::isinf(number)) number = 1e9;
            QVERIFY2(difference(seen, expected).isEmpty(),
                     qPrintable(QString::number(seed) + difference(seen, expected)));
            // The last window begins in front of the padding behind, or there is only one.
            for (size_t axis = 0; axis < 2; ++axis)
                if (ceilMode == 1 && y.dims[axis + 2] > 1)
                    QVERIFY((y.dims[axis + 2] - 1) * window.strides[axis] < x.dims[axis + 2] + window.pads[axis]);
        }
    }

    void products() {
        for (uint64_t seed = 0; seed < 60; ++seed) {
            Random random(seed, 4);
            const int64_t rows = between(random, 1, 9);
            const int64_t inner = between(random, 1, 20);
            const int64_t columns = between(random, 1, 300);
            const int64_t batch = between(random, 1, 3);
            const WideTensor a = drawn(random, {batch, 1, rows, inner});
            const WideTensor b = drawn(random, {2, inner, columns});
            const WideTensor y = evaluated("matmul", {}, {&a, &b}, 2);
            QCOMPARE(y.dims, Ints({batch, 2, rows, columns}));
            WideTensor expected = WideTensor::zeros(y.dtype, y.dims);
            size_t place = 0;
            for (int64_t n = 0; n < batch; ++n)
                for (int64_t m = 0; m < 2; ++m)
                    for (int64_t i = 0; i < rows; ++i)
                        for (int64_t j = 0; j < columns; ++j, ++place)
                            for (int64_t k = 0; k < inner; ++k)
                                expected.floats[place] +=
                                    at(a, n, 0, i, k) * b.floats[static_cast<size_t>((m * inner + k) * columns + j)];
            QVERIFY2(difference(y, expected).isEmpty(), qPrintable(QString::number(seed) + difference(y, expected)));
            // The same by dense: x[rows, inner] and w[columns, inner].
            const WideTensor x = drawn(random, {rows, inner});
            const WideTensor w = drawn(random, {columns, inner});
            const WideTensor z = evaluated("dense", {}, {&x, &w}, 2);
            const WideTensor turned = evaluated("transpose", {}, {&w}, 2);
            QVERIFY(difference(z, evaluated("matmul", {}, {&x, &turned}, 1)).isEmpty());
            const WideTensor g = evaluated("gemm", {{"trans_b", int64_t{1}}}, {&x, &w}, 2);
            QVERIFY(difference(z, g).isEmpty());
            const WideTensor h = evaluated("gemm", {}, {&x, &turned}, 2);
            QVERIFY(difference(z, h).isEmpty());
        }
    }

    void convolutionsOfOneAndThreeAxes() {
        Random random(7, 5);
        // Of one axis: as two, of which one has extent 1.
        const WideTensor x = drawn(random, {1, 3, 12});
        const WideTensor w = drawn(random, {5, 3, 3});
        const WideTensor y = evaluated("conv", {{"strides", Ints{2}}, {"pads", Ints{1, 0}}}, {&x, &w}, 1);
        WideTensor flatX = x;
        flatX.dims = {1, 3, 1, 12};
        WideTensor flatW = w;
        flatW.dims = {5, 3, 1, 3};
        WideTensor flat = evaluated("conv", {{"strides", Ints{1, 2}}, {"pads", Ints{0, 1, 0, 0}}}, {&flatX, &flatW}, 1);
        QCOMPARE(y.dims, Ints({1, 5, 6}));
        flat.dims = y.dims;
        QVERIFY(difference(y, flat).isEmpty());
        // Of three: a kernel that is the product of kernels.
        const WideTensor v = drawn(random, {1, 1, 4, 5, 6});
        WideTensor ones = WideTensor::zeros(DType::Float64, {1, 1, 2, 3, 2});
        std::fill(ones.floats.begin(), ones.floats.end(), 1.0);
        const WideTensor sums = evaluated("conv", {}, {&v, &ones}, 1);
        WideTensor means = evaluated("average_pool", {{"kernel", Ints{2, 3, 2}}}, {&v}, 1);
        for (double &number : means.floats) number *= 12;
        QVERIFY(difference(sums, means).isEmpty());
    }
};

LOOPSCOPE_TEST(EvaluateLoopsTest)
#include "evaluate_loops_test.moc"
