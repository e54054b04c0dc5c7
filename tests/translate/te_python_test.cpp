// Schedules in the language of TVM's tensor expressions, compared with recorded texts: TVM itself no longer reads it.

#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "script/schedule_script.h"
#include "translate/te_python.h"
#include "translate/translated_samples.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <set>

using namespace loopscope;

namespace {

Steps stepsOf(const DagPtr &dag, const std::string &script) {
    const AppliedScript applied = applyScript(dag, script);
    if (applied.problem) throw std::runtime_error(applied.problem->text("script"));
    return applied.state.steps();
}

/// The whole text, or with LOOPSCOPE_RECORD set: recorded anew, for somebody to read.
void compareWithRecorded(const QString &name, const std::string &text) {
    const QString path = QString(LOOPSCOPE_SOURCE_DIR "/tests/translate/expected/%1.py").arg(name);
    QFile file(path);
    if (qEnvironmentVariableIsSet("LOOPSCOPE_RECORD")) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(text));
        return;
    }
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
    QCOMPARE(QString::fromStdString(text), QString::fromUtf8(file.readAll()));
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
    }
    void recorded() {
        QFETCH(int, sample);
        QFETCH(QString, script);
        const DagPtr dag = sample == 0   ? matmulDag(512, 512, 512)
                           : sample == 1 ? matmulBiasReluDag(64, 64, 64)
                                         : argmaxDag();
        const auto text = tePython(dag, stepsOf(dag, script.toStdString()));
        QVERIFY2(text.ok(), text.ok() ? "" : text.why().c_str());
        compareWithRecorded(QTest::currentDataTag(), *text);
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
        QVERIFY(!refusalOf(dag, Steps{ComputeInlineStep{StageId(9)}}).empty());
    }

    void drawnSchedulesTranslate() {
        for (const TranslatedSample &sample : translatedSamples())
            for (const Steps &steps : drawnSchedules(sample.dag, 3, 3)) QCOMPARE(refusalOf(sample.dag, steps), "");
    }
};

QTEST_GUILESS_MAIN(TePythonTest)
#include "te_python_test.moc"
