#include "views/script/script_problem_bar.h"

#include "views/actions/flow_layout.h"

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

namespace loopscope {

namespace {

constexpr int kMaxCures = 16;

}

ScriptProblemBar::ScriptProblemBar(Theme &theme, QAction *goTo, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_icon(new QLabel(this)), m_sentence(new QLabel(this)),
      m_meanwhile(new QLabel(this)), m_goTo(new QToolButton(this)), m_cures(new QWidget(this)) {
    setObjectName(QStringLiteral("script_problem"));
    setAccessibleName(tr("Problem of the script"));
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(8, 6, 8, 6);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->addWidget(m_icon, 0, 0, Qt::AlignTop);
    grid->addWidget(m_sentence, 0, 1);
    grid->addWidget(m_goTo, 0, 2, Qt::AlignTop);
    grid->addWidget(m_cures, 1, 1, 1, 2);
    grid->addWidget(m_meanwhile, 2, 1, 1, 2);
    grid->setColumnStretch(1, 1);
    for (QLabel *label : {m_sentence, m_meanwhile}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
    }
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    new FlowLayout(m_cures, 4, 4);
    m_goTo->setDefaultAction(goTo);
    m_goTo->setToolButtonStyle(Qt::ToolButtonTextOnly);
    setAutoFillBackground(true);
    connect(&theme, &Theme::changed, this, &ScriptProblemBar::restyle);
    restyle();
    hide();
}

QString ScriptProblemBar::sentence() const { return isHidden() ? QString() : m_sentence->text(); }

void ScriptProblemBar::show(const QString &sentence, const QString &meanwhile, const QStringList &cures) {
    m_sentence->setText(sentence);
    m_meanwhile->setText(meanwhile);
    m_meanwhile->setVisible(!meanwhile.isEmpty());
    QLayout *flow = m_cures->layout();
    while (QLayoutItem *item = flow->takeAt(0)) {
        item->widget()->deleteLater(); // one of them may be what was clicked
        item->widget()->hide();
        delete item;
    }
    for (const QString &cure : cures.first(std::min<qsizetype>(cures.size(), kMaxCures))) {
        auto *button = new QToolButton(m_cures);
        button->setText(cure);
        button->setObjectName(QStringLiteral("script_cure"));
        button->setFont(m_theme.codeFont());
        button->setToolTip(tr("Put %1 there").arg(cure));
        flow->addWidget(button);
        button->show();
        connect(button, &QToolButton::clicked, this, [this, cure] { Q_EMIT cureChosen(cure); });
    }
    if (cures.size() > kMaxCures) {
        auto *more = new QLabel(tr("and %1 more").arg(cures.size() - kMaxCures), m_cures);
        flow->addWidget(more);
        more->show();
    }
    m_cures->setVisible(!cures.isEmpty());
    setVisible(!sentence.isEmpty());
}

void ScriptProblemBar::restyle() {
    QPalette colors = palette();
    colors.setColor(QPalette::Window, m_theme.tint(Role::Bad));
    colors.setColor(QPalette::WindowText, m_theme.color(Role::Text));
    setPalette(colors);
    colors.setColor(QPalette::WindowText, m_theme.color(Role::QuietText));
    m_meanwhile->setPalette(colors);
    const int size = fontMetrics().height();
    m_icon->setPixmap(m_theme.icon(QStringLiteral("failure")).pixmap(size, size));
}

} // namespace loopscope
