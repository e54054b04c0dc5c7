#pragma once
// What `-d BASE NEW` and two dropped files ask for: once both are open, the best trial of each side by side.

#include "views/session/session.h"

#include <QObject>

namespace loopscope {

class Actions;

/// Deletes itself when it is done: when both files have opened, or one was refused (the session says why).
class ComparePair : public QObject {
    Q_OBJECT

  public:
    /// Before the files are opened; absolute paths.
    ComparePair(Session &session, Actions &actions, const QString &base, const QString &next, QObject *parent);

  private:
    void fileOpened(const QString &path, bool ok);
    void finish();
    Session &m_session;
    Actions &m_actions;
    QString m_paths[2];
    bool m_opened[2] = {false, false};
};

/// The fastest trial that stands in the log, a number in Document::trials; -1 when there is none.
int bestOfLog(const Document &document, const QString &logPath);

} // namespace loopscope
