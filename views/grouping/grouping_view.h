#pragma once
// The greedy grouping scheduler at work: the stages with the groups they come to, merge by merge, what was weighed at
// each, what one tile of a group computes, and the machine it is done for, which can be changed at once. The schedule
// it ends in becomes one to edit.

#include "schedule/grouping/merge_history.h"
#include "schedule/grouping/overlapped_tile.h"
#include "views/actions/view_roles.h"
#include "views/grouping/grouping_scene.h"
#include "views/grouping/machine_form.h"
#include "views/grouping/newest_job.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <memory>

class QLabel;
class QSplitter;
class QToolBar;

namespace loopscope {

class GroupingCommands;
class GroupingTables;
class MergeScrubber;
class StageFind;

class GroupingView final : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit GroupingView(const ViewContext &context, QWidget *parent = nullptr);
    ~GroupingView() override;

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override { return m_graph->exportSuffixes(); }
    QString exportTo(const QString &path) override { return m_graph->exportTo(path); }
    void zoomIn() override { m_graph->zoomIn(); }
    void zoomOut() override { m_graph->zoomOut(); }
    void zoomToFit() override { m_graph->zoomToFit(); }

    void goTo(size_t place); // as far as there are rounds
    void goBy(int rounds);
    void setInlinedShown(bool shown);

    [[nodiscard]] GraphView &graph() const { return *m_graph; }
    [[nodiscard]] GroupingScene &scene() const { return *m_scene; }
    [[nodiscard]] MachineForm &form() const { return *m_form; }
    [[nodiscard]] MergeScrubber &scrubber() const { return *m_scrubber; }
    [[nodiscard]] GroupingTables &tables() const { return *m_tables; }
    [[nodiscard]] StageFind &find() const { return *m_find; }
    [[nodiscard]] QString notice() const; // above the graph; empty: none
    /// What is shown is what was asked for last.
    [[nodiscard]] bool settled() const;
    [[nodiscard]] const ShownGrouping *result() const { return m_result.get(); }

  protected:
    void showEvent(QShowEvent *event) override;

  private:
    void build();
    void connectParts();
    void refresh();
    void showNothing(const QString &why);
    void compute();
    void showResult(const ShownGroupingPtr &result);
    void layOutAgain();
    void showPicture(const GroupingPicturePtr &picture);
    void showStep(std::shared_ptr<const StepFacts> facts);
    void weigh(int candidate);
    void showTileOf(const QString &stage);
    void follow(const Selected &now, const Selected &before);
    void choose(const QString &stage);
    void updateNotice();

    ViewContext m_context;
    QToolBar *m_tools = nullptr;
    GroupingCommands *m_commands = nullptr;
    MachineForm *m_form = nullptr;
    QLabel *m_notice = nullptr;
    StageFind *m_find = nullptr;
    QSplitter *m_splitter = nullptr;
    GraphView *m_graph = nullptr;
    std::unique_ptr<GroupingScene> m_scene;
    MergeScrubber *m_scrubber = nullptr;
    GroupingTables *m_tables = nullptr;

    DagPtr m_dag; // grouped or being grouped
    Target m_target;
    ShownGroupingPtr m_result;
    std::shared_ptr<const StepFacts> m_facts;
    bool m_atEnd = true; // stays there when the machine changes
    size_t m_place = 0;
    std::optional<bool> m_inlined; // as the user chose; otherwise by the number of stages
    bool m_own = false;            // the selection changes by this view
    NewestJob<ShownGroupingPtr> m_grouping;
    NewestJob<std::shared_ptr<const StepFacts>> m_step;
    NewestJob<GroupingPicturePtr> m_layout;
    NewestJob<std::shared_ptr<std::vector<WeighedGroup>>> m_weighing;
    NewestJob<std::shared_ptr<const OverlappedTile>> m_overlap;
};

} // namespace loopscope
