#include "views/logs/diff_head.h"

#include "records/logs/diff_report.h"
#include "views/actions/flow_layout.h"
#include "views/logs/diff_facts.h"
#include "views/logs/log_comparison.h"
#include "views/session/text.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace loopscope {

namespace {
enum WeightChoice { Alike, ByRecords, FromFile };
} // namespace

DiffHead::DiffHead(const ViewContext &context, LogComparison &comparison, QWidget *parent)
    : QWidget(parent), m_context(context), m_comparison(comparison) {
    build();
    connect(&comparison, &LogComparison::changed, this, &DiffHead::refresh);
    connect(&comparison, &LogComparison::outdatedChanged, this, &DiffHead::refreshOutdated);
    connect(&context.theme, &Theme::changed, this, &DiffHead::refresh);
    refresh();
}

void DiffHead::build() {
    m_bar = new QWidget(this);
    auto *flow = new FlowLayout(m_bar, 8, 2);
    flow->setContentsMargins(8, 4, 8, 2);
    m_base = new QLabel(m_bar);
    m_base->setObjectName(QStringLiteral("diff_base_name"));
    m_with = new QLabel(m_bar);
    m_with->setObjectName(QStringLiteral("diff_other_name"));
    m_others = new QComboBox(m_bar);
    m_others->setObjectName(QStringLiteral("diff_other"));
    m_others->setAccessibleName(tr("Log that is compared with the base"));
    m_others->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_weights = new QComboBox(m_bar);
    m_weights->setObjectName(QStringLiteral("diff_weights"));
    m_weights->setAccessibleName(tr("Weights of the tasks"));
    m_weights->addItems({tr("Tasks count alike"), tr("Weighted by records"), tr("Weights from a file \u2026")});
    m_weights->setToolTip(
        tr("How much each task counts in the weighted mean and in the sum of the bests. A file holds a "
           "JSON object of keys to numbers; tasks it does not name weigh 1."));
    for (QWidget *part : {static_cast<QWidget *>(m_base), static_cast<QWidget *>(m_with),
                          static_cast<QWidget *>(m_others), static_cast<QWidget *>(m_weights)})
        flow->addWidget(part);

    m_sentence = new QLabel(this);
    m_sentence->setObjectName(QStringLiteral("diff_sentence"));
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_figures = new QLabel(this);
    m_figures->setObjectName(QStringLiteral("diff_figures"));
    m_figures->setWordWrap(true);
    m_figures->setTextFormat(Qt::RichText);
    m_figures->setTextInteractionFlags(Qt::TextSelectableByMouse);
    for (QLabel *label : {m_sentence, m_figures}) label->setContentsMargins(8, 2, 8, 2);

    m_outdatedLine = new QWidget(this);
    m_outdated = new QLabel(m_outdatedLine);
    m_outdated->setObjectName(QStringLiteral("diff_outdated"));
    m_outdated->setWordWrap(true);
    m_again = new QToolButton(m_outdatedLine);
    m_again->setObjectName(QStringLiteral("diff_again"));
    m_again->setText(tr("Compare anew"));
    auto *line = new QHBoxLayout(m_outdatedLine);
    line->setContentsMargins(8, 2, 8, 2);
    line->addWidget(m_outdated, 1);
    line->addWidget(m_again);

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_sentence);
    column->addWidget(m_figures);
    column->addWidget(m_outdatedLine);

    connect(m_others, &QComboBox::activated, this, [this] {
        refresh();
        Q_EMIT otherChosen();
    });
    connect(m_weights, &QComboBox::activated, this, &DiffHead::weighBy);
    connect(m_again, &QToolButton::clicked, this, &DiffHead::againAsked);
}

void DiffHead::addButton(QAction *action) {
    auto *button = new QToolButton(m_bar);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    m_bar->layout()->addWidget(button);
}

void DiffHead::setLow(bool low) {
    if (low == m_low) return;
    m_low = low;
    for (auto *button : m_bar->findChildren<QToolButton *>())
        button->setToolButtonStyle(low ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    refresh();
}

size_t DiffHead::other() const {
    return m_others->currentIndex() < 0 ? 1 : static_cast<size_t>(m_others->currentIndex()) + 1;
}

QString DiffHead::sentence() const { return m_sentence->text(); }

QString DiffHead::outdated() const { return m_outdatedLine->isHidden() ? QString() : m_outdated->text(); }

void DiffHead::refreshLogs() {
    const auto &logs = m_comparison.logs();
    QStringList others;
    for (size_t log = 1; log < logs.size(); ++log) others << qt(logLetter(log)) + u' ' + logs[log].name;
    QStringList offered;
    for (int i = 0; i < m_others->count(); ++i) offered << m_others->itemText(i);
    if (others != offered) {
        const QSignalBlocker quiet(m_others);
        m_others->clear();
        m_others->addItems(others);
    }
    m_others->setVisible(others.size() > 1);
    const auto name = [&](size_t log) {
        return logLetterHtml(log, m_context.theme) + u' ' + logs[log].name.toHtmlEscaped();
    };
    m_base->setText(logs.empty() ? QString() : name(0));
    m_base->setToolTip(logs.empty() ? QString() : tr("The base: %1").arg(logs[0].path));
    const size_t shown = other();
    m_with->setVisible(others.size() == 1);
    m_with->setText(shown < logs.size() ? name(shown) : QString());
    m_with->setToolTip(shown < logs.size() ? logs[shown].path : QString());
}

void DiffHead::refresh() {
    refreshLogs();
    const LogDiff *diff = m_comparison.diff();
    QString sentence = diff != nullptr ? qt(diffSentence(*diff, other())) : QString();
    if (diff != nullptr && !diff->totals[other() - 1].geomean)
        sentence +=
            tr(" Tasks of different logs are the same by key, by flattened key, or by operators and shapes where "
               "these are known, on one kind of target.");
    m_sentence->setText(sentence);
    m_figures->setText(diff != nullptr ? diffFiguresHtml(*diff, other(), m_context.theme) : QString());
    const bool compared = diff != nullptr && diff->totals[other() - 1].geomean;
    m_sentence->setVisible(!m_low || !compared);
    m_figures->setVisible(!m_low || compared);
    m_figures->setToolTip(sentence);
    m_weights->setEnabled(diff != nullptr);
    refreshOutdated();
}

void DiffHead::refreshOutdated() {
    const QString outdated = m_comparison.outdated();
    m_outdatedLine->setVisible(!outdated.isEmpty());
    if (outdated.isEmpty()) return;
    m_outdated->setText(outdated);
    QPalette palette = m_outdated->palette();
    palette.setColor(QPalette::WindowText, m_context.theme.color(Role::Warning));
    m_outdated->setPalette(palette);
    const QString why = m_comparison.whyNotAgain();
    m_again->setEnabled(why.isEmpty());
    m_again->setToolTip(why.isEmpty() ? tr("Compare the logs as they are now") : why);
}

void DiffHead::weighBy(int choice) {
    if (choice == FromFile) return askForWeights();
    m_weightFile.clear();
    m_weights->setItemText(FromFile, tr("Weights from a file \u2026"));
    m_comparison.weigh({.byRecords = choice == ByRecords});
}

void DiffHead::askForWeights() {
    auto *dialog = new QFileDialog(this, tr("Weights of the tasks"), QString(), tr("JSON (*.json);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &DiffHead::takeWeights);
    connect(dialog, &QFileDialog::rejected, this, &DiffHead::keepWeights);
    dialog->open();
}

/// No other file was taken: those of the one before, or none.
void DiffHead::keepWeights() {
    if (!m_weightFile.isEmpty()) return;
    m_weights->setCurrentIndex(Alike);
    m_comparison.weigh({});
}

void DiffHead::takeWeights(const QString &path) {
    try {
        m_comparison.weigh({.byKey = loadTaskWeights(std8(path))});
        m_weightFile = path;
        m_weights->setCurrentIndex(FromFile);
        m_weights->setItemText(FromFile, tr("Weights from %1").arg(QFileInfo(path).fileName()));
    } catch (const std::exception &error) {
        m_context.session.messages().fail(qt(error.what()));
        keepWeights();
    }
}

} // namespace loopscope
