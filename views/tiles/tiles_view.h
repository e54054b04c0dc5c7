#pragma once
// The tile hierarchy of a kernel as a picture, with its numbers beside it: what a block, a virtual thread and a thread
// compute of the result, and what the threads of a block fetch together. Follows the schedule and the loop selected
// elsewhere; a click into a panel goes on to that tile and selects the loops that cut it.

#include "views/actions/view_roles.h"
#include "views/session/view_context.h"
#include "views/tiles/tile_picture.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QSplitter;
class QTreeView;

namespace loopscope {

class ElidedLabel;
class GraphView;
class TileFactModel;
class TileScene;

class TilesView final : public QWidget, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit TilesView(const ViewContext &context, QWidget *parent = nullptr);
    ~TilesView() override;

    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;

    [[nodiscard]] GraphView &graph() const { return *m_graph; }
    [[nodiscard]] TileScene &scene() const { return *m_scene; }
    [[nodiscard]] TileFactModel &facts() const { return *m_facts; }
    [[nodiscard]] QTreeView &table() const { return *m_table; }
    [[nodiscard]] QComboBox &kernels() const { return *m_kernels; }

  protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

  private:
    void build();
    void arrange(bool anew); // picture and numbers, as there is room
    void refresh();
    void showKernels(KernelTilesPtr kernels);
    void chooseKernel(int number);
    void showPicture(bool again);
    void showNothing(const QString &why);
    void fillAxes();
    void click(QPointF scenePoint);
    void pickRow(int row);
    void select(const TileLoopRef &loop);
    void follow(const Selected &now);
    [[nodiscard]] QString tipAt(QPointF scenePoint) const;
    [[nodiscard]] const KernelTiles *kernel() const;

    ViewContext m_context;
    QWidget *m_bar = nullptr;
    QComboBox *m_kernels = nullptr;
    QWidget *m_axes = nullptr;
    QComboBox *m_rows = nullptr;
    QComboBox *m_columns = nullptr;
    ElidedLabel *m_summary = nullptr;
    QSplitter *m_splitter = nullptr;
    GraphView *m_graph = nullptr;
    std::unique_ptr<TileScene> m_scene;
    QTreeView *m_table = nullptr;
    TileFactModel *m_facts = nullptr;

    KernelTilesPtr m_tiles;
    ScheduleRef m_shown;
    int m_task = -1;
    int m_kernel = 0;
    TileFocus m_focus;
    int m_job = 0;
    bool m_filling = false;  // combos, by us
    bool m_choosing = false; // the selection changes by us
};

} // namespace loopscope
