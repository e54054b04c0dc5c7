// Schedules as texts: what edits of them are called, what can stand at a place, and how what is wrong is put right.

#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "schedule/script/schedule_script.h"
#include "test_program.h"
#include "views/script/script_completions.h"
#include "views/script/script_cures.h"
#include "views/session/script_text.h"
#include "views/session/text.h"
#include "views/text/line_styles.h"

#include <QTest>

using namespace loopscope;

namespace {

DagPtr matmul() {
    return ComputeDag::fromWorkload(parseWorkload("workload matmul(N = 64)\nA = placeholder [N, N]\n"
                                                  "B = placeholder [N, N]\n"
                                                  "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n",
                                                  "m.te", {}));
}

QStringList offered(const std::string &above, const std::string &head) {
    QStringList words;
    for (const auto &[word, detail] : scriptCompletions(matmul(), above, head)) words << word;
    return words;
}

QString s(const char *text) { return QString::fromLatin1(text); }

} // namespace

class ScriptTest : public QObject {
    Q_OBJECT

  private slots:
    void refusedStepsAreComments() {
        const DagPtr dag = matmul();
        const AppliedScript made = applyScript(dag, "split C i into 4\nparallel C i.0\nvectorize C j\n");
        QVERIFY(!made.problem);
        EditedSteps steps(dag, made.state.steps());
        steps.erase(0); // the loop that is made parallel goes with it
        const QString text = scriptText(steps);
        const QStringList lines = text.split(u'\n');
        QCOMPARE(lines.size(), 3); // with the end
        QVERIFY2(lines[0].startsWith(s("# does not apply: parallel C i.0: ")), qPrintable(text));
        QCOMPARE(lines[1], s("vectorize C j"));
        const AppliedScript again = applyScript(dag, std8(text));
        QVERIFY(!again.problem);
        QCOMPARE(again.state.steps(), steps.state().steps());
    }

    void editsAreCalledByTheirLine() {
        const QString two = s("split C i into 4 # tiles\nparallel C i.0\n");
        QCOMPARE(scriptEdit(two, s("split C i into 8\nparallel C i.0\n")), s("split C i into 8"));
        QCOMPARE(scriptEdit(two, two + s("\n  vectorize   C j\n")), s("vectorize C j"));
        QCOMPARE(scriptEdit(two, s("split C i into 4\n")), s("without: parallel C i.0"));
        QCOMPARE(scriptEdit(two, s("unroll C i\nunroll C j\n")), s("script"));
        QCOMPARE(scriptEdit(two, two), s("script"));
    }

    void offersWhatCanStandThere() {
        const QStringList primitives = offered({}, "");
        QVERIFY(primitives.contains(s("split")) && primitives.contains(s("compute_at")));
        QCOMPARE(primitives.size(), static_cast<qsizetype>(loopscope::primitives().size()));
        QVERIFY(offered({}, "split ").contains(s("C")));
        QCOMPARE(offered({}, "split C "), QStringList({s("i"), s("j"), s("k")}));
        QCOMPARE(offered({}, "split C i "), QStringList{s("into")});
        QCOMPARE(offered({}, "split C i into "),
                 QStringList({s("1"), s("2"), s("4"), s("8"), s("16"), s("32"), s("64")}));
        QCOMPARE(offered({}, "split C i into 8, "), QStringList({s("1"), s("2"), s("4"), s("8")}));
        // Of the loops those that the primitive may be used on: k is summed over.
        QCOMPARE(offered({}, "parallel C "), QStringList({s("i"), s("j")}));
        QCOMPARE(offered("split C i into 4\n", "unroll C "), QStringList({s("i.0"), s("i.1"), s("j"), s("k")}));
        // A line that is being written elsewhere is passed over.
        QCOMPARE(offered("split C i into 4\nparallel\n", "unroll C "),
                 QStringList({s("i.0"), s("i.1"), s("j"), s("k")}));
        QCOMPARE(offered("rows: split C i into 4\n", "follow_split C j like "), QStringList{s("rows")});
        QVERIFY(offered({}, "# split ").isEmpty());
    }

    void curesLeadOn_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("cure");
        QTest::addColumn<QString>("cured");
        QTest::newRow("a name") << s("split C x into 4\nparallel C j\n") << s("i")
                                << s("split C i into 4\nparallel C j\n");
        QTest::newRow("a primitive") << s("# two\nsplitt C i into 4") << s("split") << s("# two\nsplit C i into 4");
        QTest::newRow("something missing") << s("split C i 4") << s("into") << s("split C i into 4");
        QTest::newRow("at the end") << s("split C i into # how long?") << s("8") << s("split C i into 8 # how long?");
        QTest::newRow("a label") << s("a: split C i into 4\nfollow_split C j like b parts 1") << s("a")
                                 << s("a: split C i into 4\nfollow_split C j like a parts 1");
    }
    void curesLeadOn() {
        QFETCH(const QString, text);
        QFETCH(const QString, cure);
        QFETCH(const QString, cured);
        const DagPtr dag = matmul();
        const auto problem = applyScript(dag, std8(text)).problem;
        QVERIFY(problem);
        QVERIFY2(scriptCures(*problem).contains(cure), qPrintable(scriptCures(*problem).join(u',')));
        QCOMPARE(cureScript(dag, text, *problem, cure).text, cured);
    }

    /// Whatever a refusal offers, putting it there gets further than the text did.
    void everyCureOfARefusalHelps() {
        const DagPtr dag = matmul();
        for (const char *text :
             {"vectorize C k\n", "fuse C i, k\n", "compute_at C C i\n", "rfactor C i at 0\n", "reorder C i, j\n",
              "parallel C i\nvectorize C i\n", "split C i into 128\n", "split C i of 12 into 2\n"}) {
            const auto problem = applyScript(dag, text).problem;
            if (!problem) continue; // legal after all
            for (const QString &cure : scriptCures(*problem)) {
                const CuredScript cured = cureScript(dag, s(text), *problem, cure);
                const auto next = applyScript(dag, std8(cured.text)).problem;
                const bool further = !next || next->line > problem->line || next->column > problem->column ||
                                     next->reason != problem->reason;
                QVERIFY2(further, qPrintable(s(text) + cure + u'\n' + cured.text));
            }
        }
    }

    void everyPrimitiveIsColoured() {
        for (const Primitive &primitive : primitives()) {
            const QString runs = QString::fromStdString(
                styleRuns(CodeLanguage::Script, std::string(primitive.name) + " C i.0 4 # note"));
            QVERIFY2(!runs.startsWith(s("Label")) && !runs.startsWith(s("Text")), qPrintable(runs));
            QVERIFY2(runs.endsWith(s(" Text:_ Function:C Text:_ Register:i.0 Text:_ Number:4 Text:_ Comment:#_note")),
                     qPrintable(runs));
        }
        QCOMPARE(QString::fromStdString(styleRuns(CodeLanguage::Script, "a: split C i into 4, ?")),
                 s("Label:a Text::_ Keyword:split Text:_ Function:C Text:_ Register:i Text:_ Quiet:into Text:_ "
                   "Number:4 Text:,_ Register:?"));
    }
};

LOOPSCOPE_TEST(ScriptTest)
#include "script_test.moc"
