#pragma once
// What lies beside the run of each open network: a run that was kept, or a trace from a file. Session files keep it.

#include "deploy/plan/chrome_trace.h"
#include "views/session/session_extra.h"

#include <map>
#include <memory>

namespace loopscope {

class OpenNetworks;

/// `name`: as in "beside it ...".
struct KeptRun {
    QString name;
    std::shared_ptr<const std::vector<TracedKernel>> kernels;
};

class KeptRuns : public SessionExtra {
    Q_OBJECT

  public:
    /// `file`: the session file, whose child it becomes.
    KeptRuns(OpenNetworks &networks, QObject *file);

    /// Null when nothing lies beside that network's run.
    [[nodiscard]] const KeptRun *find(int network) const;
    void keep(int network, KeptRun run);
    void forget(int network);
    /// What belongs to networks that are no longer open.
    void forgetClosed();

    [[nodiscard]] QString key() const override;
    [[nodiscard]] QJsonValue save() const override;
    /// What is damaged is left out.
    void load(const QJsonValue &value, const QString &session) override;

  Q_SIGNALS:
    void changed();

  private:
    OpenNetworks &m_networks;
    std::map<int, KeptRun> m_runs; // by network
};

} // namespace loopscope
