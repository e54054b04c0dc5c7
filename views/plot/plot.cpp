#include "views/plot/plot.h"

#include "views/plot/plot_export.h"
#include "views/plot/quantity_ticker.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QLabel>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace loopscope {

namespace {
constexpr int kFrame = 33; // ms between replots
constexpr double kWheelStep = 0.85;
constexpr double kKeyPan = 0.1;    // share of the range
constexpr int kLabelPadding = 4;   // px between an axis and its title
constexpr double kMinShare = 1e-9; // of the data's range that may still be zoomed into
} // namespace

struct Plot::Impl {
    std::function<QString(const QPointF &)> hover;
    std::function<QString()> csv;
    std::set<const QCPAxis *> fixed;
    std::map<QCPAxis *, QString> titles;
    QTimer replotTimer;
    QElapsedTimer sinceReplot;
    bool stale = false; // to be drawn when it is next seen
    bool untouched = true;
    bool hasRange = false;
    bool legendRow = false;
    QCPRange dataX, dataY;
    QLabel *empty = nullptr;
    QCPItemRect *brush = nullptr;
    enum class Drag : uint8_t { None, Pressed, Pan, Brush } drag = Drag::None;
    QPointF pressed, last;
    Qt::KeyboardModifiers modifiers;
    QString shownTip;
};

Plot::Plot(Theme &theme, QWidget *parent) : QCustomPlot(parent), m_theme(theme), m_impl(std::make_unique<Impl>()) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAutoAddPlottableToLegend(false);
    setPlottingHints(QCP::phFastPolylines | QCP::phCacheLabels);
    m_impl->empty = new QLabel(this);
    m_impl->empty->setAlignment(Qt::AlignCenter);
    m_impl->empty->setWordWrap(true);
    m_impl->empty->setMargin(16);
    m_impl->empty->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_impl->empty->hide();
    m_impl->brush = new QCPItemRect(this);
    m_impl->brush->setLayer(QStringLiteral("overlay"));
    m_impl->brush->setVisible(false);
    for (auto *position : {m_impl->brush->topLeft, m_impl->brush->bottomRight})
        position->setType(QCPItemPosition::ptPlotCoords);
    m_impl->replotTimer.setSingleShot(true);
    connect(&m_impl->replotTimer, &QTimer::timeout, this, [this] {
        if (!isVisible()) return; // showEvent draws
        m_impl->stale = false;
        replot(QCustomPlot::rpQueuedRefresh);
        m_impl->sinceReplot.start();
    });
    connect(this, &QCustomPlot::afterLayout, this, &Plot::fitTitles); // as long as the axes have become
    connect(&theme, &Theme::changed, this, [this] { applyTheme(); });
    setQuantities(Quantity::Number, Quantity::Number);
    applyTheme();
}

Plot::~Plot() = default;

void Plot::setTitles(const QString &x, const QString &y) {
    setTitle(xAxis, x);
    setTitle(yAxis, y);
}

void Plot::setTitle(QCPAxis *axis, const QString &title) {
    m_impl->titles[axis] = title;
    axis->setLabel(title);
}

void Plot::fitTitles() {
    const QList<QCPAxisRect *> rects = axisRects();
    for (const auto &[axis, title] : m_impl->titles) {
        if (!rects.contains(axis->axisRect())) continue;
        const QRect rect = axis->axisRect()->rect();
        const int room = axis->orientation() == Qt::Horizontal ? rect.width() : rect.height();
        const QFontMetrics metrics(axis->labelFont());
        QString shown; // a word that is cut says less than none
        for (const QString &wording : {title, title.section(u',', 0, 0)})
            if (shown.isEmpty() && metrics.horizontalAdvance(wording) <= room) shown = wording;
        if (axis->label() != shown) axis->setLabel(shown);
    }
}

void Plot::setQuantities(Quantity x, Quantity y, bool logX, bool logY) {
    xAxis->setScaleType(logX ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    yAxis->setScaleType(logY ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    setQuantity(xAxis, x);
    setQuantity(yAxis, y);
}

void Plot::replotSoon() {
    m_impl->stale = true;
    if (!isVisible() || size().isEmpty() || m_impl->replotTimer.isActive()) return;
    const qint64 since = m_impl->sinceReplot.isValid() ? m_impl->sinceReplot.elapsed() : kFrame;
    m_impl->replotTimer.start(static_cast<int>(std::clamp<qint64>(kFrame - since, 0, kFrame)));
}

void Plot::replotOverlay() {
    if (m_impl->stale) return; // drawn with the rest
    if (QCPLayer *overlay = layer(QStringLiteral("overlay"))) overlay->replot();
}

void Plot::setEmptyText(const QString &text) { m_impl->empty->setText(text); }

void Plot::setEmpty(bool empty) {
    if (m_impl->empty->isHidden() != empty) return;
    m_impl->empty->setVisible(empty);
    for (QCPAxisRect *rect : axisRects()) rect->setVisible(!empty);
    if (m_impl->legendRow) legend->setVisible(!empty);
    replotSoon();
}

bool Plot::empty() const { return !m_impl->empty->isHidden(); }

void Plot::setHover(std::function<QString(const QPointF &)> hover) { m_impl->hover = std::move(hover); }
void Plot::setTable(std::function<QString()> csv) { m_impl->csv = std::move(csv); }

QString Plot::tableText() const { return m_impl->csv ? m_impl->csv() : QString(); }

QString Plot::exportTo(const QString &path) {
    return exportPlot(*this, exportSuffixes(), [this] { return tableText(); }, path);
}

QStringList Plot::exportSuffixes() const {
    QStringList suffixes{QStringLiteral("svg"), QStringLiteral("png"), QStringLiteral("pdf")};
    if (m_impl->csv) suffixes << QStringLiteral("csv");
    return suffixes;
}

void Plot::setDataRange(const QCPRange &x, const QCPRange &y) {
    m_impl->dataX = x;
    m_impl->dataY = y;
    m_impl->hasRange = true;
    if (!m_impl->untouched) return;
    xAxis->setRange(x);
    yAxis->setRange(y);
}

void Plot::showLegend(const QList<QCPAbstractPlottable *> &plottables) {
    if (!m_impl->legendRow) {
        m_impl->legendRow = true;
        plotLayout()->insertRow(0);
        plotLayout()->setRowSpacing(0);
        auto *row = new QCPLayoutGrid; // a spring at the right end: entries keep to the left
        plotLayout()->addElement(0, 0, row);
        row->addElement(0, 0, legend);
        row->addElement(0, 1, new QCPLayoutElement(this));
        row->setColumnStretchFactor(0, 0.001);
        row->setMargins(QMargins(6, 2, 6, 0));
        plotLayout()->setRowStretchFactor(0, 0.001);
        legend->setFillOrder(QCPLegend::foColumnsFirst);
        legend->setMargins(QMargins(0, 0, 0, 0));
        legend->setColumnSpacing(12);
        legend->setRowSpacing(0);
        legend->setVisible(m_impl->empty->isHidden());
    }
    legend->clearItems();
    for (QCPAbstractPlottable *plottable : plottables) plottable->addToLegend(legend);
    applyTheme();
    wrapLegend();
}

void Plot::wrapLegend() {
    if (!m_impl->legendRow || legend->itemCount() == 0) return;
    int widest = 1;
    // Cells of the last row may be empty: the legend counts them as items all the same.
    for (int i = 0; i < legend->itemCount(); ++i)
        if (const auto *item = legend->item(i)) widest = std::max(widest, item->minimumOuterSizeHint().width());
    const int columns = std::max(1, (width() - 12) / (widest + legend->columnSpacing()));
    if (legend->wrap() == columns) return;
    legend->setWrap(columns);
    legend->setFillOrder(legend->fillOrder(), true);
}

void Plot::keepFixed(QCPAxis *axis) { m_impl->fixed.insert(axis); }
bool Plot::untouched() const { return m_impl->untouched; }

void Plot::applyTheme() {
    const QColor text = m_theme.color(Role::Text);
    const QColor quiet = m_theme.color(Role::QuietText);
    setBackground(QBrush(m_theme.color(Role::Base)));
    const QFont ticks = font();
    for (QCPAxisRect *rect : axisRects())
        for (QCPAxis *axis : rect->axes()) {
            axis->setBasePen(QPen(m_theme.color(Role::Border)));
            axis->setTickPen(QPen(m_theme.color(Role::Border)));
            axis->setSubTickPen(QPen(m_theme.color(Role::Border)));
            axis->setTickLabelColor(quiet);
            axis->setLabelColor(text);
            axis->setTickLabelFont(ticks);
            axis->setLabelFont(ticks);
            axis->setLabelPadding(kLabelPadding);
            axis->grid()->setPen(QPen(m_theme.color(Role::Grid), 1, Qt::SolidLine));
            axis->grid()->setZeroLinePen(QPen(m_theme.color(Role::Grid), 1, Qt::SolidLine));
        }
    legend->setBrush(Qt::NoBrush);
    legend->setBorderPen(Qt::NoPen);
    legend->setTextColor(quiet);
    legend->setFont(ticks);
    const int icon = QFontMetrics(ticks).height();
    legend->setIconSize(icon + 2, icon);
    QColor fill = m_theme.color(Role::Accent);
    m_impl->brush->setPen(QPen(fill, 1));
    fill.setAlphaF(0.15F);
    m_impl->brush->setBrush(fill);
    QPalette palette = m_impl->empty->palette();
    palette.setColor(QPalette::WindowText, quiet);
    m_impl->empty->setPalette(palette);
    Q_EMIT themeApplied();
    replotSoon();
}

// --- Moving ---------------------------------------------------------------------------------------------------------

void Plot::pan(const QPointF &pixels) {
    for (QCPAxis *axis : {xAxis, yAxis}) {
        if (m_impl->fixed.contains(axis)) continue;
        const bool across = axis->orientation() == Qt::Horizontal;
        const double by = across ? pixels.x() : pixels.y();
        const double low = axis->coordToPixel(axis->range().lower) - by;
        const double high = axis->coordToPixel(axis->range().upper) - by;
        axis->setRange(axis->pixelToCoord(low), axis->pixelToCoord(high));
    }
    m_impl->untouched = false;
    replotSoon();
}

void Plot::zoom(double factor, const QPointF &at, bool x, bool y) {
    for (QCPAxis *axis : {xAxis, yAxis}) {
        const bool across = axis->orientation() == Qt::Horizontal;
        if (m_impl->fixed.contains(axis) || !(across ? x : y)) continue;
        const QCPRange before = axis->range();
        axis->scaleRange(factor, axis->pixelToCoord(across ? at.x() : at.y()));
        const QCPRange &data = across ? m_impl->dataX : m_impl->dataY;
        if (factor < 1 && m_impl->hasRange && axis->range().size() < data.size() * kMinShare) axis->setRange(before);
    }
    m_impl->untouched = false;
    replotSoon();
}

void Plot::zoomIn() { zoom(kWheelStep * kWheelStep, QRectF(axisRect()->rect()).center(), true, true); }
void Plot::zoomOut() { zoom(1 / (kWheelStep * kWheelStep), QRectF(axisRect()->rect()).center(), true, true); }

void Plot::zoomToFit() {
    m_impl->untouched = true;
    if (m_impl->hasRange) {
        xAxis->setRange(m_impl->dataX);
        yAxis->setRange(m_impl->dataY);
    }
    replotSoon();
}

void Plot::mousePressEvent(QMouseEvent *event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    m_impl->drag = Impl::Drag::Pressed;
    m_impl->pressed = m_impl->last = event->position();
    m_impl->modifiers = event->modifiers();
    QToolTip::hideText();
    event->accept();
}

void Plot::mouseMoveEvent(QMouseEvent *event) {
    const QPointF at = event->position();
    if (m_impl->drag == Impl::Drag::None) {
        const QString tip = m_impl->hover ? m_impl->hover(at) : QString();
        if (tip != m_impl->shownTip) {
            if (tip.isEmpty())
                QToolTip::hideText();
            else
                QToolTip::showText(event->globalPosition().toPoint(), tip, this, {}, 60000);
            m_impl->shownTip = tip;
            setCursor(tip.isEmpty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
        }
        return;
    }
    if (m_impl->drag == Impl::Drag::Pressed &&
        (at - m_impl->pressed).manhattanLength() >= QApplication::startDragDistance()) {
        const bool brushing = m_impl->modifiers.testFlag(Qt::ShiftModifier);
        m_impl->drag = brushing ? Impl::Drag::Brush : Impl::Drag::Pan;
        setCursor(brushing ? Qt::CrossCursor : Qt::ClosedHandCursor);
        m_impl->brush->setVisible(brushing);
    }
    if (m_impl->drag == Impl::Drag::Pan) {
        pan(at - m_impl->last);
        m_impl->last = at;
    } else if (m_impl->drag == Impl::Drag::Brush) {
        m_impl->last = at;
        const auto set = [this](QCPItemPosition *position, const QPointF &pixel) {
            position->setCoords(xAxis->pixelToCoord(pixel.x()), yAxis->pixelToCoord(pixel.y()));
        };
        set(m_impl->brush->topLeft, m_impl->pressed);
        set(m_impl->brush->bottomRight, at);
        replotOverlay();
    }
}

void Plot::endBrush() {
    m_impl->brush->setVisible(false);
    replotOverlay();
}

void Plot::mouseReleaseEvent(QMouseEvent *event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    const auto drag = std::exchange(m_impl->drag, Impl::Drag::None);
    setCursor(Qt::ArrowCursor);
    if (drag == Impl::Drag::Pressed) {
        Q_EMIT clicked(event->position(), event->modifiers());
    } else if (drag == Impl::Drag::Brush) {
        endBrush();
        const QPointF a(xAxis->pixelToCoord(m_impl->pressed.x()), yAxis->pixelToCoord(m_impl->pressed.y()));
        const QPointF b(xAxis->pixelToCoord(event->position().x()), yAxis->pixelToCoord(event->position().y()));
        Q_EMIT brushed(QRectF(a, b).normalized());
    }
}

void Plot::mouseDoubleClickEvent(QMouseEvent *event) {
    if (event->button() == Qt::LeftButton) zoomToFit();
}

void Plot::wheelEvent(QWheelEvent *event) {
    // Some desktops turn the wheel sideways while Alt or Shift is held.
    const QPoint turned = event->angleDelta();
    const double steps = (turned.y() != 0 ? turned.y() : turned.x()) / 120.0;
    if (steps == 0) return event->ignore();
    const bool onlyX = event->modifiers().testFlag(Qt::ControlModifier);
    const bool onlyY = event->modifiers().testFlag(Qt::ShiftModifier);
    QToolTip::hideText();
    zoom(std::pow(kWheelStep, steps), event->position(), !onlyY, !onlyX);
    event->accept();
}

void Plot::keyPressEvent(QKeyEvent *event) {
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QWidget::keyPressEvent(event);
    const double x = axisRect()->width() * kKeyPan;
    const double y = axisRect()->height() * kKeyPan;
    switch (event->key()) {
    case Qt::Key_A:
    case Qt::Key_Left:
        return pan({x, 0});
    case Qt::Key_D:
    case Qt::Key_Right:
        return pan({-x, 0});
    case Qt::Key_W:
    case Qt::Key_Up:
        return pan({0, y});
    case Qt::Key_S:
    case Qt::Key_Down:
        return pan({0, -y});
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomIn();
    case Qt::Key_Minus:
        return zoomOut();
    case Qt::Key_F:
        return zoomToFit();
    case Qt::Key_Escape:
        if (m_impl->drag == Impl::Drag::None) break;
        m_impl->drag = Impl::Drag::None;
        return endBrush();
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void Plot::leaveEvent(QEvent *event) {
    m_impl->shownTip.clear();
    QCustomPlot::leaveEvent(event);
}

void Plot::showEvent(QShowEvent *event) {
    QCustomPlot::showEvent(event);
    if (m_impl->stale) replotSoon();
}

void Plot::resizeEvent(QResizeEvent *event) {
    if (event->size().isEmpty()) return; // squeezed to nothing: there is nothing to paint on
    QCustomPlot::resizeEvent(event);
    if (m_impl->stale) replotSoon();
    m_impl->empty->setGeometry(rect());
    wrapLegend();
}

QSize Plot::minimumSizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.averageCharWidth() * 28, metrics.height() * 8};
}

} // namespace loopscope
