#include "views/grouping/merge_scrubber.h"

#include "views/actions/elided_label.h"

#include <QAction>
#include <QBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

namespace loopscope {

MergeScrubber::MergeScrubber(QWidget *parent)
    : QWidget(parent), m_slider(new QSlider(Qt::Horizontal, this)), m_count(new QLabel(this)),
      m_title(new ElidedLabel(this)), m_change(new ElidedLabel(this)) {
    m_slider->setAccessibleName(tr("Merges"));
    m_slider->setToolTip(tr("The groups after each of the merges, from the first to the last"));
    m_slider->setPageStep(1);
    m_slider->setTickPosition(QSlider::TicksBelow);
    m_slider->setTickInterval(1);
    m_title->setAccessibleName(tr("What the round did"));
    QFont bold = font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_change->setAccessibleName(tr("What that changed"));
    auto *row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(m_slider, 1);
    row->addWidget(m_count);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(6, 3, 6, 4);
    column->setSpacing(1);
    column->addLayout(row);
    column->addWidget(m_title);
    column->addWidget(m_change);
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int value) { Q_EMIT placeChosen(static_cast<size_t>(value)); });
}

void MergeScrubber::setActions(QAction *previous, QAction *next) {
    auto *row = qobject_cast<QHBoxLayout *>(layout()->itemAt(0)->layout());
    int at = 0;
    for (QAction *action : {previous, next}) {
        auto *button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setAutoRaise(true);
        row->insertWidget(at++, button);
    }
}

void MergeScrubber::setPlaces(size_t last, size_t place) {
    const QSignalBlocker blocker(m_slider);
    m_slider->setRange(0, static_cast<int>(last));
    setPlace(place);
}

void MergeScrubber::setPlace(size_t place) {
    const QSignalBlocker blocker(m_slider);
    m_slider->setValue(static_cast<int>(place));
    m_count->setText(tr("%1 of %2").arg(m_slider->value()).arg(m_slider->maximum()));
}

void MergeScrubber::setTexts(const QString &title, const QString &change) {
    m_title->setText(title);
    m_change->setText(change);
}

size_t MergeScrubber::place() const { return static_cast<size_t>(m_slider->value()); }

size_t MergeScrubber::last() const { return static_cast<size_t>(m_slider->maximum()); }

QString MergeScrubber::title() const { return m_title->text(); }

QString MergeScrubber::change() const { return m_change->text(); }

} // namespace loopscope
