#include "views/logs/diff_details.h"

#include "views/logs/best_curves.h"
#include "views/logs/diff_facts.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QTabWidget>
#include <QTextBrowser>
#include <QTextDocument>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

DiffDetails::DiffDetails(Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_bests(new QWidget(this)), m_about(new QLabel(m_bests)),
      m_line(new QWidget(m_bests)), m_whyNot(new QLabel(m_line)), m_tabs(new QTabWidget(this)),
      m_byTrials(new BestCurves(theme, ChartAxis::Trials, this)),
      m_byTime(new BestCurves(theme, ChartAxis::Time, this)), m_steps(new QTextBrowser(this)) {
    m_about->setObjectName(QStringLiteral("diff_about"));
    m_about->setWordWrap(true);
    m_about->setTextFormat(Qt::RichText);
    m_about->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_about->setMargin(6);
    m_whyNot->setObjectName(QStringLiteral("diff_why_not"));
    m_whyNot->setWordWrap(true);
    auto *line = new QHBoxLayout(m_line);
    line->setContentsMargins(6, 0, 6, 2);
    line->addWidget(m_whyNot, 1);
    m_steps->setObjectName(QStringLiteral("diff_steps"));
    m_steps->setAccessibleName(tr("Steps of the two bests"));
    m_steps->setFrameShape(QFrame::NoFrame);
    m_steps->setOpenLinks(false);
    m_tabs->setObjectName(QStringLiteral("diff_tabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_byTrials, tr("By trials"));
    m_tabs->setTabToolTip(0, tr("How the best time fell from trial to trial"));
    m_tabs->addTab(m_byTime, tr("By time"));
    m_tabs->setTabToolTip(1, tr("How the best time fell while the search went on"));
    m_tabs->addTab(m_steps, tr("Steps"));
    m_tabs->setTabToolTip(2, tr("In which steps the two bests differ"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bests);
    column->addWidget(m_tabs, 1);
    auto *bests = new QVBoxLayout(m_bests);
    bests->setContentsMargins(0, 0, 0, 0);
    bests->setSpacing(0);
    bests->addWidget(m_about);
    bests->addWidget(m_line);
    bests->addStretch(1);
    show(nullptr, 1, {});
}

void DiffDetails::setAction(QAction *action) {
    auto *button = new QToolButton(m_line);
    button->setObjectName(QStringLiteral("diff_bests"));
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    static_cast<QHBoxLayout *>(m_line->layout())->insertWidget(0, button);
}

void DiffDetails::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    constexpr int lines = 19; // the curves need about a dozen
    setLow(height() < fontMetrics().height() * lines);
}

void DiffDetails::setLow(bool low) {
    if (low == m_low) return;
    m_low = low;
    if (low) {
        m_tabs->insertTab(0, m_bests, tr("Bests"));
        m_tabs->setTabToolTip(0, tr("The two bests, and what is known of them"));
    } else {
        m_tabs->removeTab(0);
        static_cast<QVBoxLayout *>(layout())->insertWidget(0, m_bests);
        m_bests->show();
    }
}

void DiffDetails::show(const TaskDiff *task, size_t other, const QStringList &names) {
    m_about->setText(task != nullptr ? taskDiffHtml(*task, other, m_theme)
                                     : tr("Choose a task to see how it went in each of the logs."));
    m_line->setVisible(task != nullptr);
    m_byTrials->show(task, names);
    m_byTime->show(task, names);
    m_steps->setHtml(task != nullptr ? stepDiffHtml(*task, other, m_theme)
                                     : tr("Choose a task to see in which steps its bests differ."));
}

void DiffDetails::sayWhyNot(const QString &why) {
    m_whyNot->setText(why);
    QPalette palette = m_whyNot->palette();
    palette.setColor(QPalette::WindowText, m_theme.color(Role::QuietText));
    m_whyNot->setPalette(palette);
}

QString DiffDetails::about() const {
    QTextDocument text;
    text.setHtml(m_about->text());
    return text.toPlainText();
}

} // namespace loopscope
