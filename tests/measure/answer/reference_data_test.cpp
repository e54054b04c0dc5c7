// Inputs and reference in a sealed file.

#include <QTest>

#include "base/outcome.h"
#include "harness/sample_dags.h"
#include "measure/answer/checkable.h"
#include "measure/answer/reference_data.h"
#include "test_program.h"

#include <cmath>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace loopscope;

class ReferenceDataTest : public QObject {
    Q_OBJECT

  private slots:
    void holdsInputsAndAnswer() {
        const DagPtr dag = matmulDag(5, 7, 3);
        const int fd = makeAnonymousFile();
        fillReferenceFile(fd, *dag, 11, 1);
        const ReferenceView view(fd);
        QCOMPARE(view.tensors().size(), size_t{3});
        const ReferenceTensor &a = view.tensors()[0];
        const ReferenceTensor &b = view.tensors()[1];
        const ReferenceTensor &c = view.tensors()[2];
        QCOMPARE(a.name, std::string("A"));
        QVERIFY(!a.output && !b.output && c.output);
        QCOMPARE(c.shape, (std::vector<int64_t>{5, 7}));
        QVERIFY(view.bounds(a) == nullptr && view.bounds(c) != nullptr);
        for (int i = 0; i < 35; ++i) QVERIFY(view.bounds(c)[i] > 0 && view.bounds(c)[i] < 1e-5F);
        const auto *x = reinterpret_cast<const float *>(view.data(a));
        const auto *y = reinterpret_cast<const float *>(view.data(b));
        const auto *z = reinterpret_cast<const double *>(view.data(c));
        for (int i = 0; i < 5; ++i) {
            for (int j = 0; j < 7; ++j) {
                double sum = 0;
                for (int k = 0; k < 3; ++k) sum += static_cast<double>(x[i * 3 + k]) * y[k * 7 + j];
                QVERIFY(std::abs(sum - z[i * 7 + j]) < 1e-5);
            }
        }
        ::close(fd);
    }

    void anAnswerThatCannotBeCheckedIsRefused() {
        // In float16, a sum of that many terms is right and wrong at once, and four of them have no room for each term.
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {4, 5000}, DType::Float16);
        const auto s = axes({"i"}, {4}), r = axes({"k"}, {5000});
        const DagPtr dag = b.build({&b.reduce("S", s, ReduceKind::Sum, r, load(A, {s[0].var, r[0].var}))});
        const int fd = makeAnonymousFile();
        try {
            fillReferenceFile(fd, *dag, 0, 1);
            QFAIL("it was accepted");
        } catch (const Error &error) {
            const QString why = error.what();
            QVERIFY2(why.startsWith("the answer in `S` cannot be checked: a sum in float16 has so many terms that its "
                                    "roundings hide whether one is missing; "),
                     qPrintable(why));
            QVERIFY2(why.endsWith("add up in float32: `float32(...)` around the terms"), qPrintable(why));
        }
        ::close(fd);
    }

    void longSumsHaveASecondSetOfInputs() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {40, 5000}, DType::Float16);
        const auto s = axes({"i"}, {40}), r = axes({"k"}, {5000});
        const DagPtr dag = b.build({&b.reduce("S", s, ReduceKind::Sum, r, load(A, {s[0].var, r[0].var}))});
        const int fd = makeAnonymousFile();
        fillReferenceFile(fd, *dag, 0, 1);
        const ReferenceView view(fd);
        QVERIFY(view.has(InputSet::Random) && view.has(InputSet::Exact));
        const ReferenceTensor &in = view.tensors()[0], &out = view.tensors()[1];
        QVERIFY(view.bounds(out, InputSet::Random) != nullptr);
        QVERIFY(view.bounds(out, InputSet::Exact) == nullptr);
        QVERIFY(std::memcmp(view.data(in, InputSet::Exact), view.data(in), size_t(in.elements()) * 2) != 0);
        ::close(fd);
        const int small = makeAnonymousFile();
        fillReferenceFile(small, *matmulDag(5, 7, 3), 0, 1);
        QVERIFY(!ReferenceView(small).has(InputSet::Exact));
        ::close(small);
    }

    /// Sums of -1024, which exponentials are exact of, overflow here: which elements are infinite is no answer.
    void inputsThatOverflowAreNotUsed() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {200, 120}, DType::Float16);
        const auto s = axes({"i"}, {200}), r = axes({"k"}, {120});
        const Tensor &S = b.reduce("S", s, ReduceKind::Sum, r, load(A, {s[0].var, r[0].var}));
        const auto e = axes({"j"}, {200});
        const Expr x = load(S, {e[0].var});
        const Expr least = minOf(x, makeFloat(0, DType::Float16));
        const DagPtr dag = b.build({&b.compute("E", e, x + callMath(Intrinsic::Exp, least))});
        const int fd = makeAnonymousFile();
        fillReferenceFile(fd, *dag, 0, 1);
        const ReferenceView view(fd);
        ::close(fd);
        QVERIFY(view.has(InputSet::Exact));
        const ReferenceTensor &out = view.tensors()[1];
        const auto *values = reinterpret_cast<const double *>(view.data(out, InputSet::Exact));
        for (int i = 0; i < 200; ++i) QVERIFY2(std::isfinite(values[i]), qPrintable(QString::number(i)));
    }

    void anAnswerWithoutNumbersIsRefused() {
        DagBuilder b;
        const Tensor &A = b.placeholder("A", {4, 8}, DType::Float16);
        const auto s = axes({"i"}, {4}), r = axes({"k"}, {8});
        const Expr huge =
            (load(A, {s[0].var, r[0].var}) + makeFloat(2, DType::Float16)) * makeFloat(60000, DType::Float16);
        const DagPtr dag = b.build({&b.reduce("S", s, ReduceKind::Sum, r, huge)});
        const int fd = makeAnonymousFile();
        try {
            fillReferenceFile(fd, *dag, 0, 1);
            QFAIL("it was accepted");
        } catch (const Error &error) {
            QCOMPARE(
                QString(error.what()),
                QString("the answer in `S` cannot be checked: all its elements are infinite or not numbers, and so "
                        "would be those of many a wrong kernel; keep its values within float16"));
        }
        ::close(fd);
    }

    void anAnswerThatChanceDecidesIsRefused() {
        TensorValue value;
        value.shape = {10, 10};
        for (int i = 0; i < 100; ++i) {
            value.floats.push_back(i % 7);
            value.bounds.push_back(i < 20 ? 3.0F : 1e-6F); // two rows of ten
        }
        QCOMPARE(QString::fromStdString(whyUncheckable("S", value)),
                 QString("the answer in `S` cannot be checked: rounding decides what 20 % of its elements are (where "
                         "nearly equal values are told apart, or something is divided by nearly nothing), so that a "
                         "kernel wrong in these alone would pass; at most 10 % may be so, 50 % where they are spread "
                         "over all rows and columns"));
        for (int i = 0; i < 10; ++i) value.bounds[static_cast<size_t>(i)] = 0; // one row
        QCOMPARE(QString::fromStdString(whyUncheckable("S", value)), QString());
    }
    void whatChanceDecidesHereAndThereMayBeMore() {
        TensorValue value;
        value.shape = {10, 10};
        for (int i = 0; i < 100; ++i) {
            value.floats.push_back(i % 7);
            value.bounds.push_back((i / 10 + i) % 5 < 2 ? 3.0F : 1e-6F);
        }
        QCOMPARE(QString::fromStdString(whyUncheckable("S", value)), QString());
        for (int i = 0; i < 10; ++i) value.bounds[static_cast<size_t>(10 * i + 3)] = 3; // a column
        QVERIFY(QString::fromStdString(whyUncheckable("S", value)).contains("what 46 % of its elements are"));
        for (int i = 0; i < 100; ++i) value.bounds[static_cast<size_t>(i)] = i % 5 == i / 10 % 5 ? 0.0F : 3.0F;
        QVERIFY(QString::fromStdString(whyUncheckable("S", value)).contains("cannot be checked"));
    }

    void cannotBeWrittenAnyMore() {
        const int fd = makeAnonymousFile();
        fillReferenceFile(fd, *matmulDag(4, 4, 4), 0, 1);
        QCOMPARE(::write(fd, "x", 1), ssize_t{-1});
        QCOMPARE(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
        QVERIFY(::ftruncate(fd, 0) != 0);
        ::close(fd);
    }

    void sameSeedSameInputs() {
        const DagPtr dag = matmulDag(4, 4, 4);
        const auto firstBytes = [&](uint64_t seed) {
            const int fd = makeAnonymousFile();
            fillReferenceFile(fd, *dag, seed, 2);
            const ReferenceView view(fd);
            ::close(fd);
            return QByteArray(reinterpret_cast<const char *>(view.data(view.tensors()[0])), 64);
        };
        QCOMPARE(firstBytes(3), firstBytes(3));
        QVERIFY(firstBytes(3) != firstBytes(4));
    }

    void otherFilesAreRefused() {
        const int fd = makeAnonymousFile();
        QVERIFY_THROWS_EXCEPTION(Error, ReferenceView{fd});
        ::close(fd);
    }

    void storesEveryType() {
        const auto bytes = [](const TensorValue &value, size_t size) {
            QByteArray stored(static_cast<int>(size), '?');
            storeElements(value, reinterpret_cast<std::byte *>(stored.data()));
            return stored;
        };
        const QByteArray one32("\0\0\x80\x3f", 4);
        QCOMPARE(bytes({DType::Float32, {1}, {1.0}, {}}, 4), one32);
        QCOMPARE(bytes({DType::Float16, {1}, {1.0}, {}}, 2), QByteArray("\0\x3c", 2));
        QCOMPARE(bytes({DType::BFloat16, {1}, {1.0}, {}}, 2), QByteArray("\x80\x3f", 2));
        QCOMPARE(bytes({DType::Float64, {1}, {1.0}, {}}, 8), QByteArray("\0\0\0\0\0\0\xf0\x3f", 8));
        QCOMPARE(bytes({DType::Int8, {1}, {}, {-1}}, 1), QByteArray("\xff", 1));
        QCOMPARE(bytes({DType::Int32, {1}, {}, {-2}}, 4), QByteArray("\xfe\xff\xff\xff", 4));
        QCOMPARE(bytes({DType::Bool, {2}, {}, {0, 1}}, 2), QByteArray("\0\1", 2));
    }
};

LOOPSCOPE_TEST(ReferenceDataTest)
#include "reference_data_test.moc"
