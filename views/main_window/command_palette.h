#pragma once
// A line to type into and what fits it: every command by name, or everything there is to go to. Lies over the window
// and goes away by itself.

#include "views/main_window/fuzzy_match.h"
#include "views/settings/theme.h"

#include <QAbstractListModel>
#include <QFrame>
#include <QPointer>

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

class PaletteModel : public QAbstractListModel {
    Q_OBJECT

  public:
    using QAbstractListModel::QAbstractListModel;
    void setItems(std::vector<PaletteItem> items);
    void setPattern(const QString &pattern);
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    [[nodiscard]] const PaletteItem &item(int row) const { return m_items[m_shown[static_cast<size_t>(row)].item]; }
    [[nodiscard]] const FuzzyMatch &matchOf(int row) const { return m_shown[static_cast<size_t>(row)].match; }

  private:
    struct Shown {
        size_t item = 0;
        FuzzyMatch match;
    };
    std::vector<PaletteItem> m_items;
    std::vector<Shown> m_shown;
};

class CommandPalette : public QFrame {
    Q_OBJECT

  public:
    CommandPalette(Theme &theme, QWidget *window);

    /// Over the window, with the cursor in the line.
    void popup(const QString &prompt, const QString &nothing, std::vector<PaletteItem> items);
    [[nodiscard]] PaletteModel &model() { return *m_model; }

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

  private:
    void place();
    void choose(int row);
    void dismiss();

    Theme &m_theme;
    QLineEdit *m_line;
    QListView *m_list;
    QLabel *m_nothing;
    PaletteModel *m_model;
    QPointer<QWidget> m_focusBefore;
    QString m_nothingText;
};

} // namespace loopscope
