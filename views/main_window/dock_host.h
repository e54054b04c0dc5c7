#pragma once
// The docks: views that can be moved, tabbed, floated and closed. A view is made when it is first looked at, or in an
// idle moment, so that the window is on screen before any of them exists.

#include "views/main_window/dock_layout.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QTimer>

#include <optional>

namespace loopscope {

class DockHost : public QMainWindow {
    Q_OBJECT

  public:
    explicit DockHost(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] QDockWidget *dock(const QString &id) const; // null when unknown
    /// Made now when it does not exist yet; null when unknown.
    QWidget *view(const QString &id);
    /// Null while it was never needed.
    [[nodiscard]] QWidget *existingView(const QString &id) const;
    /// Views may be made from now on: those in sight at once, one more with every call.
    void startMaking();
    /// False when all exist, and then sizes are the user's.
    bool makeNextView();
    [[nodiscard]] bool allMade() const;

    void showDock(const QString &id, bool focus);
    [[nodiscard]] bool wasShown() const { return m_wasShown; }
    [[nodiscard]] bool isInFront(const QString &id) const;
    /// The view that holds the focus, or the largest one in sight; null when no dock is open.
    [[nodiscard]] QWidget *frontView() const;
    /// The dock that holds the widget; null for none.
    [[nodiscard]] QDockWidget *dockOf(const QWidget *widget) const;

    void arrange(const Arrangement &arrangement);
    /// Sizes come from elsewhere: those of the arrangement are no longer seen to.
    void keepSizes() { m_sized.reset(); }
    /// Number shown behind the title; 0 = none.
    void setBadge(const QString &id, int count);
    /// Floating docks go with the page that is shown.
    void setFloatingShown(bool shown);

  signals:
    void viewMade(const QString &id, QWidget *view);
    void arrangementChanged();
    /// It has its size for the first time: sizes of docks mean nothing before.
    void firstShown();

  protected:
    void showEvent(QShowEvent *event) override;

  private:
    struct Entry {
        DockInfo info;
        QDockWidget *dock = nullptr;
        QWidget *view = nullptr;
        QWidget *titleBar = nullptr;
        QWidget *noTitle = nullptr;
        bool hiddenWithPage = false;
    };
    Entry *find(const QString &id);
    [[nodiscard]] const Entry *find(const QString &id) const;
    void make(Entry &entry);
    void addGroup(const QStringList &group);
    void applySizes();
    void refreshTitles();

    ViewContext m_context;
    std::vector<Entry> m_entries;
    bool m_making = false;
    bool m_wasShown = false;
    QTimer m_titles;
    std::optional<Arrangement> m_sized; // whose sizes are still to be seen to
};

} // namespace loopscope
