#include "views/computation/log_task_page.h"

#include "views/computation/task_list.h"
#include "views/session/step_names.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QAction>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

LogTaskPage::LogTaskPage(const ViewContext &context, QAction *find, QWidget *parent)
    : QWidget(parent), m_context(context), m_title(new QLabel(this)), m_cause(new QLabel(this)),
      m_facts(new QLabel(this)), m_find(new QPushButton(find->text(), this)), m_stepsTitle(new QLabel(this)),
      m_steps(new QListWidget(this)) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    for (QLabel *label : {m_title, m_cause, m_facts}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setMinimumWidth(20);
        column->addWidget(label);
    }
    m_cause->setObjectName(QStringLiteral("log_cause"));
    m_find->setObjectName(QStringLiteral("find_workload"));
    m_find->setToolTip(find->toolTip());
    m_find->setIcon(context.theme.icon(QStringLiteral("open")));
    connect(m_find, &QPushButton::clicked, find, &QAction::trigger);
    column->addWidget(m_find, 0, Qt::AlignLeft);
    column->addWidget(new TaskList(context, this));
    column->addWidget(m_stepsTitle);
    m_steps->setObjectName(QStringLiteral("log_steps"));
    m_steps->setWordWrap(true);
    m_steps->setSelectionMode(QAbstractItemView::NoSelection);
    m_stepsTitle->setBuddy(m_steps);
    column->addWidget(m_steps, 1);
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &LogTaskPage::refresh);
    connect(&session.documents(), &Documents::problemChanged, this, &LogTaskPage::refresh);
    connect(&session.selection(), &Selection::changed, this, &LogTaskPage::refresh);
    connect(&context.theme, &Theme::changed, this, &LogTaskPage::restyle);
    restyle();
    refresh();
}

QString LogTaskPage::cause() const { return m_cause->text(); }

void LogTaskPage::refresh() {
    const Document *document = m_context.session.document();
    if (document == nullptr || !document->logTask) return;
    m_title->setText(document->name);
    m_title->setToolTip(document->logPath);
    m_cause->setText(asSentence(document->problem ? document->problem->sentence : QString()) + u'.');
    const auto failed = std::count_if(document->trials.begin(), document->trials.end(),
                                      [](const TrialEntry &entry) { return !entry.valid(); });
    m_facts->setText(
        QStringLiteral("Log: %1\nKey: %2\nTarget: %3\n%4, %5 failed")
            .arg(document->logPath, document->logTask->key, document->logTask->target, taskProgressText(*document))
            .arg(failed));
    m_steps->clear();
    const ScheduleRef &ref = m_context.session.selection().now().schedule;
    const auto number = static_cast<size_t>(ref.number);
    const bool chosen = ref.kind == ScheduleRef::Kind::Trial && number < document->trials.size();
    m_stepsTitle->setText(chosen ? QStringLiteral("Steps of %1").arg(scheduleName(ref))
                                 : QStringLiteral("Choose a candidate to see its steps"));
    if (!chosen) return;
    // Names of stages and loops come from the workload; a log has their numbers.
    const NamedSteps named = nameSteps(nullptr, document->trials[number].trial.steps.unpack());
    for (size_t i = 0; i < named.steps.size(); ++i)
        m_steps->addItem(QStringLiteral("%1  %2").arg(i).arg(named.steps[i].sentence));
}

void LogTaskPage::restyle() {
    QPalette warning = m_cause->palette();
    warning.setColor(QPalette::WindowText, m_context.theme.color(Role::Warning));
    m_cause->setPalette(warning);
}

} // namespace loopscope
