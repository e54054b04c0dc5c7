#include "views/compare/diff_text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

/// Line and place in it of every match; what lies in lines left out by a filter is not there to be found.
template <typename Put>
void placeMatches(const AlignedText &text, AlignedText::Side side, const std::vector<FindMatch> &matches, Put put) {
    int line = 0;
    for (const FindMatch &match : matches) {
        while (line < text.lineCount(side) &&
               text.byteOf(side, line) + static_cast<int64_t>(text.line(side, line).size()) < match.at)
            ++line;
        if (line == text.lineCount(side)) return;
        if (match.at >= text.byteOf(side, line))
            put(line, static_cast<int>(match.at - text.byteOf(side, line)), match.length);
    }
}

} // namespace

DiffText::DiffText(Theme &theme, QWidget *parent) : QAbstractScrollArea(parent), m_theme(theme) {
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // both texts have their full width at all times
    setAccessibleName(tr("Two texts side by side"));
    viewport()->setCursor(Qt::IBeamCursor);
    connect(&theme, &Theme::changed, this, &DiffText::layoutText);
    layoutText();
}

void DiffText::setText(std::shared_ptr<const AlignedText> text, CodeLanguage left, CodeLanguage right) {
    if (text == m_text) return;
    // The line at the cursor stays where it is, if it is still there.
    int number = -1;
    const int top = m_current - verticalScrollBar()->value();
    if (m_text && m_current < static_cast<int>(m_text->rows().size())) {
        const AlignedRow &row = m_text->rows()[static_cast<size_t>(m_current)];
        if (row.left >= 0) number = m_text->number(AlignedText::Left, row.left);
    }
    const bool again = m_text && text && m_text->text(AlignedText::Left) == text->text(AlignedText::Left);
    m_text = std::move(text);
    m_languages = {left, right};
    m_matches.clear();
    m_match = -1;
    m_current = m_anchor = 0;
    layoutText();
    if (again && number >= 0) {
        m_current = m_anchor =
            std::max(0, rowOfLine(AlignedText::Left, m_text->lineOfNumber(AlignedText::Left, number)));
        verticalScrollBar()->setValue(m_current - top);
    } else {
        verticalScrollBar()->setValue(0);
        horizontalScrollBar()->setValue(0);
    }
    Q_EMIT currentChanged();
}

void DiffText::layoutText() {
    m_font = m_theme.codeFont();
    const QFontMetricsF metrics(m_font);
    m_height = std::max(1, static_cast<int>(std::ceil(metrics.height())) + 1);
    m_advance = metrics.horizontalAdvance(QLatin1Char('0'));
    const int rows = m_text ? static_cast<int>(m_text->rows().size()) : 0;
    const int page = std::max(1, viewport()->height() / m_height);
    verticalScrollBar()->setRange(0, std::max(0, rows - page));
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(3);
    const int room = pane(AlignedText::Left).width() - gutter();
    const bool tabbed = m_languages[0] == CodeLanguage::Assembly || m_languages[1] == CodeLanguage::Assembly;
    const int tabs = tabbed ? 8 : 0; // some bytes are wider than one column
    const int width = m_text ? static_cast<int>((m_text->longest() + tabs + 2) * m_advance) : 0;
    horizontalScrollBar()->setRange(0, std::max(0, width - room));
    horizontalScrollBar()->setPageStep(std::max(1, room));
    horizontalScrollBar()->setSingleStep(static_cast<int>(m_advance * 4));
    viewport()->update();
}

void DiffText::resizeEvent(QResizeEvent *event) {
    QAbstractScrollArea::resizeEvent(event);
    layoutText();
}

void DiffText::changeEvent(QEvent *event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange) layoutText();
}

QRect DiffText::pane(AlignedText::Side side) const {
    const int strip = static_cast<int>(m_advance * 1.5);
    const int middle = (viewport()->width() - strip) / 2;
    return side == AlignedText::Left
               ? QRect(0, 0, middle, viewport()->height())
               : QRect(middle + 1, 0, viewport()->width() - strip - middle - 1, viewport()->height());
}

bool DiffText::stripAt(int x) const { return x > pane(AlignedText::Right).right(); }

int DiffText::gutter() const {
    int largest = 99;
    if (m_text)
        for (const auto side : {AlignedText::Left, AlignedText::Right})
            if (m_text->lineCount(side) > 0)
                largest = std::max(largest, m_text->number(side, m_text->lineCount(side) - 1));
    return static_cast<int>(m_advance * (static_cast<double>(QString::number(largest).size()) + 3.5));
}

int DiffText::rowAt(int y) const {
    const int row = verticalScrollBar()->value() + y / m_height;
    return m_text && y >= 0 && row < static_cast<int>(m_text->rows().size()) ? row : -1;
}

int DiffText::rowOfLine(AlignedText::Side side, int line) const {
    if (!m_text || line < 0) return -1;
    const auto &rows = m_text->rows();
    // Lines ascend with the rows; rows without one take that of the last row above them.
    for (size_t row = 0; row < rows.size(); ++row) {
        const int here = side == AlignedText::Left ? rows[row].left : rows[row].right;
        if (here < 0) continue;
        if (here == line || (rows[row].kind == DiffKind::Skipped && line < here + rows[row].skipped))
            return static_cast<int>(row);
        if (here > line) return static_cast<int>(row);
    }
    return static_cast<int>(rows.size()) - 1;
}

void DiffText::paintEvent(QPaintEvent * /*event*/) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.color(Role::Base));
    painter.setFont(m_font);
    if (!m_text) return;
    const QRect left = pane(AlignedText::Left);
    const QRect right = pane(AlignedText::Right);
    const int end = right.right() + 1;
    paintDiff(painter, {.theme = m_theme,
                        .text = *m_text,
                        .languages = m_languages,
                        .panes = {left, right},
                        .strip = QRect(end, 0, viewport()->width() - end, viewport()->height()),
                        .gutter = gutter(),
                        .height = m_height,
                        .advance = m_advance,
                        .firstRow = verticalScrollBar()->value(),
                        .page = verticalScrollBar()->pageStep(),
                        .across = horizontalScrollBar()->value(),
                        .side = m_side,
                        .current = m_current,
                        .anchor = m_anchor,
                        .focused = hasFocus(),
                        .marked = m_marked,
                        .matches = m_matches,
                        .match = m_match});
}

// --- Marks and matches ---------------------------------------------------------------------------------------------

void DiffText::setMarked(AlignedText::Side side, std::set<int> numbers, bool reveal) {
    if (numbers == m_marked[side]) return;
    m_marked[side] = std::move(numbers);
    viewport()->update();
    if (!reveal || m_marked[side].empty() || !m_text) return;
    const int row = rowOfLine(side, m_text->lineOfNumber(side, *m_marked[side].begin()));
    const int top = verticalScrollBar()->value();
    const int page = verticalScrollBar()->pageStep();
    if (row >= 0 && (row < top + 1 || row > top + page - 2)) verticalScrollBar()->setValue(row - page / 3);
}

void DiffText::setMatches(const std::vector<FindMatch> &left, const std::vector<FindMatch> &right) {
    m_matches.clear();
    m_match = -1;
    if (m_text) {
        std::vector<int> rowOf[2];
        for (const auto side : {AlignedText::Left, AlignedText::Right})
            rowOf[side].assign(static_cast<size_t>(m_text->lineCount(side)), -1);
        for (size_t row = 0; row < m_text->rows().size(); ++row) {
            const AlignedRow &r = m_text->rows()[row];
            if (r.kind == DiffKind::Skipped) continue;
            if (r.left >= 0) rowOf[AlignedText::Left][static_cast<size_t>(r.left)] = static_cast<int>(row);
            if (r.right >= 0) rowOf[AlignedText::Right][static_cast<size_t>(r.right)] = static_cast<int>(row);
        }
        const auto place = [&](AlignedText::Side side, const std::vector<FindMatch> &matches) {
            placeMatches(*m_text, side, matches, [&](int line, int at, int length) {
                const int row = rowOf[side][static_cast<size_t>(line)];
                if (row >= 0) m_matches.push_back({side, line, row, at, length});
            });
        };
        place(AlignedText::Left, left);
        place(AlignedText::Right, right);
        std::stable_sort(m_matches.begin(), m_matches.end(),
                         [](const DiffMatch &a, const DiffMatch &b) { return a.row < b.row; });
        const auto next = std::find_if(m_matches.begin(), m_matches.end(), [this](const DiffMatch &match) {
            return match.row >= verticalScrollBar()->value();
        });
        if (!m_matches.empty()) m_match = next == m_matches.end() ? 0 : static_cast<int>(next - m_matches.begin());
        showMatch();
    }
    viewport()->update();
}

void DiffText::stepMatch(int direction) {
    if (m_matches.empty()) return;
    const auto count = static_cast<int>(m_matches.size());
    m_match = ((m_match + direction) % count + count) % count;
    showMatch();
}

void DiffText::showMatch() {
    if (m_match < 0) return;
    const DiffMatch &match = m_matches[static_cast<size_t>(m_match)];
    m_side = match.side;
    goToRow(match.row);
}

QString DiffText::matchText() const {
    return m_matches.empty() ? tr("no match") : tr("%1 of %2").arg(m_match + 1).arg(m_matches.size());
}

// --- Moving --------------------------------------------------------------------------------------------------------

void DiffText::goToRow(int row) {
    if (!m_text || m_text->rows().empty()) return;
    m_current = m_anchor = std::clamp(row, 0, static_cast<int>(m_text->rows().size()) - 1);
    const int top = verticalScrollBar()->value();
    const int page = verticalScrollBar()->pageStep();
    if (m_current < top + 2 || m_current > top + page - 3) verticalScrollBar()->setValue(m_current - page / 3);
    showColumns(m_text->rows()[static_cast<size_t>(m_current)]);
    viewport()->update();
    Q_EMIT currentChanged();
}

/// A deep nest begins far to the right: what its row says comes into sight, with what it belongs to beside it.
void DiffText::showColumns(const AlignedRow &row) {
    int first = -1;
    for (const auto side : {AlignedText::Left, AlignedText::Right}) {
        const int line = side == AlignedText::Left ? row.left : row.right;
        if (line < 0) continue;
        const auto at = static_cast<int>(m_text->line(side, line).find_first_not_of(' '));
        if (at >= 0 && (first < 0 || at < first)) first = at;
    }
    if (first < 0) return;
    const int room = pane(AlignedText::Left).width() - gutter();
    const int at = static_cast<int>(first * m_advance) - horizontalScrollBar()->value();
    if (at < 0 || at > room / 2) horizontalScrollBar()->setValue(static_cast<int>(std::max(0, first - 8) * m_advance));
}

void DiffText::stepDifference(int direction) {
    if (!m_text || m_text->differences().empty()) return;
    const auto &differences = m_text->differences();
    auto at = std::upper_bound(differences.begin(), differences.end(), m_current);
    if (direction > 0) {
        if (at == differences.end()) at = differences.begin(); // round
    } else {
        at = std::lower_bound(differences.begin(), differences.end(), m_current);
        at = at == differences.begin() ? differences.end() - 1 : at - 1;
    }
    goToRow(*at);
}

int DiffText::currentDifference() const {
    if (!m_text) return -1;
    const auto &differences = m_text->differences();
    return static_cast<int>(std::upper_bound(differences.begin(), differences.end(), m_current) - differences.begin()) -
           1;
}

void DiffText::moveTo(int row, bool extend) {
    if (!m_text || m_text->rows().empty()) return;
    m_current = std::clamp(row, 0, static_cast<int>(m_text->rows().size()) - 1);
    if (!extend) m_anchor = m_current;
    const int top = verticalScrollBar()->value();
    const int page = verticalScrollBar()->pageStep();
    if (m_current < top) verticalScrollBar()->setValue(m_current);
    if (m_current >= top + page) verticalScrollBar()->setValue(m_current - page + 1);
    viewport()->update();
    Q_EMIT currentChanged();
    const AlignedRow &r = m_text->rows()[static_cast<size_t>(m_current)];
    const int line = m_side == AlignedText::Left ? r.left : r.right;
    if (!extend && line >= 0 && r.kind != DiffKind::Skipped) Q_EMIT lineChosen(m_side, m_text->number(m_side, line));
}

void DiffText::mousePressEvent(QMouseEvent *event) {
    if (event->button() != Qt::LeftButton || !m_text) return;
    const QPoint at = event->position().toPoint();
    if (stripAt(at.x())) {
        const auto rows = static_cast<int>(m_text->rows().size());
        goToRow(rows * at.y() / std::max(1, viewport()->height()));
        return;
    }
    const int row = rowAt(at.y());
    if (row < 0) return;
    if (m_text->rows()[static_cast<size_t>(row)].kind == DiffKind::Skipped) {
        m_current = m_anchor = row;
        Q_EMIT unfoldAsked();
        return;
    }
    m_side = at.x() < pane(AlignedText::Right).left() ? AlignedText::Left : AlignedText::Right;
    moveTo(row, event->modifiers().testFlag(Qt::ShiftModifier));
}

void DiffText::mouseMoveEvent(QMouseEvent *event) {
    if (!event->buttons().testFlag(Qt::LeftButton) || !m_text || stripAt(event->position().toPoint().x())) return;
    const int row = verticalScrollBar()->value() + static_cast<int>(std::floor(event->position().y() / m_height));
    if (row != m_current) moveTo(row, true);
}

void DiffText::keyPressEvent(QKeyEvent *event) {
    const bool extend = event->modifiers().testFlag(Qt::ShiftModifier);
    const int page = std::max(1, verticalScrollBar()->pageStep() - 1);
    if (event->matches(QKeySequence::Copy)) return copy();
    if (event->matches(QKeySequence::SelectAll)) {
        m_anchor = 0;
        moveTo(m_text ? static_cast<int>(m_text->rows().size()) - 1 : 0, true);
        return;
    }
    if (event->modifiers().testFlag(Qt::ControlModifier) &&
        (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal))
        return zoomIn();
    if (event->modifiers().testFlag(Qt::ControlModifier) && event->key() == Qt::Key_Minus) return zoomOut();
    switch (event->key()) {
    case Qt::Key_Up:
        return moveTo(m_current - 1, extend);
    case Qt::Key_Down:
        return moveTo(m_current + 1, extend);
    case Qt::Key_PageUp:
        return moveTo(m_current - page, extend);
    case Qt::Key_PageDown:
        return moveTo(m_current + page, extend);
    case Qt::Key_Home:
        return moveTo(0, extend);
    case Qt::Key_End:
        return moveTo(m_text ? static_cast<int>(m_text->rows().size()) - 1 : 0, extend);
    case Qt::Key_Left:
    case Qt::Key_Right:
        // Without anything to scroll the keys change the side, as Tab would leave.
        m_side = event->key() == Qt::Key_Left ? AlignedText::Left : AlignedText::Right;
        viewport()->update();
        return;
    case Qt::Key_N:
        return stepDifference(1);
    case Qt::Key_P:
        return stepDifference(-1);
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void DiffText::wheelEvent(QWheelEvent *event) {
    if (!event->modifiers().testFlag(Qt::ControlModifier)) return QAbstractScrollArea::wheelEvent(event);
    if (event->angleDelta().y() > 0) zoomIn();
    if (event->angleDelta().y() < 0) zoomOut();
    event->accept();
}

void DiffText::zoomIn() { m_theme.setCodePointSize(QFontInfo(m_font).pointSize() + 1); }
void DiffText::zoomOut() { m_theme.setCodePointSize(std::max(6, QFontInfo(m_font).pointSize() - 1)); }
void DiffText::zoomToFit() { m_theme.setCodePointSize(0); }

QString DiffText::selectedText() const {
    if (!m_text) return {};
    QString out;
    const int first = std::min(m_anchor, m_current);
    const int last = std::max(m_anchor, m_current);
    for (int row = first; row <= last && row < static_cast<int>(m_text->rows().size()); ++row) {
        const AlignedRow &r = m_text->rows()[static_cast<size_t>(row)];
        const int line = m_side == AlignedText::Left ? r.left : r.right;
        const int lines = line < 0 ? 0 : r.kind == DiffKind::Skipped ? r.skipped : 1;
        for (int i = 0; i < lines; ++i) {
            const std::string_view text = m_text->line(m_side, line + i);
            out += QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())) + QLatin1Char('\n');
        }
    }
    return out;
}

void DiffText::copy() const { QGuiApplication::clipboard()->setText(selectedText()); }

} // namespace loopscope
