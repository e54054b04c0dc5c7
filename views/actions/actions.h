#pragma once
// Every action of the window by id: what menus, the command palette, shortcuts and the list of shortcuts are made of.
// An action that is not here cannot be found by the user.

#include "views/actions/capabilities.h"

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QString>
#include <QVariant>

#include <functional>
#include <vector>

namespace loopscope {

struct ActionInfo {
    QString id;       // "search.start": stable, used by the palette, settings and tests
    QString category; // "Search": menu and group in the palette
    QString text;     // "Start search"
    QKeySequence shortcut = {};
    QString tip = {};  // one sentence; the shortcut is appended by itself
    QString icon = {}; // name in resources/icons
    bool checkable = false;
};

class Actions : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    /// `owner` decides how long the action lives and where its shortcut works: anywhere in the window for an owner
    /// that is no widget or a window, within the widget otherwise. An id may be taken once only.
    QAction *add(const ActionInfo &info, QObject *owner, std::function<void()> run);
    [[nodiscard]] QAction *find(const QString &id) const;     // null when unknown
    [[nodiscard]] QAction *find(Capability capability) const; // null when nobody offers it
    /// Runs it about one thing, which it finds in its data meanwhile; nothing where nobody offers it, or not now.
    void run(Capability capability, const QVariant &about) const;
    [[nodiscard]] ActionInfo info(const QAction *action) const;
    /// In order of registration.
    [[nodiscard]] std::vector<QAction *> all() const;

  signals:
    void added(QAction *action);

  private:
    struct Entry {
        ActionInfo info;
        QAction *action;
    };
    std::vector<Entry> m_entries;
};

/// Tooltip text with the shortcut behind it: what buttons show.
QString tipWithShortcut(const QString &tip, const QKeySequence &shortcut);

} // namespace loopscope
