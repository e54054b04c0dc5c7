// Functions from outside as statements of a network: run for reference and by the machine, at sizes that only the run
// knows, and refused with a sentence where they are not declared, not there, fail, or write to what they may only read.

#include "deploy/vm/compile.h"
#include "deploy/vm/machine.h"
#include "harness/packed_body.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/op/reference.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

const char *const kNet = R"(network outside
func main(x: float32[n, 2]) {
  a = relu(x)
  effect {
    y: float32[n, 2], s: float32[] = packed(a, function = "twice")
  } yield y, s
  z = add(y, s)
  return z
})";

/// Twice every number, and the sum of all.
Outcome<PackedArgument> twice(std::span<const PackedArgument> arguments) {
    const auto tensor = [&](size_t i) { return std::get<DlTensor *>(arguments[i]); };
    const auto *from = reinterpret_cast<const float *>(firstElement(*tensor(0)));
    auto *to = reinterpret_cast<float *>(firstElement(*tensor(1)));
    auto *sum = reinterpret_cast<float *>(firstElement(*tensor(2)));
    for (size_t i = 0; i < bytesOf(*tensor(0)) / sizeof(float); ++i) {
        to[i] = 2 * from[i];
        *sum += from[i];
    }
    return PackedArgument();
}

PackedFinder finderOf(const PackedBody &body) {
    return [body](const std::string &name, const PackedSignature &signature) -> Outcome<PackedFunction> {
        if (name != "twice") return Refusal{"the table has only twice"};
        return packedOf(name, signature, body);
    };
}

HostTensor rows(int64_t n) { return HostTensor::generated(DType::Float32, {n, 2}, FillRecipe::uniform(3)); }

/// Why the text is refused, before anything runs.
QString whyNot(QByteArray text, const char *from, const char *to) {
    if (!text.contains(from)) qFatal("the text has no %s", from);
    text.replace(from, to);
    try {
        const auto typed = inferTypes(parseNet(text.toStdString(), "outside.net").module);
        return typed ? QString() : QString::fromStdString(typed.why());
    } catch (const Error &error) {
        return QString::fromStdString(error.what());
    }
}

QString whyFails(const PackedFinder &finder) {
    const auto typed = inferTypes(parseNet(kNet, "outside.net").module);
    ReferenceOptions options;
    options.packed = finder;
    const auto values = runReference(*typed, std::vector<HostTensor>{rows(3)}, options);
    return values ? QString() : QString::fromStdString(values.why());
}

} // namespace

class PackedStatementTest : public QObject {
    Q_OBJECT
  private slots:
    void itRunsAtEverySize() {
        const auto typed = inferTypes(parseNet(kNet, "outside.net").module);
        QVERIFY2(typed.ok(), typed ? "" : typed.why().c_str());
        QCOMPARE(typeText(typed->main().type(*typed->main().find("y"))), "float32[n, 2]");
        const auto program = compileNetwork(*typed);
        QVERIFY2(program.ok(), program ? "" : program.why().c_str());
        ReferenceKernels kernels(1, kMaxReferenceElements, finderOf(twice));
        const auto machine = VirtualMachine::make(*program, kernels);
        QVERIFY2(machine.ok(), machine ? "" : machine.why().c_str());
        ReferenceOptions options;
        options.packed = finderOf(twice);
        for (const int64_t n : {1, 5, 0, 3}) {
            const std::vector<HostTensor> inputs = {rows(n)};
            const auto run = (*machine)->run(inputs);
            QVERIFY2(run.ok(), run ? "" : run.why().c_str());
            const auto expected = runReference(*typed, inputs, options);
            QVERIFY2(expected.ok(), expected ? "" : expected.why().c_str());
            const WideTensor &reference = expected->at(typed->main().results()[0]);
            QCOMPARE((*run)[0].dims, (std::vector<int64_t>{n, 2}));
            QVERIFY((*run)[0].floats == reference.floats);
            float sum = 0;
            const std::vector<double> given = inputs[0].numbers();
            for (const double x : given) sum += static_cast<float>(std::max(x, 0.0));
            for (size_t i = 0; i < given.size(); ++i)
                QCOMPARE(static_cast<float>(reference.floats[i]),
                         2 * static_cast<float>(std::max(given[i], 0.0)) + sum);
        }
    }

    void theTextSaysIt() {
        const auto module = parseNet(kNet, "outside.net").module;
        const std::string text = netText(module);
        QVERIFY2(text.find("packed(a, function = \"twice\")") != std::string::npos, text.c_str());
        QCOMPARE(netText(parseNet(text, "again.net").module), text);
    }

    void wrongStatementsAreRefused() {
        QVERIFY(whyNot(kNet, "s: float32[] =", "s =").contains("every output needs a type"));
        QVERIFY(whyNot(kNet, ", function = \"twice\"", "")
                    .contains("attribute function has to be the name of a function from outside"));
        QVERIFY(whyNot(kNet, "function = \"twice\"", "function = \"twice\", effect = 1")
                    .contains("has no attribute 'effect'"));
        QVERIFY(whyNot(kNet, "y: float32[n, 2]", "y: float32[m, 2]")
                    .contains("dim m of `y` has to be a number, or one of its inputs'"));
    }

    void failingFunctionsAreTold() {
        QCOMPARE(whyFails(nullptr), "packed 'y': twice is a function from outside, and nobody says where it is from");
        QCOMPARE(whyFails([](const std::string &, const PackedSignature &) -> Outcome<PackedFunction> {
                     return Refusal{"no library is at hand"};
                 }),
                 "packed 'y': there is no function twice: no library is at hand");
        QVERIFY(whyFails(finderOf([](std::span<const PackedArgument>) -> Outcome<PackedArgument> {
                    return Refusal{"it is out of paper"};
                })).contains("it is out of paper"));
        // What it may only read.
        const QString wrote =
            whyFails(finderOf([](std::span<const PackedArgument> arguments) -> Outcome<PackedArgument> {
                *reinterpret_cast<float *>(firstElement(*std::get<DlTensor *>(arguments[0]))) += 1;
                return PackedArgument();
            }));
        QCOMPARE(wrote, "packed 'y': twice wrote to its argument 1 (a), which it may only read");
        QCOMPARE(QString::fromStdString(findIn({})("twice", {}).why()), "no library is at hand (--module FILE.so)");
    }
};

LOOPSCOPE_TEST(PackedStatementTest)
#include "packed_statement_test.moc"
