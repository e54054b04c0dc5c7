// Records that cannot be told from the best, and records that are nearly the same schedule: logs in, text out.

#include "base/outcome.h"
#include "harness/sample_dags.h"
#include "log_lines.h"
#include "records/logs/close_records.h"
#include "records/logs/log_curve.h"
#include "records/logs/near_duplicates.h"
#include "records/record/record.h"
#include "test_program.h"

#include <QTest>

#include <fmt/format.h>

using namespace loopscope;

namespace {

std::string line(Steps steps, std::vector<double> seconds) {
    Record record;
    record.key = R"(["matmul", 64, 64, 64])";
    record.targetText = "llvm -keys=cpu -num-cores=4";
    record.hardware = HardwareParams{};
    record.trial.steps = std::move(steps);
    record.trial.error = seconds.empty() ? TrialError::RunTimeout : TrialError::None;
    record.trial.seconds = std::move(seconds);
    record.trial.timestamp = 1700000000;
    return recordLine(record) + '\n';
}

/// Loops of C are split, and one pragma is set.
Steps tiled(int64_t a, int64_t b, int unroll = 16) {
    return {SplitStep{StageId{2}, IterId{0}, 64, {a, b}, true},
            PragmaStep{StageId{2}, IterId{0}, fmt::format("auto_unroll_max_step${}", unroll)}};
}

QString closeText(const LogDocument &log) {
    const CloseToBest found = closeToBest(log, recordsOfTask(log, 0));
    if (found.best == UINT32_MAX) return QStringLiteral("none");
    std::string text =
        fmt::format("best {} of {} others{}", found.best, found.others, found.guessed ? ", guessed" : "");
    if (found.others > 0)
        text += fmt::format("; second {} behind {:.1f} %", found.second.record, 100 * found.second.behind);
    for (const CloseRecord &one : found.close) text += fmt::format("; {} within {:.1f} %", one.record, 100 * one.noise);
    return QString::fromStdString(text);
}

QString nearText(const LogDocument &log, const DuplicateOptions &options = {}) {
    const FoundDuplicates found = nearDuplicates(log, recordsOfTask(log, 0), options);
    std::string text =
        fmt::format("{} of {}, {} groups, {} apart", found.looked, found.of, found.groupsInAll, found.apart);
    for (const NearDuplicates &group : found.groups) {
        text += fmt::format("\n{}{:.2f}x of {:.0f} %:", group.apart() ? "apart " : "", group.ratio, 100 * group.noise);
        for (const auto &member : group.members)
            text += member.value.empty() ? fmt::format(" {}", member.record)
                                         : fmt::format(" {}={}", member.record, member.value);
        text += "; " + (group.where.empty() ? "the same loops" : group.where);
    }
    return QString::fromStdString(text);
}

} // namespace

class CloseRecordsTest : public QObject {
    Q_OBJECT

  private slots:
    void closeToTheBest_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("told");
        const auto row = [](const char *name, const std::string &text, const char *told) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(told);
        };
        row("all failed", line(tiled(8, 2), {}), "none");
        row("alone", line(tiled(8, 2), {1e-3, 1e-3}), "best 0 of 0 others");
        // 1 % behind; the times of the first scatter by 2 %.
        row("within the spread", line(tiled(8, 2), {1e-3, 1.02e-3}) + line(tiled(4, 2), {1.02e-3, 1.0201e-3}),
            "best 0 of 1 others; second 1 behind 1.0 %; 1 within 2.0 %");
        row("beyond the spread", line(tiled(8, 2), {1e-3, 1.001e-3}) + line(tiled(4, 2), {1.02e-3, 1.021e-3}),
            "best 0 of 1 others; second 1 behind 2.0 %");
        // Of single times 3 % are taken.
        row("single times", line(tiled(8, 2), {1e-3}) + line(tiled(4, 2), {1.029e-3}) + line(tiled(2, 2), {1.031e-3}),
            "best 0 of 2 others, guessed; second 1 behind 2.9 %; 1 within 3.0 %");
        // Measured again it is no other schedule; of another one the fastest record counts.
        row("measured again",
            line(tiled(8, 2), {1e-3}) + line(tiled(8, 2), {1.001e-3}) + line(tiled(4, 2), {1.3e-3}) +
                line(tiled(4, 2), {1.01e-3}),
            "best 0 of 1 others, guessed; second 3 behind 1.0 %; 3 within 3.0 %");
        row("never settled",
            "# unstable\n" + line(tiled(8, 2), {1e-3, 1.001e-3}) + line(tiled(4, 2), {1.02e-3, 1.021e-3}),
            "best 0 of 1 others; second 1 behind 2.0 %; 1 within 3.0 %");
    }
    void closeToTheBest() {
        QFETCH(const QString, text);
        QFETCH(const QString, told);
        const TestLog file(text.toStdString());
        QCOMPARE(closeText(LogDocument::open(file.path())), told);
    }

    void nearlyTheSame_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("told");
        const auto row = [](const char *name, const std::string &text, const char *told) {
            QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(told);
        };
        row("none", line(tiled(8, 2), {1e-3}) + line(tiled(4, 4), {1e-3}), "2 of 2, 0 groups, 0 apart");
        row("a length", line(tiled(8, 2), {1e-3}) + line(tiled(4, 2), {2e-3}) + line(tiled(2, 2), {1.5e-3}),
            "3 of 3, 1 groups, 1 apart\n"
            "apart 2.00x of 3 %: 0=8 2=2 1=4; length 1 of 2 of the split of loop 0 of stage 2 (step 0)");
        row("a pragma", line(tiled(8, 2, 512), {1e-3}) + line(tiled(8, 2, 0), {1.01e-3}),
            "2 of 2, 1 groups, 0 apart\n"
            "1.01x of 3 %: 0=512 1=0; auto_unroll_max_step at loop 0 of stage 2 (step 1)");
        // The largest difference first, what agrees last; a record is in as many groups as it has neighbours.
        row("several",
            line(tiled(8, 2), {1e-3}) + line(tiled(8, 4), {1.2e-3}) + line(tiled(4, 2), {1.01e-3}) +
                line(tiled(8, 2, 64), {3e-3}),
            "4 of 4, 3 groups, 2 apart\n"
            "apart 3.00x of 3 %: 0=16 3=64; auto_unroll_max_step at loop 0 of stage 2 (step 1)\n"
            "apart 1.20x of 3 %: 0=2 1=4; length 2 of 2 of the split of loop 0 of stage 2 (step 0)\n"
            "1.01x of 3 %: 0=8 2=4; length 1 of 2 of the split of loop 0 of stage 2 (step 0)");
        row("failed and measured again", line(tiled(8, 2), {1e-3}) + line(tiled(8, 2), {2e-3}) + line(tiled(4, 2), {}),
            "1 of 1, 0 groups, 0 apart");
        row("another structure",
            line(tiled(8, 2), {1e-3}) + line({SplitStep{StageId{2}, IterId{1}, 64, {4, 2}, true},
                                              PragmaStep{StageId{2}, IterId{0}, "auto_unroll_max_step$16"}},
                                             {1e-3}),
            "2 of 2, 0 groups, 0 apart");
    }
    void nearlyTheSame() {
        QFETCH(const QString, text);
        QFETCH(const QString, told);
        const TestLog file(text.toStdString());
        QCOMPARE(nearText(LogDocument::open(file.path())), told);
    }

    void withAComputationLoopsHaveNames() {
        const Steps first{SplitStep{StageId{2}, IterId{0}, 64, {8}, true},
                          SplitStep{StageId{2}, IterId{2}, 64, {4}, true}};
        const Steps turned{SplitStep{StageId{2}, IterId{1}, 64, {4}, true},
                           SplitStep{StageId{2}, IterId{0}, 64, {8}, true}}; // the same loops in another order
        const Steps other{SplitStep{StageId{2}, IterId{0}, 64, {16}, true},
                          SplitStep{StageId{2}, IterId{2}, 64, {4}, true}};
        const Steps wrong{SplitStep{StageId{7}, IterId{0}, 64, {16}, true}};
        const TestLog file(line(first, {1e-3}) + line(turned, {1.5e-3}) + line(other, {1e-3}) + line(wrong, {1e-3}));
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(nearText(log, {.dag = matmulDag(64, 64, 64)}),
                 QStringLiteral("4 of 4, 2 groups, 1 apart\n"
                                "apart 1.50x of 3 %: 0 1; the same loops\n"
                                "1.00x of 3 %: 0=8 2=16; length 1 of 1 of the split of i of C (step 0)"));
        QCOMPARE(nearText(log), QStringLiteral("4 of 4, 1 groups, 0 apart\n"
                                               "1.00x of 3 %: 0=8 2=16; length 1 of 1 of the split of loop 0 of "
                                               "stage 2 (step 0)"));
    }

    void ofManyTheFastestAreLookedAt() {
        std::string text;
        for (int i = 1; i <= 64; ++i) text += line(tiled(i, 2), {1e-3 * i});
        const TestLog file(text);
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(nearText(log, {.most = 3}).section(u';', 0, 0),
                 QStringLiteral("3 of 64, 1 groups, 1 apart\napart 3.00x of 3 %: 0=1 1=2 2=3"));
        // The one asked about is among them.
        QCOMPARE(nearText(log, {.most = 2, .about = 40}).section(u';', 0, 0),
                 QStringLiteral("3 of 64, 1 groups, 1 apart\napart 41.00x of 3 %: 0=1 1=2 40=41"));
        QCOMPARE(nearText(log, {.maxGroups = 0}), QStringLiteral("64 of 64, 1 groups, 1 apart"));
        const std::atomic<bool> cancelled{true};
        QCOMPARE(nearText(log, {.cancelled = &cancelled}), QStringLiteral("0 of 0, 0 groups, 0 apart"));
    }

    void aLogThatIsGoneIsRefused() {
        auto file = std::make_unique<TestLog>(line(tiled(8, 2), {1e-3}) + line(tiled(4, 2), {1e-3}));
        const LogDocument log = LogDocument::open(file->path());
        file->replace("");
        QVERIFY_THROWS_EXCEPTION(Error, nearDuplicates(log, recordsOfTask(log, 0), {}));
    }
};

LOOPSCOPE_TEST(CloseRecordsTest)
#include "close_records_test.moc"
