#pragma once
// Which loop each split of a trial belongs to: the tile-factor columns. Trials of one sketch make the same loops and
// differ in lengths only, so the names are worked out once for each sequence of loop-making steps and shared by
// thousands of trials; the lengths are read from the trial itself whenever a cell is drawn.

#include "language/dag/compute_dag.h"
#include "schedule/packed_steps.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

class TileCatalog {
  public:
    void clear(DagPtr dag); // of another task; null: no names can be known

    /// Takes in the next trial's steps; returns its shape, a number for `split`. New columns may appear at the end.
    int add(const Steps &steps);
    /// "conv2d.ff", in the order they were first met.
    [[nodiscard]] const QStringList &columns() const { return m_columns; }
    [[nodiscard]] int find(const QString &column) const { return static_cast<int>(m_columns.indexOf(column)); }
    /// The split of that column in a trial of that shape; none when its schedule does not split that loop.
    [[nodiscard]] std::optional<SplitStep> split(int shape, const PackedSteps &steps, int column) const;

  private:
    struct Shape {
        std::vector<int> stepOf; // by column, -1 none; may be shorter than the columns
    };
    int makeShape(const Steps &steps, size_t count);
    void setStep(Shape &shape, const QString &name, int step);

    DagPtr m_dag;
    QStringList m_columns;
    std::vector<Shape> m_shapes;
    std::unordered_map<std::string, int> m_shapeOf; // by the steps that make or rename loops, lengths left out
    std::string m_key;                              // kept to spare an allocation for each trial
};

/// "1×8×16×4", outermost first; "?" where the loop's extent is not known.
QString factorsText(const SplitStep &split);
/// Trip count of part `index`, 0 = outermost; -1 when there is no such part.
int64_t factorAt(const SplitStep &split, int index);
/// Lexicographic from the outermost: how a tile column sorts. Parts that are not there come first.
int compareFactors(const SplitStep *a, const SplitStep *b);

} // namespace loopscope
