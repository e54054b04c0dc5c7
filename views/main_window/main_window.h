#pragma once
// The window: a start page, and docks around whatever is open. It owns no view's knowledge; it is put together from
// parts that arrange views, collect their actions into menus and palette, and open, save, restore and close.

#include "views/session/view_context.h"

#include <QMainWindow>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

namespace loopscope {

class DockHost;
class DocumentTabs;
class DropOverlay;
class FileCommands;
class LastSession;
class MainToolBar;
class RecoveryBar;
class WindowClosing;
class WindowLayouts;
class WindowPages;
struct WindowParts;

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
    void arrange();
    void addCommands(const WindowParts &parts);
    void addStatusLine();
    void connectSession();
    void countMessages();
    void afterFirstPaint();
    void openPictures(const QStringList &paths);
    void documentsChanged();
    void searchChanged();
    void refreshTitle();
    void offerLogs();

    ViewContext m_context;
    DockHost *m_docks;
    WindowLayouts *m_layouts;
    WindowPages *m_pages = nullptr;
    DocumentTabs *m_documents;
    LastSession *m_last;
    RecoveryBar *m_recovery;
    DropOverlay *m_drop;
    WindowClosing *m_closing = nullptr;
    FileCommands *m_files = nullptr;
    MainToolBar *m_bar = nullptr;
    QTimer m_makeViews;
    std::vector<std::function<void()>> m_atFirstPaint;
    int m_unseen = 0; // warnings and failures since Messages was last looked at
    bool m_wasSearching = false;
};

} // namespace loopscope
