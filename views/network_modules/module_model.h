#pragma once
// Modules with their functions and constants as a tree of two levels.

#include "views/network_modules/inspected_program.h"
#include "views/settings/theme.h"

#include <QAbstractItemModel>

namespace loopscope {

class ModuleModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column { Name, Bytes, Calls, Origin, Signature, ColumnCount };
    enum DataRole { SortRole = Qt::UserRole };

    explicit ModuleModel(const Theme &theme, QObject *parent = nullptr) : QAbstractItemModel(parent), m_theme(theme) {}

    /// Null: none.
    void show(InspectedProgramPtr program);
    [[nodiscard]] const InspectedProgramPtr &program() const { return m_program; }
    [[nodiscard]] const InspectedModule *moduleAt(const QModelIndex &index) const; // it is in; null: none
    /// Null for modules and constants.
    [[nodiscard]] const InspectedFunction *functionAt(const QModelIndex &index) const;
    /// Of the first kernel that computes one of the nodes; invalid: none does.
    [[nodiscard]] QModelIndex kernelOf(const std::set<std::string> &sources) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &index) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] const InspectedConstant *constantAt(const QModelIndex &index) const;
    [[nodiscard]] QString moduleText(const InspectedModule &module, int column) const;
    [[nodiscard]] QString text(const QModelIndex &index) const;
    [[nodiscard]] double number(const QModelIndex &index) const; // negative: it is a text

    const Theme &m_theme;
    InspectedProgramPtr m_program;
};

} // namespace loopscope
