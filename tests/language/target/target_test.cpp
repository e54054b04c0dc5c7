// Target strings: parsing, printing, what is detected, and every refusal.

#include "base/outcome.h"
#include "language/target/detected_gpu.h"
#include "language/target/gpu_presets.h"
#include "language/target/target.h"
#include "language/target/target_identity.h"
#include "test_program.h"

#include <QTest>

#include <set>

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

    void gpusByName_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("printed");
        QTest::addColumn<int>("multiprocessors");
        const QString a100 = "cuda -keys=cuda,gpu -arch=sm_80 -max_num_threads=1024 -model=a100 -thread_warp_size=32";
        const QString ampere =
            "cuda -keys=cuda,gpu -arch=sm_86 -max_num_threads=1024 -model=rtx-3090 -thread_warp_size=32";
        QTest::newRow("preset") << "cuda -model=a100" << a100 << 108;
        QTest::newRow("tag") << "nvidia/nvidia-a100" << a100 << 108;
        QTest::newRow("driver's name") << "cuda -model=A100-SXM4-40GB" << a100 << 108;
        QTest::newRow("tag of a GeForce") << "nvidia/geforce-rtx-3090" << ampere << 82;
        QTest::newRow("as people write it") << "cuda -model=RTX3090" << ampere << 82;
        QTest::newRow("with its architecture") << "cuda -model=rtx-3090 -arch=sm_86" << ampere << 82;
        QTest::newRow("unknown of an architecture")
            << "cuda -arch=sm_75 -model=unknown"
            << "cuda -keys=cuda,gpu -arch=sm_75 -max_num_threads=1024 -model=unknown -thread_warp_size=32" << 40;
        QTest::newRow("a figure of one's own")
            << "cuda -model=a100 -num-multiprocessors=54"
            << "cuda -keys=cuda,gpu -arch=sm_80 -max_num_threads=1024 -model=a100 -num-multiprocessors=54 "
               "-thread_warp_size=32"
            << 54;
        QTest::newRow("arch with features")
            << "cuda -arch=sm_90a" << "cuda -keys=cuda,gpu -arch=sm_90a -max_num_threads=1024 -thread_warp_size=32"
            << 132;
    }
    void gpusByName() {
        QFETCH(QString, text);
        QFETCH(QString, printed);
        QFETCH(int, multiprocessors);
        const Target target = parseTarget(text.toStdString());
        QCOMPARE(QString::fromStdString(target.text()), printed);
        QCOMPARE(target.gpu.multiprocessors, multiprocessors);
        QVERIFY(parseTarget(target.text()) == target);
        // What a log of Ansor's holds is the same for all of them.
        QVERIFY((target.hardware == HardwareParams{-1, 16, 64, 49152, 2147483647, 1024, 8, 32}));
    }

    void figuresOfAnArchitecture() {
        const Target turing = parseTarget("cuda -arch=sm_75");
        QCOMPARE(turing.gpu.threadsPerMultiprocessor, 1024);
        QCOMPARE(turing.gpu.blocksPerMultiprocessor, 16);
        QCOMPARE(turing.gpu.sharedPerMultiprocessor, int64_t{64 * 1024});
        QVERIFY(turing.gpu.model.empty());
        const Target hopper = parseTarget("cuda -arch=sm_90 -memory_gb_per_s=4000 -l2_cache_size_bytes=1000000");
        QCOMPARE(hopper.gpu.sharedPerBlockOptIn, int64_t{227 * 1024});
        QCOMPARE(hopper.gpu.memoryGBs, 4000.0);
        QCOMPARE(hopper.l2Bytes, int64_t{1000000});
        QCOMPARE(parseTarget("cuda -arch=sm_90 -clock_mhz=1500.5").gpu.clockGHz, 1.5005);
        QCOMPARE(parseTarget("cuda -model=a100 -max_shared_memory_per_block=166912").hardware.maxSharedMemoryPerBlock,
                 163 * 1024);
    }

    void everyPresetIsATarget() {
        std::set<std::string> names;
        for (const GpuPreset &preset : gpuPresets()) {
            const Target target = parseTarget("cuda -model=" + std::string(preset.name));
            QCOMPARE(target.gpu.model, std::string(preset.name));
            QCOMPARE(target.attrs.at("arch"), std::string(preset.arch));
            QVERIFY(names.insert(target.gpu.model).second);
            QVERIFY(findGpuPreset(preset.title) == &preset);
            if (!preset.tag.empty()) QVERIFY(parseTarget(preset.tag).gpu == target.gpu);
        }
        for (const GpuArchitecture &architecture : gpuArchitectures())
            QVERIFY2(findGpuPreset(architecture.typical) != nullptr, std::string(architecture.name).c_str());
    }

    /// Names of one GPU are not those of another.
    void namesAreUnambiguous() {
        for (const GpuPreset &preset : gpuPresets())
            for (const std::string_view name : {preset.name, preset.title, preset.tag})
                if (!name.empty()) QVERIFY2(findGpuPreset(name) == &preset, std::string(name).c_str());
    }

    /// What no NVIDIA GPU has: shuffles reach over 32 lanes, launches take 1024 threads.
    void warpsAndBlocksAreNvidias() {
        QCOMPARE(refusal("cuda -thread_warp_size=64"),
                 std::string("target attribute -thread_warp_size=64: a warp of sm_80 has 32 threads"));
        QCOMPARE(refusal("cuda -max_num_threads=4096"),
                 std::string("target attribute -max_num_threads=4096: a block of sm_80 has 1024 threads at most"));
        QCOMPARE(
            refusal("cuda -max_threads_per_block=2048"),
            std::string("target attribute -max_threads_per_block=2048: a block of sm_80 has 1024 threads at most"));
    }

    void theDriverIsAsked() {
        QVERIFY(refusal("cuda -arch=native").find("does not ask the CUDA driver") != std::string::npos);
        setGpuDetector([]() -> Outcome<DetectedGpu> { return DetectedGpu{"NVIDIA A100-SXM4-40GB", "sm_80", {}, 0}; });
        QCOMPARE(parseTarget("cuda -arch=native").gpu.model, std::string("a100"));
        setGpuDetector([]() -> Outcome<DetectedGpu> {
            DetectedGpu gpu{"NVIDIA Something New", "sm_90", {}, 1 << 20};
            gpu.limits.multiprocessors = 7;
            gpu.limits.clockGHz = 1.5;
            gpu.limits.memoryGBs = 123;
            return gpu;
        });
        const Target target = parseTarget("cuda -arch=native");
        QCOMPARE(target.text(), std::string("cuda -keys=cuda,gpu -arch=sm_90 -clock_mhz=1500 "
                                            "-l2_cache_size_bytes=1048576 -max_num_threads=1024 -memory_gb_per_s=123 "
                                            "-num-multiprocessors=7 -thread_warp_size=32"));
        QVERIFY(parseTarget(target.text()) == target);
        setGpuDetector([]() -> Outcome<DetectedGpu> { return Refusal{"there is no driver"}; });
        QCOMPARE(refusal("cuda -arch=native"), std::string("target attribute -arch=native: there is no driver"));
        setGpuDetector(nullptr);
    }

    /// Code runs on newer GPUs; that of sm_90a on sm_90 alone, that of sm_100f within the family.
    void whatAGpuRuns() {
        setGpuDetector([]() -> Outcome<DetectedGpu> { return DetectedGpu{"GPU", "sm_103", {}, 0}; });
        const auto runs = [](const char *text) { return bool(gpuThatRuns(parseTarget(text))); };
        QVERIFY(runs("cuda -arch=sm_75") && runs("cuda -arch=sm_100") && runs("cuda -arch=sm_100f"));
        QVERIFY(!runs("cuda -arch=sm_120") && !runs("cuda -arch=sm_90a") && !runs("cuda -arch=sm_100a"));
        const auto other = gpuThatRuns(parseTarget("cuda -model=l4"));
        QVERIFY(!other.ok());
        QCOMPARE(other.why(), std::string("the GPU of this machine, GPU, is not the l4 that the target names; choose "
                                          "the target cuda -arch=native"));
        QCOMPARE(parseTargetHere("cuda").attrs["arch"], std::string("sm_103"));
        QCOMPARE(parseTargetHere("cuda -arch=sm_75").attrs["arch"], std::string("sm_75"));
        QCOMPARE(parseTargetHere("cuda -model=a100").attrs["arch"], std::string("sm_80"));
        QCOMPARE(parseTargetHere("nvidia/geforce-rtx-3090").attrs["arch"], std::string("sm_86"));
        QCOMPARE(parseTarget("cuda").attrs["arch"], std::string("sm_80")); // of a log, say
        setGpuDetector(nullptr);
        QCOMPARE(parseTargetHere("cuda").attrs["arch"], std::string("sm_80"));
    }

    void targetsOfTodayAreRead() {
        const auto same = [](const char *json, const char *line) {
            QCOMPARE(parseTarget(json).text(), parseTarget(line).text());
        };
        same(
            R"({"kind": "llvm", "mcpu": "x86-64-v3", "num-cores": 3, "keys": ["cpu"], "tag": "", "mattr": ["+avx2", "+fma"]})",
            "llvm -keys=cpu -mcpu=x86-64-v3 -num-cores=3 -mattr=+avx2,+fma");
        same(
            R"({"kind": "cuda", "arch": "sm_86", "max_num_threads": 1024, "thread_warp_size": 32, "keys": ["cuda", "gpu"],
                 "host": {"kind": "llvm"}, "max_shared_memory_per_block": 49152})",
            "cuda -keys=cuda,gpu -arch=sm_86 -max_shared_memory_per_block=49152");
        same(R"({"tag": "nvidia/geforce-rtx-3090"})", "nvidia/geforce-rtx-3090");
        QVERIFY(refusal(R"({"kind": "llvm")").find("the target is not JSON: it ends too early") != std::string::npos);
        QVERIFY(refusal(R"({"mcpu": "znver3"})").find("the target has no \"kind\"") != std::string::npos);
        QVERIFY(refusal(R"({"kind": "llvm", "mcpu": {}})").find("\"mcpu\" is object") != std::string::npos);
        QVERIFY(refusal(R"({"kind": "llvm", "model": "a -mcpu=b"})").find("has a blank in its value") !=
                std::string::npos);
        QVERIFY(refusal(R"({"kind": "opencl"})").find("target kind 'opencl' is not known") != std::string::npos);
    }

    /// Of CUDA 13.5's architectures.
    void newArchitectures() {
        const Target rubin = parseTarget("cuda -arch=sm_107");
        QCOMPARE(rubin.gpu.sharedPerMultiprocessor, int64_t{328} * 1024);
        QCOMPARE(rubin.gpu.sharedPerBlockOptIn, int64_t{327} * 1024);
        QCOMPARE(rubin.gpu.blocksPerMultiprocessor, 16);
        const Target console = parseTarget("cuda -arch=sm_88");
        QCOMPARE(console.gpu.sharedPerMultiprocessor, int64_t{100} * 1024);
        QCOMPARE(console.gpu.blocksPerMultiprocessor, 16);
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
        QTest::newRow("unknown arch") << "cuda -arch=sm_85"
                                      << "-arch=sm_85: no such architecture is known; did you mean 'sm_86'?";
        QTest::newRow("model") << "cuda -model=rtx-3091"
                               << "-model=rtx-3091: no such GPU is known; did you mean 'rtx-309";
        QTest::newRow("tag") << "nvidia/geforce-rtx-9999"
                             << "no such GPU is known";
        QTest::newRow("model of another arch") << "cuda -model=a100 -arch=sm_86"
                                               << "the A100 SXM 40 GB is sm_80; leave one of them out";
        QTest::newRow("shared") << "cuda -arch=sm_86 -max_shared_memory_per_block=200000"
                                << "a block of sm_86 has 101376 bytes at most";
        QTest::newRow("rate") << "cuda -clock_mhz=fast"
                              << "-clock_mhz=fast: a number above 0 is expected";
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
        QVERIFY(!same("cuda -arch=sm_86 -model=rtx-3090", "cuda -arch=sm_86 -model=rtx-3070"));
        QVERIFY(same("cuda -arch=sm_86 -model=rtx-3090", "cuda -arch=sm_86"));
        QVERIFY(same("cuda -arch=sm_86 -model=rtx-3090", "cuda -arch=sm_86 -model=unknown"));
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

LOOPSCOPE_TEST(TargetTest)
#include "target_test.moc"
