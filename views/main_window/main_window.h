#pragma once
// The window: a start page, and docks around whatever is open. It owns no view's knowledge; it arranges views, collects
// their actions into menus and palette, and opens, saves and restores.

#include "views/session/view_context.h"

#include <QMainWindow>
#include <QTimer>

class QStackedWidget;
class QTabBar;
class QToolBar;
class QToolButton;

namespace loopscope {

class CommandPalette;
class DockHost;
class DropOverlay;
class LastSession;
class RecoveryBar;
class StartPage;
class StatusLine;
class WindowLayouts;

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(const ViewContext &context, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Opens after the first paint. `compare`: two files to be set side by side.
    void openFiles(const QStringList &paths, bool compare);
    /// What was open when the window was closed last; a start page when there is nothing. After the first paint.
    void restoreLastSession();
    /// This window keeps what is open for the next start, as the first of several windows does.
    void keepSession();

    [[nodiscard]] DockHost &docks() { return *m_docks; }
    [[nodiscard]] WindowLayouts &layouts() { return *m_layouts; }
    [[nodiscard]] bool onStartPage() const;
    void showStartPage();
    void showWorkbench();
    /// Shows a file at a line (from 1; 0 = none) in the text of its workload.
    void showPlace(const QString &path, int line, int column);

  signals:
    void firstPaint();
    void closing(); // the search may take a moment to end
    void closed();

  protected:
    bool event(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    void buildToolBar();
    void buildStatusBar();
    void connectSession();
    void afterFirstPaint();
    void registerActions(); // main_actions.cpp
    void registerFileActions();
    void registerViewActions();
    void registerHelpActions();
    void addToWindow(QAction *action);
    void rebuildMenus(); // menus.cpp
    void documentsChanged();
    void searchChanged();
    void refreshSearchButton();
    [[nodiscard]] QAction *searchAction() const; // what the primary button does now; null while no view offers it
    void refreshLayouts();
    void refreshTitle();
    void newDocument();
    void openDialog();
    void saveDocument(bool as);
    void saveSessionAs();
    void reload();
    void closeDocument(int id);
    void findInView();
    void zoomView(int direction);           // 0 = to fit
    void exportView(const QString &suffix); // empty: the user chooses
    template <typename ViewRole> ViewRole *frontRole(QWidget **view = nullptr);
    void showPalette(bool finder);
    void saveLayoutAs();
    void showLine(int line, int column);
    void setThemeChoice(ThemeChoice choice);
    void finishClosing();
    void offerLogs();
    /// Layout and page, for session files.
    [[nodiscard]] QByteArray shape() const;
    void setShape(const QByteArray &shape);

    ViewContext m_context;
    DockHost *m_docks;
    WindowLayouts *m_layouts;
    QStackedWidget *m_pages;
    StartPage *m_start = nullptr;
    QTabBar *m_documents;
    LastSession *m_last;
    RecoveryBar *m_recovery;
    StatusLine *m_status = nullptr;
    DropOverlay *m_drop;
    CommandPalette *m_palette = nullptr;
    QToolBar *m_bar = nullptr;
    QToolButton *m_search = nullptr;
    QToolButton *m_stop = nullptr;
    QAction *m_stopAction = nullptr;
    QToolButton *m_layoutButton = nullptr;
    QTimer m_menusSoon;
    QTimer m_buttonSoon;
    QTimer m_makeViews;
    QTimer m_closing;
    std::vector<std::function<void()>> m_atFirstPaint;
    bool m_painted = false;
    bool m_isClosing = false;
    int m_unseen = 0; // warnings and failures since Messages was last looked at
    bool m_wasSearching = false;
};

} // namespace loopscope
