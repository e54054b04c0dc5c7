// The virtual machine with compiled kernels: right within what float32 allows, compiled once for each size, and what
// has no kernel is computed by the reference and said.

#include "deploy/network/compiled_kernels.h"
#include "deploy/vm/compile.h"
#include "deploy/vm/machine.h"
#include "deploy/vm/outline.h"
#include "language/tensor/compare.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/op/reference.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

const char *const kNet = R"(network t
func main(x: float32[n, 4], c: bool[], trips: int64[]) {
  w = constant float32[4, 4] random normal(seed = 1, deviation = 0.3)
  effect {
    a = matmul(x, w)
    b = relu(a)
    v, sums = loop(trips, c, b, x, body = "body", carried = 1)
    d = tanh(v)
    y = if(c, d, then = "up", else = "down")
    flat = reshape(y, [-1])
    u = unique(flat)
    m: float32[k] = match(u)
    z = mul(m, 2.0)
  } yield y, sums, z
  return y, sums, z
}
func body(i: int64[], go: bool[], v: float32[m, 4], x: float32[m, 4]) {
  w = constant float32[4, 4] random normal(seed = 2, deviation = 0.3)
  p = matmul(v, w)
  q = add(p, x)
  r = tanh(q)
  s = reduce_sum(r, axes = [0, 1], keep_dims = 0)
  return go, r, s
}
func up(x: float32[m, 4]) { y = add(x, 1.0) return y }
func down(x: float32[m, 4]) { y = concat(x, x, axis = 0) return y }
)";

std::vector<HostTensor> inputs(int64_t n, bool c) {
    return {HostTensor::generated(DType::Float32, {n, 4}, FillRecipe::uniform(5)),
            HostTensor::splat(DType::Bool, {}, c), HostTensor::splat(DType::Int64, {}, 3)};
}

} // namespace

class CompiledKernelsTest : public QObject {
    Q_OBJECT
  private slots:
    void rightAndCompiledOnceForEachSize() {
        const auto typed = inferTypes(parseNet(kNet, "t.net").module);
        QVERIFY2(typed.ok(), typed ? "" : typed.why().c_str());
        const auto parts = outlined(*typed);
        QVERIFY2(parts.ok(), parts ? "" : parts.why().c_str());
        const auto program = compileNetwork(*parts);
        QVERIFY2(program.ok(), program ? "" : program.why().c_str());
        CompiledKernels kernels(parseTarget("llvm -num-cores=2"), {.threads = 1});
        const auto machine = VirtualMachine::make(*program, kernels);
        QVERIFY2(machine.ok(), machine ? "" : machine.why().c_str());
        std::vector<size_t> compilations;
        for (const auto &[n, c] : {std::pair{3, true}, {3, true}, {5, true}, {3, false}, {5, true}}) {
            const auto given = (*machine)->run(inputs(n, c));
            QVERIFY2(given.ok(), given ? "" : given.why().c_str());
            const auto expected = runReference(*typed, inputs(n, c));
            for (size_t i = 0; i < given->size(); ++i) {
                const TensorVerdict verdict =
                    compareTensors((*given)[i].narrow(), expected->at(typed->main().results()[i]), 1e-5);
                QVERIFY2(verdict.ok, verdict.sentence.c_str());
            }
            compilations.push_back(kernels.compilations());
        }
        QVERIFY2(compilations[0] >= 4, std::to_string(compilations[0]).c_str());
        QCOMPARE(compilations[1], compilations[0]);
        QVERIFY(compilations[2] > compilations[1]);
        QVERIFY(compilations[3] > compilations[2]); // the other branch
        QCOMPARE(compilations[4], compilations[3]);
        QVERIFY2(kernels.notes().empty(), kernels.notes().empty() ? "" : kernels.notes()[0].c_str());
    }

    void whatHasNoKernelIsSaid() {
        const auto typed =
            inferTypes(parseNet("network t\nfunc main(x: float32[2]) {\n  effect {\n    y = call(x, function "
                                "= \"f\")\n  } yield y\n  return y\n}\nfunc f(x: float32[2]) {\n  s = relu(x)\n"
                                "  a, b, c = split(s, axis = 0, sizes = [1, 0, 1])\n  y = concat(a, c, axis = 0)\n"
                                "  return y\n}\n",
                                "t.net")
                           .module);
        QVERIFY2(typed.ok(), typed ? "" : typed.why().c_str());
        const auto program = compileNetwork(*typed);
        CompiledKernels kernels(parseTarget("llvm -num-cores=2"), {.threads = 1});
        const auto machine = VirtualMachine::make(*program, kernels);
        // One of the parts has no elements, and no kernel writes it.
        for (int i = 0; i < 2; ++i) {
            const auto results = (*machine)->run({{HostTensor::splat(DType::Float32, {2}, 2)}});
            QVERIFY2(results.ok(), results ? "" : results.why().c_str());
            QCOMPARE((*results)[0].dims, std::vector<int64_t>{2});
        }
        QCOMPARE(kernels.compilations(), size_t{0});
        QCOMPARE(kernels.notes().size(), size_t{1});
        QVERIFY2(kernels.notes()[0].starts_with("f; float32[2] is left to the reference: "),
                 kernels.notes()[0].c_str());
    }
};

LOOPSCOPE_TEST(CompiledKernelsTest)
#include "compiled_kernels_test.moc"
