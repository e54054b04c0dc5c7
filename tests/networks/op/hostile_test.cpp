// Every operator with drawn attributes and inputs, absurd ones among them: it infers or refuses with a sentence, and
// what it infers it computes or refuses, in the shape that was inferred. Sanitizers see the rest.

#include "base/random.h"
#include "networks/op/infer_types.h"
#include "networks/op/reference.h"
#include "test_program.h"

#include <QTest>
#include <array>
#include <limits>

using namespace loopscope;

namespace {

constexpr int64_t kMost = 4096; // elements of a tensor that is evaluated

int64_t drawnInteger(Random &random) {
    constexpr std::array<int64_t, 16> kNumbers = {0,  1,  2, 3, 4,         -1,        -2,        1,
                                                  -3, 65, 2, 1, INT32_MAX, INT64_MAX, INT64_MIN, int64_t{1} << 62};
    return kNumbers[random.index(random.below(4) == 0 ? 16 : 8)];
}

Dim drawnDim(Random &random) {
    if (random.below(16) == 0) return Dim::symbol("n");
    if (random.below(24) == 0) return int64_t{1} << random.below(62);
    constexpr std::array<int64_t, 8> kDims = {1, 2, 3, 4, 4, 6, 0, 1};
    return kDims[random.index(8)];
}

std::vector<int64_t> drawnList(Random &random) {
    std::vector<int64_t> list(random.below(5));
    for (int64_t &number : list) number = drawnInteger(random);
    return list;
}

Attribute drawnAttribute(Random &random, const AttributeSpec &spec) {
    constexpr std::array<double, 8> kNumbers = {
        0, 1, -1, 0.5, 2, 1e300, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
    constexpr std::array<const char *, 10> kTexts = {"int8", "bool",    "float32", "linear", "nearest",
                                                     "edge", "reflect", "CRD",     "floor",  "align_corners"};
    switch (spec.kind) {
    case AttributeKind::Integer:
        return drawnInteger(random);
    case AttributeKind::Number:
        return kNumbers[random.index(8)];
    case AttributeKind::Text:
        return std::string(kTexts[random.index(10)]);
    case AttributeKind::Integers:
        return drawnList(random);
    case AttributeKind::Numbers: {
        std::vector<double> list(random.below(5));
        for (double &number : list) number = kNumbers[random.index(8)];
        return list;
    }
    case AttributeKind::Texts:
        return std::vector<std::string>{"a"};
    case AttributeKind::Tensor:
        return HostTensor::splat(DType::Int32, {1}, 3);
    }
    return int64_t{0};
}

WideTensor drawnTensor(Random &random, const TensorType &type) {
    WideTensor tensor = WideTensor::zeros(type.dtype, *constantDims(type.dims));
    for (double &number : tensor.floats) number = random.uniform() * 4 - 2;
    for (int64_t &number : tensor.integers) number = wrapToType(drawnInteger(random), type.dtype);
    return tensor;
}

/// A node of the operator over parameters and constants.
FunctionPtr drawnFunction(Random &random, const Operator &of) {
    FunctionBuilder builder("main");
    constexpr std::array<DType, 4> kTypes = {DType::Int64, DType::Float16, DType::Bool, DType::UInt8};
    const DType type = random.below(4) == 0 ? kTypes[random.index(4)] : DType::Float32;
    Dims first;
    const size_t count = of.inputs.back().variadic ? 1 + random.below(3) : of.inputs.size();
    Node node = {"y", of.name, {}, {}, {}, {}};
    for (size_t i = 0; i < count; ++i) {
        Dims dims(random.below(5));
        for (Dim &dim : dims) dim = drawnDim(random);
        if (i == 0) first = dims;
        if (i > 0 && random.below(3) == 0) dims = first;
        if (i > 0 && random.below(3) == 0 && first.size() > 1) dims = {first[1]};
        const bool list = (i == 1 || random.below(8) == 0) && random.below(2) == 0;
        const ValueId value = list ? builder.addConstant("c", integerTensor({}, std::array<int64_t, 1>{2}))
                                   : builder.addParameter("x", {type, dims});
        node.inputs.push_back(value);
        if (list && random.below(4) != 0) {
            const std::vector<int64_t> numbers = drawnList(random);
            node.inputs.back() =
                builder.addConstant("c", integerTensor({static_cast<int64_t>(numbers.size())}, numbers));
        }
    }
    for (const AttributeSpec &spec : of.attributes)
        if (!spec.fallback || random.below(2) == 0) node.attributes[spec.name] = drawnAttribute(random, spec);
    builder.addNode(node, {"y"});
    return std::move(builder).finish();
}

} // namespace

class HostileTest : public QObject {
    Q_OBJECT
  private slots:
    void everyOperator() {
        size_t inferred = 0;
        size_t computed = 0;
        ThreadPool pool(1);
        uint64_t stream = 0;
        for (const Operator *of : allOperators()) {
            ++stream;
            for (uint64_t seed = 0; seed < 400; ++seed) {
                Random random(seed, stream);
                const FunctionPtr function = drawnFunction(random, *of);
                const FunctionFacts facts = inferFacts(*function);
                for (const OpProblem &problem : facts.problems) QVERIFY(!problem.sentence.empty());
                if (facts.problems.empty()) ++inferred;
                const Node &node = function->node(NodeId(0));
                std::vector<WideTensor> tensors;
                for (const ValueId input : node.inputs) {
                    const auto &type = facts.types[input.index()];
                    const auto dims = type ? constantDims(type->dims) : std::nullopt;
                    if (!dims || elementCount(*dims) > kMost) break;
                    const HostTensor *constant = function->constant(input);
                    tensors.push_back(constant ? WideTensor::of(*constant) : drawnTensor(random, *type));
                }
                if (tensors.size() < node.inputs.size()) continue;
                std::vector<const WideTensor *> inputs;
                for (const WideTensor &tensor : tensors) inputs.push_back(&tensor);
                const auto outputs = evaluateNode(node, inputs, pool, kMost);
                if (!outputs) {
                    QVERIFY(!outputs.why().empty());
                    continue;
                }
                ++computed;
                const WideTensor &y = outputs->front();
                QVERIFY2(static_cast<int64_t>(y.size()) == elementCount(y.dims), of->name.c_str());
                if (!facts.problems.empty()) continue;
                const TensorType &type = *facts.types[node.outputs[0].index()];
                QVERIFY2(type.dtype == y.dtype && type.dims == asDims(y.dims), of->name.c_str());
            }
        }
        qInfo("%zu inferred, %zu computed", inferred, computed);
        QVERIFY(inferred > 5000 && computed > 3000);
    }
};

LOOPSCOPE_TEST(HostileTest)
#include "hostile_test.moc"
