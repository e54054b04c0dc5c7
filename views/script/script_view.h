#pragma once
// The schedule as a text that can be edited, in step with everything else: what is selected anywhere is shown as its
// script, and a text that can be applied becomes a schedule after a short pause, or at once on Ctrl+Enter. What is
// written in one go is one edit. A text that cannot be applied stays, with what is wrong and what would be legal;
// loops and code go on showing the schedule of the last good one.

#include "views/actions/view_roles.h"
#include "views/session/view_context.h"

#include "schedule/script/schedule_script.h"

#include <QTimer>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QLabel;
class QStackedWidget;

namespace loopscope {

class CodeText;
class ElidedLabel;
class ScriptProblemBar;

class ScriptView : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit ScriptView(const ViewContext &context, QWidget *parent = nullptr);
    ~ScriptView() override;

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;

    [[nodiscard]] CodeText *editor() const { return m_editor; }
    [[nodiscard]] ScriptProblemBar *problemBar() const { return m_bar; }

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    void build();
    void addActions();
    void reload(); // what is selected, or was made otherwise
    void showText(const QString &text);
    void follow(); // the selection: another schedule, or another step of this
    void edited();
    void apply();
    void settle(); // what comes next is another edit
    void leave();  // the text that is not applied is not lost
    void markStep();
    void lineChosen(int line);
    [[nodiscard]] std::vector<int> stepsOfLines() const;
    void complete();
    void cure(const QString &cure);
    void goToProblem();
    void openFile();
    void saveFile();
    void say();

    ViewContext m_context;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    ElidedLabel *m_title = nullptr;
    QLabel *m_state = nullptr;
    CodeText *m_editor = nullptr;
    ScriptProblemBar *m_bar = nullptr;
    QAction *m_goTo = nullptr;
    QAction *m_save = nullptr;

    int m_taskId = -1;
    ScheduleRef m_shown;      // whose script it is
    QString m_applied;        // its text, as it was loaded or applied last
    std::vector<int> m_lines; // of each of its steps, from 1
    ScheduleRef m_from;       // the edit under way began from it
    QString m_fromText;
    int m_made = -1; // node that this edit has made so far
    std::optional<ScriptProblem> m_problem;
    bool m_own = false; // what changes is our own doing
    QTimer m_applySoon;
    QTimer m_settleSoon;
    std::string m_above; // completions are those behind these lines
    std::string m_head;
};

} // namespace loopscope
