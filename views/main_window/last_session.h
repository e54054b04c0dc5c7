#pragma once
// What was open when Loopscope ended, for the next start. After an orderly end that is a session file; after a crash or
// a kill it is the list of files that were open, kept up to date all along, and the texts that were not saved.

#include "views/session/view_context.h"

#include <QTimer>

namespace loopscope {

class LastSession : public QObject {
    Q_OBJECT

  public:
    explicit LastSession(const ViewContext &context, QObject *parent = nullptr);

    /// Cheap: decides what the window shows first.
    [[nodiscard]] bool somethingToRestore() const;
    /// Says what went wrong last time and opens what was open. `window` gets the window's shape, where one was kept.
    void restore(QByteArray *window);
    /// From now on this process is the one that keeps the session.
    void begin();
    /// An orderly end. `window`: its shape.
    void end(const QByteArray &window);
    /// Text that the next start begins with, about a search that is being stopped.
    void leaveWord(const QString &text);

    /// Writes a text that would be lost into the state folder and says where.
    void keepUnsaved(const Document &document);

  private:
    void note();
    [[nodiscard]] QString sessionFile() const;
    [[nodiscard]] bool crashed() const;
    void restoreAfterCrash();

    ViewContext m_context;
    QTimer m_noteSoon;
    bool m_begun = false;
};

} // namespace loopscope
