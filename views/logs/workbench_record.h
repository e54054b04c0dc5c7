#pragma once
// A record of a log in the workbench: its workload is opened as a document on the log's target, the log's records of it
// become its trials, and that one is selected. From there on it is a trial like any other.

#include "records/resolve/resolution.h"
#include "views/session/session.h"

#include <QObject>

namespace loopscope {

class WorkbenchRecord : public QObject {
    Q_OBJECT

  public:
    WorkbenchRecord(Session &session, QObject *parent);

    struct Wanted {
        QString log; // path
        int record = -1;
        QString target;
        ResolutionPtr workload;
    };
    void show(const Wanted &wanted);
    [[nodiscard]] bool busy() const { return m_wanted.workload != nullptr; }

  signals:
    void shown();
    void failed(const QString &why);

  private:
    void goOn();
    [[nodiscard]] bool select(bool last);
    void end(const QString &why);

    Session &m_session;
    Wanted m_wanted;
    int m_document = 0;
    bool m_reading = false;
};

} // namespace loopscope
