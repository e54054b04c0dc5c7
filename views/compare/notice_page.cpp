#include "views/compare/notice_page.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kBeside = 32;

} // namespace

NoticePage::NoticePage(Theme &theme, QWidget *parent) : QWidget(parent) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_title = new QLabel(this);
    QFont large = m_title->font();
    large.setBold(true);
    large.setPointSizeF(large.pointSizeF() * 1.25);
    m_title->setFont(large);
    m_sentence = new QLabel(this);
    m_sentence->setWordWrap(true);
    for (QLabel *label : {m_title, m_sentence}) label->setAlignment(Qt::AlignCenter);
    auto *middle = new QVBoxLayout(this);
    middle->setContentsMargins(kBeside, 12, kBeside, 12);
    middle->setSpacing(10);
    middle->addStretch(2);
    middle->addWidget(m_title);
    middle->addWidget(m_sentence);
    middle->addStretch(3);
    const auto dress = [this, &theme] {
        QPalette quiet = palette();
        quiet.setColor(QPalette::WindowText, theme.color(Role::QuietText));
        m_sentence->setPalette(quiet);
    };
    connect(&theme, &Theme::changed, this, dress);
    dress();
}

void NoticePage::say(const QString &title, const QString &sentence) {
    m_title->setText(title);
    m_sentence->setText(sentence);
    askForHeight();
}

QString NoticePage::sentence() const { return m_sentence->text(); }

void NoticePage::askForHeight() {
    // Hidden behind the texts it asks for nothing.
    m_sentence->setMinimumHeight(isVisible() ? m_sentence->heightForWidth(std::max(1, width() - 2 * kBeside)) : 0);
}

void NoticePage::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    askForHeight();
}

void NoticePage::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    askForHeight();
}

void NoticePage::hideEvent(QHideEvent *event) {
    QWidget::hideEvent(event);
    askForHeight();
}

} // namespace loopscope
