#pragma once
// The steps of the schedule shown, as a list to edit: numbers are chosen or typed, steps deleted, moved and inserted.
// The rest is replayed; what no longer applies stays where it is, with its reason. Every edit makes a node of the tree
// of edits, whatever schedule was shown. Beside it the loops before and after the step that is selected.

#include "views/session/view_context.h"
#include "views/steps/step_choices.h"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace loopscope {

class EditedStepModel;
class ElidedLabel;
class LoopsBeside;
class StepEditor;

class StepsView : public QWidget {
    Q_OBJECT

  public:
    explicit StepsView(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] EditedStepModel &model() const { return *m_model; }
    [[nodiscard]] QTableView &table() const { return *m_table; }
    [[nodiscard]] StepEditor &editor() const { return *m_editor; }
    [[nodiscard]] LoopsBeside &beside() const { return *m_beside; }

  protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

  private:
    void build();
    void addActions();
    void refresh();                   // the schedule is another one
    void refreshTitle();              // or was named
    void follow(const Selected &now); // the step is another one
    void showStep(int row);
    void refreshActions();
    void restyle();
    void change(const Step &step);
    void insertAfter();
    void erase();
    void refreshLocks();
    void toggleLocks();
    void move(int from, int to);
    void copy(int column);
    void commit(EditedSteps steps, const QString &did, int row);
    [[nodiscard]] std::vector<int> chosenRows() const; // ascending
    [[nodiscard]] QString lineOf(int row) const;

    ViewContext m_context;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    ElidedLabel *m_title = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_noSteps = nullptr;
    EditedStepModel *m_model = nullptr;
    StepEditor *m_editor = nullptr;
    LoopsBeside *m_beside = nullptr;
    QSplitter *m_halves = nullptr;

    ScheduleRef m_ref;
    int m_task = -1;
    std::shared_ptr<const EditedSteps> m_steps; // of m_ref; null: there is no such schedule
    int m_row = -1;                             // whose loops are shown, or being made
    int m_job = -1;
    int m_generation = 0; // of what is made for a row: what is late is dropped
    bool m_stale = true;  // it was not looked at since something changed
    bool m_following = false;
};

} // namespace loopscope
