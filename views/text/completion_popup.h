#pragma once
// Words offered while one types: the word, and in quiet letters what it takes. Up and Down choose, Enter or Tab takes,
// Esc goes away.

#include "views/settings/theme.h"

#include <QListView>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>

#include <utility>
#include <vector>

class QKeyEvent;
class QsciScintilla;

namespace loopscope {

/// What a word is, and how soon words are offered for it.
struct CompletionHabit {
    QString alsoInWords = QStringLiteral("_."); // besides letters and digits
    bool numbers = false;                       // a word may begin with a digit
    int least = 2;                              // characters before anything is offered unasked
    bool sorted = true;                         // else in the order given
};

class CompletionPopup : public QListView {
    Q_OBJECT

  public:
    CompletionPopup(Theme &theme, QsciScintilla *editor);

    void setHabit(const CompletionHabit &habit) { m_habit = habit; }
    void setWords(const std::vector<std::pair<QString, QString>> &words);
    /// Opens, narrows or closes for the word before the caret; `asked`: also for an empty one (Ctrl+Space).
    void follow(bool asked);
    /// True when the key was meant for the popup.
    bool takeKey(QKeyEvent *event);
    [[nodiscard]] QStringList offered() const;

  private:
    bool accept(); // false when there was nothing to add
    void place();
    [[nodiscard]] QString typedWord() const;

    Theme &m_theme;
    QsciScintilla *m_editor;
    CompletionHabit m_habit;
    QStandardItemModel m_words;
    QSortFilterProxyModel m_fitting;
};

} // namespace loopscope
