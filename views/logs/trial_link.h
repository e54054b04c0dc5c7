#pragma once
// A record of a log may be a trial of the workbench, too: whoever chooses one has chosen the other.

#include "views/session/session.h"

#include <QObject>

namespace loopscope {

class TrialLink : public QObject {
    Q_OBJECT

  public:
    TrialLink(Session &session, QObject *parent);

    /// Somebody chose a record: the trial of the task shown that it is, if it is one, becomes the schedule selected.
    void recordChosen(const QString &log, size_t record);

  signals:
    /// A trial was selected that is a record of this open log.
    void recordAsked(int log, size_t record);

  private:
    void follow(const Selected &now);

    Session &m_session;
    bool m_following = false;
};

} // namespace loopscope
