#include "views/grouping/overlap_page.h"

#include "views/actions/elided_label.h"
#include "views/session/text.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace loopscope {

QTreeView *makeTable(const QString &name, RowTableModel &model, QWidget *parent) {
    auto *table = new QTreeView(parent);
    table->setAccessibleName(name);
    table->setModel(&model);
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->setAllColumnsShowFocus(true);
    table->setAlternatingRowColors(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setSortingEnabled(true);
    table->header()->setSortIndicatorClearable(true);
    table->sortByColumn(-1, Qt::AscendingOrder);
    QObject::connect(&model, &QAbstractItemModel::modelReset, table, [table, columns = 0]() mutable {
        // As wide as their contents; again only for other columns, so that widths somebody chose stay.
        const int now = table->model()->columnCount();
        if (table->model()->rowCount() == 0 || now == columns) return;
        columns = now;
        for (int c = 0; c < now; ++c) table->resizeColumnToContents(c);
    });
    return table;
}

OverlapPage::OverlapPage(const Theme &theme, QWidget *parent)
    : QWidget(parent), m_bar(new QWidget(this)), m_across(new QComboBox(m_bar)), m_down(new QComboBox(m_bar)),
      m_magnify(new QCheckBox(tr("Widen halos"), m_bar)), m_headline(new ElidedLabel(m_bar)),
      m_splitter(new QSplitter(Qt::Horizontal, this)), m_picture(new OverlapPicture(theme, m_splitter)),
      m_model(new RowTableModel(theme, this)) {
    m_table = makeTable(tr("Regions of one tile in numbers"), *m_model, m_splitter);
    m_across->setAccessibleName(tr("Axis shown to the right"));
    m_down->setAccessibleName(tr("Axis shown downward"));
    for (QComboBox *combo : {m_across, m_down}) combo->setToolTip(combo->accessibleName());
    m_magnify->setToolTip(tr("Draw halos wider than they are where they would be too thin to see"));
    m_magnify->setChecked(true);
    m_headline->setAccessibleName(tr("Tile in short"));
    auto *bar = new QHBoxLayout(m_bar);
    bar->setContentsMargins(6, 3, 6, 3);
    bar->addWidget(new QLabel(QStringLiteral("\u2192"), m_bar));
    bar->addWidget(m_across);
    bar->addWidget(new QLabel(QStringLiteral("\u2193"), m_bar));
    bar->addWidget(m_down);
    bar->addWidget(m_magnify);
    bar->addWidget(m_headline, 1);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(m_bar);
    page->addWidget(m_splitter, 1);
    for (QComboBox *combo : {m_across, m_down})
        connect(combo, &QComboBox::currentIndexChanged, this, [this, combo] {
            if (m_filling) return;
            if (m_across->currentIndex() == m_down->currentIndex()) { // the other one makes room
                const QScopedValueRollback filling(m_filling, true);
                QComboBox *other = combo == m_across ? m_down : m_across;
                other->setCurrentIndex(combo->currentIndex() == 0 ? 1 : 0);
            }
            chooseAxes();
        });
    connect(m_magnify, &QCheckBox::toggled, m_picture, &OverlapPicture::setMagnified);
    connect(m_picture, &OverlapPicture::stageClicked, this, &OverlapPage::stageChosen);
    const auto pick = [this](const QModelIndex &index) { Q_EMIT stageChosen(m_model->numberAt(index.row())); };
    connect(m_table, &QTreeView::clicked, this, pick);
    connect(m_table, &QTreeView::activated, this, pick);
}

int OverlapPage::axisDown() const { return m_down->count() > 1 ? m_down->currentIndex() : -1; }

void OverlapPage::chooseAxes() {
    m_picture->setAxes(m_across->currentIndex(), axisDown());
    showRegions();
}

void OverlapPage::showRegions() {
    if (!m_tile) return;
    m_model->setContent(regionRows(*m_result, *m_tile, [this](int buffer) { return m_picture->colourOf(buffer); }));
    setSelected(m_selected);
}

void OverlapPage::showTile(const ShownGroupingPtr &result, std::shared_ptr<const OverlappedTile> tile, int output) {
    const Pipeline &pipeline = result->pipeline();
    const auto &axes = pipeline.stages[static_cast<size_t>(output)].axes;
    if (output != m_output || pipeline.dag != m_dag) {
        const QScopedValueRollback filling(m_filling, true);
        m_output = output;
        m_dag = pipeline.dag;
        for (QComboBox *combo : {m_across, m_down}) {
            combo->clear();
            for (const PipelineAxis &axis : axes) combo->addItem(qt(axis.name));
            combo->setVisible(axes.size() > 2);
        }
        m_across->setCurrentIndex(0);
        m_down->setCurrentIndex(axes.size() > 1 ? 1 : 0);
    }
    double most = 0;
    size_t computed = 0;
    for (const TileRegion &region : tile->regions) {
        most = std::max(most, region.repeated);
        if (!region.input && !region.inlined) ++computed;
    }
    QString text = tr("%1 of %2, %3")
                       .arg(countedText(static_cast<size_t>(tile->tiles), "tile"),
                            qt(pipeline.stages[static_cast<size_t>(output)].name),
                            tr("%1 computed for each").arg(countedText(computed, "stage")));
    if (most > 0) text += tr(", at most %1 repeated").arg(percentText(most));
    m_headline->setText(text);
    m_result = result;
    m_tile = tile;
    m_picture->showTile(result, std::move(tile), output, m_across->currentIndex(), axisDown());
    showRegions();
    m_bar->show();
}

void OverlapPage::clear() {
    m_tile.reset();
    m_result.reset();
    m_picture->clear();
    m_model->setContent({});
    m_headline->setText({});
    m_output = -1;
}

void OverlapPage::setSelected(int buffer) {
    m_selected = buffer;
    m_picture->setSelected(buffer);
    const int row = m_model->rowOf(buffer);
    m_table->setCurrentIndex(row < 0 ? QModelIndex() : m_model->index(row, 0));
}

QString OverlapPage::headline() const { return m_headline->text(); }

void OverlapPage::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    const Qt::Orientation wanted = width() > height() * 5 / 4 ? Qt::Horizontal : Qt::Vertical;
    if (m_splitter->orientation() == wanted) return;
    m_splitter->setOrientation(wanted);
    const int room = wanted == Qt::Horizontal ? m_splitter->width() : m_splitter->height();
    m_splitter->setSizes({room / 2, room / 2});
}

} // namespace loopscope
