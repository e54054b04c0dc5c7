// Every library computes what the plain loops compute, in every layout and thread count offered, and refuses the rest
// with a reason.

#include "baseline_reference.h"
#include "harness/baseline_problems.h"
#include "measure/baselines/baseline_process.h"
#include "measure/baselines/shared_library.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

struct Case {
    const char *name;
    BaselineProblem problem;
    const char *blasRefuses; // part of the sentence; null: BLAS computes it
    const char *dnnlRefuses;
};

template <typename Problem> Problem with(Problem problem, BaselineTail tail) {
    problem.tail = tail;
    return problem;
}

std::vector<ConvAxis> square(int64_t input, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation = 1) {
    ConvAxis axis;
    axis.input = input;
    axis.kernel = kernel;
    axis.stride = stride;
    axis.padBefore = pad;
    axis.padAfter = pad;
    axis.dilation = dilation;
    return {axis, axis};
}

std::vector<ConvAxis> times(int dimensions, int64_t input, int64_t kernel, int64_t stride, int64_t pad) {
    return std::vector<ConvAxis>(size_t(dimensions), square(input, kernel, stride, pad)[0]);
}

/// Attention's first product: batch, sequence, head, depth, multiplied head by head.
MatmulProblem headwise(int64_t sequence, int64_t heads, int64_t depth) {
    MatmulProblem problem = makeMatmul(heads, sequence, sequence, depth);
    problem.a = {depth, heads * depth, 1};
    problem.b = {depth, 1, heads * depth};
    return problem;
}

MatmulProblem weightsOnRight(MatmulProblem problem) {
    problem.constantB = true;
    return problem;
}

std::vector<Case> cases() {
    constexpr ChannelOrder last = ChannelOrder::Last;
    constexpr ChannelOrder first = ChannelOrder::First;
    const char *noConv = "only a 1x1 one with stride 1 and no padding";
    const char *ungrouped = "only an ungrouped 1x1 one";
    const BaselineTail biasRelu{true, false, false, true};
    const BaselineTail normalised{true, true, true, true};
    const BaselineTail residual{.bias = true, .relu = true, .residual = true};
    const BaselineTail normalisedResidual{.bias = true, .scale = true, .offset = true, .relu = true, .residual = true};
    const BaselineTail limited{.bias = true, .relu = true, .most = 0.5F};
    const BaselineTail gelu{.bias = true, .gelu = true};
    std::vector<ConvAxis> lopsided = square(9, 3, 2, 1);
    lopsided[0].padAfter = 0;
    return {
        {"matmul", makeMatmul(1, 17, 31, 13), nullptr, nullptr},
        {"matmul transposed b", makeMatmul(1, 17, 31, 13, true), nullptr, nullptr},
        {"matmul one column", makeMatmul(1, 17, 1, 13), nullptr, nullptr},
        {"matmul one row", makeMatmul(1, 1, 31, 13), nullptr, nullptr},
        {"batch matmul", makeMatmul(3, 17, 31, 13), nullptr, nullptr},
        {"batch matmul transposed b", makeMatmul(3, 17, 31, 13, true), nullptr, nullptr},
        {"attention", headwise(12, 3, 8), nullptr, nullptr},
        {"dense", weightsOnRight(makeMatmul(1, 17, 31, 13, true)), nullptr, nullptr},
        {"dense bias relu", with(weightsOnRight(makeMatmul(1, 17, 31, 13, true)), biasRelu), "cannot fuse", nullptr},
        {"matmul scale", with(makeMatmul(1, 4, 5, 6), normalised), "cannot fuse", "not a scale"},
        {"conv nhwc", makeConv(last, 2, 5, 12, square(9, 3, 2, 1)), noConv, nullptr},
        {"conv nchw", makeConv(first, 2, 5, 12, square(9, 3, 2, 1)), noConv, nullptr},
        {"conv lopsided padding", makeConv(last, 1, 8, 16, lopsided), noConv, nullptr},
        {"conv 16 channels nhwc", makeConv(last, 1, 16, 32, square(7, 3, 1, 1)), noConv, nullptr},
        {"conv 16 channels nchw", makeConv(first, 1, 16, 32, square(7, 3, 1, 1)), noConv, nullptr},
        {"conv 1x1 nhwc", makeConv(last, 2, 8, 12, square(6, 1, 1, 0)), nullptr, nullptr},
        {"conv 1x1 nchw", makeConv(first, 2, 8, 12, square(6, 1, 1, 0)), nullptr, nullptr},
        {"conv dilated", makeConv(last, 1, 8, 8, square(11, 3, 1, 2, 2)), noConv, nullptr},
        {"conv grouped nhwc", makeConv(last, 1, 8, 16, square(7, 3, 1, 1), 4), ungrouped, nullptr},
        {"conv grouped nchw", makeConv(first, 1, 8, 16, square(7, 3, 1, 1), 4), ungrouped, nullptr},
        {"depthwise nhwc", makeConv(last, 1, 24, 24, square(7, 3, 2, 1), 24), ungrouped, nullptr},
        {"depthwise nchw", makeConv(first, 1, 24, 24, square(7, 3, 1, 1), 24), ungrouped, nullptr},
        {"conv1d", makeConv(last, 2, 6, 10, times(1, 16, 3, 2, 1)), noConv, nullptr},
        {"conv3d", makeConv(last, 1, 4, 8, times(3, 6, 3, 1, 1)), noConv, nullptr},
        {"transposed conv nhwc", makeConv(last, 1, 8, 4, square(4, 4, 2, 1), 1, true), ungrouped, nullptr},
        {"transposed conv nchw", makeConv(first, 1, 8, 4, square(4, 4, 2, 1), 1, true), ungrouped, nullptr},
        {"conv bias relu", with(makeConv(last, 1, 8, 16, square(7, 3, 1, 1)), biasRelu), noConv, nullptr},
        {"conv 1x1 bias relu", with(makeConv(last, 1, 8, 16, square(7, 1, 1, 0)), biasRelu), "cannot fuse", nullptr},
        {"conv normalised nhwc", with(makeConv(last, 1, 8, 16, square(7, 3, 1, 1)), normalised), noConv, nullptr},
        {"conv normalised nchw", with(makeConv(first, 1, 8, 16, square(7, 3, 1, 1), 2), normalised), ungrouped,
         nullptr},
        {"conv residual nhwc", with(makeConv(last, 1, 8, 16, square(7, 3, 1, 1)), residual), noConv, nullptr},
        {"conv residual nchw", with(makeConv(first, 1, 16, 32, square(7, 3, 1, 1)), residual), noConv, nullptr},
        {"conv normalised residual", with(makeConv(last, 2, 8, 16, square(7, 1, 1, 0)), normalisedResidual),
         "cannot fuse", nullptr},
        {"depthwise relu6", with(makeConv(last, 1, 24, 24, square(7, 3, 2, 1), 24), limited), ungrouped, nullptr},
        {"conv 1x1 relu6 nchw", with(makeConv(first, 1, 8, 16, square(7, 1, 1, 0)), limited), "cannot fuse", nullptr},
        {"dense gelu", with(weightsOnRight(makeMatmul(1, 17, 31, 13, true)), gelu), "cannot fuse", nullptr},
        {"dense residual", with(weightsOnRight(makeMatmul(1, 17, 31, 13, true)), residual), "cannot fuse", nullptr},
        {"batch matmul residual", with(makeMatmul(3, 17, 31, 13), residual), "cannot fuse", nullptr},
        {"softmax", SoftmaxProblem{7, 37}, "BLAS has no softmax", nullptr},
        {"softmax one row", SoftmaxProblem{1, 1000}, "BLAS has no softmax", nullptr},
        {"softmax one column", SoftmaxProblem{5, 1}, "BLAS has no softmax", nullptr},
        {"norm", NormProblem{1, 1023}, nullptr, nullptr},
        {"norms", NormProblem{5, 77}, nullptr, nullptr},
        {"norms of single elements", NormProblem{6, 1}, nullptr, "no reduction of single elements"},
    };
}

} // namespace

class BaselinesTest : public QObject {
    Q_OBJECT
    std::unique_ptr<BaselineProcess> m_baseline;
    std::string m_absent; // why m_baseline is null

  private slots:
    void namesAreReversible() {
        for (const BaselineKind kind : allBaselines()) QVERIFY(baselineFromName(baselineName(kind)) == kind);
        QVERIFY(!baselineFromName("mkl").has_value());
    }

    void missingLibraryNamesItsPackage() {
        const auto library = SharedLibrary::open("libnowhere.so.7", "libnowhere7");
        QVERIFY(!library);
        QCOMPARE(QString::fromStdString(library.why()),
                 QStringLiteral("cannot open libnowhere.so.7 (libnowhere.so.7: cannot open shared object file: No such "
                                "file or directory); on Debian install the package libnowhere7"));
    }

    /// Before any operand is looked at, so none need exist.
    void snrm2CountsInIntegers() {
        const auto blas = openBaseline(BaselineKind::OpenBlas);
        if (!blas) QSKIP(blas.why().c_str());
        const auto prepared = (*blas)->prepare(NormProblem{1, int64_t{1} << 31}, {}, 1);
        QVERIFY(!prepared);
        QCOMPARE(prepared.why(), std::string("snrm2 takes extents below 2^31 only"));
    }

    void cleanupTestCase() { m_baseline.reset(); }

    void computesTheReference_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("threads");
        const std::vector<Case> all = cases();
        for (const BaselineKind kind : allBaselines())
            for (size_t i = 0; i < all.size(); ++i)
                for (const int threads : {1, 2})
                    QTest::addRow("%s: %s, %d threads", std::string(baselineName(kind)).c_str(), all[i].name, threads)
                        << int(kind) << int(i) << threads;
    }

    void computesTheReference() {
        QFETCH(int, kind);
        QFETCH(int, index);
        QFETCH(int, threads);
        // One process for all problems. A library that is missing, or that this machine's processor ends, is left out
        // here as it is in a comparison.
        if (!m_baseline || m_baseline->kind() != BaselineKind(kind)) {
            m_absent.clear();
            m_baseline.reset();
            auto opened = BaselineProcess::start(BaselineKind(kind), LOOPSCOPE_BIN_DIR "/loopscope-worker");
            if (opened)
                m_baseline = std::move(opened).value();
            else
                m_absent = opened.why();
        }
        if (!m_baseline) QSKIP(m_absent.c_str());
        const std::vector<Case> all = cases();
        const Case &one = all[size_t(index)];
        BaselineOperands operands(one.problem);
        const BaselineBuffers buffers = operands.buffers();

        const auto prepared = m_baseline->prepare(one.problem, buffers, threads);
        const char *refuses = BaselineKind(kind) == BaselineKind::OneDnn ? one.dnnlRefuses : one.blasRefuses;
        if (refuses != nullptr) {
            QVERIFY(!prepared && !m_baseline->died());
            QVERIFY2(prepared.why().find(refuses) != std::string::npos, prepared.why().c_str());
            return;
        }
        if (!prepared && m_baseline->died()) QSKIP(prepared.why().c_str());
        QVERIFY2(prepared.ok(), prepared ? "" : prepared.why().c_str());

        std::vector<double> expected(operands.out.size());
        std::visit([&](const auto &problem) { computeReference(problem, buffers, expected); }, one.problem);
        for (int round = 0; round < 2; ++round) { // the second run must not add to the first
            std::fill(operands.out.begin(), operands.out.end(), std::nanf(""));
            const auto computed = m_baseline->compute(operands.out.data());
            if (!computed && m_baseline->died()) QSKIP(computed.why().c_str());
            QVERIFY2(computed.ok(), computed ? "" : computed.why().c_str());
            for (size_t i = 0; i < expected.size(); ++i) {
                const double error = std::abs(double(operands.out[i]) - expected[i]);
                QVERIFY2(error < 1e-4, qPrintable(QStringLiteral("element %1 is %2, expected %3 (%4)")
                                                      .arg(i)
                                                      .arg(double(operands.out[i]))
                                                      .arg(expected[i])
                                                      .arg(QString::fromStdString(*prepared))));
            }
        }
    }
};

LOOPSCOPE_TEST(BaselinesTest)
#include "baselines_test.moc"
