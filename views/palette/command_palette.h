#pragma once
// A line to type into and what fits it: every command by name, everything there is to go to, everything that can be
// done to a loop. Lies over the window and goes away by itself. Who fills it may also answer what is typed: with what
// it would do, or why it cannot be done.

#include "views/palette/fuzzy_match.h"
#include "views/settings/theme.h"

#include <QAbstractListModel>
#include <QFrame>
#include <QPointer>

#include <cstddef>
#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QListView;

namespace loopscope {

struct PaletteItem {
    QString group; // "Search", "stage": shown quietly in front
    QString text;
    QString detail; // at the right: a shortcut, a value
    bool enabled = true;
    bool keys = false; // detail is a shortcut
    std::function<void()> run;
};

/// What is said to what was typed.
struct PaletteAnswer {
    QString text; // below the line; empty: nothing
    bool refused = false;
    std::vector<PaletteItem> items = {}; // in front of those that fit
    bool alone = false;                  // those that fit are not shown: something else was meant
};
using PaletteAnswers = std::function<PaletteAnswer(const QString &typed)>;

class PaletteModel : public QAbstractListModel {
    Q_OBJECT

  public:
    using QAbstractListModel::QAbstractListModel;
    void setItems(std::vector<PaletteItem> items);
    /// `first`, then those that fit unless these stand alone.
    void setPattern(const QString &pattern, std::vector<PaletteItem> first = {}, bool alone = false);
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    [[nodiscard]] const PaletteItem &item(int row) const {
        const Shown &shown = m_shown[static_cast<size_t>(row)];
        return (shown.first ? m_first : m_items)[shown.item];
    }
    [[nodiscard]] const FuzzyMatch &matchOf(int row) const { return m_shown[static_cast<size_t>(row)].match; }

  private:
    struct Shown {
        size_t item = 0;
        FuzzyMatch match;
        bool first = false;
    };
    std::vector<PaletteItem> m_first;
    std::vector<PaletteItem> m_items;
    std::vector<Shown> m_shown;
};

class CommandPalette : public QFrame {
    Q_OBJECT

  public:
    CommandPalette(Theme &theme, QWidget *window);

    /// Over the window, with the cursor in the line.
    void popup(const QString &prompt, const QString &nothing, std::vector<PaletteItem> items,
               PaletteAnswers answers = nullptr);
    void type(const QString &text);
    /// The same items, of which more is known now.
    void refill(std::vector<PaletteItem> items);
    [[nodiscard]] PaletteModel &model() { return *m_model; }

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

  private:
    void fit();
    void place();
    void choose(int row);
    void dismiss();

    Theme &m_theme;
    QLineEdit *m_line;
    QListView *m_list;
    QLabel *m_answer;
    QLabel *m_nothing;
    PaletteModel *m_model;
    QPointer<QWidget> m_focusBefore;
    QString m_nothingText;
    PaletteAnswers m_answers;
};

} // namespace loopscope
