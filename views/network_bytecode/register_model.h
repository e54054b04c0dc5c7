#pragma once
// The registers of a call that hold something: which value of the network that is, its type, and its first numbers.

#include "deploy/vm/stepper.h"
#include "views/actions/table_model.h"
#include "views/settings/theme.h"

#include <QString>

#include <vector>

namespace loopscope {

struct HeldRegister {
    char kind = 't';
    int number = 0;
    QString holds; // "x of conv1", "dim n"
    QString type;
    QString value;
    SharedTensor tensor; // null: an integer or a stack
    bool operator==(const HeldRegister &) const = default;
    [[nodiscard]] QString name() const;
};

/// Of a call that is not over, counted from `main`.
std::vector<HeldRegister> registersOf(const Stepper &stepper, size_t call);
/// What main hands out, once it is over: in the order of its results.
std::vector<HeldRegister> resultsOf(const Stepper &stepper);

class RegisterModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { RegisterColumn, HoldsColumn, TypeColumn, ValueColumn, ColumnCount };

    explicit RegisterModel(const Theme &theme, QObject *parent = nullptr);

    /// Those that were there before and hold something else stand out.
    void show(std::vector<HeldRegister> registers);
    /// Null for a row that is not there.
    [[nodiscard]] const HeldRegister *at(int row) const;
    /// -1: it holds nothing.
    [[nodiscard]] int rowOf(const QString &name) const;
    [[nodiscard]] bool isNew(int row) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    const Theme &m_theme;
    std::vector<HeldRegister> m_registers;
    std::vector<uint8_t> m_new;
};

} // namespace loopscope
