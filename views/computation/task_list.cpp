#include "views/computation/task_list.h"

#include "views/session/tasks.h"

#include <QLabel>
#include <QListWidget>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {
constexpr int kMaxRows = 4; // seen at once; further ones are scrolled to
}

TaskList::TaskList(const ViewContext &context, QWidget *parent)
    : QFrame(parent), m_context(context), m_list(new QListWidget(this)) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto *title = new QLabel(QStringLiteral("Tasks of this workload"), this);
    title->setBuddy(m_list);
    column->addWidget(title);
    column->addWidget(m_list);
    m_list->setObjectName(QStringLiteral("tasks"));
    m_list->setAccessibleName(title->text());
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setUniformItemSizes(true);
    const auto go = [this](const QListWidgetItem *item) {
        m_context.session.documents().showTask(item->data(Qt::UserRole).toInt());
    };
    connect(m_list, &QListWidget::itemClicked, this, go);
    connect(m_list, &QListWidget::itemActivated, this, go);
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &TaskList::refresh);
    connect(&session.documents(), &Documents::documentsChanged, this, &TaskList::refresh);
    connect(&session.search(), &SearchRunner::searchChanged, this, &TaskList::refresh);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &TaskList::refresh);
    connect(&session.trials(), &TaskTrials::trialsAdded, this, &TaskList::refresh);
    connect(&session.trials(), &TaskTrials::bestChanged, this, &TaskList::refresh);
    refresh();
}

void TaskList::refresh() {
    const Document *document = m_context.session.document();
    const bool several = document && !document->others.empty();
    setVisible(several);
    if (!several) return m_list->clear();
    std::vector<const TaskState *> tasks = tasksOf(*document);
    // In the order in which they came to be, so that lines do not move under the pointer.
    std::sort(tasks.begin(), tasks.end(), [](const TaskState *a, const TaskState *b) { return a->taskId < b->taskId; });
    const QSignalBlocker quiet(m_list);
    while (m_list->count() > static_cast<int>(tasks.size())) delete m_list->takeItem(m_list->count() - 1);
    while (m_list->count() < static_cast<int>(tasks.size())) m_list->addItem(QString());
    for (size_t i = 0; i < tasks.size(); ++i) {
        QListWidgetItem *item = m_list->item(static_cast<int>(i));
        const bool shown = tasks[i]->taskId == document->taskId;
        const QString title = taskTitle(*tasks[i]);
        const QString progress = taskProgressText(*tasks[i]);
        // The name stands above, in the head of the panel; here it would cut off what differs.
        item->setText(QStringLiteral("%1: %2").arg(taskDifferenceText(*document, *tasks[i]), progress));
        item->setToolTip(shown ? QStringLiteral("%1\n%2\nShown").arg(title, progress)
                               : QStringLiteral("%1\n%2\nClick to go there").arg(title, progress));
        item->setData(Qt::UserRole, tasks[i]->taskId);
        if (shown) m_list->setCurrentItem(item);
    }
    const int rows = std::min(kMaxRows, m_list->count());
    m_list->setFixedHeight(rows * std::max(m_list->sizeHintForRow(0), fontMetrics().height()) +
                           2 * m_list->frameWidth());
}

} // namespace loopscope
