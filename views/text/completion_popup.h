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

class CompletionPopup : public QListView {
    Q_OBJECT

  public:
    CompletionPopup(Theme &theme, QsciScintilla *editor);

    void setWords(const std::vector<std::pair<QString, QString>> &words);
    /// Opens, narrows or closes for the word before the caret; `asked`: also for an empty one (Ctrl+Space).
    void follow(bool asked);
    /// True when the key was meant for the popup.
    bool takeKey(QKeyEvent *event);
    [[nodiscard]] QStringList offered() const;

  private:
    void accept();
    void place();
    [[nodiscard]] QString typedWord() const;

    Theme &m_theme;
    QsciScintilla *m_editor;
    QStandardItemModel m_words;
    QSortFilterProxyModel m_fitting;
};

} // namespace loopscope
