#pragma once
// The layouts by name: those that come with the window and the user's own. Every layout remembers how it was left;
// "restore default" forgets that.

#include "views/main_window/dock_host.h"

#include <QObject>

namespace loopscope {

class WindowLayouts : public QObject {
    Q_OBJECT

  public:
    WindowLayouts(DockHost &host, Settings &settings, QObject *parent = nullptr);

    /// Shipped ones first, then the user's by name.
    [[nodiscard]] QStringList names() const;
    [[nodiscard]] QString current() const { return m_current; }
    [[nodiscard]] bool isShipped(const QString &name) const;
    void switchTo(const QString &name);
    void step(int direction); // +1 and -1, around
    /// Sentence when the name cannot be taken; empty on success.
    QString saveAs(const QString &name);
    void remove(const QString &name); // the user's own only
    void restoreDefault();

    /// What was on screen when the window was closed; the first shipped layout when there is nothing.
    void restoreLast();
    void keep(); // writes how the current one looks now

    [[nodiscard]] QByteArray state() const;
    void setState(const QString &name, const QByteArray &state);

  signals:
    void changed(); // another one, or the list of them

  private:
    void apply(const QString &name);
    [[nodiscard]] QString keyOf(const QString &name) const;

    DockHost &m_host;
    Settings &m_settings;
    QString m_current;
};

} // namespace loopscope
