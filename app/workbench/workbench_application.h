#pragma once
// The application. An exception that leaves an event handler does not take the window with it: it becomes a message
// with its cause, and the next event is handled.

#include <QApplication>

#include <functional>

namespace loopscope {

class WorkbenchApplication : public QApplication {
    Q_OBJECT

  public:
    WorkbenchApplication(int &argc, char **argv) : QApplication(argc, argv) {}
    /// Who is told of escaped exceptions.
    void setWitness(std::function<void(const QString &)> witness) { m_witness = std::move(witness); }
    bool notify(QObject *receiver, QEvent *event) override;

  private:
    std::function<void(const QString &)> m_witness;
};

} // namespace loopscope
