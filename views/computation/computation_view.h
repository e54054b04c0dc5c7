#pragma once
// What is computed: the facts of the task, its parameters as a form, and the `.te` text in an editor that says at once
// what is wrong. The definition of the stage selected anywhere is marked; a click into a definition selects its stage.

#include "views/actions/view_roles.h"
#include "views/computation/shape_presets.h"
#include "views/computation/task_facts.h"
#include "views/computation/text_outline.h"
#include "views/session/view_context.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QStackedWidget;

namespace loopscope {

class CodeText;
class FactsPanel;
class NewWorkloadDialog;
class ParamForm;
class ProblemBar;
class TargetForm;

class ComputationView : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit ComputationView(const ViewContext &context, QWidget *parent = nullptr);
    ~ComputationView() override;

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;

    [[nodiscard]] CodeText *editor() const { return m_editor; }
    [[nodiscard]] ParamForm *form() const { return m_form; }
    [[nodiscard]] TargetForm *targetForm() const { return m_target; }
    [[nodiscard]] ProblemBar *problemBar() const { return m_problem; }
    /// Opens the dialog that makes a workload from an operator of the library.
    NewWorkloadDialog *newWorkload();

  private:
    void addActions();
    void build();
    void readBenchmarks();
    void documentChanged();
    void analysed();
    void replaceText(const QString &text);
    void textEdited(const QString &text);
    void refreshOutline();
    void findOps();
    void refreshForm();
    void follow(const Selected &now);
    void lineClicked(int line);
    void selectStageOfLine();
    void goToProblem();
    void revert();
    void findWorkload();
    void restyle();

    ViewContext m_context;
    QAction *m_new = nullptr;
    QAction *m_copyKey = nullptr;
    QAction *m_goTo = nullptr;
    QAction *m_revert = nullptr;
    QAction *m_findWorkload = nullptr;
    QAction *m_resetParams = nullptr;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    QLabel *m_title = nullptr;
    FactsPanel *m_facts = nullptr;
    ParamForm *m_form = nullptr;
    TargetForm *m_target = nullptr;
    CodeText *m_editor = nullptr;
    ProblemBar *m_problem = nullptr;
    NewWorkloadDialog *m_dialog = nullptr;

    std::shared_ptr<const Task> m_task; // the facts are of it
    std::optional<TaskFacts> m_taskFacts;
    std::vector<BenchmarkLine> m_benchmarks;
    TextOutline m_outline;
    std::map<QString, QStringList> m_opsOf;        // by handle: stages of calls, once they are known
    std::shared_ptr<const Workload> m_opsWorkload; // they are of it
    QTimer m_outlineSoon;
    QTimer m_stageSoon; // the caret rests in a definition
    int m_line = 0;
    int m_documentId = -1;
    bool m_taking = false;  // a text that others gave the document
    bool m_ownPick = false; // the selection comes from the caret: no scrolling
};

} // namespace loopscope
