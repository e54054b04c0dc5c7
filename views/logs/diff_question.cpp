#include "views/logs/diff_question.h"

#include "views/logs/log_comparison.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

DiffQuestion::DiffQuestion(OpenLogs &logs, int base, QWidget *parent)
    : QDialog(parent), m_logs(logs), m_base(new QComboBox(this)), m_others(new QListWidget(this)),
      m_why(new QLabel(this)) {
    setObjectName(QStringLiteral("diff_question"));
    setWindowTitle(tr("Compare logs"));
    m_base->setObjectName(QStringLiteral("diff_base"));
    m_base->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_base->setMinimumContentsLength(30);
    for (const auto &log : logs.all()) {
        if (!whyNotComparable(*log).isEmpty()) continue;
        m_base->addItem(log->name(), log->id);
        m_base->setItemData(m_base->count() - 1, log->path, Qt::ToolTipRole);
    }
    m_base->setCurrentIndex(std::max(0, m_base->findData(base)));
    m_others->setObjectName(QStringLiteral("diff_others"));
    m_others->setAccessibleName(tr("Logs to compare with it"));
    m_why->setObjectName(QStringLiteral("diff_question_why"));
    m_why->setWordWrap(true);
    auto *baseLabel = new QLabel(tr("&Base, which the others are compared with"), this);
    baseLabel->setBuddy(m_base);
    auto *othersLabel = new QLabel(tr("&With"), this);
    othersLabel->setBuddy(m_others);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_compare = buttons->addButton(tr("Compare"), QDialogButtonBox::AcceptRole);
    m_compare->setObjectName(QStringLiteral("diff_compare"));
    m_compare->setDefault(true);
    auto *column = new QVBoxLayout(this);
    column->addWidget(baseLabel);
    column->addWidget(m_base);
    column->addWidget(othersLabel);
    column->addWidget(m_others, 1);
    column->addWidget(m_why);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 64, fontMetrics().height() * 18);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_base, &QComboBox::currentIndexChanged, this, &DiffQuestion::offer);
    connect(m_others, &QListWidget::itemChanged, this, &DiffQuestion::refresh);
    connect(&logs, &OpenLogs::listChanged, this, &QDialog::reject); // what is offered is no longer what is open
    offer();
    m_others->setFocus();
}

void DiffQuestion::offer() {
    const std::vector<int> before = chosen();
    const int base = m_base->currentData().toInt();
    {
        const QSignalBlocker quiet(m_others);
        m_others->clear();
        for (const auto &log : m_logs.all()) {
            if (log->id == base) continue; // a log is not compared with itself
            const QString why = whyNotComparable(*log);
            auto *item = new QListWidgetItem(why.isEmpty() ? log->name() : why, m_others);
            item->setData(Qt::UserRole, log->id);
            item->setToolTip(log->path);
            const bool was = std::find(before.begin(), before.end(), log->id) != before.end();
            item->setFlags(why.isEmpty() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
                                         : Qt::NoItemFlags);
            if (why.isEmpty()) item->setCheckState(was ? Qt::Checked : Qt::Unchecked);
        }
        m_others->setCurrentRow(0);
    }
    refresh();
}

std::vector<int> DiffQuestion::chosen() const {
    std::vector<int> ids{m_base->currentData().toInt()};
    for (int row = 0; row < m_others->count(); ++row)
        if (m_others->item(row)->checkState() == Qt::Checked)
            ids.push_back(m_others->item(row)->data(Qt::UserRole).toInt());
    return ids;
}

void DiffQuestion::refresh() {
    const bool enough = chosen().size() > 1;
    m_compare->setEnabled(enough);
    m_why->setText(enough ? QString() : tr("Tick the logs to compare with %1.").arg(m_base->currentText()));
}

} // namespace loopscope
