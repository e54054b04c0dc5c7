#include "views/actions/page_stack.h"

namespace loopscope {

PageStack::PageStack(QWidget *parent) : QStackedWidget(parent) {
    connect(this, &QStackedWidget::currentChanged, this, &QWidget::updateGeometry);
}

QSize PageStack::minimumSizeHint() const {
    const QWidget *page = currentWidget();
    return page ? page->minimumSizeHint().expandedTo({0, 0}) : QSize(0, 0);
}

QLabel *addSentence(QStackedWidget &pages, int margin) {
    auto *sentence = new QLabel(&pages);
    sentence->setAlignment(Qt::AlignCenter);
    sentence->setWordWrap(true);
    sentence->setMargin(margin);
    pages.addWidget(sentence);
    return sentence;
}

QLabel *newEmptySentence(const QString &name, QWidget *parent) {
    auto *sentence = new QLabel(parent);
    sentence->setObjectName(name);
    sentence->setAlignment(Qt::AlignCenter);
    sentence->setWordWrap(true);
    sentence->setFocusPolicy(Qt::StrongFocus);
    sentence->setMargin(parent->fontMetrics().height());
    return sentence;
}

} // namespace loopscope
