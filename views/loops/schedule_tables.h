#pragma once
// Below the loops: the steps that made them and the buffers they use, a table each.

#include "views/loops/loop_tree.h"
#include "views/loops/step_lines.h"
#include "views/settings/theme.h"

#include <QTabWidget>

class QLabel;
class QTableView;

namespace loopscope {

class StepListModel;
class StorageModel;

class ScheduleTables : public QTabWidget {
    Q_OBJECT

  public:
    ScheduleTables(Theme &theme, QWidget *parent);

    [[nodiscard]] StepListModel &steps() const { return *m_steps; }
    void show(std::vector<StepLine> steps, std::vector<StorageFact> storage);
    /// Marks these steps and what this stage is stored in; step `current`, where it is one, is the current row.
    void follow(const std::vector<int> &steps, const QString &stage, int current);
    /// The rows chosen in the table that has the focus, for other programs; none of them has it: empty.
    [[nodiscard]] QString chosenRows() const;
    [[nodiscard]] bool tableHasFocus() const;
    void restyle();

  signals:
    void stepPicked(int step);
    void storagePicked(const loopscope::StorageFact &fact);

  private:
    Theme &m_theme;
    StepListModel *m_steps = nullptr;
    StorageModel *m_storage = nullptr;
    QTableView *m_stepTable = nullptr;
    QTableView *m_storageTable = nullptr;
    QLabel *m_noSteps = nullptr;
    bool m_following = false; // told, not asked
};

} // namespace loopscope
