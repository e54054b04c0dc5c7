#pragma once
// The network that is shown, run: every kernel with its time, as a line, as a table and by layers, whether its answer
// is right, and another profile (a run that was kept, our own trace, or the one that ONNX Runtime writes) beside it,
// with what was gained or lost. A kernel that is chosen selects its nodes in the network, and the other way round.

#include "views/actions/view_roles.h"
#include "views/network_profile/profile_model.h"
#include "views/session/open_networks.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <memory>
#include <vector>

class QComboBox;
class QLabel;

namespace loopscope {

class ElidedLabel;
class FlowBar;
class KeptRuns;
class ProfilePages;
class ProfileTimeline;

class NetworkProfileView : public QWidget, public ExportRole {
    Q_OBJECT

  public:
    explicit NetworkProfileView(const ViewContext &context, QWidget *parent = nullptr);
    ~NetworkProfileView() override;

    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;

    [[nodiscard]] ProfilePages &pages() { return *m_pages; }
    [[nodiscard]] ProfileTimeline &timeline() { return *m_timeline; }
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] const ProfileModel &model() const { return *m_model; }
    /// Lays a trace beside the run.
    void openOther(const QString &path);

  private:
    void build();
    void addActions();
    void networkChanged();
    void refresh();
    void run();
    void failed(int network, const QString &problem);
    void chosen();
    void followSelection();
    void openTask();
    void keep();
    void showBeside();
    void askForOther();
    [[nodiscard]] QString emptyText(const OpenNetwork *shown) const;
    [[nodiscard]] QString otherSentence() const;

    ViewContext m_context;
    OpenNetworks &m_networks;
    ProfileModel *m_model;
    FlowBar *m_tools = nullptr;
    QComboBox *m_threads = nullptr;
    ProfilePages *m_pages = nullptr;
    ProfileTimeline *m_timeline = nullptr;
    ElidedLabel *m_sentence = nullptr;
    QLabel *m_empty = nullptr;
    QWidget *m_filled = nullptr;
    QAction *m_run = nullptr;
    QAction *m_check = nullptr;
    QAction *m_select = nullptr;
    QAction *m_open = nullptr;
    QAction *m_other = nullptr;
    QAction *m_keep = nullptr;
    QAction *m_alone = nullptr;
    QAction *m_expand = nullptr;
    QAction *m_collapse = nullptr;
    KeptRuns *m_beside; // of the session's file
    std::shared_ptr<const std::vector<TracedKernel>> m_shownBeside;
    QString m_problem; // of the last run
    int m_network = 0;
    int m_job = 0;
    int m_runs = 0; // the network that is being run
    bool m_following = false;
};

} // namespace loopscope
