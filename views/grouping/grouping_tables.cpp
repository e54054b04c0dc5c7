#include "views/grouping/grouping_tables.h"

#include "views/actions/elided_label.h"
#include "views/session/text.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace loopscope {

GroupingTables::GroupingTables(const Theme &theme, QWidget *parent)
    : QTabWidget(parent), m_roundModel(new RowTableModel(theme, this)),
      m_candidateModel(new RowTableModel(theme, this)), m_tileModel(new RowTableModel(theme, this)) {
    setDocumentMode(true);
    m_overlap = new OverlapPage(theme, this);
    addTab(m_overlap, tr("One tile"));
    setTabToolTip(0, tr("Which regions the stages of a group compute for one tile, and what of it is repeated"));
    addTab(makeCandidates(theme), tr("Possible merges"));
    setTabToolTip(1, tr("What could be merged in the round shown, and the tiles that were weighed for it"));
    m_roundTable = makeTable(tr("Rounds"), *m_roundModel, this);
    addTab(m_roundTable, tr("Rounds"));
    setTabToolTip(2, tr("Every round with the merge it did"));
    connect(m_roundTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &now) {
                const int place = m_roundModel->numberAt(now.row());
                if (!m_filling && place > 0) Q_EMIT placeChosen(static_cast<size_t>(place));
            });
    connect(m_candidateTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this] { chooseCandidate(); });
    connect(m_consumers, &QComboBox::currentIndexChanged, this, [this] {
        if (!m_filling) showConsumer();
    });
}

QWidget *GroupingTables::makeCandidates(const Theme & /*theme*/) {
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_candidateTable = makeTable(tr("Possible merges of the round"), *m_candidateModel, m_splitter);
    auto *side = new QWidget(m_splitter);
    m_tileTitle = new ElidedLabel(side);
    m_tileTitle->setAccessibleName(tr("Whose tiles"));
    m_consumerBox = new QWidget(side);
    m_consumers = new QComboBox(m_consumerBox);
    m_consumers->setAccessibleName(tr("Consumer"));
    m_consumers->setToolTip(tr("In which of the groups it would go to"));
    auto *choice = new QHBoxLayout(m_consumerBox);
    choice->setContentsMargins(0, 0, 0, 0);
    choice->addWidget(new QLabel(tr("into"), m_consumerBox));
    choice->addWidget(m_consumers);
    m_consumerBox->hide();
    auto *head = new QHBoxLayout;
    head->setContentsMargins(6, 3, 6, 3);
    head->addWidget(m_tileTitle, 1);
    head->addWidget(m_consumerBox);
    m_tileTable = makeTable(tr("Tiles weighed for the merge"), *m_tileModel, side);
    auto *column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_tileTable, 1);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    return m_splitter;
}

void GroupingTables::clear() {
    const QScopedValueRollback filling(m_filling, true);
    m_result.reset();
    m_weighed.clear();
    for (RowTableModel *model : {m_roundModel, m_candidateModel, m_tileModel}) model->setContent({});
    m_overlap->clear();
}

void GroupingTables::showRounds(const ShownGroupingPtr &result) {
    const QScopedValueRollback filling(m_filling, true);
    m_result = result;
    m_roundModel->setContent(roundRows(*result));
}

void GroupingTables::showPlace(size_t place) {
    if (!m_result) return;
    {
        const QScopedValueRollback filling(m_filling, true);
        m_place = place;
        const int row = m_roundModel->rowOf(static_cast<int>(place));
        m_roundTable->setCurrentIndex(row < 0 ? QModelIndex() : m_roundModel->index(row, 0));
        m_candidateModel->setContent(candidateRows(*m_result, place));
        int chosen = -1;
        if (place > 0 && place <= m_result->grouping.rounds.size()) {
            const GroupingRound &round = m_result->grouping.rounds[place - 1];
            chosen = round.best;
            if (chosen < 0 && !round.candidates.empty()) // the nearest to being worth it
                chosen = static_cast<int>(std::ranges::max_element(round.candidates, {},
                                                                   [](const GroupMerge &merge) {
                                                                       return merge.benefit.value_or(
                                                                           std::numeric_limits<int64_t>::min());
                                                                   }) -
                                          round.candidates.begin());
        }
        const int at = m_candidateModel->rowOf(chosen);
        m_candidateTable->setCurrentIndex(at < 0 ? QModelIndex() : m_candidateModel->index(at, 0));
    }
    chooseCandidate();
}

int GroupingTables::candidate() const { return m_candidateModel->numberAt(m_candidateTable->currentIndex().row()); }

void GroupingTables::chooseCandidate() {
    if (m_filling) return;
    if (candidate() >= 0) {
        Q_EMIT candidateChosen(candidate());
        return;
    }
    m_weighed.clear();
    m_tileModel->setContent({});
    m_consumerBox->hide();
    m_tileTitle->setText(m_place == 0 ? tr("No round has been shown yet; go to the next one")
                                      : tr("There was nothing to choose from"));
}

void GroupingTables::showTiles(std::vector<WeighedGroup> weighed) {
    m_weighed = std::move(weighed);
    {
        const QScopedValueRollback filling(m_filling, true);
        m_consumers->clear();
        for (const WeighedGroup &one : m_weighed)
            m_consumers->addItem(qt(m_result->pipeline().nodeName(one.after.output)));
        m_consumerBox->setVisible(m_weighed.size() > 1);
    }
    showConsumer();
}

void GroupingTables::showConsumer() {
    const auto number = static_cast<size_t>(std::max(0, m_consumers->currentIndex()));
    if (number >= m_weighed.size() || candidate() < 0) return;
    const WeighedGroup &weighed = m_weighed[number];
    m_tileModel->setContent(tileRows(*m_result, weighed));
    const GroupMerge &merge = m_result->grouping.rounds[m_place - 1].candidates[static_cast<size_t>(candidate())];
    const QString stage = stageName(m_result->pipeline(), merge.producer);
    m_tileTitle->setText(merge.inlining ? tr("%1 inlined: inlining is weighed at one point, without tiles").arg(stage)
                                        : tr("%1 of the group of %2 with %3")
                                              .arg(countedText(weighed.tiles.size(), "tile"),
                                                   qt(m_result->pipeline().nodeName(weighed.after.output)), stage));
    const int row = m_tileModel->rowOf(static_cast<int>(weighed.best));
    if (row >= 0) m_tileTable->scrollTo(m_tileModel->index(row, 0));
}

QString GroupingTables::tileTitle() const { return m_tileTitle->text(); }

void GroupingTables::resizeEvent(QResizeEvent *event) {
    QTabWidget::resizeEvent(event);
    const Qt::Orientation wanted = width() > height() * 3 / 2 ? Qt::Horizontal : Qt::Vertical;
    if (m_splitter->orientation() == wanted) return;
    m_splitter->setOrientation(wanted);
    const int room = wanted == Qt::Horizontal ? m_splitter->width() : m_splitter->height();
    m_splitter->setSizes({room / 2, room / 2});
}

} // namespace loopscope
