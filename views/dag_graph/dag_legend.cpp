#include "views/dag_graph/dag_legend.h"

#include "views/dag_graph/node_item.h"

#include <QEvent>
#include <QGraphicsView>
#include <QPainter>

#include <algorithm>
#include <array>

namespace loopscope {

namespace {
constexpr int kMargin = 8;
constexpr int kSign = 18; // width of the column of signs
} // namespace

struct DagLegend::Row {
    enum class Sign : uint8_t { Bar, Pill, Placement, Added };
    Sign sign = Sign::Bar;
    Role color = Role::Text;
    PlacementKind placement = PlacementKind::Root;
    QString text;
};

std::vector<DagLegend::Row> DagLegend::rows() const {
    using Sign = Row::Sign;
    const auto bar = [](StageKind kind, const QString &text) {
        return Row{Sign::Bar, kindColor(kind), PlacementKind::Root, text};
    };
    const auto placed = [](PlacementKind kind, const QString &text) {
        return Row{Sign::Placement, placementColor(kind), kind, text};
    };
    std::vector<Row> rows{
        bar(StageKind::Placeholder, tr("input")),
        bar(StageKind::Compute, tr("computed stage")),
        bar(StageKind::ConstantMatrix, tr("constant matrix")),
        bar(StageKind::Output, tr("output")),
        {Sign::Pill, Role::Serial, PlacementKind::Root, tr("spatial axis and its extent")},
        {Sign::Pill, Role::Reduction, PlacementKind::Root, tr("reduction axis")},
        placed(PlacementKind::Root, tr("computed at root")),
        placed(PlacementKind::Attached, tr("computed inside a loop of another stage")),
        placed(PlacementKind::Inlined, tr("inlined into its readers")),
        {Sign::Added, Role::Vector, PlacementKind::Attached, tr("stage added by the schedule")},
    };
    if (m_memories)
        for (const auto &[role, text] : {std::pair{Role::SharedMemory, tr("kept in shared memory")},
                                         std::pair{Role::LocalMemory, tr("kept in local memory")}})
            rows.push_back({Sign::Placement, role, PlacementKind::Attached, text});
    return rows;
}

DagLegend::DagLegend(const Theme &theme, QWidget *graph) : QWidget(graph), m_theme(theme) {
    setObjectName(QStringLiteral("DagLegend"));
    setAccessibleName(tr("Legend"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    graph->installEventFilter(this);
    hide();
}

void DagLegend::setMemories(bool shown) {
    if (m_memories == shown) return;
    m_memories = shown;
    place();
    update();
}

int DagLegend::rowHeight() const { return fontMetrics().height() + 3; }

QSize DagLegend::sizeHint() const {
    int widest = 0;
    const auto all = rows();
    for (const Row &row : all) widest = std::max(widest, fontMetrics().horizontalAdvance(row.text));
    return {widest + kSign + 3 * kMargin, static_cast<int>(all.size()) * rowHeight() + 2 * kMargin - 3};
}

void DagLegend::place() {
    const QSize size = sizeHint();
    const QRect area = parentWidget()->rect();
    const int right = area.width() - kMargin - size.width(), below = area.height() - kMargin - size.height();
    // The first corner without a node under it; the lower right one may hold the overview.
    const auto *graph = qobject_cast<QGraphicsView *>(parentWidget());
    const std::array<QPoint, 3> corners{QPoint(kMargin, below), QPoint(kMargin, kMargin), QPoint(right, kMargin)};
    QPoint corner = corners[0];
    for (const QPoint &candidate : corners) {
        if (graph && !graph->items(QRect(candidate, size)).isEmpty()) continue;
        corner = candidate;
        break;
    }
    setGeometry(QRect(corner, size));
    raise();
}

bool DagLegend::eventFilter(QObject *object, QEvent *event) {
    if (event->type() == QEvent::Resize) place();
    return QWidget::eventFilter(object, event);
}

void DagLegend::paintEvent(QPaintEvent * /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = m_theme.color(Role::Window);
    ground.setAlphaF(0.94F);
    painter.setPen(m_theme.color(Role::Border));
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    int y = kMargin;
    for (const Row &row : rows()) {
        const QRectF cell(kMargin, y, kSign, rowHeight() - 3);
        const double middle = cell.center().y();
        const QColor ink = m_theme.color(row.color);
        switch (row.sign) {
        case Row::Sign::Bar:
            painter.fillRect(QRectF(cell.left() + 7, cell.top(), 4, cell.height()), ink);
            break;
        case Row::Sign::Pill:
            painter.setPen(Qt::NoPen);
            painter.setBrush(m_theme.tint(row.color));
            painter.drawRoundedRect(cell.adjusted(0, 2, 0, -1), 3, 3);
            break;
        case Row::Sign::Placement: {
            const double size = std::round(fontMetrics().ascent() * 0.7);
            paintPlacementSign(painter, row.placement, {cell.center().x() - size / 2, middle - size / 2, size, size},
                               ink);
            break;
        }
        case Row::Sign::Added:
            painter.setPen(QPen(ink, 1, Qt::DashLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(cell.adjusted(0.5, 2.5, -0.5, -1.5), 3, 3);
            break;
        }
        painter.setPen(m_theme.color(Role::Text));
        painter.drawText(QPointF(kMargin * 2 + kSign, cell.top() + fontMetrics().ascent()), row.text);
        y += rowHeight();
    }
}

} // namespace loopscope
