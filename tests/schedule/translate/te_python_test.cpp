// Schedules in the language of TVM's tensor expressions, compared with recorded texts: TVM itself no longer reads it.

#include "harness/ordered_dags.h"
#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "schedule/script/schedule_script.h"
#include "schedule/translate/te_python.h"
#include "schedule/translate/translated_samples.h"
#include "test_program.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <set>

using namespace loopscope;

namespace te_python_test {

namespace {

Steps stepsOf(const DagPtr &dag, const std::string &script) {
    const AppliedScript applied = applyScript(dag, script);
    if (applied.problem) throw std::runtime_error(applied.problem->text("script"));
    return applied.state.steps();
}

/// The whole text, or with LOOPSCOPE_RECORD set: recorded anew, for somebody to read.
void compareWithRecorded(const QString &name, const std::string &text) {
    const QString path = QString(LOOPSCOPE_SOURCE_DIR "/tests/schedule/translate/expected/%1.py").arg(name);
    QFile file(path);
    if (qEnvironmentVariableIsSet("LOOPSCOPE_RECORD")) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(text));
        return;
    }
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
    QCOMPARE(QString::fromStdString(text), QString::fromUtf8(file.readAll()));
}

/// A is read by C and by D, which reads C as well.
DagPtr twoReaders() {
    DagBuilder b;
    const Tensor &a = b.placeholder("A", {32, 24});
    const auto i = axes({"i", "j"}, {32, 24}), j = axes({"i", "j"}, {32, 24});
    const Tensor &c = b.compute("C", i, load(a, {i[0].var, i[1].var}) * 2);
    return b.build({&b.compute("D", j, load(c, {j[0].var, j[1].var}) + load(a, {j[0].var, makeInt(0)}))},
                   "two_readers");
}

/// Without loops.
DagPtr scalarDag() {
    DagBuilder b;
    const Tensor &a = b.placeholder("A", {});
    return b.build({&b.compute("B", {}, load(a, {}) + makeFloat(1))}, "scalar");
}

std::string refusalOf(const DagPtr &dag, const Steps &steps) {
    const auto text = tePython(dag, steps);
    return text.ok() ? std::string() : text.why();
}

} // namespace

class TePythonTest : public QObject {
    Q_OBJECT
  private slots:
    void recorded_data() {
        QTest::addColumn<int>("sample");
        QTest::addColumn<QString>("script");
        QTest::newRow("te_matmul") << 0
                                   << "split C i into 4, 2, 16\n"
                                      "split C j into outer 8, 2\n"
                                      "split C k into 8\n"
                                      "reorder C i.0, j.0, i.1, j.1, k.0, i.2, j.2, k.1, i.3\n"
                                      "fuse C i.0, j.0\n"
                                      "parallel C i.0@j.0@\n"
                                      "pragma C i.0@j.0@ auto_unroll_max_step$64\n"
                                      "unroll C i.2\n"
                                      "vectorize C i.3\n";
        QTest::newRow("te_bias_relu") << 1
                                      << "cache_write C global\n"
                                         "s1: split C.global i_c into 4, 8\n"
                                         "s2: split C.global j_c into 16\n"
                                         "follow_split C i like s1 parts 1\n"
                                         "follow_split C j like s2 parts 1\n"
                                         "reorder C i.0, j.0, i.1, j.1\n"
                                         "compute_at C.global C j.0\n"
                                         "cache_read A global C.global\n"
                                         "compute_at A.global C.global i_c.0\n"
                                         "storage_align A.global ax0 8 4\n"
                                         "compute_inline D\n";
        QTest::newRow("te_rfactor") << 0
                                    << "split C k into 16\n"
                                       "rfactor C k.1 at 2\n"
                                       "reorder C.rf k_o, i, j, k_i\n"
                                       "vectorize C.rf k_i\n"
                                       "bind C.repl ax0 blockIdx.x\n"
                                       "compute_at C.rf C.repl ax1\n"
                                       "compute_root C.rf\n";
        QTest::newRow("te_argmax") << 2
                                   << "cache_write argmax global\n"
                                      "parallel argmax i\n"
                                      "compute_at argmax.global argmax i\n";
        QTest::newRow("te_rfactor_pairs") << 2
                                          << "split argmax k into outer 4\n"
                                             "rfactor argmax k.0 at 0\n"
                                             "parallel argmax.rf k_o\n";
        QTest::newRow("te_threads") << 1
                                    << "cache_write C local\n"
                                       "rows: split E i into 2, 8\n"
                                       "columns: split E j into 1, 16\n"
                                       "reorder E i.0, j.0, i.1, j.1, i.2, j.2\n"
                                       "fuse E i.0, j.0\n"
                                       "fuse E i.1, j.1\n"
                                       "fuse E i.2, j.2\n"
                                       "bind E i.0@j.0@ blockIdx.x\n"
                                       "bind E i.1@j.1@ vthread\n"
                                       "bind E i.2@j.2@ threadIdx.x\n"
                                       "follow_split C.local i_c like rows parts 2\n"
                                       "compute_inline C\n"
                                       "compute_inline D\n"
                                       "compute_at C.local E i.2@j.2@\n"
                                       "cache_read B shared C.local\n"
                                       "compute_at B.shared C.local k\n"
                                       "fuse B.shared ax0, ax1\n"
                                       "follow_fused_split B.shared ax0@ax1@ like rows, columns level 1\n"
                                       "bind B.shared ax0@ax1@.1 threadIdx.x\n";
        QTest::newRow("te_readers") << 3
                                    << "cache_read A local C, D\n"
                                       "compute_root A.local\n"
                                       "split A.local ax1 into 4\n"
                                       "vectorize A.local ax1.1\n"
                                       "storage_align A.local ax0 16 1\n"
                                       "split D i into 4\n"
                                       "compute_at C D i.0\n";
    }
    void recorded() {
        QFETCH(int, sample);
        QFETCH(QString, script);
        const DagPtr dag = sample == 0   ? matmulDag(512, 512, 512)
                           : sample == 1 ? matmulBiasReluDag(64, 64, 64)
                           : sample == 2 ? argmaxDag()
                                         : twoReaders();
        const auto text = tePython(dag, stepsOf(dag, script.toStdString()));
        QVERIFY2(text.ok(), text.ok() ? "" : text.why().c_str());
        compareWithRecorded(QTest::currentDataTag(), *text);
    }

    void aLoopOfNoneIsAFusionOfNone() {
        const auto text = tePython(
            scalarDag(), Steps{FuseStep{StageId(1), {}}, AnnotateStep{StageId(1), IterId(0), Annotation::ThreadX}});
        QVERIFY2(text.ok(), text.ok() ? "" : text.why().c_str());
        QVERIFY2(text->find("\nB_unit = s[B].fuse()\ns[B].bind(B_unit, te.thread_axis(\"threadIdx.x\"))\n") !=
                     std::string::npos,
                 text->c_str());
    }

    /// Each variable that a line uses has been given a value by a line before, whatever the steps are.
    void variablesAreDefinedBeforeUse() {
        Random random(17, 0);
        int translated = 0;
        for (int n = 0; n < 200; ++n) {
            const DagPtr dag = smallDags()[static_cast<size_t>(n) % smallDags().size()];
            const auto text = tePython(dag, randomSchedule(dag, random, {.attempts = 25}).steps());
            if (!text) continue;
            ++translated;
            const QStringList lines = QString::fromStdString(*text).split('\n');
            const auto schedule = lines.indexOf(QRegularExpression("^s = .*"));
            QVERIFY(schedule > 0);
            std::set<QString> known = {"s", "te", "tvm", "tir", "tuple", "op", "axis", "reduce_axis"};
            static const QRegularExpression word("[A-Za-z_][A-Za-z_0-9]*");
            for (qsizetype i = 0; i < lines.size(); ++i) {
                const QString left = lines[i].contains(" = ") ? lines[i].section(" = ", 0, 0) : QString();
                QString right = lines[i].contains(" = ") ? lines[i].section(" = ", 1) : lines[i];
                if (i > schedule && !right.startsWith("print")) {
                    right.replace(QRegularExpression("\"[^\"]*\"|\\.[a-z_]+\\(|[a-z_]+=|\\bTrue\\b"), " ");
                    for (auto it = word.globalMatch(right); it.hasNext();) {
                        const QString used = it.next().captured();
                        QVERIFY2(known.contains(used), qPrintable(lines[i] + "\n" + QString::fromStdString(*text)));
                    }
                }
                for (auto it = word.globalMatch(left); it.hasNext();) known.insert(it.next().captured());
            }
        }
        QVERIFY(translated > 100);
    }

    void whatTensorExpressionsCannotSayIsRefused() {
        const DagPtr dag = matmulDag(64, 64, 64);
        QCOMPARE(refusalOf(dag, stepsOf(dag, "split C i into 8\ncache_write C global\n")),
                 std::string("step 1 (CHW) copies a stage whose loops were split or fused before, and tensor "
                             "expressions then lay the copy out in the order of these loops; put it in front of them"));
        QCOMPARE(refusalOf(dag, stepsOf(dag, "split C i into ?\n")),
                 std::string("a schedule with an open split length cannot be exported: fill all lengths of the SP "
                             "steps first"));
        QCOMPARE(refusalOf(dag, Steps{PragmaStep{StageId(2), IterId(7), "auto_unroll_max_step$64"}}),
                 std::string("step 0 (PR) stands at no loop of C; put it at the outermost one, or leave it out where "
                             "there is none"));
        QCOMPARE(refusalOf(dag, Steps{PragmaStep{StageId(2), IterId(0), "debug_skip_region"}}),
                 std::string("step 0 (PR) is the pragma debug_skip_region, which leaves a stage out of the program; "
                             "leave out the step instead"));
        QVERIFY(!refusalOf(dag, Steps{ComputeInlineStep{StageId(9)}}).empty());
    }

    /// te.scan goes along the first axis of tensors of its own, and nothing has places that are computed.
    void scansAndScattersAreRefused() {
        std::vector<std::string> refusals;
        for (const DagPtr &dag : orderedDags()) refusals.push_back(dag->name() + ": " + refusalOf(dag, {}));
        const std::string scan = " cannot be exported to TVM: it is a scan along ";
        const std::string reads =
            ", which reads its own elements, and te.compute reads other tensors only; export C or Halide";
        const std::string scatter = " cannot be exported to TVM: where its terms go along ";
        const std::string computed = " is computed, for which te.compute has no word; export C or Halide";
        QCOMPARE(refusals, (std::vector<std::string>{
                               "recursive_blur: down" + scan + "y" + reads, "along_rows: sums" + scan + "i" + reads,
                               "fibonacci: f" + scan + "i" + reads, "largest_so_far: best" + scan + "y" + reads,
                               "histogram: rows" + scatter + "b" + computed, "cells: cells" + scatter + "z" + computed,
                               "brightest: most" + scatter + "a" + computed}));
    }

    void drawnSchedulesTranslate() {
        for (const TranslatedSample &sample : translatedSamples())
            for (const Steps &steps : drawnSchedules(sample.dag, 3, 3)) QCOMPARE(refusalOf(sample.dag, steps), "");
    }
};

LOOPSCOPE_TEST(TePythonTest)

} // namespace te_python_test
#include "te_python_test.moc"
