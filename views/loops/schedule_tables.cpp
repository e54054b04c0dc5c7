#include "views/loops/schedule_tables.h"

#include "views/loops/step_list_model.h"
#include "views/loops/storage_model.h"
#include "views/loops/table_text.h"

#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {

/// Its rows follow the selection; its columns stay where the user has them.
class FollowingTable final : public QTableView {
  public:
    using QTableView::QTableView;
    void scrollTo(const QModelIndex &index, ScrollHint hint = EnsureVisible) override {
        const int across = horizontalScrollBar()->value();
        QTableView::scrollTo(index, hint);
        horizontalScrollBar()->setValue(across);
    }
};

QTableView *makeTable(QAbstractItemModel *model, const QString &name, QWidget *parent) {
    auto *table = new FollowingTable(parent);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setModel(model);
    table->setAccessibleName(name);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setFrameShape(QFrame::NoFrame);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

QModelIndexList sortedRows(const QTableView &table) {
    QModelIndexList rows = table.selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    return rows;
}

} // namespace

ScheduleTables::ScheduleTables(Theme &theme, QWidget *parent)
    : QTabWidget(parent), m_theme(theme), m_steps(new StepListModel(theme, this)),
      m_storage(new StorageModel(theme, this)) {
    setDocumentMode(true);
    auto *stepPage = new QWidget(this);
    auto *stepColumn = new QVBoxLayout(stepPage);
    stepColumn->setContentsMargins(0, 0, 0, 0);
    m_stepTable = makeTable(m_steps, QStringLiteral("Steps of the schedule"), stepPage);
    m_noSteps =
        new QLabel(QStringLiteral("The naive schedule has no steps. Choose a sketch or a trial above."), stepPage);
    m_noSteps->setAlignment(Qt::AlignCenter);
    m_noSteps->setWordWrap(true);
    stepColumn->addWidget(m_stepTable);
    stepColumn->addWidget(m_noSteps);
    m_storageTable = makeTable(m_storage, QStringLiteral("Buffers of the schedule"), this);
    addTab(stepPage, QStringLiteral("Steps"));
    addTab(m_storageTable, QStringLiteral("Storage"));

    const auto step = [this](const QModelIndex &index) {
        // Going to the table by Tab makes a row current, but chooses none.
        if (!m_following && m_stepTable->selectionModel()->isSelected(index)) Q_EMIT stepPicked(index.row());
    };
    connect(m_stepTable, &QTableView::clicked, this, step);
    connect(m_stepTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this, step);
    connect(m_storageTable, &QTableView::clicked, this, [this](const QModelIndex &index) {
        Q_EMIT storagePicked(m_storage->facts()[static_cast<size_t>(index.row())]);
    });
}

void ScheduleTables::show(std::vector<StepLine> steps, std::vector<StorageFact> storage) {
    const QScopedValueRollback<bool> following(m_following, true);
    m_steps->setSteps(std::move(steps));
    m_storage->setFacts(std::move(storage));
    m_stepTable->resizeColumnsToContents();
    // A reorder names every loop; in full they stand in the tooltip, and must not push the parameters out of sight.
    const int most = fontMetrics().averageCharWidth() * 18;
    m_stepTable->setColumnWidth(StepListModel::LoopColumn,
                                std::min(most, m_stepTable->columnWidth(StepListModel::LoopColumn)));
    m_storageTable->resizeColumnsToContents();
    m_noSteps->setVisible(m_steps->steps().empty());
    m_stepTable->setVisible(!m_steps->steps().empty());
    setTabText(0, m_steps->steps().empty() ? QStringLiteral("Steps")
                                           : QStringLiteral("Steps (%1)").arg(m_steps->steps().size()));
    setTabText(1, m_storage->facts().empty() ? QStringLiteral("Storage")
                                             : QStringLiteral("Storage (%1)").arg(m_storage->facts().size()));
}

void ScheduleTables::follow(const std::vector<int> &steps, const QString &stage, int current) {
    const QScopedValueRollback<bool> following(m_following, true);
    m_steps->setMarked(steps);
    m_storage->setMarkedStage(stage);
    const QModelIndex step = current >= 0 ? m_steps->index(current, 0) : QModelIndex();
    if (step.isValid() && m_stepTable->currentIndex().row() != step.row()) m_stepTable->setCurrentIndex(step);
    if (!step.isValid()) m_stepTable->selectionModel()->clear();
    if (!steps.empty()) m_stepTable->scrollTo(m_steps->index(steps.front(), 0));
}

bool ScheduleTables::tableHasFocus() const { return m_storageTable->hasFocus() || m_stepTable->hasFocus(); }

QString ScheduleTables::chosenRows() const {
    if (m_storageTable->hasFocus()) return tableText(*m_storage, sortedRows(*m_storageTable), TableFormat::Tsv);
    if (m_stepTable->hasFocus()) return tableText(*m_steps, sortedRows(*m_stepTable), TableFormat::Tsv);
    return {};
}

void ScheduleTables::restyle() {
    m_noSteps->setStyleSheet(QStringLiteral("color: %1").arg(m_theme.color(Role::QuietText).name()));
    const int height = QFontMetrics(m_theme.codeFont()).height() + 6;
    for (QTableView *table : {m_stepTable, m_storageTable}) table->verticalHeader()->setDefaultSectionSize(height);
}

} // namespace loopscope
