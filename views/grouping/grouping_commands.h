#pragma once
// What one does with a grouping: its actions, on the tool bar, in menus and by keys.

#include "views/session/view_context.h"

#include <QObject>

class QAction;
class QToolBar;

namespace loopscope {

class GroupingView;

class GroupingCommands final : public QObject {
    Q_OBJECT

  public:
    GroupingCommands(const ViewContext &context, GroupingView &view, QToolBar &tools);

    [[nodiscard]] QAction *previous() const { return m_previous; }
    [[nodiscard]] QAction *next() const { return m_next; }
    [[nodiscard]] QAction *use() const { return m_use; }
    [[nodiscard]] QAction *copyScript() const { return m_copy; }
    /// What can be done now; `whyNot`: why the schedule cannot be used, empty where it can.
    void update(const QString &whyNot, bool script, bool backward, bool forward);
    void showInlined(bool shown);

  private:
    void useSchedule();
    void copyScript();
    QAction *add(const char *id, const QString &text, const char *key, const char *icon, const QString &tip,
                 std::function<void()> run, bool checkable = false);
    void addExports(QToolBar &tools);
    void askForExport(const QString &suffix);

    ViewContext m_context;
    GroupingView &m_view;
    QAction *m_use = nullptr;
    QAction *m_copy = nullptr;
    QAction *m_previous = nullptr;
    QAction *m_next = nullptr;
    QAction *m_inlined = nullptr;
    QString m_useTip;
};

} // namespace loopscope
