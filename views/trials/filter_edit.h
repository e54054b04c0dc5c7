#pragma once
// The line a filter is typed into: offers what can come next, and underlines what is no filter. It knows the language's
// completion, not its meaning; the owner parses and says what is wrong where.

#include "views/settings/theme.h"
#include "views/trials/filter_completion.h"
#include "views/trials/trial_filter.h"

#include <QLineEdit>

#include <functional>
#include <optional>

class QCompleter;
class QStandardItemModel;

namespace loopscope {

class FilterEdit : public QLineEdit {
    Q_OBJECT

  public:
    using Complete = std::function<FilterCompletion(const QString &text, int cursor, bool all)>;

    FilterEdit(Theme &theme, Complete complete, QWidget *parent = nullptr);
    void setProblem(const std::optional<FilterProblem> &problem); // underlined; shown as tooltip too
    /// Adds a condition to what is there, or replaces all by it.
    void put(const QString &condition, bool add);

  signals:
    void left(); // Escape or Down: the user wants to go on in the table

  protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

  private:
    void offer(bool all);
    void insert(const QString &word);
    [[nodiscard]] int xOf(int character) const;

    Theme &m_theme;
    Complete m_complete;
    QCompleter *m_completer = nullptr;
    QStandardItemModel *m_offers = nullptr;
    FilterCompletion m_completion;
    std::optional<FilterProblem> m_problem;
};

} // namespace loopscope
