// Records as logs have them become code under every layout option: what Ansor sampled for its benchmarks, what our own
// searches logged, and published logs where they are present. Answers are checked of what is small.
// LOOPSCOPE_LONG_TESTS compiles every record under every option; otherwise each is lowered under all and compiled under
// one of them.

#include "codegen/lower/lower.h"
#include "harness/kernel_check.h"
#include "harness/shared_data.h"
#include "records/record/record.h"
#include "records/resolve/fit.h"
#include "records/resolve/resolver.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <fmt/format.h>

using namespace loopscope;

namespace recorded_code_test {

namespace {

/// Multiplications that the interpreter does in a blink.
constexpr double kSmall = 1e6;

Target hostTarget() {
    Target target = parseTarget("llvm");
    target.minParallelStores = 0;
    return target;
}

double workOf(const ComputeDag &dag) {
    double work = 0;
    for (size_t i = 0; i < dag.size(); ++i) {
        const Op &op = dag.op(i);
        if (op.isPlaceholder()) continue;
        double own = 1;
        for (const Axis &axis : op.axes) own *= static_cast<double>(axis.extent);
        if (op.reduction)
            for (const Axis &axis : op.reduction->axes) own *= static_cast<double>(axis.extent);
        work += own;
    }
    return work;
}

} // namespace

class RecordedCodeTest : public QObject {
    Q_OBJECT

    const Target m_target = hostTarget();
    const bool m_all = qEnvironmentVariableIntValue("LOOPSCOPE_LONG_TESTS") > 0;
    size_t m_records = 0;

    /// Empty, or what went wrong under which option.
    std::string codeOf(const Steps &steps, const DagPtr &dag) {
        const Outcome<LoopState> state = fit(steps, dag);
        if (!state) return state.why();
        const bool small = workOf(*dag) <= kSmall;
        ++m_records;
        for (int option = 0; option <= 2; ++option) {
            LowerOptions options;
            options.layoutRewrite = option;
            const Outcome<LoopProgram> program = lower(*state, m_target, options);
            if (!program) return fmt::format("layout option {}: {}", option, program.why());
            if (!m_all && m_records % 3 != static_cast<size_t>(option)) continue;
            if (small) {
                if (const std::string wrong = checkKernel(*program, *dag, hostCompiler(), m_records); !wrong.empty())
                    return fmt::format("layout option {}: {}", option, wrong);
                continue;
            }
            const Outcome<MachineCode> code = hostCompiler().compile(*program, {.optLevel = m_all ? 3 : 1});
            if (!code) return fmt::format("layout option {}: {}", option, code.why());
        }
        return {};
    }

    std::string codeOfLog(const std::string &path, const Resolver &resolver, size_t &records) {
        const RecordLog log = loadRecordLog(path);
        for (const Record &record : log.records) {
            if (!record.targetText.starts_with("llvm") || !record.trial.valid()) continue;
            const Steps steps = record.trial.steps.unpack();
            const Outcome<ResolutionPtr> found = resolver.resolve(record.key, steps);
            const std::string why = found.ok() ? codeOf(steps, (*found)->dag) : found.why();
            if (!why.empty()) return fmt::format("{}:{}: {}", path, record.line, why);
            ++records;
        }
        return {};
    }

  private slots:
    void init() { m_records = 0; }

    void ownRecords_data() {
        QTest::addColumn<QString>("log");
        for (const char *log :
             {"conv2d_bias_relu", "conv2d_winograd_nhwc", "depthwise_conv2d_nhwc", "matmul", "norm", "softmax"})
            QTest::newRow(log) << log;
    }
    void ownRecords() {
        QFETCH(QString, log);
        ResolverOptions options;
        options.workloads = {LOOPSCOPE_SOURCE_DIR "/samples"};
        const Resolver resolver(options);
        const std::string path =
            fmt::format(LOOPSCOPE_SOURCE_DIR "/tests/records/record/fuzz/{}.json", log.toStdString());
        size_t records = 0;
        const std::string wrong = codeOfLog(path, resolver, records);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(records, 6U);
    }

    void samplesOfAnsor_data() {
        QTest::addColumn<QString>("line");
        for (const ConformanceRecord &record : conformanceRecords())
            if (record.target == "llvm")
                QTest::addRow("%s %zu", record.workload.c_str(), record.line.size())
                    << QString::fromStdString(record.line);
    }
    void samplesOfAnsor() {
        QFETCH(QString, line);
        const auto json = nlohmann::json::parse(line.toStdString());
        const DagPtr dag =
            conformanceDag(json.at("workload").get<std::string>(), json.at("args").get<std::vector<int64_t>>());
        QVERIFY(dag);
        for (const auto &sample : json.at("samples")) {
            const std::string wrong = codeOf(stepsFromJson(sample.at("steps")), dag);
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
        QVERIFY(m_records >= 6);
    }

    void publishedRecords_data() {
        QTest::addColumn<QString>("log");
        QTest::addColumn<int>("records");
        QTest::newRow("matmul") << "tvm-matmul.json" << 1;
        QTest::newRow("conv2d") << "ansor-conv2d-layer-cpu.json" << 30;
    }
    void publishedRecords() {
        QFETCH(QString, log);
        QFETCH(int, records);
        const auto path = sharedDataFile(log.toStdString());
        if (!path) QSKIP("the published log is not present");
        const Resolver resolver;
        size_t lowered = 0;
        const std::string wrong = codeOfLog(*path, resolver, lowered);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QVERIFY2(lowered >= static_cast<size_t>(records), std::to_string(lowered).c_str());
    }
};

LOOPSCOPE_TEST(RecordedCodeTest)

} // namespace recorded_code_test
#include "recorded_code_test.moc"
