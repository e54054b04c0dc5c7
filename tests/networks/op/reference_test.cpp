// Whole networks run for reference: what is kept, what is refused and where, symbols, the same at any number of
// threads.

#include "net_lines.h"
#include "networks/op/reference.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>

using namespace loopscope;

namespace {

const char *const kLines = "a = relu(x)\n"
                           "b = mul(a, 2.0)\n"
                           "c = add(a, b)\n"
                           "d = concat(b, c, axis = 0)\n";

HostTensor vectorOf(std::vector<float> values) {
    const auto count = static_cast<int64_t>(values.size());
    return floatTensor({count}, values);
}

QString refused(const GraphFunction &function, const std::vector<HostTensor> &inputs,
                const ReferenceOptions &options = {}) {
    const auto values = runReference(function, inputs, options);
    return values ? QString("went well") : QString::fromStdString(values.why());
}

} // namespace

class ReferenceTest : public QObject {
    Q_OBJECT
  private slots:
    void resultsAndWhatIsWanted() {
        const FunctionPtr function = netFunction("x: float32[n]", kLines, "d, x");
        const auto results = runReference(*function, {{vectorOf({-1, 2})}}, {});
        QVERIFY(results.ok());
        QCOMPARE(results->size(), size_t{2});
        QCOMPARE(numbersText(results->at(*function->find("d"))), std::string("float32[4] 0 4 0 6"));
        QCOMPARE(numbersText(results->at(*function->find("x"))), std::string("float32[2] -1 2"));

        const auto more = runReference(*function, {{vectorOf({-1, 2})}}, {.wanted = {*function->find("a")}});
        QCOMPARE(more->size(), size_t{3});
        QCOMPARE(numbersText(more->at(*function->find("a"))), std::string("float32[2] 0 2"));

        const auto all = runReference(*function, {{vectorOf({-1, 2})}}, {.keepAll = true});
        QCOMPARE(all->size(), size_t{5}); // x, a, b, c, d, without constants
    }

    void valuesAreSeenInTheOrderOfTheNodes() {
        const FunctionPtr function = netFunction("x: float32[n]", kLines, "d");
        QStringList seen;
        ReferenceOptions options;
        options.onValue = [&](ValueId value, const WideTensor &) {
            seen += QString::fromStdString(function->value(value).name);
            return seen.size() < 3;
        };
        QCOMPARE(refused(*function, {vectorOf({1})}, options), QString("add 'c': stopped behind it"));
        QCOMPARE(seen.join(" "), QString("a b c"));
    }

    void aConstantMayBeAResult() {
        const FunctionPtr function = netFunction("", "c = constant float32[2] [1.0, 2.0]", "c");
        const auto results = runReference(*function, {}, {});
        QCOMPARE(numbersText(results->begin()->second), std::string("float32[2] 1 2"));
    }

    void inputsHaveToFit() {
        const FunctionPtr function = netFunction("x: float32[n, 3], z: float32[n, 2*n]", "y = relu(x)", "y");
        const HostTensor x = HostTensor::splat(DType::Float32, {2, 3}, 1);
        const HostTensor z = HostTensor::splat(DType::Float32, {2, 4}, 1);
        QCOMPARE(refused(*function, {x, z}), QString("went well"));
        QCOMPARE(refused(*function, {x}), QString("main takes 2 inputs, 1 are given"));
        QCOMPARE(refused(*function, {x, x}), QString("input 'z' is float32[2, 3], it has to be float32[n, 2*n]"));
        QCOMPARE(refused(*function, {HostTensor::splat(DType::Float64, {2, 3}, 1), z}),
                 QString("input 'x' is float64[2, 3], it has to be float32[n, 3]"));
        QCOMPARE(refused(*function, {HostTensor::splat(DType::Float32, {5, 3}, 1), z}),
                 QString("input 'z' is float32[2, 4], it has to be float32[n, 2*n]"));
        QCOMPARE(refused(*function, {HostTensor::splat(DType::Float32, {2, 3, 1}, 1), z}),
                 QString("input 'x' is float32[2, 3, 1], it has to be float32[n, 3]"));
    }

    void theNodeThatFailsIsNamed() {
        const FunctionPtr indices = netFunction("x: float32[4], i: int64[1]", "a = relu(x)\ny = gather(a, i)", "y");
        const HostTensor x = HostTensor::splat(DType::Float32, {4}, 1);
        QCOMPARE(refused(*indices, {x, HostTensor::splat(DType::Int64, {1}, -4)}), QString("went well"));
        QCOMPARE(refused(*indices, {x, HostTensor::splat(DType::Int64, {1}, 4)}),
                 QString("gather 'y': index 4 is outside of axis 0 of x [4]"));
        const FunctionPtr shapes = netFunction("x: float32[n], z: float32[m]", "y = add(x, z)", "y");
        QCOMPARE(refused(*shapes, {x, x}), QString("went well"));
        QCOMPARE(refused(*shapes, {x, HostTensor::splat(DType::Float32, {3}, 1)}),
                 QString("add 'y': a [4] and b [3] do not broadcast: 4 and 3 differ"));
    }

    void whatIsTooLargeIsRefusedBeforeThereIsMemoryForIt() {
        const FunctionPtr function = netFunction("s: int64[2]", "y = constant_of_shape(s)", "y");
        const HostTensor large = HostTensor::splat(DType::Int64, {2}, 1 << 20);
        QCOMPARE(refused(*function, {large}),
                 QString("constant_of_shape 'y': the result [1048576, 1048576] has more than 1073741824 elements"));
        const HostTensor negative = HostTensor::splat(DType::Int64, {2}, -1);
        QCOMPARE(refused(*function, {negative}),
                 QString("constant_of_shape 'y': the result [-1, -1] has a negative extent"));
        const FunctionPtr few = netFunction("x: float32[n]", "y = concat(x, x, axis = 0)", "y");
        QCOMPARE(refused(*few, {HostTensor::splat(DType::Float32, {60}, 1)}, {.maxElements = 100}),
                 QString("concat 'y': the result [120] has more than 100 elements"));
        QCOMPARE(refused(*few, {HostTensor::splat(DType::Float32, {160}, 1)}, {.maxElements = 100}),
                 QString("input 'x' float32[160] has more than 100 elements"));
    }

    void shapesMayDependOnWhatIsComputed() {
        const FunctionPtr function = netFunction("x: float32[n, 6]",
                                                 "s = shape(x, end = 1)\n"
                                                 "m = mul(s, [2])\n"
                                                 "t = concat(m, [-1], axis = 0)\n"
                                                 "y = reshape(x, t)",
                                                 "y");
        const auto results = runReference(*function, {{HostTensor::splat(DType::Float32, {2, 6}, 1)}}, {});
        QVERIFY(results.ok());
        QCOMPARE(results->begin()->second.dims, std::vector<int64_t>({4, 3}));
    }

    void anyNumberOfThreadsGivesTheSameBits() {
        const FunctionPtr function = netFunction("x: float32[1, 8, 20, 20]",
                                                 "w = constant float32[16, 8, 3, 3] random normal(seed = 3)\n"
                                                 "a = conv(x, w, pads = [1, 1, 1, 1])\n"
                                                 "b = average_pool(a, kernel = [3, 3], strides = [2, 2])\n"
                                                 "c = lrn(b, size = 5)\n"
                                                 "d = flatten(c)\n"
                                                 "y = softmax(d)",
                                                 "y");
        std::vector<float> ramp(3200);
        for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i % 17) / 17;
        const HostTensor x = floatTensor({1, 8, 20, 20}, ramp);
        const auto one = runReference(*function, {{x}}, {.threads = 1});
        const auto five = runReference(*function, {{x}}, {.threads = 5});
        QVERIFY(one.ok());
        QCOMPARE(one->begin()->second.floats, five->begin()->second.floats);
    }
};

LOOPSCOPE_TEST(ReferenceTest)
#include "reference_test.moc"
