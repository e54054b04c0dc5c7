// Target strings: parsing, printing, what is detected, and every refusal.

#include "outcome.h"
#include "target/target.h"
#include "target/target_identity.h"

#include <QTest>

using namespace loopscope;

namespace {

std::string refusal(const std::string &text) {
    try {
        parseTarget(text);
    } catch (const Error &error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

class TargetTest : public QObject {
    Q_OBJECT

  private slots:
    void printsSortedAttributes() {
        QCOMPARE(parseTarget("llvm -num-cores=2 -mcpu=znver3").text(),
                 std::string("llvm -keys=cpu -mcpu=znver3 -num-cores=2"));
        QCOMPARE(parseTarget("llvm  -mcpu znver3   --num-cores 2").text(),
                 std::string("llvm -keys=cpu -mcpu=znver3 -num-cores=2"));
        QCOMPARE(parseTarget("cuda").text(),
                 std::string("cuda -keys=cuda,gpu -arch=sm_80 -max_num_threads=1024 -thread_warp_size=32"));
    }

    void printedTargetsParseToThemselves_data() {
        QTest::addColumn<QString>("text");
        for (const char *text : {"llvm", "llvm -mcpu=native", "llvm -mcpu=x86-64-v4 -mattr=-avx512f",
                                 "cuda -arch=sm_90", "llvm -keys=cpu -libs=mkl -mcpu=core-avx2 -num-cores=7"})
            QTest::newRow(text) << text;
    }
    void printedTargetsParseToThemselves() {
        QFETCH(QString, text);
        const Target once = parseTarget(text.toStdString());
        const Target twice = parseTarget(once.text());
        QCOMPARE(twice.text(), once.text());
        QCOMPARE(twice.vectorBytes, once.vectorBytes);
        QCOMPARE(twice.features, once.features);
        QVERIFY(twice.hardware == once.hardware);
    }

    void detectsThisMachine() {
        const Target host = parseTarget("llvm");
        QVERIFY(!host.cpu.empty());
        QVERIFY(host.hardware.numCores >= 1);
        QVERIFY(host.vectorBytes >= 16);
        QVERIFY(host.l1Bytes >= 8 * 1024 && host.l2Bytes >= host.l1Bytes);
#if defined(__x86_64__)
        QCOMPARE(host.vectorBytes >= 64, static_cast<bool>(__builtin_cpu_supports("avx512f")));
        QCOMPARE(host.vectorBytes >= 32, static_cast<bool>(__builtin_cpu_supports("avx")));
#endif
    }

    void coresFromTheEnvironment() {
        qputenv("LOOPSCOPE_NUM_CORES", "3");
        QCOMPARE(parseTarget("llvm -mcpu=znver3").hardware.numCores, 3);
        QCOMPARE(parseTarget("llvm -mcpu=znver3 -num-cores=5").hardware.numCores, 5);
        qputenv("LOOPSCOPE_NUM_CORES", "many");
        QVERIFY(refusal("llvm -mcpu=znver3").find("LOOPSCOPE_NUM_CORES is 'many'") != std::string::npos);
        qunsetenv("LOOPSCOPE_NUM_CORES");
    }

#if defined(__x86_64__)
    void vectorUnits_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<int>("registers");
        QTest::newRow("v2") << "llvm -mcpu=x86-64-v2" << 16 << 16;
        QTest::newRow("v3") << "llvm -mcpu=x86-64-v3" << 32 << 16;
        QTest::newRow("v4") << "llvm -mcpu=x86-64-v4" << 64 << 32;
        QTest::newRow("skylake-avx512") << "llvm -mcpu=skylake-avx512" << 64 << 32;
        QTest::newRow("znver3") << "llvm -mcpu=znver3" << 32 << 16;
        QTest::newRow("znver4") << "llvm -mcpu=znver4" << 64 << 32;
        QTest::newRow("without") << "llvm -mcpu=znver4 -mattr=-avx512f" << 32 << 16;
        QTest::newRow("none") << "llvm -mcpu=znver4 -mattr=-avx" << 16 << 16;
        QTest::newRow("with") << "llvm -mcpu=x86-64 -mattr=+avx512f" << 64 << 32;
        QTest::newRow("generic") << "llvm -mcpu=generic" << 16 << 16;
    }
    void vectorUnits() {
        QFETCH(QString, text);
        QFETCH(int, bytes);
        QFETCH(int, registers);
        const Target target = parseTarget(text.toStdString());
        QCOMPARE(target.vectorBytes, bytes);
        QCOMPARE(target.vectorRegisters, registers);
        QCOMPARE(target.hardware.vectorUnitBytes, 64); // Ansor's constant for every CPU
    }
#endif

    void cudaLimits() {
        const Target target = parseTarget("cuda -keys=cuda,gpu -arch=sm_86 -max_num_threads=512 -thread_warp_size=32");
        QVERIFY(target.isGpu());
        QVERIFY((target.hardware == HardwareParams{-1, 16, 64, 49152, 2147483647, 512, 8, 32}));
    }

    void refusals_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("part");
        QTest::newRow("empty") << ""
                               << "the target is empty";
        QTest::newRow("kind") << "opencl"
                              << "target kind 'opencl' is not known";
        QTest::newRow("attribute") << "llvm -mcp=znver3"
                                   << "no attribute 'mcp'; did you mean 'mcpu'?";
        QTest::newRow("number") << "llvm -num-cores=two"
                                << "-num-cores=two: a whole number from 1";
        QTest::newRow("zero") << "llvm -num-cores=0"
                              << "a whole number from 1";
        QTest::newRow("features") << "llvm -mcpu=znver3 -mattr=avx2"
                                  << "'avx2' must start with + or -";
        QTest::newRow("unknown feature") << "llvm -mcpu=x86-64-v3 -mattr=+avx2,+avx512"
                                         << "LLVM knows no feature 'avx512' of this architecture; did you mean 'avx512";
        QTest::newRow("feature of nothing") << "llvm -mcpu=x86-64-v3 -mattr=+zzzzzzzzz"
                                            << "LLVM knows no feature 'zzzzzzzzz' of this architecture";
        QTest::newRow("control character") << QString("llvm -model=a\x01") << "the byte \\x01 at place 13";
        QTest::newRow("not ASCII") << QString("llvm -model=\u00fc") << "the byte \\xc3 at place 12";
        QTest::newRow("word") << "llvm fast"
                              << "not understood at 'fast'";
        QTest::newRow("arch") << "cuda -arch=86"
                              << "an architecture like sm_80";
#if defined(__x86_64__)
        QTest::newRow("cpu") << "llvm -mcpu=znver33"
                             << "knows no such processor; did you mean 'znver3'?";
#endif
    }
    void targetsAreToldApartByWhatDecidesTimes() {
        const auto same = [](const char *a, const char *b) {
            return identityOf(a, nullptr).sameAs(identityOf(b, nullptr));
        };
        QVERIFY(same("llvm -keys=cpu -mcpu=a -num-cores=2 -libs=x", "llvm -num-cores 2 -mcpu a"));
        QVERIFY(!same("llvm -mcpu=a -num-cores=2", "llvm -mcpu=b -num-cores=2"));
        QVERIFY(!same("llvm -mcpu=a -num-cores=2", "llvm -mcpu=a -num-cores=3"));
        QVERIFY(!same("llvm -mcpu=a -mattr=+x", "llvm -mcpu=a -mattr=-x"));
        QVERIFY(!same("llvm -mcpu=a", "llvm -mcpu=a -mtriple=aarch64-linux-gnu"));
        QVERIFY(!same("cuda -arch=sm_80", "cuda -arch=sm_86"));
        QVERIFY(same("cuda -arch=sm_80", "cuda -keys=cuda,gpu"));
        QVERIFY(same("llvm", "llvm -mcpu=generic"));
        QVERIFY(!same("llvm", "cuda"));
        const Target target = parseTarget("llvm -mcpu=x86-64-v3 -num-cores=3");
        QVERIFY(identityOf(target).sameAs(identityOf(target.text(), nullptr)));
        QCOMPARE(identityOf(target).text(), std::string("llvm -mcpu=x86-64-v3 -num-cores=3"));
    }

    void refusals() {
        QFETCH(QString, text);
        QFETCH(QString, part);
        const std::string why = refusal(text.toStdString());
        QVERIFY2(why.find(part.toStdString()) != std::string::npos, why.c_str());
    }
};

QTEST_GUILESS_MAIN(TargetTest)
#include "target_test.moc"
