#pragma once
// Ctrl+C in the terminal, a log-out, a polite kill: they close the window as its own button does, so that nothing is
// lost and no child stays behind.

#include <QObject>

namespace loopscope {

class StopSignals : public QObject {
    Q_OBJECT

  public:
    explicit StopSignals(QObject *parent = nullptr);

  signals:
    void stop();
};

} // namespace loopscope
