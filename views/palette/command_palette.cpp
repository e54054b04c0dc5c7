#include "views/palette/command_palette.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QPainterPath>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kShown = 400; // all actions; of more a longer word finds the rest

/// Group quietly, the text with its matched letters bold, the shortcut as keys.
class PaletteDelegate : public QStyledItemDelegate {
  public:
    PaletteDelegate(Theme &theme, PaletteModel &model, QObject *parent)
        : QStyledItemDelegate(parent), m_theme(theme), m_model(model) {}

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override {
        return {10, option.fontMetrics.height() + 12};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        const PaletteItem &item = m_model.item(index.row());
        const bool selected = option.state & QStyle::State_Selected;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (selected) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(item.enabled ? m_theme.color(Role::Accent) : m_theme.color(Role::Hover));
            painter->drawRoundedRect(option.rect.adjusted(2, 1, -2, -1), 5, 5);
        }
        const QColor text = !item.enabled ? m_theme.color(Role::QuietText)
                            : selected    ? m_theme.color(Role::AccentText)
                                          : m_theme.color(Role::Text);
        const QColor quiet =
            selected && item.enabled ? m_theme.color(Role::AccentText) : m_theme.color(Role::QuietText);
        QRect area = option.rect.adjusted(12, 0, -12, 0);
        const QFontMetrics &metrics = option.fontMetrics;

        if (!item.detail.isEmpty()) {
            const int width = std::min(metrics.horizontalAdvance(item.detail) + 14, area.width() / 2);
            const QRect box(area.right() - width + 1, area.center().y() - metrics.height() / 2 - 2, width,
                            metrics.height() + 4);
            if (item.keys) {
                painter->setPen(selected && item.enabled ? quiet : m_theme.color(Role::Border));
                painter->setBrush(Qt::NoBrush);
                painter->drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
            }
            painter->setPen(quiet);
            painter->drawText(box, item.keys ? Qt::AlignCenter : Qt::AlignVCenter | Qt::AlignRight,
                              metrics.elidedText(item.detail, Qt::ElideMiddle, width));
            area.setRight(box.left() - 12);
        }
        int x = area.left();
        if (!item.group.isEmpty()) {
            const QString group = item.group + QStringLiteral(":");
            painter->setPen(quiet);
            painter->drawText(x, baseline(area, metrics), group);
            x += metrics.horizontalAdvance(group + u' ');
        }
        painter->setPen(text);
        drawMatched(*painter, option.font, x, area, item, m_model.matchOf(index.row()));
        painter->restore();
    }

  private:
    static int baseline(const QRect &area, const QFontMetrics &metrics) {
        return area.center().y() + (metrics.ascent() - metrics.descent()) / 2 + 1;
    }
    static void drawMatched(QPainter &painter, const QFont &font, int x, const QRect &area, const PaletteItem &item,
                            const FuzzyMatch &match) {
        QFont bold = font;
        bold.setBold(true);
        const QFontMetrics plainMetrics(font);
        const QFontMetrics boldMetrics(bold);
        const auto offset = item.group.isEmpty() ? 0 : item.group.size() + 1; // places count from the group
        qsizetype at = 0;
        while (at < item.text.size()) {
            const auto isBold = [&](qsizetype i) {
                return std::binary_search(match.places.begin(), match.places.end(), static_cast<int>(i + offset));
            };
            const bool marked = isBold(at);
            qsizetype end = at + 1;
            while (end < item.text.size() && isBold(end) == marked) ++end;
            const QFontMetrics &metrics = marked ? boldMetrics : plainMetrics;
            QString part = item.text.mid(at, end - at);
            const int room = area.right() - x;
            if (metrics.horizontalAdvance(part) > room) {
                part = metrics.elidedText(part, Qt::ElideRight, room);
                end = item.text.size();
            }
            painter.setFont(marked ? bold : font);
            painter.drawText(x, baseline(area, plainMetrics), part);
            x += metrics.horizontalAdvance(part);
            at = end;
        }
    }

    Theme &m_theme;
    PaletteModel &m_model;
};

} // namespace

void PaletteModel::setItems(std::vector<PaletteItem> items) {
    beginResetModel();
    m_items = std::move(items);
    m_first.clear();
    m_shown.clear();
    endResetModel();
}

void PaletteModel::setPattern(const QString &pattern, std::vector<PaletteItem> first, bool alone) {
    beginResetModel();
    m_first = std::move(first);
    m_shown.clear();
    for (size_t i = 0; i < m_items.size() && !alone; ++i) {
        const PaletteItem &item = m_items[i];
        if (std::any_of(m_first.begin(), m_first.end(), [&](const PaletteItem &one) { return one.text == item.text; }))
            continue;
        FuzzyMatch match = fuzzyMatch(pattern, item.group.isEmpty() ? item.text : item.group + u' ' + item.text);
        if (match.score >= 0) m_shown.push_back({i, std::move(match)});
    }
    std::stable_sort(m_shown.begin(), m_shown.end(), [this](const Shown &a, const Shown &b) {
        if (a.match.score != b.match.score) return a.match.score > b.match.score;
        return m_items[a.item].enabled && !m_items[b.item].enabled;
    });
    if (m_shown.size() > kShown) m_shown.resize(kShown);
    std::vector<Shown> inFront;
    for (size_t i = 0; i < m_first.size(); ++i) inFront.push_back({i, {}, true});
    m_shown.insert(m_shown.begin(), inFront.begin(), inFront.end());
    endResetModel();
}

int PaletteModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant PaletteModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const PaletteItem &shown = item(index.row());
    if (role == Qt::DisplayRole) return shown.text;
    if (role == Qt::AccessibleTextRole) return QStringLiteral("%1: %2 %3").arg(shown.group, shown.text, shown.detail);
    return {};
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex &index) const {
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
}

CommandPalette::CommandPalette(Theme &theme, QWidget *window)
    : QFrame(window), m_theme(theme), m_line(new QLineEdit(this)), m_list(new QListView(this)),
      m_answer(new QLabel(this)), m_nothing(new QLabel(this)), m_model(new PaletteModel(this)) {
    setObjectName(QStringLiteral("CommandPalette"));
    m_line->setObjectName(QStringLiteral("palette_line"));
    m_line->setFrame(false);
    m_line->setAccessibleName(tr("Command palette"));
    m_line->installEventFilter(this);
    m_list->setObjectName(QStringLiteral("palette_list"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new PaletteDelegate(theme, *m_model, m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->viewport()->setAutoFillBackground(false);
    m_answer->setObjectName(QStringLiteral("palette_answer"));
    m_answer->setWordWrap(true);
    m_answer->setTextFormat(Qt::PlainText);
    m_answer->setMargin(8);
    m_nothing->setWordWrap(true);
    m_nothing->setMargin(12);
    m_nothing->setEnabled(false);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(4);
    QFont large = m_line->font();
    large.setPointSizeF(large.pointSizeF() * 1.15);
    m_line->setFont(large);
    m_line->setTextMargins(6, 6, 6, 6);
    layout->addWidget(m_line);
    layout->addWidget(m_answer);
    layout->addWidget(m_nothing);
    layout->addWidget(m_list, 1);
    hide();
    window->installEventFilter(this);
    connect(m_line, &QLineEdit::textChanged, this, &CommandPalette::fit);
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex &index) { choose(index.row()); });
}

void CommandPalette::popup(const QString &prompt, const QString &nothing, std::vector<PaletteItem> items,
                           PaletteAnswers answers) {
    if (!isVisible()) m_focusBefore = QApplication::focusWidget();
    m_nothingText = nothing;
    m_answers = std::move(answers);
    m_model->setItems(std::move(items));
    const QSignalBlocker quiet(m_line);
    m_line->clear();
    m_line->setPlaceholderText(prompt);
    fit();
    show();
    raise();
    m_line->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::type(const QString &text) { m_line->setText(text); }

void CommandPalette::refill(std::vector<PaletteItem> items) {
    const int row = m_list->currentIndex().row();
    m_model->setItems(std::move(items));
    fit();
    if (row >= 0) m_list->setCurrentIndex(m_model->index(std::min(row, m_model->rowCount() - 1)));
}

/// The list to what is typed.
void CommandPalette::fit() {
    PaletteAnswer answer = m_answers ? m_answers(m_line->text()) : PaletteAnswer{};
    m_answer->setText(answer.text);
    m_answer->setVisible(!answer.text.isEmpty());
    QPalette colours = m_answer->palette();
    colours.setColor(QPalette::WindowText, m_theme.color(answer.refused ? Role::Bad : Role::QuietText));
    m_answer->setPalette(colours);
    m_model->setPattern(m_line->text(), std::move(answer.items), answer.alone);
    // What is refused is not replaced by something else at once: a cure is chosen first.
    m_list->setCurrentIndex(answer.refused ? QModelIndex() : m_model->index(0));
    m_list->scrollToTop();
    m_nothing->setText(m_nothingText);
    place();
}

void CommandPalette::place() {
    const QWidget *window = parentWidget();
    const int width = std::min(window->width() - 40, fontMetrics().averageCharWidth() * 100);
    const bool none = m_model->rowCount() == 0;
    const bool answered = !m_answer->text().isEmpty();
    m_nothing->setVisible(none && !answered);
    m_list->setVisible(!none);
    const int row = fontMetrics().height() + 12;
    const int rows = std::min(m_model->rowCount(), 14);
    int head = m_line->sizeHint().height() + 16; // margins and spacing
    if (answered) head += m_answer->heightForWidth(width - 12) + 4;
    const int body = !none ? rows * row + 2 : answered ? 0 : m_nothing->heightForWidth(width - 12);
    const int height = std::min(head + body, window->height() * 7 / 10);
    setGeometry((window->width() - width) / 2, std::max(24, window->height() / 10), width, height);
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event) {
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize && isVisible()) place();
        return false;
    }
    if (event->type() == QEvent::FocusOut && isVisible()) {
        // Clicking into the list leaves the focus where it is; anything else ends the palette.
        if (static_cast<QFocusEvent *>(event)->reason() != Qt::PopupFocusReason) hide();
        return false;
    }
    if (event->type() != QEvent::KeyPress) return false;
    const auto *key = static_cast<QKeyEvent *>(event);
    const int row = m_list->currentIndex().row();
    const int last = m_model->rowCount() - 1;
    const auto go = [&](int to) {
        m_list->setCurrentIndex(m_model->index(std::clamp(to, 0, std::max(0, last))));
        return true;
    };
    switch (key->key()) {
    case Qt::Key_Down:
        return go(row == last ? 0 : row + 1);
    case Qt::Key_Up:
        return go(row <= 0 ? last : row - 1);
    case Qt::Key_PageDown:
        return go(row + 10);
    case Qt::Key_PageUp:
        return go(row - 10);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose(row);
        return true;
    case Qt::Key_Escape:
        dismiss();
        return true;
    default:
        return false;
    }
}

void CommandPalette::dismiss() {
    hide();
    if (m_focusBefore) m_focusBefore->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::choose(int row) {
    if (row < 0 || row >= m_model->rowCount() || !m_model->item(row).enabled) return;
    const auto run = m_model->item(row).run; // the list may be refilled by what it does
    dismiss();
    run();
}

void CommandPalette::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(Role::Border), 1));
    painter.setBrush(m_theme.color(Role::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

} // namespace loopscope
