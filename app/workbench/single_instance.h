#pragma once
// One window for all: a second start hands its files to the first, which comes to the front. They meet at a local
// socket named after the user, the display and the settings in use.

#include <QLocalServer>
#include <QObject>
#include <QStringList>

namespace loopscope {

class SingleInstance : public QObject {
    Q_OBJECT

  public:
    explicit SingleInstance(const QString &settingsFolder, QObject *parent = nullptr);

    /// True when a window took the files over; this process may end.
    bool handOver(const QStringList &files, bool compare);
    /// From now on others hand over to us. False when somebody else listens.
    bool listen();

    /// The window is going: who starts now waits for our end and opens a window of its own.
    void setClosing() { m_closing = true; }

  signals:
    void received(const QStringList &files, bool compare);

  private:
    void take();

    QString m_name;
    QLocalServer m_server;
    bool m_closing = false;
};

} // namespace loopscope
