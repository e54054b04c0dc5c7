#pragma once
// The File menu: new, open, save, reload, export, close. What it asks the user for, it asks in dialogs that do not
// block.

#include "views/main_window/window_parts.h"

#include <QKeySequence>
#include <QObject>

#include <functional>

namespace loopscope {

class ExportDialog;

class FileCommands : public QObject {
    Q_OBJECT

  public:
    explicit FileCommands(const WindowParts &parts, QObject *parent);

    /// `compare`: two files to be set side by side.
    void open(const QStringList &paths, bool compare);
    void close(int document);
    /// Which make sense with what is open.
    void refresh();

  signals:
    void quitRequested();

  private:
    QAction *add(const char *id, const QString &text, const QKeySequence &key, const char *icon, const QString &tip,
                 std::function<void()> run);
    void addRecent(int number);
    void addExports();
    void newDocument();
    void openDialog();
    void saveDocument(bool as);
    void saveSessionAs();
    void reload();
    void exportSchedule();
    void exportView(const QString &suffix); // empty: the user chooses
    [[nodiscard]] QString folder() const;   // of the file chosen last
    void keepFolder(const QString &file);

    WindowParts m_parts;
    ExportDialog *m_export = nullptr; // made when it is first wanted
};

} // namespace loopscope
