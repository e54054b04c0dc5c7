// What is sent arrives, over a real socket in pieces of any size, and what is corrupt is refused.

#include <QTest>

#include "base/isolate/channel.h"
#include "base/isolate/wire.h"
#include "base/outcome.h"
#include "measure/messages.h"

#include "process_watch.h"
#include "test_program.h"

#include <QTemporaryFile>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace loopscope;

class MessagesTest : public QObject {
    Q_OBJECT

  private slots:
    /// Any other byte in the memory of a bool is undefined behaviour.
    void aBoolIsOneOfTwoBytes() {
        WireWriter wire;
        wire.put(true);
        wire.put(static_cast<uint8_t>(2));
        WireReader reader(wire.bytes());
        bool value = false;
        reader.get(value);
        QVERIFY(value);
        QVERIFY_THROWS_EXCEPTION(WireError, reader.get(value));
    }

    void setupArrives() {
        SetupMessage sent;
        sent.workload = std::string("a\0b", 3);
        sent.dagKey = "[\"k\"]";
        sent.target.kind = TargetKind::Cuda;
        sent.target.attrs = {{"mcpu", "znver3"}, {"num-cores", "2"}};
        sent.target.hardware.numCores = 7;
        sent.target.cpu = "znver3";
        sent.target.features = "+avx2";
        sent.target.vectorBytes = 64;
        sent.target.l3Bytes = int64_t{1} << 33;
        sent.target.minParallelStores = 17;
        sent.layoutRewrite = 2;
        sent.seed = ~uint64_t{0};
        const SetupMessage got = decodeSetup(encode(sent));
        QCOMPARE(got.workload, sent.workload);
        QCOMPARE(got.dagKey, sent.dagKey);
        QVERIFY(got.target.kind == TargetKind::Cuda);
        QVERIFY(got.target.attrs == sent.target.attrs);
        QVERIFY(got.target.hardware == sent.target.hardware);
        QCOMPARE(got.target.cpu, sent.target.cpu);
        QCOMPARE(got.target.features, sent.target.features);
        QCOMPARE(got.target.vectorBytes, 64);
        QCOMPARE(got.target.l3Bytes, int64_t{1} << 33);
        QCOMPARE(got.target.minParallelStores, int64_t{17});
        QVERIFY(got.target == sent.target);
        QCOMPARE(got.layoutRewrite, 2);
        QCOMPARE(got.seed, ~uint64_t{0});
    }

    void kernelArrives() {
        RunRequest sent;
        BuiltKernel kernel;
        kernel.object.assign(100000, 'x');
        kernel.launch.args.push_back({"w", false, DType::Int8, 24, {4, 5}, {{0, 1, 4}, {1, 2, 3}, {1, 1, 2}}});
        kernel.launch.args.push_back({"out", true, DType::Float64, 4, {2, 2}, {}});
        kernel.launch.kind = TargetKind::Cuda;
        kernel.launch.entry = "main";
        kernel.launch.grids = {{{7, 2, 1}, {32, 1, 4}, 4096}, {{1, 1, 1}, {1, 8, 1}, 0}};
        kernel.launch.threads = 3;
        kernel.launch.scratchBytes = int64_t{1} << 40;
        sent.kernels = {kernel, kernel};
        sent.rounds = 3;
        sent.sampling = {.minRepeatSeconds = 0.125,
                         .minSamples = 5,
                         .maxSamples = 6,
                         .maxTimingSeconds = 0.25,
                         .agreement = 0.5,
                         .hopelessFactor = 7,
                         .bestKnownSeconds = 0.0625,
                         .disturbedSeconds = 8};
        sent.fault = Fault::Hang;
        const RunRequest got = decodeRunRequest(encode(sent));
        QCOMPARE(got.kernels.size(), size_t{2});
        QCOMPARE(got.kernels[1].object, kernel.object);
        QCOMPARE(got.kernels[1].launch.args.size(), size_t{2});
        QCOMPARE(got.kernels[1].launch.args[0].packing.size(), size_t{3});
        QCOMPARE(got.kernels[1].launch.args[0].packing[1].stride, int64_t{2});
        QCOMPARE(got.kernels[1].launch.args[0].shape, (std::vector<int64_t>{4, 5}));
        QVERIFY(got.kernels[1].launch.args[1].output);
        QVERIFY(got.kernels[1].launch.kind == TargetKind::Cuda);
        QCOMPARE(got.kernels[1].launch.entry, std::string("main"));
        QVERIFY(got.kernels[1].launch.grids == kernel.launch.grids);
        QCOMPARE(got.kernels[1].launch.threads, int64_t{3});
        QCOMPARE(got.kernels[1].launch.scratchBytes, int64_t{1} << 40);
        QVERIFY(got.sampling == sent.sampling);
        QVERIFY(got.fault == Fault::Hang);
    }

    void repliesArrive() {
        RunReply sent;
        sent.error = TrialError::WrongAnswer;
        sent.reason = "ü";
        sent.failedKernel = 1;
        sent.maxError = 3.5;
        sent.samples = {{1, 2}, {}};
        sent.least = {0.5, 0};
        const RunReply got = decodeRunReply(encode(sent));
        QCOMPARE(got.error, TrialError::WrongAnswer);
        QCOMPARE(got.reason, std::string("ü"));
        QCOMPARE(got.samples, sent.samples);
        QCOMPARE(got.least, sent.least);
        QCOMPARE(got.maxError, 3.5);
    }

    void everyCutMessageIsRefused() {
        RunReply reply;
        reply.reason = "reason";
        reply.samples = {{1, 2}, {3}};
        const std::string whole = encode(reply);
        for (size_t size = 0; size < whole.size(); ++size)
            QVERIFY_THROWS_EXCEPTION(WireError, decodeRunReply(std::string_view(whole).substr(0, size)));
    }

    void absurdLengthIsRefused() {
        std::string fresh = encode(RunReply{});
        for (size_t i = 0; i + 8 <= fresh.size(); ++i) {
            std::string broken = fresh;
            for (size_t k = 0; k < 8; ++k) broken[i + k] = static_cast<char>(0xff);
            try {
                (void)decodeRunReply(broken); // a number may take any value; a length may not
            } catch (const WireError &) {
            }
        }
        WireWriter writer;
        writer.put(~uint64_t{0});
        WireReader reader(writer.bytes());
        std::vector<double> values;
        QVERIFY_THROWS_EXCEPTION(WireError, reader.get(values));
    }

    void channelKeepsMessagesApart() {
        int ends[2];
        QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        Channel ours(ends[0]);
        Channel theirs(ends[1]);
        std::string message;
        QVERIFY(ours.readAvailable(message) == Channel::Read::Nothing);
        // More than the socket holds, so the sender has to wait for the reader.
        const std::string large(5'000'000, 'y');
        std::thread sender([&] {
            theirs.send("first");
            theirs.send("");
            theirs.send(large);
            theirs.close();
        });
        QCOMPARE(ours.receive().value_or("gone"), std::string("first"));
        QCOMPARE(ours.receive().value_or("gone"), std::string());
        Channel::Read read = Channel::Read::Nothing;
        while (read == Channel::Read::Nothing) read = ours.readAvailable(message);
        sender.join();
        QVERIFY(read == Channel::Read::Message);
        QVERIFY(message == large);
        QVERIFY(!ours.receive());
        QVERIFY(ours.readAvailable(message) == Channel::Read::Closed);
        QVERIFY(!ours.send("nobody reads this"));
    }

    void aFileTravelsWithItsMessage() {
        int ends[2];
        QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        Channel ours(ends[0]);
        Channel theirs(ends[1]);
        QTemporaryFile file;
        QVERIFY(file.open());
        file.write("content");
        file.flush();
        QVERIFY(ours.send("plain"));
        QVERIFY(ours.send("with a file", file.handle()));
        int descriptor = -1;
        QCOMPARE(theirs.receive(descriptor).value_or("gone"), std::string("plain"));
        QCOMPARE(descriptor, -1);
        QCOMPARE(theirs.receive(descriptor).value_or("gone"), std::string("with a file"));
        QVERIFY(descriptor >= 0 && descriptor != file.handle());
        char text[8] = {};
        QCOMPARE(::pread(descriptor, text, sizeof text, 0), ssize_t{7});
        QCOMPARE(QByteArray(text), QByteArray("content"));
        ::close(descriptor);
    }

    /// What a worker sends along opens nothing in the process that measures.
    void aFileThatNobodyAskedForIsRefused() {
        int ends[2];
        QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        Channel ours(ends[0]);
        Channel theirs(ends[1]);
        const size_t before = openDescriptors();
        QVERIFY(ours.send("one", 0));
        QVERIFY(ours.send("two", 0));
        QCOMPARE(theirs.receive().value_or("gone"), std::string("one"));
        std::string message;
        QVERIFY(theirs.readAvailable(message) == Channel::Read::Message);
        QCOMPARE(message, std::string("two"));
        QCOMPARE(openDescriptors(), before);
    }

    /// The first messages of a worker and to it tell builds apart whose messages differ, before anything is misread.
    void anotherBuildIsTold() {
        std::string setup = encode(SetupMessage{});
        setup[3] = static_cast<char>(setup[3] ^ 1);
        try {
            (void)decodeSetup(setup);
            QFAIL("it was read");
        } catch (const Error &problem) {
            QCOMPARE(QByteArray(problem.what()), QByteArray(kOtherBuild));
        }
        QCOMPARE(decodeReady(encode(ReadyMessage{"none", "note"})).note, std::string("note"));
        std::string ready = encode(ReadyMessage{});
        ready[3] = static_cast<char>(ready[3] ^ 1);
        QCOMPARE(QByteArray::fromStdString(decodeReady(ready).problem), QByteArray(kOtherBuild));
        // As a worker from before there was a signature answers.
        WireWriter old;
        old.put(MessageKind::Ready);
        old.put("a message between processes is spoilt");
        old.put("");
        QCOMPARE(QByteArray::fromStdString(decodeReady(old.bytes()).problem), QByteArray(kOtherBuild));
        QCOMPARE(messagesSignature(), messagesSignature());
    }

    void aMessageOfAnotherKindIsRefused() {
        const std::string build = encode(BuildRequest{});
        QVERIFY(kindOf(build) == MessageKind::Build);
        QVERIFY(kindOf(encode(SetupMessage{})) == MessageKind::Setup);
        QVERIFY_THROWS_EXCEPTION(WireError, decodeSetup(build));
        QVERIFY_THROWS_EXCEPTION(WireError, kindOf(""));
    }

    void faultsAreReadAndRefused() {
        const auto faults = parseFaults("3:crash,5:build-hang");
        QCOMPARE(faults.size(), size_t{2});
        QVERIFY(faults.at(3) == Fault::Crash);
        QVERIFY(faults.at(5) == Fault::BuildHang);
        QVERIFY(parseFaults("").empty());
        QVERIFY_THROWS_EXCEPTION(Error, parseFaults("3:nonsense"));
        QVERIFY_THROWS_EXCEPTION(Error, parseFaults("crash"));
        QVERIFY_THROWS_EXCEPTION(Error, parseFaults("x:crash"));
    }
};

LOOPSCOPE_TEST(MessagesTest)
#include "messages_test.moc"
