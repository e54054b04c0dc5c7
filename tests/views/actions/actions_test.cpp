// Actions by id: found, described, gone with their owner; where their shortcuts work.

#include "base/check.h"
#include "test_program.h"
#include "views/actions/actions.h"

#include <QTest>
#include <QWidget>

using namespace loopscope;

class ActionsTest : public QObject {
    Q_OBJECT

  private slots:
    void findsByIdInOrder() {
        Actions actions;
        QWidget window;
        int runs = 0;
        QAction *open = actions.add({QStringLiteral("file.open"), QStringLiteral("File"), QStringLiteral("Open"),
                                     QKeySequence(QStringLiteral("Ctrl+O")), QStringLiteral("Open a file")},
                                    &window, [&runs] { ++runs; });
        QAction *save =
            actions.add({QStringLiteral("file.save"), QStringLiteral("File"), QStringLiteral("Save")}, &window, [] {});
        QCOMPARE(actions.find(QStringLiteral("file.open")), open);
        QCOMPARE(actions.find(QStringLiteral("file.none")), nullptr);
        QCOMPARE(actions.all(), (std::vector<QAction *>{open, save}));
        QCOMPARE(actions.info(open).category, QStringLiteral("File"));
        QCOMPARE(open->toolTip(), QStringLiteral("Open a file (Ctrl+O)"));
        QCOMPARE(save->toolTip(), QStringLiteral("Save"));
        open->trigger();
        QCOMPARE(runs, 1);
        QVERIFY_THROWS_EXCEPTION(InternalError, actions.add({QStringLiteral("file.open"), {}, {}}, &window, [] {}));
    }

    void findsWhatAViewCanDo() {
        Actions actions;
        QWidget view;
        QCOMPARE(actions.find(Capability::StartSearch), nullptr); // nobody offers it
        QAction *start = actions.add(
            {QLatin1String(actionId(Capability::StartSearch)), QStringLiteral("Search"), QStringLiteral("Start")},
            &view, [] {});
        QCOMPARE(actions.find(Capability::StartSearch), start);
        QCOMPARE(actions.find(Capability::StopSearch), nullptr);
    }

    void runsAboutOneThing() {
        Actions actions;
        QWidget view;
        actions.run(Capability::StartSearch, 7); // nobody offers it
        std::vector<QVariant> about;
        QAction *start = nullptr;
        start = actions.add(
            {QLatin1String(actionId(Capability::StartSearch)), QStringLiteral("Search"), QStringLiteral("Start")},
            &view, [&] { about.push_back(start->data()); });
        actions.run(Capability::StartSearch, 7);
        start->trigger(); // by a menu: about nothing in particular
        QCOMPARE(about, (std::vector<QVariant>{7, QVariant()}));
        start->setEnabled(false);
        actions.run(Capability::StartSearch, 7);
        QCOMPARE(about.size(), size_t(2));
    }

    void goesWithItsOwner() {
        Actions actions;
        {
            QWidget view;
            actions.add({QStringLiteral("view.a"), QStringLiteral("View"), QStringLiteral("A")}, &view, [] {});
            QCOMPARE(actions.all().size(), size_t(1));
        }
        QVERIFY(actions.all().empty());
    }

    void shortcutsWorkWhereTheOwnerIs() {
        Actions actions;
        QWidget window;
        auto *view = new QWidget(&window);
        view->setFocusPolicy(Qt::StrongFocus);
        auto *other = new QWidget(&window);
        other->setFocusPolicy(Qt::StrongFocus);
        int inView = 0;
        int inWindow = 0;
        actions.add({QStringLiteral("a"), {}, QStringLiteral("A"), QKeySequence(QStringLiteral("Ctrl+J"))}, view,
                    [&] { ++inView; });
        actions.add({QStringLiteral("b"), {}, QStringLiteral("B"), QKeySequence(QStringLiteral("Ctrl+K"))}, &window,
                    [&] { ++inWindow; });
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        other->setFocus();
        QTest::keyClick(other, Qt::Key_J, Qt::ControlModifier);
        QTest::keyClick(other, Qt::Key_K, Qt::ControlModifier);
        QCOMPARE(inView, 0);
        QCOMPARE(inWindow, 1);
        view->setFocus();
        QTest::keyClick(view, Qt::Key_J, Qt::ControlModifier);
        QTest::keyClick(view, Qt::Key_K, Qt::ControlModifier);
        QCOMPARE(inView, 1);
        QCOMPARE(inWindow, 2);
    }
};

LOOPSCOPE_WINDOW_TEST(ActionsTest)
#include "actions_test.moc"
