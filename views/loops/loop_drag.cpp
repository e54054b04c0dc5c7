#include "views/loops/loop_drag.h"

#include "schedule/script/schedule_script.h"
#include "search/moves/offered_moves.h"
#include "views/loops/loop_moves.h"
#include "views/loops/loop_tree_model.h"
#include "views/session/text.h"

#include <QApplication>
#include <QFrame>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTimer>
#include <QTreeView>

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kHintStays = 8000; // ms, of a refusal

} // namespace

LoopDrag::LoopDrag(QTreeView &tree, LoopTreeModel &model, Theme &theme, QObject *parent)
    : QObject(parent), m_tree(tree), m_model(model), m_theme(theme), m_hint(new QLabel(tree.viewport())),
      m_mark(new QFrame(tree.viewport())) {
    m_hint->setObjectName(QStringLiteral("drop_hint"));
    m_hint->setWordWrap(true);
    m_hint->setMargin(6);
    m_hint->setFrameStyle(QFrame::Box | QFrame::Plain);
    m_hint->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_hint->setAutoFillBackground(true);
    m_hint->setBackgroundRole(QPalette::Window);
    m_hint->hide();
    m_mark->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_mark->hide();
    m_tree.viewport()->installEventFilter(this);
    m_tree.installEventFilter(this);
    // What was said of another tree is out of date.
    connect(&m_model, &QAbstractItemModel::modelReset, this, [this] { stop(false); });
}

QString LoopDrag::hint() const { return m_hint->isHidden() ? QString() : m_hint->text(); }

std::optional<MoveTarget> LoopDrag::targetAt(const QPoint &place) const {
    const LoopRow *row = m_model.rowAt(m_tree.indexAt(place));
    return row == nullptr ? std::nullopt : LoopMoves::targetOf(*row);
}

LoopDrag::Drop LoopDrag::dropAt(const QPoint &place) const {
    Drop drop;
    if (!m_source || !m_moves) return drop;
    const LoopState &state = m_moves->state;
    const auto over = targetAt(place);
    if (!m_tree.indexAt(place).isValid()) {
        drop.step = ComputeRootStep{m_source->stage};
    } else if (!over || *over == *m_source) {
        return drop;
    } else if (over->stage != m_source->stage) {
        if (!over->isLoop()) {
            drop.text = QStringLiteral("A stage is computed at a loop; this is a statement of %1")
                            .arg(targetText(state, *over));
            return drop;
        }
        drop.step = ComputeAtStep{m_source->stage, over->stage, over->loop};
    } else {
        if (!m_source->isLoop() || !over->isLoop()) {
            drop.text = QStringLiteral("A stage is not computed inside itself: drop it on a loop of what reads it, or "
                                       "drag its loops");
            return drop;
        }
        const QRect row = m_tree.visualRect(m_tree.indexAt(place));
        ReorderStep step{m_source->stage, {}};
        for (size_t i = 0; i < state.stage(m_source->stage).iters.size(); ++i)
            if (IterId(i) != m_source->loop) step.order.emplace_back(i);
        const auto at = std::find(step.order.begin(), step.order.end(), over->loop);
        step.order.insert(place.y() < row.center().y() ? at : at + 1, m_source->loop);
        if (std::is_sorted(step.order.begin(), step.order.end())) return drop; // where it is
        drop.step = std::move(step);
    }
    drop.text = qt(scriptLine(state, *drop.step));
    const auto made = makeMove(state, *drop.step);
    drop.legal = static_cast<bool>(made);
    if (!made) {
        drop.text += QStringLiteral(": ") + qt(made.why());
        return drop;
    }
    for (size_t i = 0; i < m_moves->changes.size(); ++i)
        if (m_moves->moves[i] == *drop.step && m_moves->changes[i])
            drop.text += QStringLiteral("   ") + changeText(*m_moves->changes[i]);
    return drop;
}

void LoopDrag::hover(const QPoint &place) {
    const Drop drop = dropAt(place);
    placeHint(drop);
    placeMark(place, drop);
    m_tree.viewport()->setCursor(drop.legal ? Qt::DragMoveCursor : Qt::ForbiddenCursor);
    // A nest may be longer than the window.
    QScrollBar *bar = m_tree.verticalScrollBar();
    const int edge = m_tree.fontMetrics().height();
    if (place.y() < edge) bar->setValue(bar->value() - 1);
    if (place.y() > m_tree.viewport()->height() - edge) bar->setValue(bar->value() + 1);
}

void LoopDrag::placeHint(const Drop &drop) {
    const QString text = !drop.text.isEmpty() ? drop.text
                         : m_source ? QStringLiteral("Drop %1 on a loop").arg(targetText(m_moves->state, *m_source))
                                    : QString();
    m_hint->setText(text);
    const bool bad = !drop.legal && !drop.text.isEmpty();
    QPalette colours = m_hint->palette();
    colours.setColor(QPalette::Window, m_theme.color(Role::Raised));
    colours.setColor(QPalette::WindowText, m_theme.color(bad ? Role::Bad : Role::Text));
    m_hint->setPalette(colours);
    const QSize room = m_tree.viewport()->size();
    const int height = std::min(m_hint->heightForWidth(room.width()), room.height());
    m_hint->setGeometry(0, room.height() - height, room.width(), height);
    m_hint->show();
    m_hint->raise();
}

/// A line where the loop would go, a frame around the loop a stage would be computed at.
void LoopDrag::placeMark(const QPoint &place, const Drop &drop) {
    const QModelIndex index = m_tree.indexAt(place);
    if (!drop.step || !index.isValid()) return m_mark->hide();
    QRect row = m_tree.visualRect(index.siblingAtColumn(0));
    row.setRight(m_tree.viewport()->width() - 1);
    const QString colour = m_theme.color(drop.legal ? Role::Accent : Role::Bad).name();
    if (std::holds_alternative<ReorderStep>(*drop.step)) {
        const int y = place.y() < row.center().y() ? row.top() : row.bottom();
        m_mark->setStyleSheet(QStringLiteral("background: %1").arg(colour));
        m_mark->setGeometry(row.left(), y - 1, row.width(), 3);
    } else {
        m_mark->setStyleSheet(QStringLiteral("border: 2px solid %1; background: transparent").arg(colour));
        m_mark->setGeometry(row);
    }
    m_mark->show();
    m_mark->raise();
    m_hint->raise();
}

void LoopDrag::drop(const QPoint &place) {
    const Drop drop = dropAt(place);
    stop(!drop.legal && !drop.text.isEmpty());
    if (drop.legal)
        Q_EMIT dropped(*drop.step);
    else if (!drop.text.isEmpty())
        Q_EMIT refused(drop.text);
}

void LoopDrag::stop(bool hintStays) {
    m_source.reset();
    m_dragging = false;
    m_mark->hide();
    m_tree.viewport()->unsetCursor();
    if (!hintStays) return m_hint->hide();
    QTimer::singleShot(kHintStays, m_hint, [this, text = m_hint->text()] {
        if (!m_dragging && m_hint->text() == text) m_hint->hide();
    });
}

bool LoopDrag::eventFilter(QObject *watched, QEvent *event) {
    if (watched == &m_tree) {
        if (event->type() != QEvent::KeyPress || !m_dragging) return false;
        if (static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) stop(false);
        return true;
    }
    const auto placeOf = [event] { return static_cast<QMouseEvent *>(event)->position().toPoint(); };
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        stop(false);
        m_moves = m_schedule ? m_schedule() : nullptr;
        // Shift and Ctrl select.
        if (static_cast<QMouseEvent *>(event)->button() == Qt::LeftButton && m_moves &&
            static_cast<QMouseEvent *>(event)->modifiers() == Qt::NoModifier) {
            m_pressed = placeOf();
            m_source = targetAt(m_pressed);
        }
        return false;
    case QEvent::MouseMove:
        if (!m_source || !(static_cast<QMouseEvent *>(event)->buttons() & Qt::LeftButton)) return false;
        if (!m_dragging && (placeOf() - m_pressed).manhattanLength() < QApplication::startDragDistance()) return true;
        // The press has chosen the row, which may have brought another tree.
        if (!m_schedule || m_schedule() == nullptr) {
            stop(false);
            return true;
        }
        m_dragging = true;
        hover(placeOf());
        return true;
    case QEvent::MouseButtonRelease:
        if (!m_dragging) {
            m_source.reset();
            return false;
        }
        drop(placeOf());
        return true;
    case QEvent::Resize:
    case QEvent::Wheel:
        if (!m_dragging) m_hint->hide();
        return false;
    default:
        return false;
    }
}

} // namespace loopscope
