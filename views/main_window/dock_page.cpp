#include "views/main_window/dock_page.h"

#include <QApplication>
#include <QEvent>
#include <QLayout>
#include <QPointer>
#include <QScrollBar>
#include <QStyle>
#include <QTimer>

#include <algorithm>

namespace loopscope {

namespace {

/// As a layout counts: a minimum that was set wins over the one its content asks for.
int minWidth(const QWidget &view) {
    return view.minimumWidth() > 0 ? view.minimumWidth() : std::max(0, view.minimumSizeHint().width());
}

int minHeightOf(const QWidget &view, int width) {
    if (view.minimumHeight() > 0) return view.minimumHeight();
    // Words wrap: what is narrow is tall.
    const QLayout *layout = view.layout();
    if (layout && layout->hasHeightForWidth()) return layout->totalMinimumHeightForWidth(width);
    return std::max(0, view.minimumSizeHint().height());
}

} // namespace

DockPage::DockPage(QWidget *view, QWidget *parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus); // the view has it
    setSizeAdjustPolicy(AdjustIgnored);
    setWidget(view);
    // A find line comes up at the lower end of its view: whoever asked for it by keys is to see what is typed.
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget * /*before*/, QWidget *now) {
        if (now == nullptr || !widget()->isAncestorOf(now) || QApplication::mouseButtons() != Qt::NoButton) return;
        if (!now->testAttribute(Qt::WA_InputMethodEnabled)) return; // nothing is typed into it
        QTimer::singleShot(0, this, [this, shown = QPointer<QWidget>(now)] {
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest); // it may have been hidden until now
            if (shown && shown->hasFocus() && shown->height() <= viewport()->height()) ensureWidgetVisible(shown, 0, 8);
        });
    });
}

QSize DockPage::minimumSizeHint() const { return {fontMetrics().averageCharWidth() * 14, fontMetrics().height() * 2}; }

QSize DockPage::sizeHint() const { return widget() ? widget()->sizeHint() : QScrollArea::sizeHint(); }

int DockPage::minHeight() const { return widget() ? minHeightOf(*widget(), width()) + fontMetrics().height() * 2 : 0; }

bool DockPage::event(QEvent *event) {
    // Sent by the viewport, too, when what the view needs has changed.
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::StyleChange) fit();
    return QScrollArea::event(event);
}

void DockPage::resizeEvent(QResizeEvent *event) {
    fit();
    QScrollArea::resizeEvent(event);
}

void DockPage::fit() {
    QWidget *view = widget();
    if (!view) return;
    QSize room = maximumViewportSize();
    const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
    QSize size = room;
    for (int pass = 0; pass < 3; ++pass) { // a bar on one side may call for one on the other
        size.setWidth(std::max(room.width(), minWidth(*view)));
        size.setHeight(std::max(room.height(), minHeightOf(*view, size.width())));
        const QSize free = maximumViewportSize();
        room = {size.height() > room.height() ? free.width() - bar : free.width(),
                size.width() > room.width() ? free.height() - bar : free.height()};
    }
    view->resize(size);
}

} // namespace loopscope
