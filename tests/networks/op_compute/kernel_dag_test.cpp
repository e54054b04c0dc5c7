// Several nodes as one DAG: what its text is, what is refused, and drawn chains against their reference.

#include "one_node.h"

#include "base/random.h"
#include "networks/op/operator.h"
#include "networks/op_compute/kernel_dag.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>

using namespace loopscope;

namespace {

using Ints = std::vector<int64_t>;

FunctionPtr typed(FunctionBuilder &&builder) {
    const Outcome<FunctionPtr> function = inferTypes(std::move(builder).finish());
    if (!function) throw Error(function.why());
    return *function;
}

std::string dagTextOf(const FunctionPtr &function) {
    const auto dag = computeDagOf(*function, allNodes(*function), readInputs(*function), function->results(), "tested");
    return dag ? (*dag)->text(DagTextMode::Simple) : "refused: " + dag.why();
}

std::string refusalOf(const std::string &op, const std::vector<GivenInput> &inputs, Attributes attributes = {}) {
    const FunctionPtr function = functionOfNode(op, inputs, std::move(attributes));
    const auto dag = computeDagOf(*function, allNodes(*function), readInputs(*function), function->results(), "tested");
    return dag ? "none" : dag.why();
}

/// A chain of operators over images, each reading what was made before.
FunctionPtr drawnChain(uint64_t seed) {
    Random random(3, seed);
    FunctionBuilder builder("main");
    Ints dims = {1, 1 + static_cast<int64_t>(random.below(3)), 5 + static_cast<int64_t>(random.below(3)),
                 4 + static_cast<int64_t>(random.below(4))};
    ValueId x = builder.addParameter("x", {DType::Float32, asDims(dims)});
    std::vector<std::pair<ValueId, Ints>> made = {{x, dims}};
    const auto weight = [&](Ints shape) {
        return builder.addParameter("w" + std::to_string(made.size()), {DType::Float32, asDims(shape)});
    };
    for (int step = 0; step < 6; ++step) {
        const std::string name = "n" + std::to_string(step);
        switch (random.index(9)) {
        case 0:
            x = builder.add("conv", name, {x, weight({2, dims[1], 3, 3}), weight({2})}, {{"pads", Ints{1, 1, 1, 1}}});
            dims[1] = 2;
            break;
        case 1:
            x = builder.add(random.index(2) == 0 ? "max_pool" : "average_pool", name, {x},
                            {{"kernel", Ints{2, 3}}, {"pads", Ints{1, 1, 0, 1}}});
            break;
        case 2:
            x = builder.add("concat", name, {x, builder.add("relu", name + "r", {x})}, {{"axis", int64_t{1}}});
            dims[1] *= 2;
            break;
        case 3:
            x = builder.add("transpose", name, {x}, {{"permutation", Ints{0, 1, 3, 2}}});
            std::swap(dims[2], dims[3]);
            break;
        case 4:
            x = builder.add("mul", name, {x, builder.add("reduce_mean", name + "m", {x}, {{"axes", Ints{2, 3}}})});
            break;
        case 5: {
            const auto same = std::find_if(made.begin(), made.end(), [&](const auto &of) { return of.second == dims; });
            x = builder.add("sub", name, {x, same == made.end() ? x : same->first});
            break;
        }
        case 6:
            x = builder.add("bias_add", name, {x, weight({dims[1]})});
            break;
        case 7:
            x = builder.add("add", name,
                            {builder.add("tanh", name + "t", {x}),
                             builder.addConstant(name + "c", HostTensor::scalar(DType::Float32, 0.25))});
            break;
        default:
            x = builder.add("softmax", name, {x}, {{"axis", int64_t{1}}});
            break;
        }
        made.emplace_back(x, dims);
    }
    // Values on the way are results, too.
    if (random.index(2) == 0) builder.addResult(made[2].first);
    builder.addResult(x);
    return typed(std::move(builder));
}

} // namespace

class KernelDagTest : public QObject {
    Q_OBJECT

  private slots:
    void textsAreTvms() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, asDims({1, 3, 8, 8})});
        const ValueId w = builder.addConstant("w", HostTensor::splat(DType::Float32, {4, 3, 3, 3}, 1));
        const ValueId b = builder.addConstant("b", HostTensor::splat(DType::Float32, {4}, 1));
        const ValueId half = builder.addConstant("half", HostTensor::scalar(DType::Float32, 0.5));
        ValueId y = builder.add("conv", "conv", {x, w}, {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}});
        y = builder.add("bias_add", "bias", {y, b});
        y = builder.add("mul", "half_of", {builder.add("clip", "clip", {y}, {{"min", 0.0}, {"max", 6.0}}), half});
        builder.addResult(y);
        QCOMPARE(dagTextOf(typed(std::move(builder))),
                 std::string("p0 = PLACEHOLDER \n"
                             "pad_temp(i0, i1, i2, i3) = Op(tir.if_then_else)\n"
                             "p1 = PLACEHOLDER \n"
                             "conv2d_nchw(nn, ff, yy, xx) += (pad_temp[nn, rc, ((yy*2) + ry), ((xx*2) + rx)]*p1[ff, "
                             "rc, ry, rx])\n"
                             "p2 = PLACEHOLDER \n"
                             "T_add(ax0, ax1, ax2, ax3) = (conv2d_nchw[ax0, ax1, ax2, ax3] + p2[ax0, ax1, 0, 0])\n"
                             "compute(i0, i1, i2, i3) = max(min(T_add[i0, i1, i2, i3], 6f), 0f)\n"
                             "compile_engine_const() = 0.5f\n"
                             "T_multiply(ax0, ax1, ax2, ax3) = (compute[ax0, ax1, ax2, "
                             "ax3]*compile_engine_const[])\n"));
    }

    void averagesCountAsTvmDoes() {
        const auto text = [](Attributes attributes) {
            attributes.insert({{"kernel", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
            const std::string all = dagTextOf(functionOfNode("average_pool", {floats({1, 2, 8, 8})}, attributes));
            return all.substr(all.find("pool_avg"));
        };
        QCOMPARE(text({{"count_include_pad", int64_t{1}}}),
                 std::string("pool_avg(ax0, ax1, ax2, ax3) = (pool_sum[ax0, ax1, ax2, ax3]/float32((((min((((ax2*2) - "
                             "1) + 2), 8) - ((ax2*2) - 1)) + 1)*((min((((ax3*2) - 1) + 2), 8) - ((ax3*2) - 1)) + "
                             "1))))\n"));
        QCOMPARE(
            text({}),
            std::string("pool_avg(ax0, ax1, ax2, ax3) = (pool_sum[ax0, ax1, ax2, ax3]/float32(max((((min((((ax2*2) "
                        "- 1) + 2), 7) - (((ax2*2) - 1) + max((0 - ((ax2*2) - 1)), 0))) + 1)*((min((((ax3*2) - 1) "
                        "+ 2), 7) - (((ax3*2) - 1) + max((0 - ((ax3*2) - 1)), 0))) + 1)), 1)))\n"));
    }

    void weightsThatAreConstantMayBeLaidOut() {
        const auto attrsOf = [](const GivenInput &weight) {
            const FunctionPtr f = functionOfNode("dense", {floats({3, 7}), weight});
            const auto dag = computeDagOf(*f, allNodes(*f), readInputs(*f), f->results(), "tested");
            return (*dag)->ops().back()->attrs.size();
        };
        QCOMPARE(attrsOf({{}, HostTensor::splat(DType::Float32, {5, 7}, 1), {}}), size_t{1});
        QCOMPARE(attrsOf(floats({5, 7})), size_t{0});
    }

    void refusals() {
        QCOMPARE(refusalOf("shape", {floats({3, 7})}), std::string("shape 'shape' has no tensor expression"));
        QCOMPARE(refusalOf("relu", {{TensorType{DType::Float32, {Dim::symbol("n"), 3}}, {}, {}}}),
                 std::string("'x0' is float32[n, 3]: kernels are made for static dims"));
        QCOMPARE(refusalOf("relu", {floats({0, 3})}), std::string("'x0' is float32[0, 3], which has no elements"));
        QCOMPARE(refusalOf("conv", {floats({1, 1, 2, 2, 2, 2}), floats({1, 1, 1, 1, 1, 1})}),
                 std::string("conv 'conv': convolutions are computed over one to three dimensions, not over 4"));
        QCOMPARE(refusalOf("sort", {floats({3, 7})}),
                 std::string("sort 'sort' is computed on the host: no kernel is made of it"));
        QVERIFY(!hasTensorExpression("shape"));
        QVERIFY(hasTensorExpression("conv"));
    }

    /// Of the catalogue: whoever adds an operator adds its tensor expression, or its name here.
    void whatHasNoExpression() {
        std::vector<std::string> without;
        for (const Operator *op : allOperators())
            if (!hasTensorExpression(op->name) && !op->host) without.push_back(op->name);
        QCOMPARE(without, std::vector<std::string>({"shape"}));
        for (const Operator *op : allOperators())
            QVERIFY2(!op->host || !hasTensorExpression(op->name), op->name.c_str());
    }

    void drawnChains() {
        for (uint64_t seed = 0; seed < 40; ++seed) {
            const std::string wrong = referenceDifference(drawnChain(seed), seed);
            QVERIFY2(wrong.empty(), qPrintable(QString("%1: %2").arg(seed).arg(QString::fromStdString(wrong))));
        }
    }

    void resultsThatAreInputs() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, asDims({3})});
        const ValueId y = builder.add("relu", "y", {x});
        builder.addResult(y);
        builder.addResult(builder.add("exp", "z", {y}));
        builder.addResult(y);
        QCOMPARE(referenceDifference(typed(std::move(builder)), 1), std::string());
    }
};

LOOPSCOPE_TEST(KernelDagTest)
#include "kernel_dag_test.moc"
