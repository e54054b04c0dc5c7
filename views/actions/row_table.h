#pragma once
// A table whose rows are the things one works with: whole rows selected, no grid, no numbers at the left, rows as high
// as a line of text, the last column as wide as what is left. Tab goes on to the next part of the window.

#include <QTableView>

#include <cstdint>
#include <initializer_list>

namespace loopscope {

enum class RowSelection : uint8_t { One, Several };

void makeRowTable(QTableView &table, RowSelection selection);
/// Of the first columns, in average letters of the table's font.
void setColumnLetters(QTableView &table, std::initializer_list<int> letters);

} // namespace loopscope
