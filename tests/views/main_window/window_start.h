#pragma once
// A start of the program: the window on settings in a folder that may outlive it, shown, active and with every view
// made. What a test does with its window it adds in a struct of its own.

#include "views/main_window/dock_host.h"
#include "views/main_window/dock_layout.h"
#include "views/main_window/main_window.h"

#include <QTemporaryDir>
#include <QTest>

namespace loopscope {

struct WindowStart {
    struct How {
        bool restore = false;     // what was open last
        QSize size = {1300, 800}; // invalid: as large as the window makes itself
    };
    explicit WindowStart(const QString &settingsFolder) : WindowStart(settingsFolder, How{}) {}
    WindowStart(const QString &settingsFolder, const How &how)
        : settings(settingsFolder + QStringLiteral("/settings.ini")), session(settings),
          window({session, settings, theme, actions}) {
        theme.apply(*qApp, settings.theme());
        if (how.size.isValid()) window.resize(how.size);
        if (how.restore) window.restoreLastSession();
        window.show();
        ready = QTest::qWaitForWindowActive(&window) && QTest::qWaitFor([this] { return viewsMade(); }, 60000);
    }
    [[nodiscard]] bool viewsMade() {
        for (const DockInfo &info : dockList())
            if (!window.docks().existingView(info.id)) return false;
        return true;
    }
    /// Opens a workload and waits until it is understood.
    void open(const QString &path) {
        window.openFiles({path}, false);
        QVERIFY(QTest::qWaitFor([this] { return session.document() && session.document()->task != nullptr; }, 20000));
    }

    Settings settings;
    Theme theme;
    Actions actions;
    Session session;
    MainWindow window;
    bool ready = false;
};

/// The same in a folder of its own, which goes with it; settings lie in a folder inside.
struct OwnFolder {
    QTemporaryDir folder;
};
struct WindowInOwnFolder : OwnFolder, WindowStart {
    WindowInOwnFolder() : WindowStart(folder.filePath(QStringLiteral("config"))) {}
};

} // namespace loopscope
