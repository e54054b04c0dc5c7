#include "views/actions/row_table.h"

#include <QHeaderView>

namespace loopscope {

namespace {

constexpr int kRowSpace = 6; // above and below the letters together

} // namespace

void makeRowTable(QTableView &table, RowSelection selection) {
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(selection == RowSelection::One ? QAbstractItemView::SingleSelection
                                                          : QAbstractItemView::ExtendedSelection);
    table.setTabKeyNavigation(false);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setFrameShape(QFrame::NoFrame);
    table.verticalHeader()->hide();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed); // else each of a million rows is asked
    table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + kRowSpace);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setStretchLastSection(true);
}

void setColumnLetters(QTableView &table, std::initializer_list<int> letters) {
    const int letter = table.fontMetrics().averageCharWidth();
    int column = 0;
    for (const int count : letters) table.setColumnWidth(column++, count * letter);
}

} // namespace loopscope
