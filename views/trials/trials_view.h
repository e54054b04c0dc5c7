#pragma once
// All trials as a table that is filtered by typing, with what failed and why above it; what one does with a trial is
// TrialActions.

#include "views/actions/view_roles.h"
#include "views/session/view_context.h"
#include "views/trials/failure_summary.h"
#include "views/trials/trial_table_model.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace loopscope {

class EmptyPage;
class FailureStrip;
class FilterEdit;
class TrialActions;
class TrialTable;

class TrialsView : public QWidget, public FindRole, public ExportRole {
    Q_OBJECT

  public:
    explicit TrialsView(const ViewContext &context, QWidget *parent = nullptr);
    ~TrialsView() override;

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override { return {QStringLiteral("csv"), QStringLiteral("tsv")}; }
    /// What can be told at once; a table of many thousand rows goes on being written between events, and a failure then
    /// becomes a message.
    QString exportTo(const QString &path) override;
    /// The records of these trials as a tuning log of its own; a job.
    void saveLog(const std::vector<int> &trials, const QString &path);

    [[nodiscard]] TrialTableModel &model() { return *m_model; }
    [[nodiscard]] TrialTable &table() { return *m_table; }
    [[nodiscard]] FilterEdit &filter() { return *m_filter; }

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    void build();
    void addButtons();
    void connectSession();
    void documentShown();
    void trialsCame(int first, int count);
    void applyFilter();
    void showHint();  // of a filter that lets nothing through, or has a word that stands nowhere
    void showState(); // empty pages, counts, what actions can do now
    void showOnlySelected();
    void saveNote(int trial, const QString &note);

    ViewContext m_context;
    TrialTableModel *m_model = nullptr;
    TrialActions *m_actions = nullptr;
    TrialTable *m_table = nullptr;
    FilterEdit *m_filter = nullptr;
    QLabel *m_count = nullptr;
    QLabel *m_problem = nullptr;
    std::shared_ptr<const TrialFilter> m_filtering;
    bool m_refused = false; // what is typed now is no filter
    QToolButton *m_columns = nullptr;
    FailureStrip *m_failures = nullptr;
    QStackedWidget *m_stack = nullptr;
    EmptyPage *m_empty = nullptr;
    QTimer m_typing;
    FailureSummary m_summary;
    int m_summarised = 0;
    std::vector<QToolButton *> m_worded; // buttons with words where there is room
};

} // namespace loopscope
