#include "views/pictures/notice_line.h"

#include "views/actions/flow_layout.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace loopscope {

namespace {

constexpr int kNoticeSpace = 6;

} // namespace

NoticeLine::NoticeLine(QWidget *parent) : QWidget(parent), m_text(new QLabel(this)), m_answers(new QWidget(this)) {
    auto *line = new QVBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setAccessibleName(tr("Notice"));
    line->addWidget(m_text);
    new FlowLayout(m_answers, kNoticeSpace, kNoticeSpace / 2);
    m_answers->layout()->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_answers);
    hide();
}

void NoticeLine::say(const QString &text, const Answers &answers) {
    m_text->setText(text);
    for (QPushButton *button : m_buttons) {
        m_answers->layout()->removeWidget(button);
        button->hide();
        button->deleteLater(); // one of them may have been clicked just now
    }
    m_buttons.clear();
    for (const auto &[label, run] : answers) {
        auto *button = new QPushButton(label, m_answers);
        connect(button, &QPushButton::clicked, this, run);
        m_answers->layout()->addWidget(button);
        button->show();
        m_buttons.push_back(button);
    }
    m_answers->setVisible(!answers.empty());
    setVisible(!text.isEmpty());
}

QString NoticeLine::text() const { return isHidden() ? QString() : m_text->text(); }

} // namespace loopscope
