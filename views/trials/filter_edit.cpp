#include "views/trials/filter_edit.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStandardItemModel>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr int kHintRole = Qt::UserRole + 1;

/// The word, and behind it in quiet letters what it means.
class OfferDelegate : public QStyledItemDelegate {
  public:
    OfferDelegate(const Theme &theme, QObject *parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        const QString hint = index.data(kHintRole).toString();
        if (hint.isEmpty()) return;
        const QFontMetrics metrics(option.font);
        const int from = metrics.horizontalAdvance(index.data().toString()) + metrics.averageCharWidth() * 3;
        painter->save();
        const bool chosen = option.state.testFlag(QStyle::State_Selected);
        painter->setPen(m_theme.color(chosen ? Role::AccentText : Role::QuietText));
        const QRect room = option.rect.adjusted(from, 0, -4, 0);
        painter->drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                          metrics.elidedText(hint, Qt::ElideRight, room.width()));
        painter->restore();
    }

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        const QFontMetrics metrics(option.font);
        size.rwidth() += metrics.averageCharWidth() * 4 + metrics.horizontalAdvance(index.data(kHintRole).toString());
        size.rheight() += 4;
        return size;
    }

  private:
    const Theme &m_theme;
};

} // namespace

FilterEdit::FilterEdit(Theme &theme, Complete complete, QWidget *parent)
    : QLineEdit(parent), m_theme(theme), m_complete(std::move(complete)), m_completer(new QCompleter(this)),
      m_offers(new QStandardItemModel(this)) {
    setPlaceholderText(tr("Filter: time < 2ms  sketch:1  failed  conv2d.ff[2] >= 8  \u2026"));
    setAccessibleName(tr("Filter of the trials"));
    setClearButtonEnabled(true);
    m_completer->setModel(m_offers);
    m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_completer->setMaxVisibleItems(12);
    m_completer->setWidget(this);
    m_completer->popup()->setItemDelegate(new OfferDelegate(theme, this));
    connect(m_completer, qOverload<const QString &>(&QCompleter::activated), this, &FilterEdit::insert);
    connect(this, &QLineEdit::textEdited, this, [this] { offer(false); });
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void FilterEdit::setProblem(const std::optional<FilterProblem> &problem) {
    m_problem = problem;
    setToolTip(problem ? problem->sentence : QString());
    setAccessibleDescription(problem ? problem->sentence : QString());
    update();
}

void FilterEdit::put(const QString &condition, bool add) {
    const QString before = text().trimmed();
    setText(add && !before.isEmpty() ? before + QLatin1Char(' ') + condition : condition);
    setFocus(Qt::OtherFocusReason);
}

void FilterEdit::offer(bool all) {
    m_completion = m_complete(text(), cursorPosition(), all);
    m_offers->clear();
    int width = 0;
    const QFontMetrics metrics(font());
    for (const FilterOffer &offer : m_completion.offers) {
        auto *item = new QStandardItem(offer.word);
        item->setData(offer.hint, kHintRole);
        m_offers->appendRow(item);
        width = std::max(width, metrics.horizontalAdvance(offer.word + offer.hint));
    }
    if (m_completion.offers.empty()) {
        m_completer->popup()->hide();
        return;
    }
    const QRect room(xOf(m_completion.at), 0, width + metrics.averageCharWidth() * 8, height());
    m_completer->complete(room);
}

void FilterEdit::insert(const QString &word) {
    const int length = std::min<int>(m_completion.length, static_cast<int>(text().size()) - m_completion.at);
    setSelection(m_completion.at, std::max(0, length));
    const bool open = word.endsWith(QLatin1Char(':'));
    if (length <= 0) setCursorPosition(m_completion.at);
    QLineEdit::insert(open ? word : word + QLatin1Char(' '));
    if (open) offer(true);
}

void FilterEdit::keyPressEvent(QKeyEvent *event) {
    const bool offering = m_completer->popup()->isVisible();
    if (offering &&
        (event->key() == Qt::Key_Enter || event->key() == Qt::Key_Return || event->key() == Qt::Key_Escape ||
         event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab)) {
        event->ignore(); // the list takes them
        return;
    }
    if (event->key() == Qt::Key_Space && event->modifiers().testFlag(Qt::ControlModifier)) {
        offer(true);
        return;
    }
    if (event->key() == Qt::Key_Escape && !text().isEmpty()) {
        clear();
        return;
    }
    if (event->key() == Qt::Key_Escape || event->key() == Qt::Key_Down || event->key() == Qt::Key_Return ||
        event->key() == Qt::Key_Enter) {
        Q_EMIT left();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

int FilterEdit::xOf(int character) const {
    // The text scrolls inside the line; where the cursor is drawn tells by how much.
    const QFontMetricsF metrics(font());
    const qreal origin = cursorRect().center().x() - metrics.horizontalAdvance(text().left(cursorPosition()));
    return static_cast<int>(std::lround(origin + metrics.horizontalAdvance(text().left(character))));
}

void FilterEdit::paintEvent(QPaintEvent *event) {
    QLineEdit::paintEvent(event);
    if (!m_problem) return;
    const QFontMetrics metrics(font());
    const int from = std::max(2, xOf(m_problem->at));
    const int last = xOf(std::min(m_problem->at + m_problem->length, static_cast<int>(text().size())));
    const int to = std::min(width() - 2, std::max(last, from + metrics.averageCharWidth()));
    const int bottom = (height() + metrics.height()) / 2;
    QPainterPath wave(QPointF(from, bottom));
    for (int x = from, up = 1; x < to; x += 2, up ^= 1) wave.lineTo(x + 2, bottom - (up != 0 ? 2 : 0));
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(Role::Bad), 1.2));
    painter.drawPath(wave);
}

} // namespace loopscope
