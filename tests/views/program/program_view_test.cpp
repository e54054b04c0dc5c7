// The code view in a window of its own, on a real session: representations, links by clicks and keys, refusals.

#include "lowered_sample.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/program/assembly_bar.h"
#include "views/program/hot_block_bar.h"
#include "views/program/pass_bar.h"
#include "views/program/program_view.h"
#include "views/program/schedule_words.h"
#include "views/session/text.h"
#include "views/text/code_text.h"

#include <Qsci/qsciscintilla.h>

#include <QApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace loopscope;

namespace {

/// For what comes, however busy the machine is; milliseconds.
constexpr int kPatience = 60'000;

struct Window : ViewBench {
    ProgramView view{context};

    Window() {
        theme.apply(*qApp, ThemeChoice::Light);
        view.resize(1600, 900);
    }
    void open(const char *text) {
        view.show();
        if (!QTest::qWaitForWindowExposed(&view)) qFatal("no window");
        session.documents().openText(QStringLiteral("matmul"), QString::fromLatin1(text));
    }
    [[nodiscard]] RepresentationPane &pane(const char *name) const {
        return *view.findChild<RepresentationPane *>(QString::fromLatin1(name));
    }
    /// Not split, with the loops of the matmul in sight.
    RepresentationPane &openAlone() {
        view.setSplit(false);
        open(kMatmulText);
        RepresentationPane &shown = pane("FirstForm");
        if (!QTest::qWaitFor([&] { return !shown.text().text().isEmpty(); }, kPatience)) qFatal("no loops");
        return shown;
    }
    void run(const char *action) const { actions.find(QString::fromLatin1(action))->trigger(); }
};

bool isMarked(const CodeText &text, int line) {
    const_cast<CodeText &>(text).grab(); // marks are put on a line when it is painted
    return (text.editor()->markersAtLine(line - 1) & ~1U) != 0;
}

int lineWith(const CodeText &text, const QString &part) {
    const QStringList lines = text.text().split(QLatin1Char('\n'));
    for (int i = 0; i < lines.size(); ++i)
        if (lines[i].contains(part)) return i + 1;
    return 0;
}

} // namespace

class ProgramViewTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void nothingOpen() {
        Window window;
        window.view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window.view));
        bool said = false;
        for (const auto *label : window.view.findChildren<QLabel *>())
            said = said || (label->isVisible() && label->text() == QStringLiteral("Open a workload to see its code."));
        QVERIFY(said);
    }

    void loopsAndAssemblyAreLinked() {
        Window window;
        window.view.setSplit(true);
        window.open(kMatmulText);
        RepresentationPane &first = window.pane("FirstForm");
        RepresentationPane &second = window.pane("SecondForm");
        QTRY_VERIFY_WITH_TIMEOUT(!first.text().text().isEmpty(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!second.text().text().isEmpty(), kPatience);
        QCOMPARE(first.form(), FormKind::Loops);
        QCOMPARE(second.form(), FormKind::Assembly);

        // From the loops: by key.
        const int line = lineWith(first.text(), QStringLiteral("C[i, j] = C.acc"));
        const int loop = lineWith(first.text(), QStringLiteral("for k in"));
        QVERIFY2(line > 0 && loop > 0, qPrintable(first.text().text()));
        first.text().goTo(loop - 1);
        first.text().editor()->setFocus();
        QTest::keyClick(first.text().editor(), Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(window.session.selection().now().iterator, QStringLiteral("k"), kPatience);
        QCOMPARE(window.session.selection().now().stage, QStringLiteral("C"));
        QVERIFY(window.session.selection().now().node >= 0);
        QVERIFY(isMarked(first.text(), loop));
        const int multiply = lineWith(second.text(), QStringLiteral("vfmadd"));
        QVERIFY2(multiply > 0, qPrintable(second.text().text()));
        QVERIFY(isMarked(second.text(), multiply));

        // From the assembly: a click on the multiply-add selects its statement.
        second.text().goTo(multiply - 1);
        second.text().editor()->setFocus();
        QTest::keyClick(second.text().editor(), Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(window.view.active().objectName(), QStringLiteral("SecondForm"), kPatience);
        const auto nodes = window.session.representations().of({})->nodes();
        QTRY_VERIFY_WITH_TIMEOUT(
            nodes[static_cast<size_t>(window.session.selection().now().node)].kind == StmtKind::Store, kPatience);

        // From elsewhere: by name.
        window.session.selection().selectIterator(QStringLiteral("D"), QStringLiteral("i"));
        QVERIFY(isMarked(
            first.text(),
            nodes[static_cast<size_t>(nodesOf(nodes, QStringLiteral("D"), QStringLiteral("i"), -1).front())].line));

        // Other representations follow when they are shown.
        window.run("program.ir");
        QTRY_VERIFY_WITH_TIMEOUT(second.text().text().contains(QStringLiteral("define")), kPatience);
        second.showForm(FormKind::C);
        QVERIFY(second.text().text().contains(QStringLiteral("#include")));
        QVERIFY(window.actions.find(QStringLiteral("program.next_block")) != nullptr);
    }

    void assemblyOpensAtTheHottestLoop() {
        Window window;
        window.view.setSplit(false);
        window.view.resize(900, 500);
        window.open(kMatmulText);
        RepresentationPane &pane = window.pane("FirstForm");
        pane.showForm(FormKind::Assembly);
        QTRY_VERIFY_WITH_TIMEOUT(!pane.text().text().isEmpty(), kPatience);
        QString problem;
        const DisassemblyPtr disassembly = window.session.representations().disassembly({}, &problem);
        QVERIFY2(disassembly, qPrintable(problem));
        const HotBlock &hottest = disassembly->hot;
        QTRY_COMPARE_WITH_TIMEOUT(pane.text().currentLine(), hottest.firstLine, kPatience);
        const int top = static_cast<int>(pane.text().editor()->SendScintilla(QsciScintilla::SCI_GETFIRSTVISIBLELINE));
        QVERIFY(top > 0 && top < hottest.firstLine);
        // Its button says which loop it is.
        QStringList chips;
        for (const QToolButton *button : pane.findChildren<QToolButton *>())
            if (button->isVisible() && button->text().contains(QLatin1String("instr"))) chips << button->text();
        QVERIFY2(!chips.isEmpty() && chips.front().startsWith(QLatin1String("C.k: ")), qPrintable(chips.join(u'|')));
        // What the block is made of, and a click leads back to it.
        const auto *bar = pane.findChild<HotBlockBar *>();
        QVERIFY(bar != nullptr && bar->isVisible());
        auto *go = bar->findChild<QToolButton *>();
        QCOMPARE(go->text(), QStringLiteral("Hottest: C.k"));
        const QString text = bar->findChild<QLabel *>()->text();
        QVERIFY2(text.startsWith(mixText(hottest)) && text.contains(QLatin1String(" cycles an iteration, bound by ")),
                 qPrintable(text));
        const auto *ports = bar->findChild<PortBars *>();
        QVERIFY(ports->isVisible() && ports->width() > 20);
        QVERIFY(ports->toolTip().contains(qt(hottest.pressure.ports.front().name)));
        pane.text().goTo(1);
        QTRY_COMPARE(pane.text().currentLine(), 1);
        QTest::mouseClick(go, Qt::LeftButton);
        QTRY_COMPARE(pane.text().currentLine(), hottest.firstLine);
    }

    void aBlockWithoutThroughputSaysWhy() {
        Theme theme;
        theme.apply(*qApp, ThemeChoice::Light);
        HotBlockBar bar(theme, nullptr);
        HotBlock block;
        block.mix.loads = 2;
        block.pressureProblem = "the model of atom lacks VADDPSYrr";
        bar.show(block, QStringLiteral("C.k"), {});
        QVERIFY(bar.findChild<QLabel *>()->text().contains(QLatin1String("the model of atom lacks VADDPSYrr")));
        QVERIFY(!bar.findChild<PortBars *>()->isVisibleTo(&bar));
        bar.show({}, {}, QStringLiteral("the kernel has no instructions"));
        QCOMPARE(bar.findChild<QLabel *>()->text(), QStringLiteral("No hottest block: the kernel has no instructions"));
        QVERIFY(!bar.findChild<QToolButton *>()->isVisibleTo(&bar));
    }

    void theCountsOfChangedLinesFollowTheTheme() {
        Theme theme;
        theme.apply(*qApp, ThemeChoice::Light);
        PassBar bar(theme, nullptr);
        bar.sayChanges(3, 2);
        const auto colored = [&] {
            for (const QLabel *label : bar.findChildren<QLabel *>())
                if (label->text().contains(QLatin1String("+3")))
                    return label->text().contains(theme.color(Role::Good).name()) &&
                           label->text().contains(theme.color(Role::Bad).name());
            return false;
        };
        QVERIFY(colored());
        theme.apply(*qApp, ThemeChoice::Dark);
        QVERIFY(colored());
        theme.apply(*qApp, ThemeChoice::Light);
    }

    void longLinesWrapWhenAsked() {
        Window window;
        window.view.setSplit(false);
        window.view.resize(500, 400);
        window.open(
            "workload wide(N = 64)\nA = placeholder [N, N] float32\n"
            "B(i < N, j < N) = exp(A[i, j]) + exp(A[i, j] * 2) + exp(A[i, j] * 3) + exp(A[i, j] * 4) + exp(A[i, "
            "j] * 5) + exp(A[i, j] * 6)\n");
        RepresentationPane &pane = window.pane("FirstForm");
        QTRY_VERIFY_WITH_TIMEOUT(!pane.text().text().isEmpty(), kPatience);
        QVERIFY2(!pane.text().text().contains(QLatin1String("tir.")), qPrintable(pane.text().text()));
        const int line = lineWith(pane.text(), QStringLiteral("exp("));
        const auto rows = [&] {
            pane.text().grab();
            return pane.text().editor()->SendScintilla(QsciScintilla::SCI_WRAPCOUNT,
                                                       static_cast<unsigned long>(line - 1));
        };
        QVERIFY(line > 0);
        QCOMPARE(rows(), 1L);
        window.run("program.wrap");
        QTRY_VERIFY_WITH_TIMEOUT(rows() > 1, kPatience);
        QVERIFY(window.settings.value(QStringLiteral("program/wrap")).toBool());
        window.run("program.wrap");
        QTRY_COMPARE_WITH_TIMEOUT(rows(), 1L, kPatience);
    }

    void earlierPassesAreLinkedByName() {
        Window window;
        RepresentationPane &pane = window.openAlone();
        const QString final = pane.text().text();
        pane.passes().setPass(0);
        QVERIFY(pane.text().text() != final);
        window.session.selection().selectIterator(QStringLiteral("D"), QStringLiteral("j"));
        const auto &nodes = *window.session.representations().of({})->passes.front().nodes;
        const auto there = nodesOf(nodes, QStringLiteral("D"), QStringLiteral("j"), -1);
        QCOMPARE(there.size(), size_t{1});
        QVERIFY(isMarked(pane.text(), nodes[static_cast<size_t>(there[0])].line));
        pane.passes().step(1);
        QVERIFY(pane.passes().pass() > 0);
    }

    void aSketchIsRefusedWithASentence() {
        Window window;
        window.view.setSplit(false);
        window.open(kMatmulText);
        QTRY_VERIFY_WITH_TIMEOUT(window.session.document() && !window.session.document()->sketches.empty(), kPatience);
        window.session.selection().selectSchedule({ScheduleRef::Kind::Sketch, 0});
        RepresentationPane &pane = window.pane("FirstForm");
        const QString words = QStringLiteral("sketch 0 \u00b7 open lengths: choose a trial to see code");
        const auto *header = window.view.findChild<QLabel *>();
        QTRY_COMPARE_WITH_TIMEOUT(header->text(), words, kPatience);
        QVERIFY(!pane.text().text().isEmpty()); // the state's own text
        pane.showForm(FormKind::Assembly);
        QCOMPARE(pane.text().text(), QString());
        bool said = false;
        for (const auto *label : pane.findChildren<QLabel *>())
            said = said || (label->isVisible() && label->text().contains(QStringLiteral("tile sizes are still open")));
        QVERIFY(said);
    }

    void compilingCanBeCancelledAndTriedAgain() {
        Window window;
        RepresentationPane &pane = window.openAlone();
        pane.showForm(FormKind::Assembly);
        window.session.representations().cancelDisassembly({});
        QString problem;
        QTRY_VERIFY_WITH_TIMEOUT(!(window.session.representations().disassembly({}, &problem), problem).isEmpty(),
                                 kPatience);
        QVERIFY2(problem.contains(QStringLiteral("cancelled")), qPrintable(problem));
        Q_EMIT pane.retryAsked();
        QTRY_VERIFY_WITH_TIMEOUT(pane.text().text().contains(QStringLiteral("loopscope_kernel")), kPatience);
    }

    void whatIsShownIsSaved() {
        Window window;
        RepresentationPane &pane = window.openAlone();
        pane.showForm(FormKind::C);
        QCOMPARE(window.view.exportSuffixes().front(), QStringLiteral("c"));
        const QString path = window.folder.filePath(QStringLiteral("kernel.c"));
        QCOMPARE(window.view.exportTo(path), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()), pane.text().text());
    }

    void aMissingWorkerIsSaid() {
        qputenv("LOOPSCOPE_WORKER", "/no/such/worker");
        Window window;
        RepresentationPane &pane = window.openAlone();
        pane.showForm(FormKind::Assembly);
        const auto said = [&] {
            for (const auto *label : pane.findChildren<QLabel *>())
                if (label->isVisible() && label->text().contains(QStringLiteral("/no/such/worker"))) return true;
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(said(), kPatience);
        QCOMPARE(pane.text().text(), QString());
        qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker");
    }

    void nobodyLooksNothingIsMade() {
        Window window;
        window.session.documents().openText(QStringLiteral("matmul"), QString::fromLatin1(kMatmulText));
        QTRY_VERIFY_WITH_TIMEOUT(window.session.document()->task, kPatience);
        QTest::qWait(150);
        for (const JobInfo &job : window.session.jobs().running())
            QVERIFY2(!job.title.startsWith(QStringLiteral("Lowering")), qPrintable(job.title));
        QVERIFY(window.pane("FirstForm").text().text().isEmpty());
    }
};

LOOPSCOPE_WINDOW_TEST(ProgramViewTest)
#include "program_view_test.moc"
