#include "views/network_tasks/tuning_form.h"

#include "views/actions/flow_layout.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace loopscope {

namespace {
constexpr int kMaxTrials = 1'000'000;
constexpr int kMaxSeconds = 30 * 24 * 3600;
} // namespace

TuningForm::TuningForm(QWidget *parent) : QWidget(parent) {
    setObjectName(QStringLiteral("network_tuning_form"));
    auto *row = new FlowLayout(this);
    row->setContentsMargins(8, 2, 8, 4);
    m_trials = new QSpinBox;
    m_trials->setObjectName(QStringLiteral("network_trials"));
    m_trials->setRange(1, kMaxTrials);
    m_trials->setSingleStep(16);
    addField(row, tr("Trials of each task"), m_trials,
             tr("Schedules to build, check and time, of each task; trials of the log count"));
    m_limit = new QSpinBox;
    m_limit->setObjectName(QStringLiteral("network_time_limit"));
    m_limit->setRange(0, kMaxSeconds);
    m_limit->setSingleStep(60);
    m_limit->setSpecialValueText(tr("no limit"));
    m_limit->setSuffix(tr(" s"));
    addField(row, tr("Time limit"), m_limit,
             tr("Seconds after which no new round begins; tasks without a valid kernel may take as long again"));
    m_order = new QComboBox;
    m_order->setObjectName(QStringLiteral("network_order"));
    m_order->addItem(tr("by expected gain"), QStringLiteral("gain"));
    m_order->addItem(tr("by gradient"), QStringLiteral("gradient"));
    m_order->addItem(tr("in turn"), QStringLiteral("round-robin"));
    addField(row, tr("Order"), m_order,
             tr("Which task has the next round: where a second of search is expected to gain most of the network, as "
                "Ansor decides, or each in turn"));
    m_on = new QComboBox;
    m_on->setObjectName(QStringLiteral("network_measure_on"));
    m_on->addItem(tr("this machine"), false);
    m_on->addItem(tr("nodes of a cluster (Slurm)"), true);
    addField(row, tr("Measure on"), m_on, tr("What trials run on: this machine, or several that are like it"));
    m_nodes = new QLineEdit;
    m_nodes->setObjectName(QStringLiteral("network_nodes"));
    m_nodes->setMinimumWidth(m_nodes->fontMetrics().averageCharWidth() * 26);
    m_nodes->setClearButtonEnabled(true);
    m_nodes->setPlaceholderText(QStringLiteral("nodes=1"));
    m_nodesField =
        addField(row, tr("Nodes"), m_nodes,
                 tr("What is asked of Slurm, with commas between: nodes=4, partition=P, constraint=C, account=A, "
                    "time=2:00:00; tolerance=5%: how much a node may be slower than the others; rounds=4: how many "
                    "rounds are measured at a time; worker=there: the worker program is not sent along"));
    auto *log = new QWidget;
    auto *line = new QHBoxLayout(log);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(2);
    m_log = new QLineEdit;
    m_log->setObjectName(QStringLiteral("network_log"));
    m_log->setMinimumWidth(m_log->fontMetrics().averageCharWidth() * 31);
    m_log->setClearButtonEnabled(true);
    m_log->setPlaceholderText(tr("a new one"));
    auto *choose = new QToolButton;
    choose->setText(QStringLiteral("\u2026"));
    choose->setAccessibleName(tr("Choose the log of the network"));
    choose->setToolTip(tr("Choose the log file"));
    connect(choose, &QToolButton::clicked, this, &TuningForm::browse);
    line->addWidget(m_log);
    line->addWidget(choose);
    log->setFocusProxy(m_log);
    addField(row, tr("Log"), log,
             tr("Where trials go to. What it has of the tasks is looked up at once, and the search goes on from it"));
    connect(m_trials, &QSpinBox::valueChanged, this, &TuningForm::changed);
    connect(m_limit, &QSpinBox::valueChanged, this, &TuningForm::changed);
    connect(m_order, &QComboBox::activated, this, &TuningForm::changed);
    connect(m_on, &QComboBox::activated, this, &TuningForm::changed);
    connect(m_nodes, &QLineEdit::editingFinished, this, &TuningForm::changed);
    connect(m_log, &QLineEdit::editingFinished, this, [this] {
        if (const QString path = m_log->text().trimmed(); path != m_shownLog) Q_EMIT logChosen(path);
    });
}

QWidget *TuningForm::addField(FlowLayout *row, const QString &name, QWidget *field, const QString &tip) {
    auto *box = new QWidget;
    auto *line = new QHBoxLayout(box);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(6);
    auto *label = new QLabel(name);
    QWidget *focused = field->focusProxy() != nullptr ? field->focusProxy() : field;
    label->setBuddy(focused);
    label->setToolTip(tip);
    focused->setAccessibleName(name);
    field->setToolTip(tip);
    line->addWidget(label);
    line->addWidget(field);
    row->addWidget(box);
    return box;
}

void TuningForm::show(const NetworkTuningSetup &setup, const QString &log) {
    const QScopedValueRollback filling(m_filling, true);
    m_trials->setValue(setup.trials);
    m_limit->setValue(static_cast<int>(setup.timeLimitSeconds));
    m_order->setCurrentIndex(std::max(0, m_order->findData(setup.order)));
    m_on->setCurrentIndex(m_on->findData(setup.onNodes));
    m_nodesField->setVisible(setup.onNodes);
    if (!m_nodes->hasFocus()) {
        m_nodes->setText(setup.nodes);
        m_nodes->setCursorPosition(0); // of a long one the beginning is seen
    }
    if (m_shownLog == log) return;
    m_shownLog = log;
    m_log->setText(log);
    m_log->setToolTip(log);
}

void TuningForm::setLocked(bool locked) {
    if (isEnabled() == locked) setEnabled(!locked);
}

void TuningForm::changed() {
    if (m_filling) return;
    NetworkTuningSetup setup;
    setup.trials = m_trials->value();
    setup.timeLimitSeconds = m_limit->value();
    setup.order = m_order->currentData().toString();
    setup.onNodes = m_on->currentData().toBool();
    setup.nodes = m_nodes->text().trimmed();
    Q_EMIT setupChanged(setup);
}

void TuningForm::browse() {
    const QString path = QFileDialog::getSaveFileName(this, tr("Log of the network"), m_log->text(),
                                                      tr("Tuning logs (*.json *.log);;All files (*)"), nullptr,
                                                      QFileDialog::DontConfirmOverwrite);
    if (!path.isEmpty()) Q_EMIT logChosen(path);
}

} // namespace loopscope
