#pragma once
// A program as a table: its functions one below the other, a row for each instruction, with places to stop, the
// instruction that is next, and those that wait for a call.

#include "deploy/vm/stepper.h"
#include "views/actions/table_model.h"
#include "views/settings/theme.h"

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace loopscope {

class BytecodeModel : public TableModel {
    Q_OBJECT

  public:
    enum Column { StopColumn, NumberColumn, InstructionColumn, NodeColumn, ColumnCount };

    explicit BytecodeModel(const Theme &theme, QObject *parent = nullptr);

    /// Null: none.
    void show(std::shared_ptr<const Program> program);
    void setStops(const std::set<CodePlace> &stops);
    /// The calls that are not over, outermost first; the last one is what is next.
    void setCalls(std::vector<CodePlace> calls);

    /// Nothing for the row of a function.
    [[nodiscard]] std::optional<CodePlace> placeOf(int row) const;
    [[nodiscard]] int rowOf(CodePlace place) const;
    /// Nodes of the network's file that the row's instruction is for.
    [[nodiscard]] std::set<std::string> sourcesOf(int row) const;
    /// "main:4, conv 'stem'".
    [[nodiscard]] QString placeText(CodePlace place) const;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

  private:
    [[nodiscard]] int rowsShown() const override;
    struct Row {
        size_t function = 0;
        int at = -1; // -1: its head
    };
    void repaint();
    [[nodiscard]] QString text(const Row &row, int column) const;
    [[nodiscard]] QVariant markOf(const Row &row) const;
    [[nodiscard]] const Node *nodeOf(const Row &row) const;

    const Theme &m_theme;
    std::shared_ptr<const Program> m_program;
    std::vector<Row> m_rows;
    std::vector<int> m_heads; // by function
    std::set<CodePlace> m_stops;
    std::vector<CodePlace> m_calls;
};

/// "kernel: an operator of the network"; what instructions of that kind do, in one sentence.
QString opcodeText(Opcode opcode);

} // namespace loopscope
