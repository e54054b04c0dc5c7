#pragma once
// What one does with the network's graph: its actions on the tool bar, what is chosen there, its menu, going about by
// keys.

#include "views/network_graph/network_picture.h"
#include "views/session/view_context.h"

#include <QObject>

class QAction;
class QComboBox;
class QGraphicsItem;
class QPoint;

namespace loopscope {

class FlowBar;
class NetworkGraphView;

class NetworkCommands : public QObject {
    Q_OBJECT

  public:
    NetworkCommands(const ViewContext &context, NetworkGraphView &view, FlowBar &tools);

    /// What can be chosen now; kernels and what passes made are not known from the beginning.
    void refresh(FoldBy fold, Overlay overlay);
    void popUp(QGraphicsItem *item, QPoint globalPoint);
    /// For the numbers of symbolic dims.
    void askForDims();
    void selectNext(int direction);
    /// Up and Down follow the arrows, Left and Right go to what lies beside.
    void selectNeighbour(int key);

  private:
    QAction *add(const char *id, const QString &text, const char *key, const char *icon, const QString &tip,
                 std::function<void()> run, bool checkable = false);
    void addChoices(FlowBar &tools);
    void addExport(FlowBar &tools);
    void askForExport(const QString &suffix);

    ViewContext m_context;
    NetworkGraphView &m_view;
    QComboBox *m_form = nullptr;
    QComboBox *m_fold = nullptr;
    QComboBox *m_overlay = nullptr;
    QAction *m_open = nullptr;
    QAction *m_sizes = nullptr;
};

} // namespace loopscope
