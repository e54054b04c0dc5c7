#pragma once
// A schedule leaves: which format, what it is, what will be in the files, and where they go. Not modal; the schedule is
// the one it began with, whatever is selected meanwhile.

#include "records/export/export_schedule.h"
#include "views/export_dialog/export_choice.h"
#include "views/session/view_context.h"

#include <QDialog>

#include <map>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QTabBar;

namespace loopscope {

class CodeText;

class ExportDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ExportDialog(const ViewContext &context, QWidget *parent = nullptr);

    /// Shows it for a schedule of the task shown.
    void begin(const ScheduleRef &ref);
    [[nodiscard]] ExportFormat format() const;
    [[nodiscard]] QListWidget *formats() const { return m_formats; }
    [[nodiscard]] QLineEdit *path() const { return m_path; }
    [[nodiscard]] QTabBar *files() const { return m_files; }
    [[nodiscard]] CodeText &preview() const { return *m_preview; }
    [[nodiscard]] QPushButton *saveButton() const { return m_save; }
    /// What is said below: a refusal, or nothing.
    [[nodiscard]] QString verdict() const;
    void accept() override; // saves

  signals:
    void previewed(); // the files of the format are there, or why not

  private:
    QWidget *buildFormats();
    QWidget *buildPreview();
    QWidget *buildPath();
    int offerFormats();
    void formatChosen();
    void suggestPath();
    void makePreview();
    void showFiles();
    void showFile();
    void browse();
    void refreshSave();
    void say(const QString &sentence, bool bad);
    void restyle();
    void saved(const std::vector<std::string> &paths);

    /// Made, or refused; under way when neither.
    struct Made {
        ExportedFiles files;
        QString refusal;
        int job = -1;
    };

    ViewContext m_context;
    ExportChoice m_choice;
    std::map<ExportFormat, Made> m_made;
    int m_version = 0; // of m_choice: what was begun for another is thrown away
    bool m_saving = false;
    bool m_bad = false; // what is said

    QLabel *m_schedule = nullptr;
    QListWidget *m_formats = nullptr;
    QLabel *m_what = nullptr;
    QTabBar *m_files = nullptr;
    CodeText *m_preview = nullptr;
    QLineEdit *m_path = nullptr;
    QLabel *m_verdict = nullptr;
    QPushButton *m_save = nullptr;
};

} // namespace loopscope
