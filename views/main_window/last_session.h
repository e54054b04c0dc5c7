#pragma once
// What was open when Loopscope ended, for the next start. After an orderly end that is a session file, opened again
// without asking. While the window is open, the same is kept up to date in another file; after a crash or a kill that
// one is offered: texts as they were being edited, parameters, trials, pins, notes.

#include "views/session/view_context.h"

#include <QElapsedTimer>
#include <QTimer>

namespace loopscope {

class LastSession : public QObject {
    Q_OBJECT

  public:
    explicit LastSession(const ViewContext &context, QObject *parent = nullptr);

    /// Cheap: decides what the window shows first.
    [[nodiscard]] bool somethingToRestore() const;
    /// Says what went wrong last time, offers what a crash has left, or opens what was open. `window` gets the window's
    /// shape, where one was kept.
    void restore(QByteArray *window);
    /// The same for what a crash has left alone; nothing when there was none.
    void offerAfterCrash();
    /// From now on this process is the one that keeps the session.
    void begin();
    /// An orderly end. `window`: its shape.
    void end(const QByteArray &window);
    /// Text that the next start begins with, about a search that is being stopped.
    void leaveWord(const QString &text);

    /// What a crash has left is opened, or put away (it stays in the state folder).
    void recover(const QString &path);
    void dismiss(const QString &path);

    /// Writes a text that would be lost into the state folder and says where.
    void keepUnsaved(const Document &document);

  signals:
    /// A session file that a crash has left, and what it holds, one line.
    void recoverable(const QString &path, const QString &holds);

  private:
    void note();
    void noteSoon();
    void noteLater();
    void noteWithin(int milliseconds);
    void putAside();
    [[nodiscard]] QString sessionFile() const;
    [[nodiscard]] QString autosaveFile() const;
    [[nodiscard]] bool crashed() const;

    ViewContext m_context;
    QTimer m_noteSoon;
    QElapsedTimer m_restoring; // since when a session is
    qint64 m_cost = 0;         // ms of the window's time that keeping took
    int m_writing = 0;         // job that writes; 0 none
    bool m_begun = false;
};

} // namespace loopscope
