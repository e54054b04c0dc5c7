#include "views/sketch_tree/reasons_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QShortcut>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

namespace loopscope {

namespace {

enum ReasonColumn { RuleOfReason, WordsOfReason, ReasonColumns };
constexpr int kStagesRole = Qt::UserRole;

std::vector<ReasonRow> refusalsOfAll(const DerivationTree &tree) {
    std::map<std::pair<QString, QString>, size_t> places; // rule and reason -> row
    std::vector<std::pair<int, ReasonRow>> rows;
    for (const DerivationNode &node : tree.nodes)
        for (const RuleTried &tried : node.refused) {
            const auto [place, isNew] = places.try_emplace({tried.rule, tried.reason}, rows.size());
            if (isNew) rows.push_back({0, {false, tried.rule, {}, {}, tried.reason}});
            auto &[times, row] = rows[place->second];
            ++times;
            if (!row.allStages.contains(tried.stage)) row.allStages << tried.stage;
        }
    std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    std::vector<ReasonRow> sorted;
    for (auto &[times, row] : rows) sorted.push_back(std::move(row));
    return sorted;
}

} // namespace

std::vector<ReasonRow> reasonRows(const DerivationTree &tree, const ShownTree &shown, int index) {
    std::vector<ReasonRow> rows;
    if (index < 0) {
        rows = refusalsOfAll(tree);
    } else {
        const auto add = [&rows](const RuleTried &tried, bool applied) {
            rows.push_back({applied, tried.rule, {}, {tried.stage}, tried.reason});
        };
        const ShownNode &at = shown.nodes[static_cast<size_t>(index)];
        for (const int step : at.steps) { // what was asked of a state on the way, and what then came of it
            const DerivationNode &node = tree.nodes[static_cast<size_t>(step)];
            add(node.by, true);
            if (step != at.number)
                for (const RuleTried &tried : node.refused) add(tried, false);
        }
        const DerivationNode &own = tree.nodes[static_cast<size_t>(at.number)];
        for (const RuleTried &tried : own.refused) add(tried, false);
        int before = -1; // several ways of one rule are told once
        for (const int child : own.children) {
            const DerivationNode &next = tree.nodes[static_cast<size_t>(child)];
            if (before >= 0 && next.by.rule == tree.nodes[static_cast<size_t>(before)].by.rule &&
                next.by.stage == tree.nodes[static_cast<size_t>(before)].by.stage)
                continue;
            add(next.by, true);
            before = child;
        }
    }
    for (ReasonRow &row : rows) row.stages = someNames(row.allStages);
    return rows;
}

ReasonsPanel::ReasonsPanel(Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_title(new QLabel(this)), m_list(new QTreeWidget(this)) {
    setObjectName(QStringLiteral("ReasonsPanel"));
    setAccessibleName(tr("Why rules were applied or refused"));
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setWordWrap(true);
    m_title->setContentsMargins(8, 6, 8, 4);
    m_list->setAccessibleName(tr("Rules tried, with their reasons"));
    m_list->setColumnCount(ReasonColumns);
    m_list->setHeaderLabels({tr("Rule and stage"), tr("Why, or why not")});
    m_list->setRootIsDecorated(false);
    m_list->setWordWrap(true);
    m_list->setTextElideMode(Qt::ElideNone);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->header()->setSectionResizeMode(QHeaderView::Fixed);
    m_list->header()->setStretchLastSection(true);
    m_list->viewport()->installEventFilter(this);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_title);
    layout->addWidget(m_list, 1);
    setMinimumWidth(22 * fontMetrics().averageCharWidth());
    connect(m_list, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem *item) {
        const QStringList stages = item->data(RuleOfReason, kStagesRole).toStringList();
        if (stages.size() == 1) Q_EMIT stageChosen(stages.front());
    });
    auto *copy = new QShortcut(QKeySequence::Copy, m_list, nullptr, nullptr, Qt::WidgetShortcut);
    connect(copy, &QShortcut::activated, this, [this] { QApplication::clipboard()->setText(text()); });
    connect(&theme, &Theme::changed, this, &ReasonsPanel::fill);
}

QSize ReasonsPanel::sizeHint() const { return {46 * fontMetrics().averageCharWidth(), 20 * fontMetrics().height()}; }

void ReasonsPanel::show(const DerivationTree &tree, const ShownTree &shown, int index) {
    m_rows = reasonRows(tree, shown, index);
    if (index < 0) {
        m_title->setText(m_rows.empty() ? tr("No rule was refused") : tr("All that was refused"));
    } else {
        const DerivationNode &node = tree.nodes[static_cast<size_t>(shown.nodes[static_cast<size_t>(index)].number)];
        m_title->setText(node.sketch >= 0  ? tr("Tried on the way to sketch %1").arg(node.sketch)
                         : node.parent < 0 ? tr("Tried on the naive schedule")
                                           : tr("Tried at state %1").arg(node.number));
    }
    fill();
}

void ReasonsPanel::fill() {
    m_list->clear();
    QList<QTreeWidgetItem *> items;
    for (const ReasonRow &row : m_rows) {
        auto *item = new QTreeWidgetItem({row.rule + u'\n' + row.stages, row.reason});
        item->setData(RuleOfReason, kStagesRole, row.allStages);
        item->setToolTip(RuleOfReason, row.allStages.join(u'\n'));
        item->setToolTip(WordsOfReason, (row.applied ? tr("Applied: %1") : tr("Refused: %1")).arg(row.reason));
        item->setForeground(RuleOfReason, m_theme.color(row.applied ? Role::Good : Role::Text));
        item->setForeground(WordsOfReason, m_theme.color(row.applied ? Role::Good : Role::QuietText));
        for (int column = 0; column < ReasonColumns; ++column)
            item->setTextAlignment(column, Qt::AlignLeft | Qt::AlignTop);
        items << item;
    }
    m_list->addTopLevelItems(items);
}

QString ReasonsPanel::text() const {
    QString text;
    for (const ReasonRow &row : m_rows)
        text += QStringLiteral("%1\t%2\t%3\t%4\n")
                    .arg(row.applied ? tr("applied") : tr("refused"), row.rule,
                         row.allStages.join(QStringLiteral(", ")), row.reason);
    return text;
}

bool ReasonsPanel::eventFilter(QObject *watched, QEvent *event) {
    if (watched == m_list->viewport() && event->type() == QEvent::Resize) {
        // Names need a third; reasons wrap in the rest, and rows are as tall as that makes them.
        m_list->header()->resizeSection(RuleOfReason, m_list->viewport()->width() * 4 / 10);
        m_list->doItemsLayout();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace loopscope
