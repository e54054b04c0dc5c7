#pragma once
// What the kernels of the schedule shown ask of the GPU, beside what it has: blocks, threads, shared memory, registers
// once they are compiled, and how many blocks run at once. Follows every edit at once; only registers and spills wait
// for the compiler, which is asked when nobody has changed anything for a moment.

#include "views/actions/view_roles.h"
#include "views/session/view_context.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QStackedWidget;
class QTreeView;

namespace loopscope {

class LimitsModel;

class LimitsView final : public QWidget, public ExportRole {
    Q_OBJECT

  public:
    explicit LimitsView(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] QTreeView &tree() const { return *m_tree; }
    [[nodiscard]] LimitsModel &model() const { return *m_model; }
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;

  protected:
    void showEvent(QShowEvent *event) override;

  private:
    void build();
    void refresh();
    void compile();
    void showKernels();
    void say(const QString &sentence); // instead of a table
    void sayRefusal(const QString &sentence);
    void sayAdvice();
    void follow();
    void choose(const QModelIndex &index);
    void copy();
    void restyle();

    ViewContext m_context;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    QLabel *m_machine = nullptr;
    QLabel *m_refusal = nullptr;
    QTreeView *m_tree = nullptr;
    QLabel *m_advice = nullptr;
    LimitsModel *m_model = nullptr;
    QTimer m_compileTimer;
    ScheduleRef m_shown;
};

} // namespace loopscope
