#pragma once
// What was weighed, in tables: all rounds, the candidates of the one shown with the tiles of one of them, and the tile
// as a picture.

#include "views/grouping/overlap_page.h"

#include <QTabWidget>

namespace loopscope {

class GroupingTables final : public QTabWidget {
    Q_OBJECT

  public:
    explicit GroupingTables(const Theme &theme, QWidget *parent = nullptr);

    void showRounds(const ShownGroupingPtr &result);
    /// Marks its round, lists its candidates, and chooses the one that was done (otherwise the first).
    void showPlace(size_t place);
    void showTiles(std::vector<WeighedGroup> weighed);
    void clear();

    [[nodiscard]] OverlapPage &overlap() const { return *m_overlap; }
    [[nodiscard]] QTreeView &rounds() const { return *m_roundTable; }
    [[nodiscard]] QTreeView &candidates() const { return *m_candidateTable; }
    [[nodiscard]] QTreeView &tiles() const { return *m_tileTable; }
    [[nodiscard]] QComboBox &consumers() const { return *m_consumers; }
    [[nodiscard]] int candidate() const; // chosen; -1: none
    [[nodiscard]] QString tileTitle() const;

  signals:
    void placeChosen(size_t place);
    void candidateChosen(int candidate);

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    QWidget *makeCandidates(const Theme &theme);
    void showConsumer();
    void chooseCandidate();

    ShownGroupingPtr m_result;
    size_t m_place = 0;
    std::vector<WeighedGroup> m_weighed;
    RowTableModel *m_roundModel;
    RowTableModel *m_candidateModel;
    RowTableModel *m_tileModel;
    QTreeView *m_roundTable = nullptr;
    QTreeView *m_candidateTable = nullptr;
    QTreeView *m_tileTable = nullptr;
    QSplitter *m_splitter = nullptr;
    QWidget *m_consumerBox = nullptr;
    QComboBox *m_consumers = nullptr;
    ElidedLabel *m_tileTitle = nullptr;
    OverlapPage *m_overlap = nullptr;
    bool m_filling = false;
};

} // namespace loopscope
