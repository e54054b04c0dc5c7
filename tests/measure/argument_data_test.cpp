// What a runner is given of a task's reference.

#include <QTest>

#include "base/check.h"
#include "harness/sample_dags.h"
#include "measure/answer/answer_check.h"
#include "measure/argument_data.h"
#include "test_program.h"

#include <unistd.h>

using namespace loopscope;

namespace {

std::vector<KernelArg> plainArgs(const ReferenceView &view) {
    std::vector<KernelArg> args;
    for (const ReferenceTensor &tensor : view.tensors())
        args.push_back({tensor.name, tensor.output, tensor.dtype, tensor.elements(), tensor.shape, {}});
    return args;
}

/// S[40] of float16 sums long enough for a second set of inputs.
DagPtr longSums() {
    DagBuilder b;
    const Tensor &A = b.placeholder("A", {40, 5000}, DType::Float16);
    const auto s = axes({"i"}, {40}), r = axes({"k"}, {5000});
    return b.build({&b.reduce("S", s, ReduceKind::Sum, r, load(A, {s[0].var, r[0].var}))});
}

} // namespace

class ArgumentDataTest : public QObject {
    Q_OBJECT

  private slots:
    void bothSetsOfInputs() {
        const int fd = makeAnonymousFile();
        fillReferenceFile(fd, *longSums(), 0, 1);
        const ReferenceView view(fd);
        ::close(fd);
        const auto args = plainArgs(view);
        const ArgumentData random = argumentData(args, view);
        const ArgumentData exact = argumentData(args, view, InputSet::Exact);
        QCOMPARE(random.inputs.size(), size_t{2});
        QVERIFY(random.inputs[0] == view.data(view.tensors()[0]));
        QVERIFY(exact.inputs[0] == view.data(view.tensors()[0], InputSet::Exact));
        QVERIFY(exact.inputs[0] != random.inputs[0]);
        QVERIFY(random.inputs[1] == nullptr && exact.inputs[1] == nullptr);
        QCOMPARE(random.poison, kPoison);
    }

    void argumentsOfAnotherTaskAreOurBug() {
        const int fd = makeAnonymousFile();
        fillReferenceFile(fd, *matmulDag(5, 7, 3), 0, 1);
        const ReferenceView view(fd);
        ::close(fd);
        auto args = plainArgs(view);
        args[1].dtype = DType::Int32;
        QVERIFY_THROWS_EXCEPTION(InternalError, (void)argumentData(args, view));
        args[1].dtype = DType::Float32;
        args[1].elements = 4;
        QVERIFY_THROWS_EXCEPTION(InternalError, (void)argumentData(args, view));
        args[1].packing = {{0, 1, 2}, {1, 1, 2}}; // packed inputs may have any size
        QCOMPARE(argumentData(args, view).inputs.size(), size_t{3});
        args.pop_back();
        QVERIFY_THROWS_EXCEPTION(InternalError, (void)argumentData(args, view));
    }
};

LOOPSCOPE_TEST(ArgumentDataTest)
#include "argument_data_test.moc"
