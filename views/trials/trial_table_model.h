#pragma once
// The candidates as a table: rows are the trials that pass the filter, in the order asked for. Sorting and filtering
// are done here on plain numbers rather than in a proxy, which would ask for a QVariant per row and comparison. New
// trials are inserted as they arrive; what stays keeps its place, its selection and its open editor.

#include "views/trials/trial_arrangement.h"
#include "views/trials/trial_cells.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <vector>

namespace loopscope {

class TrialTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Role {
        ColumnIdRole = Qt::UserRole, // of a header section: "time", "tile:conv2d.ff"
        TrialRole,                   // of a cell: number of the trial, from 0
        MarkedRole,                  // of a cell: selected elsewhere
    };

    explicit TrialTableModel(const Theme &theme, QObject *parent = nullptr);

    // What happens to the document; all O(new trials) but for re-sorting.
    void setDocument(const Document *document);
    void trialsAdded(int first, int count);
    void trialsChanged(const std::vector<int> &trials);
    void setBest(int trial);
    void setPeak(double gflops);
    void baselineChanged(); // of the document

    // What the user wants to see.
    void setFilter(std::shared_ptr<const TrialFilter> filter); // null: all
    void setOnly(std::optional<std::vector<int>> trials);      // ascending; the others are hidden
    void setPinnedFirst(bool first);
    void sort(int column, Qt::SortOrder order) override; // column -1: by trial
    void setMarked(std::vector<int> trials);             // selected anywhere
    void setRemeasuring(std::vector<int> trials);        // asked to be measured again, not answered yet

    [[nodiscard]] const TrialFacts &facts() const { return m_facts; }
    [[nodiscard]] const TrialCells &cells() const { return m_cells; }
    [[nodiscard]] const TrialArrangement &arrangement() const { return m_arrangement; }
    [[nodiscard]] const std::vector<int> &shown() const { return m_rows; } // trials by row
    [[nodiscard]] int trialAt(int row) const { return m_rows[static_cast<size_t>(row)]; }
    [[nodiscard]] int rowOf(int trial) const; // -1 when it is not shown
    /// Rows come and go because of the filter, the sorting or new trials, not because of the user's selection.
    [[nodiscard]] bool changingRows() const { return m_changingRows; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    [[nodiscard]] QMimeData *mimeData(const QModelIndexList &indexes) const override;
    [[nodiscard]] QStringList mimeTypes() const override;

  signals:
    void noteEdited(int trial, const QString &note); // the session is asked to keep it; trialsChanged follows
    void rowsShownChanged();                         // how many of how many
    void rearranged();                               // the user sorted or filtered
    void tileColumnsChanged();
    void documentExchanged(); // numbers of trials mean others from now on

  private:
    /// Goes to the rows as they are arranged now: takes out what left, appends what came, permutes.
    void arrange();
    void indexRows();
    void updateScale();
    void columnChanged(int column);
    void trialsLookChanged(const std::vector<int> &trials);

    const Theme &m_theme;
    TrialFacts m_facts;
    TrialCells m_cells{m_facts, m_theme};
    TrialArrangement m_arrangement{m_facts};
    std::vector<int> m_rows;
    std::vector<int> m_rowOf; // by trial, -1 hidden
    bool m_changingRows = false;
    int m_tileColumns = 0; // announced to views
};

} // namespace loopscope
