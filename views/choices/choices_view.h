#pragma once
// What mattered in a search: the choices in which its trials differ, weighed; all of them side by side; and one of them
// with the speed each value reached. Everything selects and follows the same trials as the rest of the window.

#include "views/actions/view_roles.h"
#include "views/choices/weighed_choices.h"
#include "views/session/view_context.h"
#include "views/trial_plots/trial_plot.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QStackedWidget;
class QTreeView;

namespace loopscope {

class ChoiceListModel;
class ParallelPlot;
class SlicePlot;

class ChoicesView final : public QWidget, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit ChoicesView(const ViewContext &context, QWidget *parent = nullptr);
    ~ChoicesView() override;

    // Of the plot touched last.
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;

    [[nodiscard]] ParallelPlot &parallel() const { return *m_parallel; }
    [[nodiscard]] SlicePlot &slice() const { return *m_slice; }
    [[nodiscard]] QTreeView &list() const { return *m_list; }
    [[nodiscard]] const WeighedChoicesPtr &choices() const { return m_choices; }

  protected:
    void showEvent(QShowEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    void build();
    void followDocument();
    void followSelection();
    void weighSoon();
    void weigh();
    void take(int taskId, const WeighedChoicesPtr &choices);
    void chooseSlice();
    void tell();
    void connectPlot(TrialPlot *plot);

    ViewContext m_context;
    PlottedTrials m_data;
    WeighedChoicesPtr m_choices;
    int m_task = 0;        // whose choices are shown
    int m_job = 0;         // under way; 0 none
    bool m_stale = true;   // trials came since
    QString m_chosen;      // name of the choice the user looks at; empty: the weightiest
    bool m_taking = false; // the list is being filled
    QTimer m_soon;
    QLabel *m_sentence;
    QStackedWidget *m_pages;
    QLabel *m_empty;
    QTreeView *m_list;
    ChoiceListModel *m_model;
    ParallelPlot *m_parallel;
    SlicePlot *m_slice;
    TrialPlot *m_touched;
};

} // namespace loopscope
