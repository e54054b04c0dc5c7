// The script of a schedule, edited by keys: what becomes a node of the tree of edits, and what does not.

#include "test_program.h"
#include "view_bench.h"
#include "views/script/script_problem_bar.h"
#include "views/script/script_view.h"
#include "views/session/script_text.h"
#include "views/session/text.h"
#include "views/text/code_text.h"

#include <Qsci/qsciscintilla.h>

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QListView>
#include <QTest>
#include <QToolButton>

using namespace loopscope;

namespace script_view_test {

namespace {

using Kind = ScheduleRef::Kind;

const QString kText = QStringLiteral("workload mm(N = 64)\nA = placeholder [N, N]\nB = placeholder [N, N]\n"
                                     "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n");
QString s(const char *text) { return QString::fromLatin1(text); }

struct Bench : ViewBench {
    ScriptView view{context};

    void open() {
        view.resize(420, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        session.documents().openText(QStringLiteral("mm"), kText);
        QTRY_VERIFY_WITH_TIMEOUT(session.document() && !session.document()->sketches.empty(), 20000);
    }
    [[nodiscard]] QsciScintilla *editor() const { return view.editor()->editor(); }
    void type(const char *keys) const {
        editor()->setFocus();
        for (const char *key = keys; *key != 0; ++key)
            if (*key == '\n')
                QTest::keyClick(editor(), Qt::Key_Return);
            else
                QTest::keyClick(editor(), *key);
        QTest::keyClick(editor(), Qt::Key_Escape); // no completion
    }
    void applyNow() const { QTest::keyClick(editor(), Qt::Key_Return, Qt::ControlModifier); }
    [[nodiscard]] ScheduleRef at() { return session.selection().now().schedule; }
    [[nodiscard]] const EditNode &node(int number) const {
        return session.document()->edited[static_cast<size_t>(number)];
    }
    [[nodiscard]] int living() const {
        int count = 0;
        for (const EditNode &node : session.document()->edited) count += node.dropped ? 0 : 1;
        return count;
    }
    [[nodiscard]] QString text() const { return view.editor()->text(); }
    QString write(const char *name, const char *bytes) const {
        QFile file(folder.filePath(QLatin1String(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) < 0) qFatal("cannot write");
        return file.fileName();
    }
};

} // namespace

class ScriptViewTest : public QObject {
    Q_OBJECT

  private slots:
    void aLineTypedBecomesANodeAfterAPause() {
        Bench b;
        b.open();
        QCOMPARE(b.text(), QString());
        b.type("split C i into 4");
        QCOMPARE(b.living(), 0); // not by the key
        QTRY_COMPARE(b.living(), 2);
        QCOMPARE(b.at(), (ScheduleRef{Kind::Edited, 1}));
        QCOMPARE(b.node(1).did, s("split C i into 4"));
        QCOMPARE(b.node(1).script, s("split C i into 4"));
        QCOMPARE(b.text(), s("split C i into 4")); // as it was typed
    }

    void whatIsWrittenInOneGoIsOneNode() {
        Bench b;
        b.open();
        b.type("split C i into 4");
        QTRY_COMPARE(b.living(), 2);
        b.type(", 2");
        QTRY_COMPARE(b.node(static_cast<int>(b.session.document()->edited.size()) - 1).did, s("split C i into 4, 2"));
        b.type("\nparallel C j");
        QTRY_VERIFY(b.session.edits().node(b.at().number)->did == s("script"));
        QCOMPARE(b.living(), 2); // where it began, and one
        QCOMPARE(b.session.edits().children(0).size(), size_t{1});
        b.session.selection().back(); // there is nothing in between
        QCOMPARE(b.at(), ScheduleRef());
        b.session.selection().forward();
        // Ctrl+Enter ends it.
        QTRY_COMPARE(b.text(), s("split C i into 4, 2\nparallel C j"));
        b.editor()->setFocus();
        b.editor()->setCursorPosition(1, 12);
        b.type("\nunroll C k");
        b.applyNow();
        QCOMPARE(b.living(), 3);
        QCOMPARE(b.session.edits().node(b.at().number)->did, s("unroll C k"));
        b.type("\nunroll C i.2");
        b.applyNow();
        QCOMPARE(b.living(), 4);
    }

    void whoTurnsAwayHasWritten() {
        Bench b;
        b.open();
        b.type("split C i into 4");
        b.view.findChild<QToolButton *>()->setFocus();
        QCOMPARE(b.living(), 2);
        b.type("\nunroll C k");
        b.applyNow();
        QCOMPARE(b.living(), 3);
    }

    void commentsAndLayoutStay() {
        Bench b;
        b.open();
        b.type("# tiles of the rows\n  split   C i into 4\n\nparallel C i.0  # all cores\n");
        b.applyNow();
        const QString typed = b.text();
        const ScheduleRef made = b.at();
        QVERIFY(typed.contains(s("# all cores")));
        b.session.selection().selectSchedule({});
        QCOMPARE(b.text(), QString());
        b.session.selection().selectSchedule(made);
        QCOMPARE(b.text(), typed);
        // Another comment is no other schedule.
        b.editor()->setCursorPosition(0, 0);
        b.type("# mine\n");
        b.applyNow();
        QCOMPARE(b.at(), made);
        QCOMPARE(b.living(), 2);
        QVERIFY(b.node(made.number).script.startsWith(s("# mine\n# tiles")));
    }

    void anUnfinishedLineIsMarkedAndCured() {
        Bench b;
        b.open();
        b.type("split C i into 4\nvectorize C x");
        QTRY_VERIFY(!b.view.problemBar()->sentence().isEmpty());
        QVERIFY2(b.view.problemBar()->sentence().startsWith(s("Line 2: There is no loop `x` in C")),
                 qPrintable(b.view.problemBar()->sentence()));
        QCOMPARE(b.at(), ScheduleRef()); // the loops of the last good one
        QCOMPARE(b.editor()->SendScintilla(QsciScintilla::SCI_ANNOTATIONGETLINES, 1UL), 1L);
        QCOMPARE(b.session.document()->draft->text, b.text());
        const auto cures = b.view.problemBar()->findChildren<QToolButton *>(s("script_cure"));
        QStringList texts;
        for (const QToolButton *cure : cures) texts << cure->text();
        QCOMPARE(texts, QStringList({s("i.0"), s("i.1"), s("j"), s("k")}));
        QTest::mouseClick(cures[1], Qt::LeftButton);
        QCOMPARE(b.text(), s("split C i into 4\nvectorize C i.1"));
        QVERIFY(b.view.problemBar()->sentence().isEmpty());
        QCOMPARE(b.at().kind, Kind::Edited);
        QVERIFY(!b.session.document()->draft);
        QTest::keyClick(b.editor(), Qt::Key_Z, Qt::ControlModifier); // one step
        QCOMPARE(b.text(), s("split C i into 4\nvectorize C x"));
    }

    void aDraftIsThereWhenOneComesBack() {
        Bench b;
        b.open();
        b.type("split C i into");
        b.applyNow();
        b.session.selection().selectSchedule({Kind::Sketch, 0});
        QVERIFY(b.view.problemBar()->sentence().isEmpty());
        QVERIFY(b.text().contains(s("?"))); // lengths of a sketch are open
        b.session.selection().selectSchedule({});
        QCOMPARE(b.text(), s("split C i into"));
        QVERIFY(!b.view.problemBar()->sentence().isEmpty());
    }

    void typingOffersWhatCanStandThere() {
        Bench b;
        b.open();
        b.editor()->setFocus();
        QTest::keyClicks(b.editor(), s("spl"));
        auto *popup = b.view.findChild<QListView *>();
        QVERIFY(popup && popup->isVisible());
        QTest::keyClick(b.editor(), Qt::Key_Tab);
        QTest::keyClicks(b.editor(), s(" C "));
        QVERIFY(!popup->isVisible());
        QTest::keyClick(b.editor(), Qt::Key_Space, Qt::ControlModifier);
        QVERIFY(popup->isVisible());
        QCOMPARE(popup->model()->rowCount(), 3); // i, j, k
        QTest::keyClick(b.editor(), Qt::Key_Down);
        QTest::keyClick(b.editor(), Qt::Key_Return);
        QCOMPARE(b.text(), s("split C j"));
        // A word that is whole is not in the way of a new line.
        QTest::keyClicks(b.editor(), s(" into 4"));
        QTest::keyClick(b.editor(), Qt::Key_Return);
        QCOMPARE(b.editor()->lines(), 2);
    }

    void linesAndStepsGoTogether() {
        Bench b;
        b.open();
        b.type("# first\nsplit C i into 4\n\nparallel C i.0\n");
        b.applyNow();
        b.editor()->setCursorPosition(2, 0);
        QTest::keyClick(b.editor(), Qt::Key_Down);
        QCOMPARE(b.session.selection().now().step, 1);
        QTest::keyClick(b.editor(), Qt::Key_Up);
        QTest::keyClick(b.editor(), Qt::Key_Up);
        QCOMPARE(b.session.selection().now().step, 0);
    }

    void aPastedScriptAppliesOrSaysWhere() {
        Bench b;
        b.open();
        QApplication::clipboard()->setText(s("split C i into 8, 2\nfuse C i.0, j\nparallel C i.0@j@\n"));
        b.editor()->setFocus();
        QTest::keyClick(b.editor(), Qt::Key_V, Qt::ControlModifier);
        QTRY_VERIFY(!b.view.problemBar()->sentence().isEmpty());
        QVERIFY(b.view.problemBar()->sentence().startsWith(s("Line 2: ")));
        QVERIFY2(b.view.problemBar()->sentence().contains(s("Fuse of ")), qPrintable(b.view.problemBar()->sentence()));
    }

    void filesAreOpenedAndSaved() {
        Bench b;
        b.open();
        b.session.files().open({b.write("mine.sched", "# mine\nsplit C i into 4\n")});
        QCOMPARE(b.at(), (ScheduleRef{Kind::Edited, 1}));
        QCOMPARE(b.node(1).did, s("script mine.sched"));
        QCOMPARE(b.text(), s("# mine\nsplit C i into 4\n"));
        const QString out = b.folder.filePath(s("out.sched"));
        QCOMPARE(b.view.exportTo(out), QString());
        QFile file(out);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("# mine\nsplit C i into 4\n"));
        b.session.files().open({b.write("bad.script", "split C i into 4\nparallel C z\n")});
        const Message &message = b.session.messages().all().back();
        QCOMPARE(message.line, 2);
        QVERIFY2(message.text.contains(s("bad.script:2:12: there is no loop `z` in C")), qPrintable(message.text));
        QVERIFY2(message.detail.startsWith(s("What could stand there: i.0, i.1")), qPrintable(message.detail));
        QCOMPARE(b.text(), s("split C i into 4\nparallel C z\n")); // to be put right
        QVERIFY(!b.view.problemBar()->sentence().isEmpty());
    }

    void aScriptWaitsForItsWorkload() {
        Bench b;
        b.session.files().open({b.write("mine.sched", "split C i into 4\n")});
        QVERIFY(b.session.messages().all().back().text.contains(s("needs a workload")));
        b.session.files().open({b.write("m.te", kText.toLatin1().constData()), b.folder.filePath(s("mine.sched"))});
        QTRY_COMPARE_WITH_TIMEOUT(b.at(), (ScheduleRef{Kind::Edited, 1}), 20000);
    }

    void refusedStepsAreComments() {
        Bench b;
        b.open();
        QCOMPARE(b.session.edits().apply({}, SplitStep{StageId(2), IterId(0), 64, {4}}), QString());
        QCOMPARE(b.session.edits().apply(b.at(), AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}), QString());
        auto steps = *b.session.edits().stepsOf(b.at());
        steps.erase(0);
        b.session.edits().edit(b.at(), steps, s("without its split"));
        QVERIFY2(b.text().startsWith(s("# does not apply: parallel C i.0: ")), qPrintable(b.text()));
        QCOMPARE(b.session.edits().apply(b.at(), AnnotateStep{StageId(2), IterId(2), Annotation::Unroll}), QString());
        b.editor()->setFocus();
        QTest::keyClick(b.editor(), Qt::Key_Down); // the second of the list, the first that applies
        QCOMPARE(b.session.selection().now().step, 1);
        b.session.edits().undo();
        // They stay in the list as long as the text says the same.
        const ScheduleRef at = b.at();
        b.editor()->setCursorPosition(0, 0);
        b.type("# kept\n");
        b.applyNow();
        QCOMPARE(b.at(), at);
        QCOMPARE(b.session.edits().node(at.number)->steps.size(), size_t{1});
    }
};

LOOPSCOPE_WINDOW_TEST(ScriptViewTest)

} // namespace script_view_test
#include "script_view_test.moc"
