// Whatever stands in a log, reading it, replaying it and turning it into loops and C ends with a sentence or with a
// result: no internal error, no raw exception, no hang, no more than 2 GiB. A line that fails is printed; its number
// alone brings it back (LOOPSCOPE_FUZZ_LINE); LOOPSCOPE_FUZZ_SEED gives other lines.

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include "base/check.h"
#include "base/outcome.h"
#include "codegen/kernel_code.h"
#include "codegen/lower/lower.h"
#include "language/te/workload.h"
#include "record_mutations.h"
#include "records/record/record_writer.h"
#include "schedule/bound_inference.h"
#include "schedule/steps_json.h"
#include "search/features/features.h"
#include "test_program.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace loopscope;

namespace {

constexpr uint64_t kSeed = 20240607;
constexpr qint64 kSlowest = 20'000; // ms for one line; seconds are normal beside other work
constexpr size_t kMaxMemory = size_t{2} << 30;

struct FuzzWorkload {
    std::string name; // of the log in tests/records/record/fuzz
    Task task;
    std::vector<std::string> lines;
};

FuzzWorkload fuzzWorkload(const std::string &name, const std::string &workload, const std::string &target) {
    const std::string folder = std::string(LOOPSCOPE_SOURCE_DIR) + "/tests/records/record/fuzz/";
    FuzzWorkload made{
        name, makeTask(ComputeDag::fromWorkload(loadWorkload(folder + workload + ".te")), parseTarget(target)), {}};
    std::ifstream file(folder + name + ".json");
    for (std::string line; std::getline(file, line);) made.lines.push_back(line);
    return made;
}

std::vector<FuzzWorkload> fuzzWorkloads() {
    std::vector<FuzzWorkload> all;
    for (const char *name :
         {"matmul", "conv2d_bias_relu", "softmax", "norm", "depthwise_conv2d_nhwc", "conv2d_winograd_nhwc"})
        all.push_back(fuzzWorkload(name, name, "llvm -mcpu=x86-64 -num-cores=2"));
    all.push_back(fuzzWorkload("matmul_cuda", "matmul", "cuda -arch=sm_80"));
    return all;
}

/// How far a line came, so that the fuzz can tell that it tests something.
enum class Reached : uint8_t { Unread, Read, OfTask, Replayed, Bounded, Nest, Lowered };

Reached follow(const FuzzWorkload &workload, const std::string &line) {
    Record record;
    try {
        record = parseRecord(line, "fuzz.json", 1);
    } catch (const Error &error) {
        if (error.sentence().empty()) throw InternalError("a refusal without a sentence");
        return Reached::Unread;
    }
    const Task &task = workload.task;
    // What was read is written, and read again as the same.
    const Record again = parseRecord(recordLine(record), "", 0);
    LOOPSCOPE_CHECK(recordName(again) == recordName(record), "a record changes when it is written");
    (void)recordComment(record);
    (void)targetMatches(record, task.target);
    RecordLog log;
    log.records = {record};
    (void)bestRecord(log, task);
    // Shown by its number, or by a record of another key that goes by the same steps.
    const bool matches = recordMatches(record, task).ok();
    Reached reached = matches ? Reached::OfTask : Reached::Read;

    const auto state = replay(task.dag, record.trial.steps.unpack());
    if (!state) return reached;
    (void)state->text();
    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const auto bounded = inferBounds(*state);
    if (!bounded) return Reached::Replayed;
    (void)bounded->state.text();
    const auto nest = buildLoopNest(*bounded);
    if (!nest) return Reached::Bounded;
    std::vector<StageFeatures> features;
    extractFeatures(*nest, task.target, features);
    LowerOptions options;
    options.layoutRewrite = record.layoutRewrite;
    const auto program = lower(*state, task.target, options);
    if (!program) return Reached::Nest;
    if (program->nodeCount < 20'000) (void)emitC(*program, task.target);
    return Reached::Lowered;
}

[[maybe_unused]] size_t addressSpace() {
    std::ifstream statm("/proc/self/statm");
    size_t pages = 0;
    statm >> pages;
    return pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace

class RecordFuzzTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        m_workloads = fuzzWorkloads();
        for (const FuzzWorkload &workload : m_workloads) {
            QVERIFY2(!workload.lines.empty(), workload.name.c_str());
            for (const std::string &line : workload.lines) QVERIFY(follow(workload, line) == Reached::Lowered);
        }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        const rlimit limit{addressSpace() + kMaxMemory, RLIM_INFINITY};
        QCOMPARE(::setrlimit(RLIMIT_AS, &limit), 0);
#endif
    }

    void mutatedLines() {
        bool other = false;
        const int asked = qEnvironmentVariableIntValue("LOOPSCOPE_FUZZ_SEED", &other);
        const uint64_t seed = other ? static_cast<uint64_t>(asked) : kSeed;
        const int lines = qEnvironmentVariableIntValue("LOOPSCOPE_LONG_TESTS") > 0 ? 10'000 : 400;
        bool one = false;
        const int only = qEnvironmentVariableIntValue("LOOPSCOPE_FUZZ_LINE", &one);
        std::array<int, 7> reached{};
        std::vector<std::string> failures;
        for (int n = one ? only : 0; n < (one ? only + 1 : lines); ++n) {
            const FuzzWorkload &workload = m_workloads[static_cast<size_t>(n) % m_workloads.size()];
            const std::string line = mutatedLine(workload.lines, seed, static_cast<uint64_t>(n));
            QElapsedTimer timer;
            timer.start();
            std::string problem;
            try {
                ++reached[static_cast<size_t>(follow(workload, line))];
            } catch (const std::exception &error) {
                problem = error.what();
            }
            if (timer.elapsed() > kSlowest) problem += fmt::format(" took {} ms", timer.elapsed());
            if (problem.empty()) continue;
            failures.push_back(fmt::format("line {} ({}): {}\n{:.2000}", n, workload.name, problem, line));
            qWarning("%s", failures.back().c_str());
        }
        qInfo("unread %d, read %d, of the task %d, replayed %d, bounded %d, nested %d, lowered %d", reached[0],
              reached[1], reached[2], reached[3], reached[4], reached[5], reached[6]);
        QVERIFY2(failures.empty(), fmt::format("{} lines failed", failures.size()).c_str());
        if (one) return;
        for (const Reached kind : {Reached::Unread, Reached::Read, Reached::OfTask, Reached::Lowered})
            QVERIFY2(reached[static_cast<size_t>(kind)] > lines / 200, "the mutations do not reach all there is");
    }

    /// Lines that once ended otherwise: names that doubled with every split and fuse, nests of more loops than the
    /// features can tell apart, a key that nests 100 000 deep.
    void linesThatFailedOnce_data() {
        QTest::addColumn<int>("seed");
        QTest::addColumn<int>("number");
        const std::pair<int, int> lines[] = {{1, 749}, {1, 9260}, {3, 5004}, {3, 5603}, {3, 9705}};
        for (const auto &[seed, number] : lines) QTest::addRow("%d of %d", number, seed) << seed << number;
    }
    void linesThatFailedOnce() {
        QFETCH(int, seed);
        QFETCH(int, number);
        const FuzzWorkload &workload = m_workloads[static_cast<size_t>(number) % m_workloads.size()];
        (void)follow(workload, mutatedLine(workload.lines, static_cast<uint64_t>(seed), static_cast<uint64_t>(number)));
    }

    /// Broken lines cost nobody else's: a whole log of them, with comments between.
    void aLogOfMutatedLines() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("log.json").toStdString();
        std::ofstream file(path, std::ios::binary);
        const FuzzWorkload &workload = m_workloads.front();
        size_t whole = 0;
        for (uint64_t n = 0; n < 200; ++n) {
            std::string line = mutatedLine(workload.lines, kSeed + 1, n);
            std::replace(line.begin(), line.end(), '\n', ' ');
            file << "# failed: \\x" << line.substr(0, 40)
                 << "\n# best of an interleaved comparison: " << line.substr(0, n) << '\n'
                 << line << '\n';
            if (n % 10 == 0) {
                file << workload.lines.front() << '\n';
                ++whole;
            }
        }
        file.close();
        const RecordLog log = loadRecordLog(path);
        QVERIFY(log.records.size() >= whole);
        QVERIFY(bestRecord(log, workload.task).ok());
        RecordWriter(path).append(log.records.front());
        QCOMPARE(loadRecordLog(path).records.size(), log.records.size() + 1);
    }

  private:
    std::vector<FuzzWorkload> m_workloads;
};

LOOPSCOPE_TEST(RecordFuzzTest)
#include "record_fuzz_test.moc"
