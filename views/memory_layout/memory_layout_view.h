#pragma once
// How the tensors of the schedule shown lie in memory, and how else they could: memory order as a picture before and
// after, what each level of the memory would make of it, and the workload rewritten by a click.

#include "views/actions/view_roles.h"
#include "views/memory_layout/applied_layouts.h"
#include "views/memory_layout/layout_study.h"
#include "views/memory_layout/memory_picture.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTreeView;

namespace loopscope {

class CandidateModel;
class ElidedLabel;
class MemoryCanvas;

class MemoryLayoutView final : public QWidget, public ExportRole {
    Q_OBJECT

  public:
    explicit MemoryLayoutView(const ViewContext &context, QWidget *parent = nullptr);
    ~MemoryLayoutView() override;

    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;

    [[nodiscard]] QComboBox &tensors() const { return *m_tensors; }
    [[nodiscard]] QComboBox &vectorAxis() const { return *m_vector; }
    [[nodiscard]] QTreeView &table() const { return *m_table; }
    [[nodiscard]] CandidateModel &candidates() const { return *m_model; }
    [[nodiscard]] MemoryCanvas &before() const { return *m_before; }
    [[nodiscard]] MemoryCanvas &after() const { return *m_after; }
    [[nodiscard]] QLineEdit &line() const { return *m_line; }
    [[nodiscard]] QPushButton &applyButton() const { return *m_apply; }
    [[nodiscard]] QString said() const;      // about the choice, or what was typed
    [[nodiscard]] QString readout() const;   // of what is pointed at
    [[nodiscard]] QString emptyText() const; // in place of it all

  protected:
    void showEvent(QShowEvent *event) override;

  private:
    void build();
    void buildBar(QLayout *column);
    void refresh();
    void take(const WeighedLayoutsPtr &weighed);
    void showStudy();
    void fillAxes();
    void showPictures();
    void point(std::optional<int> cell);
    void type();
    void apply();
    void goBack();
    void goForward();
    void becomes(const std::optional<QString> &text, const QString &said, const QString &nothing);
    void say(const QString &text, bool refused = false);
    void showEmpty(const QString &why);
    [[nodiscard]] const LayoutCandidate *chosen() const;

    ViewContext m_context;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    QComboBox *m_tensors = nullptr;
    QComboBox *m_rows = nullptr;
    QComboBox *m_columns = nullptr;
    QComboBox *m_vector = nullptr;
    MemoryCanvas *m_before = nullptr;
    MemoryCanvas *m_after = nullptr;
    ElidedLabel *m_readoutBefore = nullptr;
    ElidedLabel *m_readoutAfter = nullptr;
    QTreeView *m_table = nullptr;
    CandidateModel *m_model = nullptr;
    QLineEdit *m_line = nullptr;
    QPushButton *m_apply = nullptr;
    QLabel *m_said = nullptr;

    std::shared_ptr<const Task> m_task; // that is weighed, with the loops of
    RepresentationsPtr m_forms;
    WeighedLayoutsPtr m_weighed;
    QString m_tensor;            // as chosen
    std::vector<Layout> m_typed; // for that tensor
    AppliedLayouts m_applied;
    int m_job = 0;
    bool m_filling = false;
};

} // namespace loopscope
