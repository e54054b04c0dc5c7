#pragma once
// A dispatch table being made, by the command line program: kernels run while it is, and none of them may take the
// window with it.

#include "deploy/dispatch/dispatch_table.h"
#include "networks/partition/partition.h"

#include <QObject>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>

#include <memory>
#include <string>
#include <vector>

namespace loopscope {

/// `loopscope-cli` beside this program, or where LOOPSCOPE_CLI says.
QString commandLineProgram();

class DispatchMaking : public QObject {
    Q_OBJECT

  public:
    struct Request {
        QString path; // of the network
        int64_t bound = 512;
        int most = 8; // variants of a kernel
        FusionMode fusion = FusionMode::Compatible;
        std::vector<std::string> logs;
        int tune = 0;    // candidates of each kernel at each size before; 0: none
        QString tuneLog; // that they are added to; what it has counts, and `logs` do not
    };

    explicit DispatchMaking(QObject *parent = nullptr);
    ~DispatchMaking() override;

    void start(const Request &request);
    void cancel();
    [[nodiscard]] bool running() const { return m_process.state() != QProcess::NotRunning; }
    /// "kernel 3 of 7, softmax", "tuning 32 of 640 trials, matmul at n = 64"; empty before the first.
    [[nodiscard]] const QString &progress() const { return m_progress; }

  signals:
    void changed(); // begun, ended, progress
    void made(std::shared_ptr<const DispatchTable> table);
    void failed(const QString &sentence);

  private:
    void readErrors();
    void finished(int code, QProcess::ExitStatus status);

    QProcess m_process;
    QTemporaryDir m_folder;
    QString m_progress;
    QString m_lastLine;
    QByteArray m_rest; // of a line that has not ended
    bool m_cancelled = false;
};

} // namespace loopscope
