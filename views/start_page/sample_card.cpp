#include "views/start_page/sample_card.h"

#include "views/session/text.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr int kGap = 12;
constexpr int kMargin = 10;

/// At most `lines` lines; the last one is elided.
void drawWrapped(QPainter &painter, const QRect &area, const QString &text, int lines) {
    QTextLayout layout(text, painter.font());
    layout.beginLayout();
    const QFontMetrics metrics(painter.font());
    int y = area.top();
    for (int i = 0; i < lines; ++i) {
        QTextLine line = layout.createLine();
        if (!line.isValid()) break;
        line.setLineWidth(area.width());
        QString part = text.mid(line.textStart(), line.textLength()).trimmed();
        if (i + 1 == lines) part = metrics.elidedText(text.mid(line.textStart()), Qt::ElideRight, area.width());
        painter.drawText(area.left(), y + metrics.ascent(), part);
        y += metrics.lineSpacing();
    }
    layout.endLayout();
}

} // namespace

SampleCard::SampleCard(Theme &theme, Sample sample, QWidget *parent) : QAbstractButton(parent), m_theme(theme) {
    setSample(std::move(sample));
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void SampleCard::setSample(Sample sample) {
    m_sample = std::move(sample);
    setObjectName(QStringLiteral("sample_") + m_sample.name);
    setAccessibleName(m_sample.name);
    setAccessibleDescription(m_sample.comment);
    setToolTip(m_sample.problem.isEmpty() ? m_sample.comment : m_sample.problem);
    update();
}

QSize SampleCard::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.averageCharWidth() * 30, metrics.height() * 9 + 2 * kMargin};
}

void SampleCard::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool hot = underMouse() || isDown();
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    QPainterPath shape;
    shape.addRoundedRect(frame, 8, 8);
    painter.fillPath(shape, m_theme.color(hot ? Role::Hover : Role::Base));
    painter.setPen(QPen(m_theme.color(hasFocus() || hot ? Role::Accent : Role::Border), hasFocus() ? 2 : 1));
    painter.drawPath(shape);

    const QFontMetrics metrics(font());
    const int textHeight = metrics.lineSpacing() * 4;
    const QRect inside = rect().adjusted(kMargin, kMargin, -kMargin, -kMargin);
    const QRectF picture(inside.left(), inside.top(), inside.width(), inside.height() - textHeight - 6);
    if (m_sample.picture) paintDagStamp(painter, picture, *m_sample.picture, m_theme);

    int y = inside.bottom() - textHeight + 1;
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(QRect(inside.left(), y, inside.width(), metrics.lineSpacing()), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(bold).elidedText(m_sample.name, Qt::ElideRight, inside.width()));
    y += metrics.lineSpacing();
    painter.setFont(font());
    painter.setPen(m_theme.color(Role::QuietText));
    drawWrapped(painter, QRect(inside.left(), y, inside.width(), 2 * metrics.lineSpacing()), m_sample.comment, 2);
    y += 2 * metrics.lineSpacing();
    if (!m_sample.problem.isEmpty()) painter.setPen(m_theme.color(Role::Bad));
    const QString facts = metrics.elidedText(m_sample.problem.isEmpty() ? m_sample.facts : m_sample.problem,
                                             Qt::ElideRight, inside.width());
    painter.drawText(QRect(inside.left(), y, inside.width(), metrics.lineSpacing()), Qt::AlignLeft | Qt::AlignVCenter,
                     facts);
}

void SampleCard::keyPressEvent(QKeyEvent *event) {
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
        Q_EMIT stepped(event->key());
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        click();
        return;
    default:
        QAbstractButton::keyPressEvent(event);
    }
}

void SampleCard::enterEvent(QEnterEvent *event) {
    QAbstractButton::enterEvent(event);
    update();
}

void SampleCard::leaveEvent(QEvent *event) {
    QAbstractButton::leaveEvent(event);
    update();
}

void SampleCard::focusInEvent(QFocusEvent *event) {
    QAbstractButton::focusInEvent(event);
    Q_EMIT focused();
}

SampleGrid::SampleGrid(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void SampleGrid::setSamples(const std::vector<Sample> &samples) {
    bool same = samples.size() == m_cards.size();
    for (size_t i = 0; same && i < samples.size(); ++i) same = samples[i].path == m_cards[i]->sample().path;
    if (same) { // pictures arrived
        for (size_t i = 0; i < samples.size(); ++i) m_cards[i]->setSample(samples[i]);
        return;
    }
    qDeleteAll(m_cards);
    qDeleteAll(m_titles);
    m_cards.clear();
    m_titles.clear();
    for (const Sample &sample : samples) {
        if (m_titles.empty() || m_titles.back()->text() != sample.kind) {
            auto *title = new QLabel(sample.kind, this);
            QFont bold = title->font();
            bold.setWeight(QFont::DemiBold);
            title->setFont(bold);
            m_titles.push_back(title);
        }
        auto *card = new SampleCard(m_theme, sample, this);
        connect(card, &QAbstractButton::clicked, this, [this, card] { Q_EMIT chosen(card->sample().path); });
        connect(card, &SampleCard::stepped, this, [this, card](int key) { step(card, key); });
        connect(card, &SampleCard::focused, this, [this, card] { Q_EMIT focusMoved(card); });
        m_cards.push_back(card);
    }
    setFilter(m_filter);
}

void SampleGrid::setFilter(const QString &text) {
    m_filter = text;
    const QStringList words = text.split(u' ', Qt::SkipEmptyParts);
    for (SampleCard *card : m_cards) {
        const QString all = card->sample().name + u' ' + card->sample().kind + u' ' + card->sample().comment;
        const bool fits = std::all_of(words.begin(), words.end(),
                                      [&](const QString &word) { return all.contains(word, Qt::CaseInsensitive); });
        card->setVisible(fits);
    }
    for (QLabel *title : m_titles) {
        const bool any = std::any_of(m_cards.begin(), m_cards.end(), [&](const SampleCard *card) {
            return card->sample().kind == title->text() && !card->isHidden();
        });
        title->setVisible(any);
    }
    arrange(width(), true);
    updateGeometry();
}

int SampleGrid::shownCount() const {
    return static_cast<int>(
        std::count_if(m_cards.begin(), m_cards.end(), [](const SampleCard *card) { return !card->isHidden(); }));
}

int SampleGrid::arrange(int width, bool apply) const {
    if (m_cards.empty()) return 0;
    const QSize size = m_cards.front()->sizeHint();
    const int columns = std::max(1, (width + kGap) / (size.width() + kGap));
    // Cards share what is left over, so that the right edge is straight.
    const int cardWidth = std::max(size.width() * 2 / 3, (width - (columns - 1) * kGap) / columns);
    int y = 0;
    for (QLabel *title : m_titles) {
        if (title->isHidden()) continue;
        const int titleHeight = title->sizeHint().height();
        if (apply) title->setGeometry(0, y, width, titleHeight);
        y += titleHeight + kGap / 2;
        int column = 0;
        for (SampleCard *card : m_cards) {
            if (card->isHidden() || card->sample().kind != title->text()) continue;
            if (column == columns) {
                column = 0;
                y += size.height() + kGap;
            }
            if (apply) card->setGeometry(column * (cardWidth + kGap), y, cardWidth, size.height());
            ++column;
        }
        y += size.height() + kGap * 3 / 2;
    }
    return y;
}

int SampleGrid::heightForWidth(int width) const { return arrange(width, false); }
QSize SampleGrid::sizeHint() const { return {640, arrange(std::max(width(), 320), false)}; }

void SampleGrid::resizeEvent(QResizeEvent *) { arrange(width(), true); }

void SampleGrid::focusFirst() {
    for (SampleCard *card : m_cards)
        if (!card->isHidden()) {
            card->setFocus(Qt::TabFocusReason);
            return;
        }
}

void SampleGrid::openFirst() {
    const auto first =
        std::find_if(m_cards.begin(), m_cards.end(), [](const SampleCard *card) { return !card->isHidden(); });
    if (first != m_cards.end()) Q_EMIT chosen((*first)->sample().path);
}

void SampleGrid::step(const SampleCard *from, int key) {
    SampleCard *best = nullptr;
    double bestDistance = 0;
    const QPoint here = from->geometry().center();
    if (key == Qt::Key_Home) return focusFirst();
    for (SampleCard *card : m_cards) {
        if (card == from || card->isHidden()) continue;
        if (key == Qt::Key_End) {
            best = card;
            continue;
        }
        const QPoint way = card->geometry().center() - here;
        const bool sideways = key == Qt::Key_Left || key == Qt::Key_Right;
        const int ahead = key == Qt::Key_Right  ? way.x()
                          : key == Qt::Key_Left ? -way.x()
                          : key == Qt::Key_Down ? way.y()
                                                : -way.y();
        const int aside = std::abs(sideways ? way.y() : way.x());
        if (ahead <= 0 || (sideways && aside > 0)) continue;
        const double distance = ahead + 0.5 * aside;
        if (best && distance >= bestDistance) continue;
        best = card;
        bestDistance = distance;
    }
    if (best) best->setFocus(Qt::TabFocusReason);
}

} // namespace loopscope
