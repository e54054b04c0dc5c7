// The window as its user meets it, by clicks and keys: palettes, layouts, drops, documents, and everything there again
// at the next start.

#include "language/dag/compute_dag.h"
#include "language/target/target.h"
#include "language/task/task.h"
#include "language/te/workload.h"
#include "records/record/record_writer.h"
#include "test_program.h"
#include "views/compare/aligned_text.h"
#include "views/compare/compare_view.h"
#include "views/loops/loop_tree_model.h"
#include "views/loops/loops_view.h"
#include "views/main_window/shortcut_list.h"
#include "views/main_window/status_line.h"
#include "views/main_window/window_layouts.h"
#include "views/palette/command_palette.h"
#include "views/session/open_logs.h"
#include "views/session/text.h"
#include "views/start_page/sample_card.h"
#include "views/start_page/start_page.h"
#include "window_start.h"

#include <QAbstractButton>
#include <QDropEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

using namespace loopscope;

namespace {

QString sample(const char *name) {
    return QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/%1.te").arg(QLatin1String(name));
}

/// A log of the matmul sample, every trial the naive schedule.
QString log(const QTemporaryDir &folder, const char *name, const std::vector<double> &seconds) {
    const Task task = makeTask(ComputeDag::fromWorkload(loadWorkload(std8(sample("matmul")))), parseTarget("llvm"));
    const QString path = folder.filePath(QLatin1String(name));
    RecordWriter writer(std8(path));
    for (const double time : seconds) {
        Trial trial;
        trial.seconds = {time};
        writer.append(makeRecord(task, trial));
    }
    return path;
}

struct Start : WindowStart {
    explicit Start(const QString &folder, bool restore = false) : WindowStart(folder, {.restore = restore}) {}
    void key(Qt::Key which, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&window, which, modifiers); }
    /// Opens a palette by its keys, types, and presses return.
    void palette(Qt::KeyboardModifiers modifiers, const QString &text) {
        key(Qt::Key_P, modifiers);
        auto *line = window.findChild<QLineEdit *>(QStringLiteral("palette_line"));
        QVERIFY(line && line->isVisible());
        QTest::keyClicks(line, text);
        QTest::keyClick(line, Qt::Key_Return);
        QVERIFY(!line->isVisible());
    }
    void drop(const QStringList &paths) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString &path : paths) urls << QUrl::fromLocalFile(path);
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &event);
        QVERIFY(event.isAccepted());
    }
};

constexpr auto kCtrlShift = Qt::ControlModifier | Qt::ShiftModifier;

} // namespace

class MainWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_SAMPLES", LOOPSCOPE_SOURCE_DIR "/samples"); }

    void aSampleOpensByAClick() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        QVERIFY(start.window.onStartPage());
        const auto findCard = [&] {
            return start.window.findChild<SampleCard *>(QStringLiteral("sample_matmul_relu"));
        };
        QTRY_VERIFY(findCard() != nullptr);
        SampleCard *card = findCard();
        QTest::mouseClick(card, Qt::LeftButton);
        QTRY_VERIFY(start.session.document() && start.session.document()->task);
        QVERIFY(!start.window.onStartPage());
        QCOMPARE(start.session.document()->name, QStringLiteral("matmul_relu"));
        QVERIFY(start.window.windowTitle().startsWith(QStringLiteral("matmul_relu")));
        QTRY_VERIFY(start.window.findChild<QLabel *>(QStringLiteral("status_text"))
                        ->text()
                        .startsWith(QStringLiteral("matmul_relu on llvm, 268.7 MFLOP")));
        start.key(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(start.session.documents().all().empty());
        QVERIFY(start.window.onStartPage());
    }

    void thePaletteRunsAnAction() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.settings.setTheme(ThemeChoice::Light);
        start.theme.apply(*qApp, ThemeChoice::Light);
        start.palette(kCtrlShift, QStringLiteral("theme dark"));
        QVERIFY(start.theme.dark());
        QCOMPARE(start.settings.theme(), ThemeChoice::Dark);
        // Every registered and visible action can be found there.
        start.key(Qt::Key_P, kCtrlShift);
        auto *palette = start.window.findChild<CommandPalette *>();
        int visible = 0;
        for (const QAction *action : start.actions.all()) visible += action->isVisible() ? 1 : 0;
        QCOMPARE(palette->model().rowCount(), visible);
        auto *line = start.window.findChild<QLineEdit *>(QStringLiteral("palette_line"));
        QTest::keyClick(line, Qt::Key_Escape);
        QVERIFY(!palette->isVisible());
        start.theme.apply(*qApp, ThemeChoice::Light);
    }

    void aDisabledActionIsShownButDoesNotRun() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.key(Qt::Key_P, kCtrlShift);
        auto *line = start.window.findChild<QLineEdit *>(QStringLiteral("palette_line"));
        QTest::keyClicks(line, QStringLiteral("go back"));
        auto *palette = start.window.findChild<CommandPalette *>();
        QVERIFY(palette->model().rowCount() > 0);
        QCOMPARE(palette->model().item(0).text, QStringLiteral("Back"));
        QVERIFY(!palette->model().item(0).enabled);
        QTest::keyClick(line, Qt::Key_Return);
        QVERIFY(palette->isVisible());
    }

    void theFinderGoesToAStageAndASample() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QSignalSpy loaded(start.window.findChild<StartPage *>(), &StartPage::loaded);
        if (start.window.findChild<StartPage *>()->samples().empty()) QVERIFY(loaded.wait(10000));
        start.palette(Qt::ControlModifier, QStringLiteral("sample conv2d_bias_relu"));
        QTRY_VERIFY(start.session.document() && start.session.document()->task);
        QCOMPARE(start.session.document()->name, QStringLiteral("conv2d_bias_relu"));
        start.palette(Qt::ControlModifier, QStringLiteral("stage T_add"));
        QCOMPARE(start.session.selection().now().stage, QStringLiteral("T_add"));
        start.palette(Qt::ControlModifier, QStringLiteral("stage pad"));
        QCOMPARE(start.session.selection().now().stage, QStringLiteral("pad_temp"));
        start.key(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(start.session.selection().now().stage, QStringLiteral("T_add"));
        start.key(Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(start.session.selection().now().stage, QStringLiteral("pad_temp"));
    }

    void altAndANumberReachThePanelsContent() {
        const QTemporaryDir folder;
        Start start(folder.path(), true);
        start.open(sample("matmul"));
        QTRY_VERIFY(!start.session.document()->sketches.empty());
        start.session.files().open({log(folder, "some.json", {0.003, 0.002, 0.001})});
        QTRY_COMPARE(start.session.document()->trials.size(), size_t(3));
        QTRY_VERIFY(start.session.logs().current() != nullptr && start.session.logs().current()->records() == 3);
        start.session.messages().warn(QStringLiteral("Something to read"));
        start.session.selection().selectTrials({0, 1});
        for (const bool behindTabs : {true, false}) {
            if (!behindTabs) start.window.layouts().switchTo(QStringLiteral("Search"));
            for (const DockInfo &info : dockList()) {
                start.window.setFocus();
                start.key(info.key[0].key(), info.key[0].keyboardModifiers());
                const QWidget *focus = QApplication::focusWidget();
                QVERIFY2(focus != nullptr && focus->isVisible(), qPrintable(info.id));
                QCOMPARE(start.window.docks().dockOf(focus), start.window.docks().dock(info.id));
                // What there is to read, not a button above it.
                QVERIFY2(qobject_cast<const QAbstractButton *>(focus) == nullptr, qPrintable(info.id));
                QVERIFY2(qobject_cast<const QLineEdit *>(focus) == nullptr, qPrintable(info.id));
            }
        }
        // Nothing passes the filter: the table is out of sight, and what remedies that has the keys.
        start.key(Qt::Key_7, Qt::AltModifier);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("trial > 9"));
        QTest::qWait(200);
        start.key(Qt::Key_9, Qt::AltModifier);
        start.key(Qt::Key_7, Qt::AltModifier);
        const QWidget *focus = QApplication::focusWidget();
        QVERIFY(focus != nullptr && focus->isVisible());
        QCOMPARE(start.window.docks().dockOf(focus), start.window.docks().dock(QStringLiteral("trials")));
    }

    void layoutsSwitchAndComeBack() {
        const QTemporaryDir folder;
        {
            Start start(folder.path(), true);
            start.open(sample("matmul"));
            QCOMPARE(start.window.layouts().current(), QStringLiteral("Explore"));
            start.key(Qt::Key_Right, Qt::ControlModifier);
            QCOMPARE(start.window.layouts().current(), QStringLiteral("Search"));
            QVERIFY(start.window.docks().isInFront(QStringLiteral("search")));
            for (int back = 0; back < 3; ++back) start.key(Qt::Key_Left, Qt::ControlModifier); // around the end
            QCOMPARE(start.window.layouts().current(), QStringLiteral("Code"));
            // The user's own: messages closed, kept under a name.
            start.window.docks().dock(QStringLiteral("messages"))->close();
            QCOMPARE(start.window.layouts().saveAs(QStringLiteral("mine")), QString());
            QVERIFY(!start.window.layouts().saveAs(QStringLiteral("Search")).isEmpty());
            start.window.layouts().switchTo(QStringLiteral("Search"));
            QVERIFY(!start.window.docks().dock(QStringLiteral("messages"))->isHidden());
            start.window.layouts().switchTo(QStringLiteral("mine"));
            QVERIFY(start.window.docks().dock(QStringLiteral("messages"))->isHidden());
            start.window.close();
        }
        {
            Start start(folder.path(), true);
            QCOMPARE(start.window.layouts().current(), QStringLiteral("mine"));
            QVERIFY(start.window.docks().dock(QStringLiteral("messages"))->isHidden());
            start.window.layouts().remove(QStringLiteral("mine"));
            QVERIFY(!start.window.layouts().names().contains(QStringLiteral("mine")));
            QCOMPARE(start.window.layouts().current(), QStringLiteral("Explore"));
        }
    }

    void restoringTheDefaultForgetsChanges() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.open(sample("matmul"));
        start.window.layouts().switchTo(QStringLiteral("Search"));
        start.window.docks().dock(QStringLiteral("loops"))->close();
        start.window.layouts().switchTo(QStringLiteral("Code"));
        start.window.layouts().switchTo(QStringLiteral("Search"));
        QVERIFY(start.window.docks().dock(QStringLiteral("loops"))->isHidden());
        start.actions.find(QStringLiteral("layout.restore"))->trigger();
        QVERIFY(!start.window.docks().dock(QStringLiteral("loops"))->isHidden());
    }

    void everyDockHasItsKey() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.open(sample("matmul"));
        QVERIFY(dockList().size() > 5);
        for (const DockInfo &info : dockList()) {
            QVERIFY2(!info.key.isEmpty(), qPrintable(info.id));
            start.window.docks().dock(info.id)->close();
            QTest::keySequence(&start.window, info.key);
            QVERIFY2(start.window.docks().isInFront(info.id), qPrintable(info.id));
        }
    }

    /// Going to the loops chooses none of them.
    void theKeyOfTheLoopsLeavesTheSelection() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.open(sample("matmul"));
        auto *view = qobject_cast<LoopsView *>(start.window.docks().view(QStringLiteral("loops")));
        QVERIFY(view);
        QTRY_VERIFY_WITH_TIMEOUT(view->model()->tree() && start.session.jobs().running().empty(), 20000);
        QTreeView *tree = view->tree();
        for (const char *stage : {"", "C"}) {
            QTest::keySequence(&start.window, QKeySequence(QStringLiteral("Alt+3")));
            QVERIFY(!tree->hasFocus());
            start.session.selection().selectStage(QLatin1String(stage));
            const Selected before = start.session.selection().now();
            QTest::keySequence(&start.window, QKeySequence(QStringLiteral("Alt+6")));
            QVERIFY(tree->hasFocus());
            QVERIFY(start.session.selection().now() == before);
            QVERIFY(!tree->selectionModel()->hasSelection());
        }
    }

    /// What views name to one another (views/actions/capabilities.h) is there once all views are.
    void everyCapabilityIsOffered() {
        QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        QStringList missing;
        QSet<QString> ids;
        for (const Capability capability : kCapabilities) {
            const QString id = QLatin1String(actionId(capability));
            ids.insert(id);
            const QAction *action = start.actions.find(capability);
            if (!action || action->objectName() != id) missing << id;
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u' ')));
        QCOMPARE(static_cast<size_t>(ids.size()), kCapabilities.size());
    }

    void noTwoCommandsShareAKey() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QMap<QString, QString> owners;
        for (const QAction *action : start.actions.all()) {
            const auto *widget = qobject_cast<const QWidget *>(action->parent());
            if (widget && !widget->isWindow()) continue; // works in its view only
            for (const QKeySequence &key : action->shortcuts()) {
                const QString name = key.toString();
                QVERIFY2(!owners.contains(name),
                         qPrintable(name + QStringLiteral(": ") + owners.value(name) + u' ' + action->objectName()));
                owners[name] = action->objectName();
            }
        }
        QVERIFY(owners.size() > 30);
    }

    void droppedFilesOpen() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.drop({sample("softmax")});
        QTRY_COMPARE(start.session.documents().all().size(), size_t(1));
        start.drop({sample("matmul"), sample("dense")});
        QTRY_COMPARE(start.session.documents().all().size(), size_t(3));
        auto *tabs = start.window.findChild<QTabBar *>(QStringLiteral("documents"));
        QVERIFY(tabs->isVisible());
        QTRY_COMPARE(tabs->tabText(0), QStringLiteral("softmax"));
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(0).center());
        QCOMPARE(start.session.document()->name, QStringLiteral("softmax"));
        start.key(Qt::Key_W, Qt::ControlModifier);
        QCOMPARE(start.session.documents().all().size(), size_t(2));
        QCOMPARE(start.settings.recentFiles().size(), 3);
        start.key(Qt::Key_3, Qt::ControlModifier); // the one opened first
        QTRY_COMPARE(start.session.document()->name, QStringLiteral("softmax"));
    }

    void aFullLogOffersToGoOn() {
        const QTemporaryDir folder;
        const QString path = log(folder, "full.json", std::vector<double>(64, 1e-3));
        Start start(folder.path());
        auto *button = start.window.findChild<QToolButton *>(QStringLiteral("search_button"));
        QVERIFY(button);
        start.open(sample("matmul"));
        QTRY_COMPARE(button->text(), QStringLiteral("Start"));
        start.window.openFiles({path}, false);
        QTRY_COMPARE(button->text(), QStringLiteral("Continue"));
        QTRY_VERIFY(button->isEnabled());
    }

    /// A search refreshes the button with every trial; a new icon each time filled the cache of pictures.
    void theSearchButtonIsDressedOnceForEachLook() {
        const QTemporaryDir folder;
        Start start(folder.path());
        auto *button = start.window.findChild<QToolButton *>(QStringLiteral("search_button"));
        QVERIFY(button);
        start.open(sample("matmul"));
        QTRY_VERIFY(button->isEnabled() && button->text() == QLatin1String("Start"));
        QTRY_VERIFY(start.session.jobs().running().empty());
        const qint64 before = button->icon().cacheKey();
        const QString light = button->styleSheet();
        for (int i = 0; i < 3; ++i) {
            Q_EMIT start.session.documents().problemChanged();
            QTest::qWait(20);
        }
        QCOMPARE(button->icon().cacheKey(), before);
        start.key(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(button->icon().cacheKey() != before); // other colours are another look
        QVERIFY(button->styleSheet() != light);
    }

    void allButtonsOfTheSearchSayTheSame() {
        const QTemporaryDir folder;
        const QString path = log(folder, "half.json", std::vector<double>(32, 1e-3)); // of 64
        Start start(folder.path());
        auto *toolbar = start.window.findChild<QToolButton *>(QStringLiteral("search_button"));
        auto *panel = start.window.findChild<QPushButton *>(QStringLiteral("searchPrimary"));
        QVERIFY(toolbar && panel);
        start.open(sample("matmul"));
        QTRY_COMPARE(toolbar->text(), QStringLiteral("Start"));
        QTRY_COMPARE(panel->text(), QStringLiteral("Start"));
        start.window.openFiles({path}, false);
        QTRY_COMPARE(toolbar->text(), QStringLiteral("Continue"));
        QTRY_COMPARE(panel->text(), QStringLiteral("Continue"));
    }

    void twoLogsComeSideBySide() {
        const QTemporaryDir folder;
        const QString base = log(folder, "base.json", {5e-3, 4e-3});
        const QString next = log(folder, "next.json", {3e-3, 2e-3, 6e-3});
        Start start(folder.path());
        start.window.openFiles({base, next}, true);
        auto *compare = start.window.findChild<CompareView *>();
        QVERIFY(compare);
        QTRY_VERIFY2_WITH_TIMEOUT(compare->side(AlignedText::Right), qPrintable(compare->notice()), 10000);
        const auto seconds = [&](AlignedText::Side side) {
            return start.session.document()->trials[static_cast<size_t>(compare->side(side)->number)].seconds();
        };
        QCOMPARE(seconds(AlignedText::Left), 4e-3); // the best of each
        QCOMPARE(seconds(AlignedText::Right), 2e-3);
        QVERIFY(compare->isVisible());
    }

    void filesThatCannotBeComparedAreOpenedAndSaid() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.window.openFiles({sample("softmax"), sample("matmul")}, true);
        QTRY_COMPARE(start.session.documents().all().size(), size_t(2));
        QTRY_VERIFY(!start.session.messages().all().empty());
        QVERIFY(start.session.messages().all().back().text.contains(QStringLiteral("no valid trials")));
    }

    void aBrokenFileIsSaidAndTheWindowGoesOn() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.drop({QStringLiteral("/no/such/file.te")});
        auto *button = start.window.findChild<QToolButton *>(QStringLiteral("status_message"));
        QTRY_VERIFY(button->isVisible());
        QVERIFY(button->toolTip().contains(QStringLiteral("/no/such/file.te")));
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(start.window.docks().isInFront(QStringLiteral("messages")));
        start.open(sample("matmul"));
    }

    void unseenMessagesAreCounted() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.open(sample("matmul"));
        start.window.docks().dock(QStringLiteral("messages"))->close();
        start.session.messages().warn(QStringLiteral("a"));
        start.session.messages().note(QStringLiteral("b"));
        start.session.messages().fail(QStringLiteral("c"));
        QCOMPARE(start.window.docks().dock(QStringLiteral("messages"))->windowTitle(), QStringLiteral("Messages (2)"));
        start.window.docks().showDock(QStringLiteral("messages"), false);
        QTRY_COMPARE(start.window.docks().dock(QStringLiteral("messages"))->windowTitle(), QStringLiteral("Messages"));
    }

    void shortcutsAreListed() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.window.setFocus();
        start.key(Qt::Key_Question);
        QTRY_VERIFY(start.window.findChild<ShortcutList *>());
        const auto *list = start.window.findChild<ShortcutList *>();
        auto *tree = list->findChild<QTreeWidget *>();
        const auto shown = [tree] {
            int count = 0;
            for (int g = 0; g < tree->topLevelItemCount(); ++g)
                for (int i = 0; i < tree->topLevelItem(g)->childCount(); ++i)
                    count += tree->topLevelItem(g)->child(i)->isHidden() ? 0 : 1;
            return count;
        };
        QVERIFY(shown() > 25);
        QTest::keyClicks(list->findChild<QLineEdit *>(QStringLiteral("shortcut_find")), QStringLiteral("command pal"));
        QCOMPARE(shown(), 0);
        list->findChild<QLineEdit *>(QStringLiteral("shortcut_find"))->setText(QStringLiteral("all commands"));
        QCOMPARE(shown(), 1);
    }

    void everythingIsThereAtTheNextStart() {
        const QTemporaryDir folder;
        {
            Start start(folder.path(), true);
            QVERIFY(start.window.onStartPage());
            start.open(sample("conv2d_bias_relu"));
            start.window.openFiles({sample("softmax")}, false);
            QTRY_VERIFY(start.session.document()->name == QLatin1String("softmax") && start.session.document()->task);
            start.session.documents().setCurrent(start.session.documents().all()[0]->id);
            start.session.selection().selectStage(QStringLiteral("T_add"));
            start.window.layouts().switchTo(QStringLiteral("Code"));
            const QSignalSpy closed(&start.window, &MainWindow::closed);
            start.window.close();
            QCOMPARE(closed.size(), 1);
        }
        Start start(folder.path(), true);
        QTRY_COMPARE(start.session.documents().all().size(), size_t(2));
        QVERIFY(!start.window.onStartPage());
        QTRY_VERIFY(start.session.document()->task);
        QCOMPARE(start.session.document()->name, QStringLiteral("conv2d_bias_relu"));
        QTRY_COMPARE(start.session.selection().now().stage, QStringLiteral("T_add"));
        QCOMPARE(start.window.layouts().current(), QStringLiteral("Code"));
    }

    void whatWasNotSavedIsKept() {
        const QTemporaryDir folder;
        Start start(folder.path());
        start.open(sample("matmul"));
        start.session.documents().setText(start.session.document()->text + QStringLiteral("\n# mine\n"));
        start.key(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(start.session.documents().all().empty());
        const Message &message = start.session.messages().all().back();
        QVERIFY(message.text.startsWith(QStringLiteral("The unsaved text of matmul is kept in ")));
        QFile file(message.path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().endsWith("\n# mine\n"));
    }
};

LOOPSCOPE_WINDOW_TEST(MainWindowTest)
#include "main_window_test.moc"
