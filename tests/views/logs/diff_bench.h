#pragma once
// The Logs view with two logs to compare, and how a test of that clicks and reads.

#include "log_lines.h"
#include "made_records.h"
#include "view_bench.h"
#include "views/logs/best_curves.h"
#include "views/logs/diff_details.h"
#include "views/logs/diff_head.h"
#include "views/logs/diff_task_model.h"
#include "views/logs/log_bar.h"
#include "views/logs/log_comparison.h"
#include "views/logs/log_diff_view.h"
#include "views/logs/logs_view.h"
#include "views/session/open_logs.h"

#include <QHeaderView>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

#include <string>

namespace loopscope {

/// Functions that no sample is called by: whatever is found beside the tests, their tasks stay unknown.
inline const std::string kSums = R"(["odd_sums", 64, 64, 64])";
inline const std::string kDense = R"(["odd_dense", 8, 8])";

/// Two searches of one task, a task each that the other lacks, and one that none of the logs has a time of.
inline std::string firstLog() {
    return madeLine({.key = kSums, .seconds = {4e-3, 4.1e-3}, .tile = 2, .timestamp = 1000}) +
           madeLine({.key = kSums, .seconds = {}, .tile = 64, .timestamp = 1002}) +
           madeLine({.key = kSums, .seconds = {2e-3, 2.02e-3}, .tile = 4, .timestamp = 1005}) +
           madeLine({.key = kDense, .seconds = {1e-3}}) +
           madeLine({.key = R"(["odd_softmax", 8, 8])", .seconds = {1e-5}}) +
           madeLine({.key = R"(["odd_pool", 2])", .seconds = {}});
}
inline std::string otherLog() {
    return madeLine({.key = kSums, .seconds = {3e-3, 3.1e-3}, .tile = 8, .timestamp = 2000}) +
           madeLine({.key = kSums, .seconds = {1e-3, 1.01e-3}, .tile = 16, .loop = 1, .timestamp = 2004}) +
           madeLine({.key = kDense, .seconds = {4e-3}}) + madeLine({.key = R"(["odd_relu", 4])", .seconds = {1e-6}});
}

struct DiffBench : ViewBench {
    LogsView view{context};
    OpenLogs &logs = session.logs();
    LogDiffView &page = view.comparison();
    QTableView *tasks = page.table();
    QTabBar *tabs = view.bar().tabs();

    DiffBench() {
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
        return QTest::qWaitFor([this] { return session.jobs().running().empty() && !resolving(); }, 60000);
    }
    [[nodiscard]] bool resolving() const { return page.comparison().state() == LogComparison::State::Looking; }
    [[nodiscard]] QAction *action(const char *id) const { return actions.find(QLatin1String(id)); }
    template <typename Widget> [[nodiscard]] Widget *child(const char *name) const {
        return view.findChild<Widget *>(QLatin1String(name));
    }
    void clickCompare() const {
        for (auto *button : view.bar().findChildren<QToolButton *>())
            if (button->defaultAction() == page.compareAction()) return QTest::mouseClick(button, Qt::LeftButton);
        qFatal("the bar has no such button");
    }
    void clickRow(int row) const {
        QTest::mouseClick(tasks->viewport(), Qt::LeftButton, {},
                          tasks->visualRect(tasks->model()->index(row, DiffTaskModel::Name)).center());
    }
    void clickHeader(int column) const {
        QHeaderView *header = tasks->horizontalHeader();
        tasks->scrollTo(tasks->model()->index(0, column));
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          QPoint(header->sectionViewportPosition(column) + 8, header->height() / 2));
    }
    [[nodiscard]] QString column(int column) const {
        QStringList cells;
        for (int row = 0; row < tasks->model()->rowCount(); ++row)
            cells << tasks->model()->index(row, column).data().toString();
        return cells.join(QStringLiteral(", "));
    }
    [[nodiscard]] QString lastMessage() {
        return session.messages().all().empty() ? QString() : session.messages().all().back().text;
    }
    [[nodiscard]] LogComparison::State state() const { return page.comparison().state(); }
};

} // namespace loopscope
