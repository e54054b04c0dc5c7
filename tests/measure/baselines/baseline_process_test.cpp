// A library that dies costs itself and nothing else; what it computes and how long it takes crosses the border.

#include "base/isolate/wire.h"
#include "baseline_reference.h"
#include "harness/baseline_problems.h"
#include "harness/environment.h"
#include "measure/baselines/baseline_messages.h"
#include "measure/baselines/baseline_process.h"
#include "measure/baselines/shared_library.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

const std::string kWorker = LOOPSCOPE_BIN_DIR "/loopscope-worker";

} // namespace

class BaselineProcessTest : public QObject {
    Q_OBJECT

  private slots:
    void requestsTravel() {
        ConvProblem conv = makeConv(ChannelOrder::First, 2, 8, 16, {{9, 3, 1, 2, 1, 1, 0}, {7, 5, 1, 1, 2, 2, 2}}, 4);
        conv.tail = {true, false, true, true};
        BaselineRequest request;
        request.order = BaselineOrder::Prepare;
        request.kind = BaselineKind::Blis;
        request.ownChoice = true;
        request.problem = conv;
        request.threads = 3;
        request.calls = 99;
        const BaselineRequest back = decodeBaselineRequest(encode(request));
        QCOMPARE(back.order, request.order);
        QCOMPARE(back.kind, request.kind);
        QVERIFY(back.ownChoice);
        QCOMPARE(back.threads, 3);
        QCOMPARE(back.calls, int64_t{99});
        QCOMPARE(describe(back.problem), describe(request.problem));
        QCOMPARE(bufferSizes(back.problem).weights, bufferSizes(request.problem).weights);
        QCOMPARE(bufferSizes(back.problem).out, bufferSizes(request.problem).out);
        const BaselineReply reply = decodeBaselineReply(encode(BaselineReply{"no", "a name", 0.5, "jit", 2.5}));
        QCOMPARE(reply.refusal, std::string("no"));
        QCOMPARE(reply.name, std::string("a name"));
        QCOMPARE(reply.restSeconds, 0.5);
        QCOMPARE(reply.implementation, std::string("jit"));
        QCOMPARE(reply.seconds, 2.5);
    }

    void problemsOfOneOperandTravel() {
        for (const BaselineProblem &problem :
             {BaselineProblem(SoftmaxProblem{6, 9}), BaselineProblem(NormProblem{2, 8})}) {
            BaselineRequest request;
            request.problem = problem;
            request.threads = 2;
            const BaselineRequest back = decodeBaselineRequest(encode(request));
            QCOMPARE(describe(back.problem), describe(problem));
            QCOMPARE(back.threads, 2);
            const BaselineFile places(problem);
            QCOMPARE(places.weights.bytes, size_t{0});
            QCOMPARE(places.out.bytes, bufferSizes(problem).out * sizeof(float));
        }
    }

    void aProblemOfNoKnownKindIsRefused() {
        BaselineRequest request;
        request.problem = NormProblem{2, 8};
        std::string bytes = encode(request);
        const size_t kind = sizeof request.order + sizeof request.kind + sizeof(uint8_t);
        QCOMPARE(int(bytes[kind]), 3);
        bytes[kind] = 4;
        QVERIFY_THROWS_EXCEPTION(WireError, (void)decodeBaselineRequest(bytes));
    }

    void computesAndTimes() {
        const Environment fake("LD_LIBRARY_PATH", LOOPSCOPE_FAKE_LIBRARIES);
        auto baseline = BaselineProcess::start(BaselineKind::Blis, kWorker);
        QVERIFY2(baseline.ok(), baseline ? "" : baseline.why().c_str());
        QCOMPARE((*baseline)->name(), std::string("BLIS 0.9.0 (fake)"));
        for (const int64_t n : {5, 31}) { // the second problem takes the place of the first
            const BaselineProblem problem = makeMatmul(1, 7, n, 13);
            BaselineOperands operands(problem);
            const BaselineBuffers buffers = operands.buffers();
            const auto prepared = (*baseline)->prepare(problem, buffers, 1);
            QVERIFY2(prepared.ok(), prepared ? "" : prepared.why().c_str());
            QCOMPARE(*prepared, std::string("sgemm"));
            const auto computed = (*baseline)->compute(operands.out.data());
            QVERIFY2(computed.ok(), computed ? "" : computed.why().c_str());
            std::vector<double> expected(operands.out.size());
            computeReference(std::get<MatmulProblem>(problem), buffers, expected);
            for (size_t i = 0; i < expected.size(); ++i)
                QVERIFY(std::abs(double(operands.out[i]) - expected[i]) < 1e-4);
            const auto seconds = (*baseline)->time(10);
            QVERIFY(seconds && *seconds > 0);
        }
    }

    void death_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::addColumn<QString>("reason");
        QTest::newRow("opened") << QByteArray("abort when opened") << "SIGABRT";
        QTest::newRow("abort") << QByteArray("abort") << "SIGABRT";
        QTest::newRow("crash") << QByteArray("crash") << "SIGSEGV";
        QTest::newRow("exit") << QByteArray("exit") << "exited with code 3";
    }
    void death() {
        QFETCH(QByteArray, mode);
        QFETCH(QString, reason);
        const Environment fake("LD_LIBRARY_PATH", LOOPSCOPE_FAKE_LIBRARIES);
        const Environment misbehaves("LOOPSCOPE_FAKE_BLIS", mode.constData());
        // A sanitizer built into the worker would report a crash and exit.
        const Environment address("ASAN_OPTIONS", (qgetenv("ASAN_OPTIONS") + ":handle_segv=0").constData());
        const Environment thread("TSAN_OPTIONS", (qgetenv("TSAN_OPTIONS") + ":handle_segv=0").constData());
        auto baseline = BaselineProcess::start(BaselineKind::Blis, kWorker);
        std::string why;
        if (!baseline) {
            QCOMPARE(mode, QByteArray("abort when opened"));
            why = baseline.why();
        } else {
            const BaselineProblem problem = makeMatmul(1, 7, 5, 13);
            BaselineOperands operands(problem);
            QVERIFY((*baseline)->prepare(problem, operands.buffers(), 1).ok());
            const auto computed = (*baseline)->compute(operands.out.data());
            QVERIFY(!computed);
            why = computed.why();
            QVERIFY((*baseline)->died());
            const auto again = (*baseline)->time(1);
            QVERIFY(!again);
            QCOMPARE(again.why(), why);
        }
        QVERIFY2(QString::fromStdString(why).contains(reason), why.c_str());
        QVERIFY2(QString::fromStdString(why).startsWith("the library's process "), why.c_str());
        if (mode.startsWith("abort")) QVERIFY2(why.find("libblis: Aborting.") != std::string::npos, why.c_str());
    }

    /// BLIS aborts on processors it does not know when it is told which kernels to take.
    void aLibraryThatDiesOfOurHelpIsOpenedWithout() {
        const Environment fake("LD_LIBRARY_PATH", LOOPSCOPE_FAKE_LIBRARIES);
        const Environment misbehaves("LOOPSCOPE_FAKE_BLIS", "dislikes help");
        const Environment notChosen("BLIS_ARCH_TYPE", nullptr);
        const auto baseline = BaselineProcess::start(BaselineKind::Blis, kWorker);
        QVERIFY2(baseline.ok(), baseline ? "" : baseline.why().c_str());
    }

    void aMissingWorkerIsAnError() {
        QVERIFY_THROWS_EXCEPTION(Error, (void)BaselineProcess::start(BaselineKind::Blis, "/nowhere/loopscope-worker"));
    }
};

LOOPSCOPE_TEST(BaselineProcessTest)
#include "baseline_process_test.moc"
