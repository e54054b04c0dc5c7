// The window on a small screen, and on one whose pixels are so fine that little room is left: nothing may reach beyond
// the screen, whatever is opened. Built twice, since the screens are set up before the application exists.

#include "views/actions/elided_label.h"
#include "views/main_window/dock_page.h"
#include "views/main_window/recovery_bar.h"
#include "views/main_window/window_layouts.h"
#include "views/start_page/sample_card.h"
#include "views/start_page/start_page.h"
#include "window_start.h"

#include <QApplication>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollBar>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <QVBoxLayout>

using namespace loopscope;

namespace {

struct Start : WindowStart {
    explicit Start(const QString &folder) : WindowStart(folder, {.size = {}}) {}
    void openSample(const QString &name) {
        if (!window.onStartPage()) window.showStartPage();
        SampleCard *card = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT((card = window.findChild<SampleCard *>(QStringLiteral("sample_") + name)), 60000);
        QTest::mouseClick(card, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(session.document() && session.document()->name == name && session.document()->task,
                                 60000);
        QTRY_VERIFY_WITH_TIMEOUT(session.jobs().running().empty(), 60000);
        settle();
    }
    /// Layouts ask for their room in events of their own.
    static void settle() { QTest::qWait(60); }
};

QByteArray rectText(const QRect &rect) {
    return QStringLiteral("%1x%2+%3+%4").arg(rect.width()).arg(rect.height()).arg(rect.x()).arg(rect.y()).toLatin1();
}

/// What of a window lies beyond its screen; empty when nothing does.
QByteArray beyondScreen(const QWidget &window) {
    const QRect screen = window.screen()->availableGeometry();
    const QRect frame = window.frameGeometry();
    if (screen.contains(frame)) return {};
    return QByteArray(window.metaObject()->className()) + ' ' + window.objectName().toLatin1() + ' ' + rectText(frame) +
           " on " + rectText(screen);
}

/// The first of all windows shown that is not on its screen.
QByteArray anyBeyondScreen() {
    for (const QWidget *window : QApplication::topLevelWidgets())
        if (window->isVisible())
            if (QByteArray problem = beyondScreen(*window); !problem.isEmpty()) return problem;
    return {};
}

/// A part of the window that is not to be seen in it; empty when all is.
QByteArray cutOff(const Start &start, const QWidget &part) {
    const QRect place(part.mapTo(&start.window, QPoint()), part.size());
    if (start.window.rect().contains(place)) return {};
    return QByteArray(part.metaObject()->className()) + ' ' + part.objectName().toLatin1() + ' ' + rectText(place) +
           " in " + rectText(start.window.rect());
}

/// Whether a label has room for its text, or ends it in dots by itself.
bool readWhole(const QLabel &label) {
    if (!label.isVisible() || label.text().isEmpty() || qobject_cast<const ElidedLabel *>(&label)) return true;
    if (label.visibleRegion().isEmpty()) return true;
    return label.wordWrap() ? label.heightForWidth(label.width()) <= label.height() + 1
                            : label.sizeHint().width() <= label.width() + 1;
}

/// What of everything that is shown cannot be seen; empty when nothing is hidden.
QByteArray misfit(Start &start) {
    QByteArray problem = anyBeyondScreen();
    if (problem.isEmpty()) problem = cutOff(start, *start.window.statusBar());
    for (const DockInfo &info : dockList()) {
        if (!problem.isEmpty()) break;
        const QDockWidget *dock = start.window.docks().dock(info.id);
        if (start.window.docks().isInFront(info.id) && !dock->isFloating()) problem = cutOff(start, *dock);
    }
    return problem;
}

/// Why a fact of the computation cannot be read; empty when it can.
QByteArray factProblem(const Start &start, const char *fact) {
    const auto labels = start.window.findChildren<QLabel *>();
    const auto value = std::find_if(labels.begin(), labels.end(), [&](const QLabel *label) {
        return label->accessibleName() == QLatin1String(fact);
    });
    if (value == labels.end() || !(*value)->isVisible()) return fact;
    const int width = (*value)->contentsRect().width();
    const QRect words = (*value)->fontMetrics().boundingRect(
        QRect(0, 0, width, 10000), Qt::AlignLeft | ((*value)->wordWrap() ? Qt::TextWordWrap : 0), (*value)->text());
    const bool whole = words.width() <= width && words.height() <= (*value)->height() + 2;
    return whole ? QByteArray() : (*value)->text().toUtf8();
}

/// Layouts come to rest in events of their own, on a busy machine after a while.
template <typename Problem> auto afterAWhile(const Problem &problem) {
    (void)QTest::qWaitFor([&] { return problem().isEmpty(); }, 10000);
    return problem();
}

#define EVERYTHING_FITS(start)                                                                                         \
    do {                                                                                                               \
        const QByteArray problem = afterAWhile([&] { return misfit(start); });                                         \
        QVERIFY2(problem.isEmpty(), problem.constData());                                                              \
    } while (false)

} // namespace

class SmallScreenTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        qputenv("LOOPSCOPE_SAMPLES", LOOPSCOPE_SOURCE_DIR "/samples");
        const QScreen *screen = QApplication::primaryScreen();
        QCOMPARE(screen->geometry().size() * screen->devicePixelRatio(), QSize(SCREEN_WIDTH, SCREEN_HEIGHT));
        QCOMPARE(screen->devicePixelRatio(), double(SCREEN_SCALE));
    }

    void aClickOnASampleKeepsTheWindow() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        QVERIFY(start.window.onStartPage());
        EVERYTHING_FITS(start);
        const QSize before = start.window.size();
        for (const char *name : {"conv2d_bias_relu", "softmax", "conv2d_winograd_nchw", "matmul_relu"}) {
            start.openSample(QLatin1String(name));
            QTRY_COMPARE(start.window.size(), before);
            EVERYTHING_FITS(start);
        }
    }

    void everyLayoutFits() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        start.openSample(QStringLiteral("conv2d_bias_relu"));
        const QSize before = start.window.size();
        for (const QString &layout : start.window.layouts().names()) {
            start.window.layouts().switchTo(layout);
            Start::settle();
            QTRY_COMPARE(start.window.size(), before);
            EVERYTHING_FITS(start);
            for (const DockInfo &info : dockList()) { // the hidden ones, too
                start.window.docks().showDock(info.id, false);
                Start::settle();
                QTRY_COMPARE(start.window.size(), before);
                EVERYTHING_FITS(start);
            }
        }
    }

    void aFloatingDockFits() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        start.openSample(QStringLiteral("conv2d_bias_relu"));
        for (const DockInfo &info : dockList()) {
            QDockWidget *dock = start.window.docks().dock(info.id);
            start.window.docks().showDock(info.id, false);
            dock->setFloating(true);
            QTRY_VERIFY(dock->isVisible());
            dock->resize(4000, 3000);
            dock->move(500, 400);
            Start::settle();
            EVERYTHING_FITS(start);
            dock->setFloating(false);
        }
    }

    void everyDialogFits() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        start.openSample(QStringLiteral("conv2d_bias_relu"));
        int dialogs = 0;
        for (const char *id : {"file.open", "file.save_as", "file.save_session", "settings.open", "help.shortcuts",
                               "help.about", "layout.save_as", "computation.new", "file.export_png", "program.save"}) {
            QAction *action = start.actions.find(QLatin1String(id));
            QVERIFY2(action, id);
            action->trigger();
            Start::settle();
            QList<QDialog *> open;
            for (QWidget *window : QApplication::topLevelWidgets())
                if (auto *dialog = qobject_cast<QDialog *>(window); dialog && dialog->isVisible()) open << dialog;
            if (open.isEmpty()) continue; // refused: there is no code yet
            EVERYTHING_FITS(start);
            ++dialogs;
            for (QDialog *dialog : open) {
                dialog->resize(4000, 3000); // as its content may ask for later
                Start::settle();
                EVERYTHING_FITS(start);
                dialog->reject();
            }
            Start::settle();
        }
        QVERIFY(dialogs >= 8);
    }

    void panelsDoNotScrollWhatScrolls() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        start.openSample(QStringLiteral("conv2d_bias_relu"));
        for (const QString &layout : start.window.layouts().names()) {
            start.window.layouts().switchTo(layout);
            for (const char *id : {"trials", "loops", "code", "dag", "messages"}) {
                start.window.docks().showDock(QLatin1String(id), false);
                Start::settle();
                const auto *page = start.window.docks().dock(QLatin1String(id))->findChild<DockPage *>();
                QVERIFY2(page, id);
                QTRY_VERIFY2(page->verticalScrollBar()->maximum() == 0,
                             qPrintable(QStringLiteral("%1 in %2 lacks %3 pixels")
                                            .arg(QLatin1String(id), layout)
                                            .arg(page->verticalScrollBar()->maximum())));
            }
        }
    }

    void whatIsAskedForByKeysIsSeen() {
        auto *view = new QWidget;
        auto *column = new QVBoxLayout(view);
        auto *text = new QWidget(view);
        text->setMinimumHeight(600);
        text->setFocusPolicy(Qt::StrongFocus);
        column->addWidget(text, 1);
        auto *find = new QLineEdit(view);
        column->addWidget(find);
        find->hide();
        DockPage page(view, nullptr);
        page.resize(300, 200);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        text->setFocus();
        Start::settle();
        QCOMPARE(page.verticalScrollBar()->value(), 0); // what is larger than the room stays where it is
        find->show();
        find->setFocus(Qt::ShortcutFocusReason);
        const auto seen = [&] {
            return page.viewport()->rect().contains(QRect(find->mapTo(page.viewport(), QPoint()), find->size()));
        };
        QTRY_VERIFY(seen());
    }

    void aPanelThatWasWideBecomesNarrowAgain() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        start.openSample(QStringLiteral("conv2d_bias_relu"));
        const auto *page = start.window.docks().dock(QStringLiteral("computation"))->findChild<DockPage *>();
        const QString first = start.window.layouts().current();
        start.window.layouts().switchTo(first);
        Start::settle();
        const int before = page->horizontalScrollBar()->maximum();
        const int narrow = page->width();
        for (const int width : {start.window.width() * 2 / 3, narrow}) {
            start.window.docks().resizeDocks({start.window.docks().dock(QStringLiteral("computation"))}, {width},
                                             Qt::Horizontal);
            Start::settle();
        }
        QTRY_COMPARE(page->horizontalScrollBar()->maximum(), before);
    }

    void noTextIsCutInTheMiddle() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        for (const char *name : {"conv2d_bias_relu", "conv2d_winograd_nchw"}) {
            start.openSample(QLatin1String(name));
            for (const QString &layout : start.window.layouts().names()) {
                start.window.layouts().switchTo(layout);
                for (const DockInfo &info : dockList()) {
                    start.window.docks().showDock(info.id, false);
                    Start::settle();
                    const QString cut = afterAWhile([&] {
                        for (const QLabel *label : start.window.findChildren<QLabel *>())
                            if (!readWhole(*label)) return label->text();
                        return QString();
                    });
                    QVERIFY2(cut.isEmpty(),
                             qPrintable(QStringLiteral("%1, %2: \u201c%3\u201d").arg(layout, info.id, cut)));
                }
            }
        }
    }

    void theFactsAreReadWhole() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        for (const char *name : {"conv2d_bias_relu", "matmul_relu", "conv2d_winograd_nchw"}) {
            start.openSample(QLatin1String(name));
            for (const char *fact : {"Work", "Data", "Intensity", "Stages", "Task key", "Target"}) {
                const QByteArray problem = afterAWhile([&] { return factProblem(start, fact); });
                QVERIFY2(problem.isEmpty(), problem.constData());
            }
        }
    }

    void theThemeReachesEveryButton() {
        const QTemporaryDir folder;
        Start start(folder.path());
        QVERIFY(start.ready);
        start.theme.apply(*qApp, ThemeChoice::Light);
        start.window.showStartPage();
        Start::settle();
        const auto page = start.window.findChildren<QAbstractButton *>(QRegularExpression(QStringLiteral("^start_.*")));
        QVERIFY(page.size() >= 2);
        for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
            start.theme.apply(*qApp, choice);
            Start::settle();
            for (QAbstractButton *button : page) {
                const QImage image = button->grab().toImage(); // right of its text
                const QColor ground = image.pixelColor(image.width() * 19 / 20, image.height() / 2);
                QVERIFY2((ground.lightnessF() < 0.5F) == (choice == ThemeChoice::Dark), qPrintable(ground.name()));
            }
        }
        start.session.messages().fail(QStringLiteral("a failure"), {});
        auto *message = start.window.findChild<QAbstractButton *>(QStringLiteral("status_message"));
        QTRY_VERIFY(message->isVisible());
        start.theme.apply(*qApp, ThemeChoice::Dark);
        QCOMPARE(message->palette().color(QPalette::ButtonText), start.theme.color(Role::Bad));
        RecoveryBar bar(start.theme, nullptr);
        bar.offer(QStringLiteral("/tmp/x"), QStringLiteral("matmul"));
        auto *recover = bar.findChild<QAbstractButton *>(QStringLiteral("recovery_recover"));
        const QImage image = recover->grab().toImage();
        QCOMPARE(image.pixelColor(image.width() / 12, image.height() / 2), start.theme.color(Role::Accent));
        start.theme.apply(*qApp, ThemeChoice::Light);
    }

    void whatWasLargerElsewhereFitsHere() {
        const QTemporaryDir folder;
        {
            Settings settings(folder.path() + QStringLiteral("/settings.ini"));
            QWidget large; // a window left on a large screen, its lower right corner far outside of this one
            large.setGeometry(300, 300, 2400, 1700);
            settings.setValue(QStringLiteral("window/geometry"), large.saveGeometry());
        }
        Start start(folder.path());
        QVERIFY(start.ready);
        EVERYTHING_FITS(start);
        start.openSample(QStringLiteral("matmul_relu"));
        EVERYTHING_FITS(start);
    }
};

int main(int argc, char **argv) {
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("screens.json")));
    if (!file.open(QIODevice::WriteOnly)) return 1;
    file.write(QStringLiteral(R"({"screens": [{"name": "small", "x": 0, "y": 0, "width": %1, "height": %2,)"
                              R"( "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}]})")
                   .arg(SCREEN_WIDTH)
                   .arg(SCREEN_HEIGHT)
                   .toUtf8());
    file.close();
    qputenv("QT_QPA_PLATFORM", "offscreen:configfile=" + file.fileName().toUtf8());
    qputenv("QT_SCALE_FACTOR", QByteArray::number(SCREEN_SCALE));
    QApplication application(argc, argv);
    SmallScreenTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "small_screen_test.moc"
