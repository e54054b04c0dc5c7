// Published schedules for GPUs, where the log is present: each of them becomes kernels.

#include "codegen/lower/lower.h"
#include "harness/sample_targets.h"
#include "harness/shared_data.h"
#include "records/record/record.h"
#include "records/resolve/fit.h"
#include "records/resolve/resolver.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

class LoggedKernelsTest : public QObject {
    Q_OBJECT
  private slots:
    void everyRecordLowers();
};

void LoggedKernelsTest::everyRecordLowers() {
    const auto path = sharedDataFile("tvm-resnet18-nhwc-cuda.json");
    if (!path) QSKIP("the published log is not present");
    const Resolver resolver;
    int lowered = 0;
    for (const Record &record : loadRecordLog(*path).records) {
        const Steps steps = record.trial.steps.unpack();
        const auto found = resolver.resolve(record.key, steps);
        QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
        const Outcome<LoopState> state = fit(steps, (*found)->dag);
        QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
        for (const int layouts : {0, 2}) {
            LowerOptions options;
            options.layoutRewrite = layouts;
            const Outcome<LoopProgram> program = lower(*state, gpuTarget(), options);
            QVERIFY2(program.ok(), program.ok() ? "" : program.why().c_str());
            QCOMPARE(verifyProgram(*program), std::string());
        }
        ++lowered;
    }
    QCOMPARE(lowered, 24);
}

LOOPSCOPE_TEST(LoggedKernelsTest)
#include "logged_kernels_test.moc"
