#include "views/text/completion_popup.h"

#include <Qsci/qsciscintilla.h>

#include <QKeyEvent>
#include <QPainter>
#include <QScreen>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kMaxRows = 10;
constexpr int kDetailRole = Qt::UserRole + 1;

class WordDelegate : public QStyledItemDelegate {
  public:
    WordDelegate(Theme &theme, QObject *parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        const bool chosen = option.state.testFlag(QStyle::State_Selected);
        painter->fillRect(option.rect, m_theme.color(chosen ? Role::Accent : Role::Raised));
        const QRect text = option.rect.adjusted(8, 0, -8, 0);
        painter->setFont(m_theme.codeFont());
        const QString word = index.data().toString();
        painter->setPen(m_theme.color(chosen ? Role::AccentText : Role::Text));
        painter->drawText(text, Qt::AlignVCenter | Qt::TextSingleLine, word);
        const QFontMetrics metrics(m_theme.codeFont());
        const int used = metrics.horizontalAdvance(word + QLatin1Char(' '));
        if (!chosen) painter->setPen(m_theme.color(Role::QuietText));
        const QString detail = index.data(kDetailRole).toString();
        const int room = text.width() - used;
        painter->drawText(text.adjusted(used, 0, 0, 0), Qt::AlignVCenter | Qt::TextSingleLine,
                          metrics.elidedText(detail, Qt::ElideRight, room));
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &index) const override {
        const QFontMetrics metrics(m_theme.codeFont());
        return {
            metrics.horizontalAdvance(index.data().toString() + QLatin1Char(' ') + index.data(kDetailRole).toString()) +
                20,
            metrics.height() + 6};
    }

  private:
    Theme &m_theme;
};

} // namespace

CompletionPopup::CompletionPopup(Theme &theme, QsciScintilla *editor)
    : QListView(editor->viewport()), m_theme(theme), m_editor(editor) {
    // A child of the text rather than a window of its own: the editor keeps the focus and every key.
    m_fitting.setSourceModel(&m_words);
    m_fitting.setFilterCaseSensitivity(Qt::CaseInsensitive);
    setModel(&m_fitting);
    setItemDelegate(new WordDelegate(theme, this));
    setFocusPolicy(Qt::NoFocus);
    setEditTriggers(NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::Box);
    setUniformItemSizes(false);
    setAccessibleName(tr("Completions"));
    hide();
    connect(this, &QListView::clicked, this, [this] { accept(); });
}

void CompletionPopup::setWords(const std::vector<std::pair<QString, QString>> &words) {
    m_words.clear();
    for (const auto &[word, detail] : words) {
        auto *item = new QStandardItem(word);
        item->setData(detail, kDetailRole);
        item->setData(detail, Qt::AccessibleDescriptionRole);
        m_words.appendRow(item);
    }
    if (m_habit.sorted) m_words.sort(0);
    if (isVisible()) follow(false);
}

QString CompletionPopup::typedWord() const {
    int line = 0;
    int column = 0;
    m_editor->getCursorPosition(&line, &column);
    const QString text = m_editor->text(line).left(column);
    qsizetype start = text.size();
    while (start > 0 && (text[start - 1].isLetterOrNumber() || m_habit.alsoInWords.contains(text[start - 1]))) --start;
    const bool comment = text.left(start).contains(u'#');
    const QString word = text.mid(start);
    return comment || (!m_habit.numbers && !word.isEmpty() && word[0].isDigit()) ? QString() : word;
}

QStringList CompletionPopup::offered() const {
    QStringList words;
    if (!isVisible()) return words;
    for (int row = 0; row < m_fitting.rowCount(); ++row) words.append(m_fitting.index(row, 0).data().toString());
    return words;
}

void CompletionPopup::follow(bool asked) {
    const QString word = typedWord();
    if (m_words.rowCount() == 0 || (!asked && !isVisible() && word.size() < m_habit.least) ||
        (!asked && word.isEmpty())) {
        hide();
        return;
    }
    m_fitting.setFilterRegularExpression(QRegularExpression(QStringLiteral("^") + QRegularExpression::escape(word),
                                                            QRegularExpression::CaseInsensitiveOption));
    const int count = m_fitting.rowCount();
    const bool whole = count == 1 && m_fitting.index(0, 0).data().toString() == word;
    if (count == 0 || whole) {
        hide();
        return;
    }
    setCurrentIndex(m_fitting.index(0, 0));
    place();
    show();
    raise();
}

void CompletionPopup::place() {
    int width = 0;
    for (int row = 0; row < std::min(m_fitting.rowCount(), 200); ++row)
        width = std::max(width, sizeHintForIndex(m_fitting.index(row, 0)).width());
    const int rows = std::min(m_fitting.rowCount(), kMaxRows);
    const QWidget *area = m_editor->viewport();
    const int bar = m_fitting.rowCount() > kMaxRows ? verticalScrollBar()->sizeHint().width() : 0;
    const QSize size(std::min(width + bar + 2 * frameWidth(), area->width() - 16),
                     rows * sizeHintForRow(0) + 2 * frameWidth());
    const auto send = [this](unsigned message, long w, long l) {
        return static_cast<int>(m_editor->SendScintilla(message, static_cast<unsigned long>(w), l));
    };
    const long at = send(QsciScintilla::SCI_GETCURRENTPOS, 0, 0) - typedWord().toUtf8().size();
    QPoint corner(send(QsciScintilla::SCI_POINTXFROMPOSITION, 0, at) - 8,
                  send(QsciScintilla::SCI_POINTYFROMPOSITION, 0, at));
    const int lineHeight = send(QsciScintilla::SCI_TEXTHEIGHT, 0, 0);
    const bool below = corner.y() + lineHeight + size.height() <= area->height() || corner.y() < size.height();
    corner.ry() += below ? lineHeight : -size.height();
    corner.rx() = std::clamp(corner.x(), 0, std::max(0, area->width() - size.width()));
    setGeometry(QRect(corner, size));
}

bool CompletionPopup::accept() {
    const QString word = currentIndex().data().toString();
    hide();
    if (word.isEmpty() || word == typedWord()) return false;
    int line = 0;
    int column = 0;
    m_editor->getCursorPosition(&line, &column);
    const int typed = static_cast<int>(typedWord().size());
    m_editor->beginUndoAction();
    m_editor->setSelection(line, column - typed, line, column);
    m_editor->replaceSelectedText(word);
    m_editor->endUndoAction();
    m_editor->setCursorPosition(line, column - typed + static_cast<int>(word.size()));
    return true;
}

bool CompletionPopup::takeKey(QKeyEvent *event) {
    if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) {
        follow(true);
        return true;
    }
    if (!isVisible()) return false;
    const auto move = [this](int by) {
        const int row = std::clamp(currentIndex().row() + by, 0, m_fitting.rowCount() - 1);
        setCurrentIndex(m_fitting.index(row, 0));
        return true;
    };
    switch (event->key()) {
    case Qt::Key_Up:
        return move(-1);
    case Qt::Key_Down:
        return move(1);
    case Qt::Key_PageUp:
        return move(-kMaxRows);
    case Qt::Key_PageDown:
        return move(kMaxRows);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Tab:
        return accept(); // the word is whole: the key means what it always does
    case Qt::Key_Escape:
        hide();
        return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Home:
    case Qt::Key_End:
        hide();
        return false;
    default:
        return false;
    }
}

} // namespace loopscope
