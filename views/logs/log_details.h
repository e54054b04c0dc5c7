#pragma once
// Below or beside the records: the page of the one chosen, and what was found in the records of its task.

#include "views/logs/record_facts.h"
#include "views/logs/task_choices.h"
#include "views/logs/task_findings.h"
#include "views/session/open_logs.h"
#include "views/session/view_context.h"

#include <QTabWidget>

class QAbstractItemModel;
class QLabel;
class QTableView;
class QTextBrowser;

namespace loopscope {

class CoursePlot;
class FindingsModel;
class LogTable;
class NoteLine;
class RepeatStrip;
class TimesPlot;
class UnreadableModel;

class LogDetails : public QTabWidget {
    Q_OBJECT

  public:
    LogDetails(Theme &theme, QWidget *parent);

    /// What the page of the record says; null and `hint`: why there is none.
    void showRecord(const RecordFacts *facts, const QString &path, const QString &taskName, const QString &why,
                    const QString &hint);
    /// Null: no task is chosen, or it is not known yet.
    void showFindings(const TaskFindingsPtr &findings, const OpenLog *log);
    void showUnreadable(const OpenLog *log);
    /// Null and `hint`: why there are none.
    void showChoices(const TaskChoices *choices, const QString &hint);
    [[nodiscard]] bool choicesInFront() const;
    void mark(size_t record, double seconds);
    /// Buttons below the page of the record.
    void setRecordActions(const QList<QAction *> &actions);

    [[nodiscard]] CoursePlot *course() const { return m_course; }
    [[nodiscard]] TimesPlot *times() const { return m_times; }
    [[nodiscard]] QTextBrowser *page() const { return m_page; }
    /// Something that looks for more by itself, in front of the part of that name.
    void addPage(QWidget *page, const QString &title, const QString &tip, const char *before);
    /// The table in front, if one is; null otherwise.
    [[nodiscard]] QTableView *frontTable() const;

  signals:
    void recordAsked(size_t record);
    void noted(); // something was written into the file beside the log
    void notesFailed(const QString &why);

  private:
    LogTable *addTable(QAbstractItemModel *model, const char *name, const QString &title, const QString &tip);
    void addChoices();
    void addFindings(QTableView *table, const FindingsModel *model);

    Theme &m_theme;
    QTextBrowser *m_page = nullptr;
    QWidget *m_buttons = nullptr;
    RepeatStrip *m_strip = nullptr;
    NoteLine *m_note = nullptr;
    CoursePlot *m_course = nullptr;
    TimesPlot *m_times = nullptr;
    QLabel *m_about = nullptr;
    FindingsModel *m_failures = nullptr;
    FindingsModel *m_close = nullptr;
    FindingsModel *m_again = nullptr;
    FindingsModel *m_structures = nullptr;
    FindingsModel *m_choices = nullptr;
    QLabel *m_aboutChoices = nullptr;
    UnreadableModel *m_unreadable = nullptr;
};

} // namespace loopscope
