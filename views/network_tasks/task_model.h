#pragma once
// The tasks of a network as a table: what is computed how often, how much of the network that is, what is known of it,
// and how far a search of it has come.

#include "views/actions/table_model.h"
#include "views/network_tasks/known_times.h"
#include "views/session/network_kernels.h"
#include "views/session/network_progress.h"
#include "views/settings/theme.h"

namespace loopscope {

class NetworkTaskModel : public TableModel {
    Q_OBJECT

  public:
    enum Column {
        Number,
        Name,
        Form,
        Uses,
        Best,
        Speed,
        TimeShare,
        Trials,
        Gain,
        State,
        NetworkTime,
        Flops,
        Share,
        Weights,
        Records,
        Key,
        ColumnCount
    };
    enum DataRole { SortRole = Qt::UserRole, TaskRole };

    explicit NetworkTaskModel(const Theme &theme, QObject *parent = nullptr);

    /// Null: none.
    void show(NetworkKernelsPtr kernels);
    void setKnown(std::map<std::string, KnownTime> known);
    void setProgress(const NetworkProgress &progress, const std::map<std::string, TaskSteering> &steered);
    [[nodiscard]] const NetworkKernels *kernels() const { return m_kernels.get(); }
    /// By key.
    [[nodiscard]] const std::map<std::string, KnownTime> &known() const { return m_known; }
    [[nodiscard]] bool searchable(int task) const;
    /// Tasks of other forms of the network's nodes are among them.
    [[nodiscard]] bool isOther(int task) const { return static_cast<size_t>(task) >= m_kernels->ownTasks; }
    /// Its nodes have a faster form.
    [[nodiscard]] bool isBehind(int task) const;
    [[nodiscard]] bool hasForms() const { return m_kernels && !m_kernels->alternatives.groups.empty(); }
    /// Of its best kernel, whoever found it; 0: there is none.
    [[nodiscard]] double best(int row) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    [[nodiscard]] const KnownTime *knownOf(const NetworkTask &task) const;
    [[nodiscard]] const NetworkTaskProgress *tunedOf(const NetworkTask &task) const;
    [[nodiscard]] bool isPicked(int task) const;
    [[nodiscard]] bool isExcluded(int task) const;
    [[nodiscard]] double number(int row, int column) const; // negative: none
    [[nodiscard]] QString text(int row, int column) const;
    [[nodiscard]] QString state(int row) const;
    [[nodiscard]] QString form(int row) const;
    [[nodiscard]] QStringList formLines(int row) const;
    [[nodiscard]] QString tip(int row) const;
    void sumUp();

    const Theme &m_theme;
    NetworkKernelsPtr m_kernels;
    std::map<std::string, KnownTime> m_known;
    std::vector<NetworkTaskProgress> m_tuned;
    std::map<std::string, TaskSteering> m_steered;
    std::string m_picked; // key
    QString m_why;        // it and no other
    /// Of `m_kernels`, with its tasks by row, and where each stands by what is known of their times.
    std::vector<TaskChoiceGroup> m_groups;
    std::vector<TaskStanding> m_standings;
    std::vector<std::vector<FormStanding>> m_forms;
    double m_flops = 0;
    double m_seconds = 0; // of all tasks that have a time
};

/// "23 of 39 tasks can be tuned, for 31 kernels; 4 of them have records: 1.2 ms of the network".
QString tasksSentence(const NetworkTaskModel &model);

} // namespace loopscope
