#pragma once
// What one does with trials: measure again, pin, note, compare, copy, save. Every action is found in the palette and in
// the menu of a row.

#include "views/actions/view_roles.h"
#include "views/session/view_context.h"

#include <vector>

class QPoint;

namespace loopscope {

class FilterEdit;
class TrialTable;
class TrialTableModel;

/// Whose trials they are.
struct TrialActionParts {
    QWidget &view; // where the keys work
    TrialTableModel &model;
    TrialTable &table;
    FilterEdit &filter;
    ExportRole &exporter;
};

class TrialActions : public QObject {
    Q_OBJECT

  public:
    TrialActions(const ViewContext &context, const TrialActionParts &parts);

    struct Button {
        QAction *action;
        bool worded; // where there is room
    };
    /// Those worth a button beside the filter.
    [[nodiscard]] const std::vector<Button> &buttons() const { return m_buttons; }
    /// What they can do now.
    void refresh();
    void showMenu(const QPoint &at); // of a row of the table
    /// The records of these trials as a tuning log of its own; a job.
    void saveLog(const std::vector<int> &trials, const QString &path);

  signals:
    void onlySelectedChanged();

  private:
    QAction *add(const char *id, const char *text, const QKeySequence &shortcut, const char *tip, const char *icon,
                 std::function<void()> run, bool checkable = false);
    void addAll();
    void togglePinned();
    void toggleBaseline();
    [[nodiscard]] ScheduleRef spokenOf() const;
    void exportSchedule();
    void copyCells();
    void copySteps();
    void compareTwo();
    void askExport();
    void askSaveLog();
    [[nodiscard]] QString logLine(int trial) const;

    ViewContext m_context;
    TrialActionParts m_parts;
    std::vector<Button> m_buttons;
    std::vector<QAction *> m_needOne; // a chosen trial
    std::vector<QAction *> m_needAny; // a trial at all
    int m_menuOf = -1;                // trial that the menu is about; -1: none is open
};

} // namespace loopscope
