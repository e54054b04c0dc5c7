#include "views/actions/page_stack.h"

namespace loopscope {

PageStack::PageStack(QWidget *parent) : QStackedWidget(parent) {
    connect(this, &QStackedWidget::currentChanged, this, &QWidget::updateGeometry);
}

QSize PageStack::minimumSizeHint() const {
    const QWidget *page = currentWidget();
    return page ? page->minimumSizeHint().expandedTo({0, 0}) : QSize(0, 0);
}

} // namespace loopscope
