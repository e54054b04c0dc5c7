#pragma once
// A workload's inputs, outputs and all stages between as pictures, computed by the interpreter, which is the reference:
// two of them side by side, moved together, over a strip of all. The stage that is looked at is the one selected.

#include "views/actions/view_roles.h"
#include "views/pictures/notice_line.h"
#include "views/pictures/picture_requests.h"
#include "views/pictures/stage_strip_model.h"
#include "views/pictures/viewpoint.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <array>
#include <map>

class QLabel;
class QListView;
class QSplitter;
class QStackedWidget;

namespace loopscope {

class StagePane;

class PicturesView final : public QWidget, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit PicturesView(const ViewContext &context, QWidget *parent = nullptr);
    ~PicturesView() override;

    /// Of the pane that is meant: .png as it is seen, .npy all its values.
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;

    /// As inputs of the document shown.
    void openFiles(const QStringList &files);

    [[nodiscard]] StagePane &pane(size_t side) const { return *m_panes.at(side); }
    [[nodiscard]] InputBar &inputs() const { return *m_inputs; }
    [[nodiscard]] QListView &strip() const { return *m_strip; }
    [[nodiscard]] StageStripModel &stages() { return m_stages; }
    [[nodiscard]] Viewpoint &viewpoint() { return m_viewpoint; }
    /// In place of pictures; empty where there are some.
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] NoticeLine &notice() const { return *m_notice; }
    [[nodiscard]] bool computing() const { return m_job != 0; }

  protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

  private:
    void build();
    void buildPanes();
    void addActions();
    void refresh();
    void ask();
    void take(const PictureAnswer &answer);
    void showEmpty(const QString &why);
    void follow();
    void choose(int row);
    void activate(size_t side);
    void arrange();
    void place();
    void openDialog(const QString &input);
    void saveDialog();
    void copy();
    void restyle();
    [[nodiscard]] PictureRequests *requests();

    ViewContext m_context;
    StageStripModel m_stages;
    Viewpoint m_viewpoint;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    InputBar *m_inputs = nullptr;
    NoticeLine *m_notice = nullptr;
    QSplitter *m_splitter = nullptr;
    std::array<StagePane *, 2> m_panes{};
    size_t m_active = 1;
    QListView *m_strip = nullptr;

    std::map<int, PictureRequests> m_requests; // by document
    int m_document = 0;                        // whose pictures are shown
    std::shared_ptr<const Task> m_read;        // its task as it was read
    PictureQuestion m_asked;                   // what is shown or being computed
    int m_job = 0;
};

} // namespace loopscope
