// A library that dies costs itself and nothing else; what it computes and how long it takes crosses the border.

#include "harness/environment.h"
#include "peer_reference.h"
#include "peers/peer_messages.h"
#include "peers/peer_process.h"
#include "peers/shared_library.h"

#include <QTest>

using namespace loopscope;

namespace {

const std::string kWorker = LOOPSCOPE_BIN_DIR "/loopscope-worker";

} // namespace

class PeerProcessTest : public QObject {
    Q_OBJECT

  private slots:
    void requestsTravel() {
        ConvProblem conv = makeConv(ChannelOrder::First, 2, 8, 16, {{9, 3, 1, 2, 1, 1, 0}, {7, 5, 1, 1, 2, 2, 2}}, 4);
        conv.tail = {true, false, true, true};
        PeerRequest request;
        request.order = PeerOrder::Prepare;
        request.kind = PeerKind::Blis;
        request.ownChoice = true;
        request.problem = conv;
        request.threads = 3;
        request.calls = 99;
        const PeerRequest back = decodePeerRequest(encode(request));
        QCOMPARE(back.order, request.order);
        QCOMPARE(back.kind, request.kind);
        QVERIFY(back.ownChoice);
        QCOMPARE(back.threads, 3);
        QCOMPARE(back.calls, int64_t{99});
        QCOMPARE(describe(back.problem), describe(request.problem));
        QCOMPARE(bufferSizes(back.problem).weights, bufferSizes(request.problem).weights);
        QCOMPARE(bufferSizes(back.problem).out, bufferSizes(request.problem).out);
        const PeerReply reply = decodePeerReply(encode(PeerReply{"no", "a name", 0.5, "jit", 2.5}));
        QCOMPARE(reply.refusal, std::string("no"));
        QCOMPARE(reply.name, std::string("a name"));
        QCOMPARE(reply.restSeconds, 0.5);
        QCOMPARE(reply.implementation, std::string("jit"));
        QCOMPARE(reply.seconds, 2.5);
    }

    void computesAndTimes() {
        const Environment fake("LD_LIBRARY_PATH", LOOPSCOPE_FAKE_LIBRARIES);
        auto peer = PeerProcess::start(PeerKind::Blis, kWorker);
        QVERIFY2(peer.ok(), peer ? "" : peer.why().c_str());
        QCOMPARE((*peer)->name(), std::string("BLIS 0.9.0 (fake)"));
        for (const int64_t n : {5, 31}) { // the second problem takes the place of the first
            const PeerProblem problem = makeMatmul(1, 7, n, 13);
            PeerOperands operands(problem);
            const PeerBuffers buffers = operands.buffers();
            const auto prepared = (*peer)->prepare(problem, buffers, 1);
            QVERIFY2(prepared.ok(), prepared ? "" : prepared.why().c_str());
            QCOMPARE(*prepared, std::string("sgemm"));
            const auto computed = (*peer)->compute(operands.out.data());
            QVERIFY2(computed.ok(), computed ? "" : computed.why().c_str());
            std::vector<double> expected(operands.out.size());
            computeReference(std::get<MatmulProblem>(problem), buffers, expected);
            for (size_t i = 0; i < expected.size(); ++i)
                QVERIFY(std::abs(double(operands.out[i]) - expected[i]) < 1e-4);
            const auto seconds = (*peer)->time(10);
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
        auto peer = PeerProcess::start(PeerKind::Blis, kWorker);
        std::string why;
        if (!peer) {
            QCOMPARE(mode, QByteArray("abort when opened"));
            why = peer.why();
        } else {
            const PeerProblem problem = makeMatmul(1, 7, 5, 13);
            PeerOperands operands(problem);
            QVERIFY((*peer)->prepare(problem, operands.buffers(), 1).ok());
            const auto computed = (*peer)->compute(operands.out.data());
            QVERIFY(!computed);
            why = computed.why();
            QVERIFY((*peer)->died());
            const auto again = (*peer)->time(1);
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
        const auto peer = PeerProcess::start(PeerKind::Blis, kWorker);
        QVERIFY2(peer.ok(), peer ? "" : peer.why().c_str());
    }

    void aMissingWorkerIsAnError() {
        QVERIFY_THROWS_EXCEPTION(Error, (void)PeerProcess::start(PeerKind::Blis, "/nowhere/loopscope-worker"));
    }
};

QTEST_GUILESS_MAIN(PeerProcessTest)
#include "peer_process_test.moc"
