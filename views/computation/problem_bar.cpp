#include "views/computation/problem_bar.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

namespace loopscope {

ProblemBar::ProblemBar(Theme &theme, QAction *goTo, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_icon(new QLabel(this)), m_sentence(new QLabel(this)),
      m_excerpt(new QLabel(this)), m_goTo(new QToolButton(this)) {
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(8, 6, 8, 6);
    grid->setHorizontalSpacing(8);
    grid->addWidget(m_icon, 0, 0, Qt::AlignTop);
    grid->addWidget(m_sentence, 0, 1);
    grid->addWidget(m_goTo, 0, 2, Qt::AlignTop);
    grid->addWidget(m_excerpt, 1, 1, 1, 2);
    grid->setColumnStretch(1, 1);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_excerpt->setTextFormat(Qt::PlainText);
    m_excerpt->setMinimumWidth(10); // a long line is cut, not the window widened
    m_goTo->setDefaultAction(goTo);
    m_goTo->setToolButtonStyle(Qt::ToolButtonTextOnly);
    setAutoFillBackground(true);
    setAccessibleName(QStringLiteral("Problem of the text"));
    connect(&theme, &Theme::changed, this, &ProblemBar::restyle);
    hide();
}

QString ProblemBar::sentence() const { return isHidden() ? QString() : m_sentence->text(); }

void ProblemBar::show(const std::optional<Problem> &problem, bool analysing) {
    m_bad = problem.has_value();
    setVisible(m_bad || analysing);
    m_icon->setVisible(m_bad);
    m_goTo->setVisible(m_bad && problem->line > 0);
    m_excerpt->setVisible(m_bad && !problem->excerpt.isEmpty());
    if (m_bad) {
        const QString place = problem->line > 0 ? QStringLiteral("Line %1: ").arg(problem->line) : QString();
        m_sentence->setText(place + problem->sentence);
        m_line = problem->excerpt;
        m_excerpt->setToolTip(problem->excerpt);
    } else {
        m_sentence->setText(QStringLiteral("Reading the text \u2026"));
    }
    restyle();
}

void ProblemBar::restyle() {
    QPalette colors = palette();
    colors.setColor(QPalette::Window, m_bad ? m_theme.tint(Role::Bad) : m_theme.color(Role::Window));
    colors.setColor(QPalette::WindowText, m_theme.color(m_bad ? Role::Text : Role::QuietText));
    setPalette(colors);
    const int size = fontMetrics().height();
    m_icon->setPixmap(m_theme.icon(QStringLiteral("failure")).pixmap(size, size));
    m_excerpt->setFont(m_theme.codeFont());
    showExcerpt();
}

void ProblemBar::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    showExcerpt();
}

void ProblemBar::showExcerpt() {
    // Of a long line the part around the carets.
    QStringList lines = m_line.split(u'\n');
    const int room = std::max(10, (width() - 48) / std::max(1, QFontMetrics(m_theme.codeFont()).averageCharWidth()));
    const qsizetype caret = lines.size() < 2 ? 0 : std::max<qsizetype>(0, lines[1].indexOf(u'^'));
    if (lines.size() >= 2 && lines[1].size() > room) {
        const qsizetype from = std::max<qsizetype>(0, caret - room / 2);
        lines[0] = u'\u2026' + lines[0].mid(from + 1, room - 1);
        lines[1] = lines[1].mid(from);
    }
    if (lines[0].size() > room) lines[0] = lines[0].left(room - 1) + u'\u2026';
    m_excerpt->setText(lines.join(u'\n'));
}

} // namespace loopscope
