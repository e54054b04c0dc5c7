// The text widget as its users use it: marks, clicks and keys, finding, folding, completions, saving.

#include "test_program.h"
#include "views/text/code_text.h"

#include <Qsci/qsciscintilla.h>

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

namespace {

const QString kLoops = QStringLiteral("kernel(A)\n"
                                      "    for i in 0 .. 4:\n"
                                      "        for j in 0 .. 4:\n"
                                      "            A[i, j] = 0f\n"
                                      "    A[0] = 1f\n");

long ask(const CodeText &text, unsigned message, long w = 0, long l = 0) {
    return text.editor()->SendScintilla(message, static_cast<unsigned long>(w), l);
}

} // namespace

class CodeTextTest : public QObject {
    Q_OBJECT

    Theme m_theme;

    std::unique_ptr<CodeText> shown(CodeLanguage language, bool readOnly, const QString &content) {
        auto text = std::make_unique<CodeText>(m_theme, language, readOnly);
        text->resize(600, 400);
        text->setText(content);
        text->show();
        if (!QTest::qWaitForWindowExposed(text.get())) qFatal("no window");
        text->activateWindow();
        text->editor()->setFocus();
        QApplication::processEvents();
        return text;
    }

  private slots:
    void initTestCase() { m_theme.apply(*qApp, ThemeChoice::Light); }

    void onlyUserMovesAreClicks() {
        const auto text = shown(CodeLanguage::LoopProgram, true, kLoops);
        QSignalSpy clicked(text.get(), &CodeText::lineClicked);
        text->goTo(3);
        QCOMPARE(text->currentLine(), 3);
        QApplication::processEvents();
        QCOMPARE(clicked.count(), 0);
        QTest::keyClick(text->editor(), Qt::Key_Down);
        QCOMPARE(clicked.count(), 1);
        QCOMPARE(clicked.last().front().toInt(), 4);
        const int height = static_cast<int>(ask(*text, QsciScintilla::SCI_TEXTHEIGHT));
        QTest::mouseClick(text->editor()->viewport(), Qt::LeftButton, {}, QPoint(200, height / 2 + height));
        QCOMPARE(clicked.last().front().toInt(), 2);
    }

    void aReadOnlyTextStaysAsItIs() {
        const auto text = shown(CodeLanguage::C, true, QStringLiteral("int a;\n"));
        QSignalSpy edited(text.get(), &CodeText::textEdited);
        QTest::keyClicks(text->editor(), QStringLiteral("xyz"));
        QCOMPARE(text->text(), QStringLiteral("int a;\n"));
        QCOMPARE(edited.count(), 0);
    }

    void typingIsTold() {
        const auto text = shown(CodeLanguage::Te, false, QStringLiteral("a\n"));
        QSignalSpy edited(text.get(), &CodeText::textEdited);
        QTest::keyClicks(text->editor(), QStringLiteral("bc"));
        QCOMPARE(edited.count(), 2);
        QCOMPARE(edited.last().front().toString(), QStringLiteral("bca\n"));
        QCOMPARE(text->text(), QStringLiteral("bca\n"));
        text->setText(QStringLiteral("new\n"));
        QCOMPARE(edited.count(), 2);
        QCOMPARE(text->text(), QStringLiteral("new\n"));
    }

    void marksArePaintedWhereSeen() {
        QString many;
        for (int i = 1; i <= 5000; ++i) many += QStringLiteral("    line %1\n").arg(i);
        const auto text = shown(CodeLanguage::LoopProgram, true, many);
        text->markLines({LineRange{4000, 4002}}, {LineRange{3990, 4100}}, true);
        QTRY_VERIFY(ask(*text, QsciScintilla::SCI_GETFIRSTVISIBLELINE) > 3900);
        text->grab();
        const long selected = ask(*text, QsciScintilla::SCI_MARKERGET, 4000);
        const long inside = ask(*text, QsciScintilla::SCI_MARKERGET, 4005);
        QVERIFY(selected != 0);
        QVERIFY(inside != 0);
        QVERIFY(selected != inside);
        text->clearMarks();
        text->grab();
        QCOMPARE(ask(*text, QsciScintilla::SCI_MARKERGET, 4005), 0);
    }

    void fromMarkToMark() {
        const auto text = shown(CodeLanguage::LoopProgram, true, QString(QStringLiteral("x\n")).repeated(50));
        QVERIFY(!text->goToMark(1));
        text->markLines({3, 4, 10, 20}, false);
        QList<int> way;
        for (int i = 0; i < 4; ++i) {
            QVERIFY(text->goToMark(1));
            way << text->currentLine();
        }
        QCOMPARE(way, (QList<int>{3, 10, 20, 3}));
        text->goToMark(-1);
        QCOMPARE(text->currentLine(), 20);
        text->goToMark(-1);
        QCOMPARE(text->currentLine(), 10);
    }

    void findCountsAndSteps() {
        const auto text = shown(CodeLanguage::LoopProgram, true, kLoops);
        text->startFind();
        auto *edit = text->findChild<QLineEdit *>();
        QVERIFY(edit && edit->isVisible());
        const auto result = [&] {
            for (const auto *label : text->findChildren<QLabel *>())
                if (label->accessibleName() == QStringLiteral("Matches")) return label->text();
            return QString();
        };
        edit->setText(QStringLiteral("for"));
        QTRY_COMPARE(result(), QStringLiteral("1 of 2"));
        QCOMPARE(text->editor()->selectedText(), QStringLiteral("for"));
        QSignalSpy clicked(text.get(), &CodeText::lineClicked);
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(result(), QStringLiteral("2 of 2"));
        QCOMPARE(clicked.last().front().toInt(), 3);
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(result(), QStringLiteral("1 of 2"));
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(result(), QStringLiteral("2 of 2"));
        edit->setText(QStringLiteral("nowhere"));
        QTRY_COMPARE(result(), QStringLiteral("no match"));
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!edit->isVisible());
    }

    void foldedLinesAreHiddenAndRevealed() {
        const auto text = shown(CodeLanguage::LoopProgram, true, kLoops);
        text->foldAll(true);
        QTRY_COMPARE(ask(*text, QsciScintilla::SCI_GETLINEVISIBLE, 3), 0);
        QCOMPARE(ask(*text, QsciScintilla::SCI_GETLINEVISIBLE, 4), 1);
        text->markLines({4}, true);
        QCOMPARE(ask(*text, QsciScintilla::SCI_GETLINEVISIBLE, 3), 1);
        text->foldAll(true);
        text->foldAll(false);
        QTRY_COMPARE(ask(*text, QsciScintilla::SCI_GETLINEVISIBLE, 2), 1);
    }

    void problemsStandUnderTheirLine() {
        const auto text = shown(CodeLanguage::Te, false, QStringLiteral("a = b\nc = d\n"));
        text->setProblems(
            {{2, 5, 0, QStringLiteral("unknown name 'd'"), false}, {7, 1, 0, QStringLiteral("gone"), false}});
        QCOMPARE(ask(*text, QsciScintilla::SCI_ANNOTATIONGETLINES, 1), 1);
        QCOMPARE(ask(*text, QsciScintilla::SCI_INDICATORVALUEAT, 8, 10), 1); // the d
        text->setProblems({});
        QCOMPARE(ask(*text, QsciScintilla::SCI_ANNOTATIONGETLINES, 1), 0);
        QCOMPARE(ask(*text, QsciScintilla::SCI_INDICATORVALUEAT, 8, 10), 0);
    }

    void completionsNarrowAndAreTaken() {
        const auto text = shown(CodeLanguage::Te, false, QString());
        text->setCompletions({{QStringLiteral("conv2d_nchw"), QStringLiteral("(data, kernel)")},
                              {QStringLiteral("conv2d_nhwc"), QStringLiteral("(data, kernel)")},
                              {QStringLiteral("relu"), QStringLiteral("(x)")}});
        auto *popup = text->findChild<QListView *>();
        QVERIFY(popup && !popup->isVisible());
        QTest::keyClicks(text->editor(), QStringLiteral("co"));
        QVERIFY(popup->isVisible());
        QCOMPARE(popup->model()->rowCount(), 2);
        QTest::keyClick(text->editor(), Qt::Key_Down);
        QTest::keyClick(text->editor(), Qt::Key_Return);
        QVERIFY(!popup->isVisible());
        QCOMPARE(text->text(), QStringLiteral("conv2d_nhwc"));
        QTest::keyClicks(text->editor(), QStringLiteral(" re"));
        QVERIFY(popup->isVisible());
        QTest::keyClick(text->editor(), Qt::Key_Escape);
        QVERIFY(!popup->isVisible());
        QTest::keyClick(text->editor(), Qt::Key_Return);
        QTest::keyClicks(text->editor(), QStringLiteral("# con"));
        QVERIFY(!popup->isVisible()); // not in a comment
    }

    void aLongTextIsWholeBeforeItIsLoaded() {
        QString text = QString(QStringLiteral("\tvaddps\t%ymm0, %ymm1, %ymm2\n")).repeated(60'000);
        text += QStringLiteral("\tretq\n");
        CodeText code(m_theme, CodeLanguage::Assembly, true);
        code.setText(text);
        QCOMPARE(code.text().size(), text.size());
        code.markLines({60'001}, true); // not there yet
        QTRY_COMPARE(code.editor()->lines(), 60'002);
        QCOMPARE(code.text(), text);
        code.setText(QStringLiteral("\tnop\n"));
        QCOMPARE(code.editor()->lines(), 2);
        QVERIFY(code.editor()->isReadOnly());
    }

    void savedAsShown() {
        const QTemporaryDir folder;
        CodeText code(m_theme, CodeLanguage::LlvmIr, true);
        code.setText(QStringLiteral("; \u00b5\n"));
        QCOMPARE(code.exportSuffixes().front(), QStringLiteral("ll"));
        const QString path = folder.filePath(QStringLiteral("a.ll"));
        QCOMPARE(code.exportTo(path), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()), QStringLiteral("; \u00b5\n"));
        const QString problem = code.exportTo(folder.filePath(QStringLiteral("no/such/folder.ll")));
        QVERIFY2(problem.contains(QStringLiteral("no/such/folder.ll")), qPrintable(problem));
    }

    void theSizeIsShared() {
        CodeText one(m_theme, CodeLanguage::C, true);
        const int size = m_theme.codeFont().pointSize();
        one.zoomIn();
        QCOMPARE(m_theme.codeFont().pointSize(), size + 1);
        one.zoomToFit();
        QCOMPARE(m_theme.codeFont().pointSize(), size);
    }
};

LOOPSCOPE_WINDOW_TEST(CodeTextTest)
#include "code_text_test.moc"
