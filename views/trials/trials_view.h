#pragma once
// All candidates as a table that is filtered by typing, with what failed and why above it, and everything one does with
// a candidate: measure again, pin, note, compare, copy, save.

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
    void addActions();
    QAction *add(const char *id, const char *text, const QKeySequence &shortcut, const char *tip, const char *icon,
                 std::function<void()> run, bool checkable = false);
    void connectSession();
    void documentShown();
    void trialsCame(int first, int count);
    void applyFilter();
    void showHint();  // of a filter that lets nothing through, or has a word that stands nowhere
    void showState(); // empty pages, counts, what actions can do now
    void updateActions();
    void showOnlySelected();
    void saveNote(int trial, const QString &note);
    void contextMenu(const QPoint &at);
    void togglePinned();
    void copyCells();
    void copySteps();
    void compareTwo();
    void askExport();
    void askSaveLog();
    [[nodiscard]] QString logLine(int trial) const;

    ViewContext m_context;
    TrialTableModel *m_model = nullptr;
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
    std::vector<QAction *> m_needOne;    // actions that need a chosen trial
    std::vector<QAction *> m_needAny;    // that need a trial at all
};

} // namespace loopscope
