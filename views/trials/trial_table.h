#pragma once
// The table of candidates on screen: columns that can be chosen, moved and resized and are found again at the next
// start, sorting by header, and one selection with the rest of the window, both ways.

#include "views/session/selection.h"
#include "views/settings/settings.h"
#include "views/trials/trial_table_model.h"

#include <QMap>
#include <QTableView>

#include <optional>
#include <vector>

class QMenu;

namespace loopscope {

class TrialTable : public QTableView {
    Q_OBJECT

  public:
    TrialTable(Settings &settings, Selection &selection, TrialTableModel &model, QWidget *parent = nullptr);

    /// Fills a menu with one checkable entry a column, and "default columns".
    void fillColumnMenu(QMenu &menu);
    void showColumn(int column, bool shown);
    /// Columns on screen, from left to right.
    [[nodiscard]] std::vector<int> visibleColumns() const;
    /// Selected together, or the current one; ascending. What actions work on.
    [[nodiscard]] std::vector<int> chosenTrials() const;
    [[nodiscard]] int currentTrial() const; // -1 none
    void editNote(int trial);
    /// Another document, or its task, is shown: columns are set up for it, the selection is followed.
    void restart();
    /// True while the selection changes because of this table.
    [[nodiscard]] bool choosing() const { return m_choosing; }

  protected:
    void selectionChanged(const QItemSelection &selected, const QItemSelection &deselected) override;
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
    void keyPressEvent(QKeyEvent *event) override;
    [[nodiscard]] int sizeHintForColumn(int column) const override;

  private:
    void choose();        // selection model -> Selection, once for all changes of an event
    void follow();        // Selection -> selection model
    void showSelection(); // scrolls to the current row, or the first of those selected together
    void noteSight();     // whether the current row is in sight, before rows come and go
    void keepSight();     // it is again afterwards
    void applyColumns();  // what the user chose, to the columns there are
    void rememberColumns();
    void applyLook();

    Settings &m_settings;
    Selection &m_selection;
    TrialTableModel &m_model;
    QMap<QString, QVariant> m_widths; // by column id, of those the user resized
    QMap<QString, QVariant> m_shown;  // by column id, of those the user chose
    bool m_choosing = false;
    bool m_following = false;
    bool m_choosePending = false;
    bool m_applying = false;
    std::optional<bool> m_inSight; // the current row was, before the rows began to change
    int m_fitted = 0;              // columns given a width, and whether there were rows then
    bool m_fittedRows = false;
};

} // namespace loopscope
