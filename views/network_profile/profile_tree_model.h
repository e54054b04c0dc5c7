#pragma once
// The kernels of a run by the levels of the layers that they compute: what each level takes altogether, down to the
// kernels. A kernel that computes layers of several levels counts in the level that holds all of them, and once.

#include "views/network_profile/profile_model.h"

#include <QAbstractItemModel>

#include <map>
#include <memory>

namespace loopscope {

class ProfileTreeModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column { Layer, Kernel, Time, Share, Speed, ColumnCount };
    /// Whole: the display text, but a layer with all the levels around it.
    enum DataRole { SortRole = Qt::UserRole, WholeRole };

    /// Follows the kernels of that model.
    explicit ProfileTreeModel(const ProfileModel &kernels, QObject *parent = nullptr);

    /// Kernels in it, rows of the other model, in the order in which they run; of a kernel itself.
    [[nodiscard]] std::vector<int> rowsOf(const QModelIndex &index) const;
    [[nodiscard]] QModelIndex indexOf(int row) const; // of a kernel
    /// Whether names of layers make levels.
    [[nodiscard]] bool hasLevels() const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &index) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    struct Entry { // a level, or a kernel
        QString name;
        QString whole;     // with the levels around it
        size_t parent = 0; // of m_entries
        int position = 0;  // in its parent
        std::vector<size_t> inside;
        int row = -1; // of a kernel
        size_t kernels = 0;
        double seconds = 0;
        double counted = 0; // seconds of kernels whose FLOPs are known
        double flops = 0;   // of these
    };
    struct Level;
    void build();
    void add(const Level &level, size_t parent);
    void sum(size_t at);
    [[nodiscard]] const Entry &at(const QModelIndex &index) const;
    [[nodiscard]] double number(const Entry &entry, int column) const; // negative: none
    [[nodiscard]] QString text(const Entry &entry, int column) const;
    [[nodiscard]] QString tip(const Entry &entry) const;

    const ProfileModel &m_kernels;
    std::vector<Entry> m_entries; // the root first
    std::vector<size_t> m_byRow;
};

} // namespace loopscope
