#pragma once
// The numbers beside the picture of tiles: levels with their counts and sizes, what is kept where, how often what was
// fetched is read. A row that stands for a loop says which.

#include "language/target/target.h"
#include "views/actions/table_model.h"
#include "views/tiles/tile_picture.h"

namespace loopscope {

struct TileFact {
    QString what;  // "Threads"
    QString count; // "256"
    QString tile;  // "4 × 2 each"
    QString note;  // loops, or what else is known
    QString tip;
    Role role = Role::Text;
    bool warning = false;
    std::vector<TileLoopRef> loops;
};

std::vector<TileFact> tileFacts(const KernelTiles &kernel, const Target &target);
/// One line for the head: "1,024 blocks of 256 threads, 64 elements each, 16.0 KiB shared".
QString tileSummary(const KernelTiles &kernel);

class TileFactModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { WhatColumn, CountColumn, TileColumn, NoteColumn, ColumnCount };

    explicit TileFactModel(Theme &theme, QObject *parent = nullptr);
    void setFacts(std::vector<TileFact> facts);
    [[nodiscard]] const std::vector<TileFact> &facts() const { return m_facts; }
    /// The first row that stands for the loop; -1 none.
    [[nodiscard]] int rowOf(const TileLoopRef &loop) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    Theme &m_theme;
    std::vector<TileFact> m_facts;
};

} // namespace loopscope
