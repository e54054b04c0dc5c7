#pragma once
// The Logs view with what a test looks at and clicks on.

#include "log_lines.h"
#include "view_bench.h"
#include "views/logs/log_bar.h"
#include "views/logs/log_details.h"
#include "views/logs/log_plots.h"
#include "views/logs/log_table.h"
#include "views/logs/log_task_model.h"
#include "views/logs/logs_view.h"
#include "views/session/open_logs.h"

#include <QHeaderView>
#include <QTableView>
#include <QTextBrowser>
#include <QtTest>

namespace loopscope {

struct LogsBench : ViewBench {
    LogsView view{context};
    OpenLogs &logs = session.logs();
    QTableView *tasks = view.findChild<QTableView *>(QStringLiteral("log_tasks"));
    QTableView *records = view.findChild<QTableView *>(QStringLiteral("log_records"));

    LogsBench() {
        view.resize(1000, 700);
        view.show();
        shown = QTest::qWaitForWindowActive(&view);
    }
    bool shown = false;

    bool open(const TestLog &file) {
        logs.open(QString::fromStdString(file.path()));
        return settled();
    }
    [[nodiscard]] bool settled() {
        return QTest::qWaitFor(
            [this] {
                return session.jobs().running().empty() &&
                       (logs.current() == nullptr || logs.current()->state != OpenLog::State::Indexing);
            },
            60000);
    }
    [[nodiscard]] QString lines() const {
        QStringList all;
        for (int row = 0; row < view.records().rowCount(); ++row)
            all << view.records().index(row, RecordModel::Line).data().toString();
        return all.join(u' ');
    }
    static void click(QTableView *table, int row, int column = 0) {
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(row, column)).center());
    }
    void clickHeader(int column) const {
        QHeaderView *header = records->horizontalHeader();
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          QPoint(header->sectionViewportPosition(column) + 8, header->height() / 2));
    }
    template <typename Widget> [[nodiscard]] Widget *child(const char *name) const {
        return view.findChild<Widget *>(QLatin1String(name));
    }
    [[nodiscard]] QString page() const { return view.details().page()->toPlainText(); }
};

} // namespace loopscope
