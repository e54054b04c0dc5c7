// The tools above the picture, the find line below it, and the actions.

#include "views/sketch_tree/lineage_view.h"
#include "views/sketch_tree/sketch_tree_view.h"
#include "views/sketch_tree/tree_picture.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QSplitter>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>

namespace loopscope {

namespace {
constexpr size_t kMostExpanded = 3000; // shown by "expand all": beyond, nobody reads it
}

void SketchTreeView::makeTools() {
    m_tools = new QToolBar(this);
    m_tools->setObjectName(QStringLiteral("SketchTreeTools"));
    m_tools->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const auto box = [this](const QString &name, const QString &tip) {
        auto *combo = new QComboBox(m_tools);
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        combo->setMinimumContentsLength(12);
        combo->setAccessibleName(name);
        combo->setToolTip(tip);
        connect(combo, &QComboBox::activated, this,
                [this] { setFilter(m_stages->currentData().toString(), m_rules->currentData().toString()); });
        return combo;
    };
    m_stages = box(tr("Stage filter"), tr("Only what was tried on one stage"));
    m_rules = box(tr("Rule filter"), tr("Only where one rule was tried"));
    m_tools->addWidget(m_stages);
    m_tools->addWidget(m_rules);

    m_findBar = new QWidget(this);
    auto *row = new QHBoxLayout(m_findBar);
    row->setContentsMargins(8, 4, 8, 4);
    m_findText = new QLineEdit(m_findBar);
    m_findText->setPlaceholderText(tr("Rule, stage, reason or sketch"));
    m_findText->setClearButtonEnabled(true);
    m_findText->setAccessibleName(tr("Find in the sketch tree"));
    m_findCount = new QLabel(m_findBar);
    auto *close = new QToolButton(m_findBar);
    close->setIcon(m_context.theme.icon(QStringLiteral("close")));
    close->setText(tr("Close"));
    close->setToolTip(tipWithShortcut(tr("Close the find line"), QKeySequence(Qt::Key_Escape)));
    close->setAutoRaise(true);
    row->addWidget(m_findText, 1);
    row->addWidget(m_findCount);
    row->addWidget(close);
    m_findBar->hide();
    connect(m_findText, &QLineEdit::textChanged, this, &SketchTreeView::find);
    connect(m_findText, &QLineEdit::returnPressed, this,
            [this] { showFound(QApplication::keyboardModifiers().testFlag(Qt::ShiftModifier) ? -1 : 1); });
    connect(close, &QToolButton::clicked, this, &SketchTreeView::closeFind);
    auto *escape = new QShortcut(QKeySequence(Qt::Key_Escape), m_findBar);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, &SketchTreeView::closeFind);
}

void SketchTreeView::makeActions() {
    const QString category = tr("Sketch tree");
    const auto add = [&](const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                         const char *icon, std::function<void()> run) {
        return m_context.actions.add(
            {QStringLiteral("sketch_tree.") + QLatin1String(id), category, text, keys, tip, QLatin1String(icon), false},
            this, std::move(run));
    };
    const auto toggle = [&](const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                            const char *icon, bool on, std::function<void(bool)> run) {
        QAction *action = m_context.actions.add(
            {QStringLiteral("sketch_tree.") + QLatin1String(id), category, text, keys, tip, QLatin1String(icon), true},
            this, [] {});
        action->setChecked(on);
        connect(action, &QAction::toggled, this, std::move(run));
        return action;
    };

    Settings &settings = m_context.settings;
    m_choice.fold = settings.value(QStringLiteral("sketch_tree/fold"), true).toBool();
    m_choice.refused = settings.value(QStringLiteral("sketch_tree/refused"), true).toBool();
    QAction *clear = add("clearFilter", tr("Clear filter"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F),
                         tr("Show all stages and rules again"), "filter", [this] { setFilter({}, {}); });
    clear->setEnabled(false);
    m_tools->addAction(clear);
    m_tools->addSeparator();
    m_tools->addAction(toggle("refused", tr("Refused"), QKeySequence(Qt::Key_R),
                              tr("Show the rules that were refused, with their reasons"), "", m_choice.refused,
                              [this](bool on) {
                                  m_choice.refused = on;
                                  m_context.settings.setValue(QStringLiteral("sketch_tree/refused"), on);
                                  rebuild();
                              }));
    m_tools->addAction(toggle("reasons", tr("Reasons"), QKeySequence(Qt::SHIFT | Qt::Key_R),
                              tr("List every refused rule with its reason"), "", false, [this](bool on) {
                                  m_choice.listAll = on;
                                  m_choice.listed.clear();
                                  m_choice.unlisted.clear();
                                  rebuild();
                              }));
    m_tools->addAction(toggle("fold", tr("Fold"), QKeySequence(Qt::Key_G),
                              tr("Fold steps without a choice into one edge"), "", m_choice.fold, [this](bool on) {
                                  m_choice.fold = on;
                                  m_choice.unfolded.clear();
                                  m_context.settings.setValue(QStringLiteral("sketch_tree/fold"), on);
                                  rebuild();
                              }));
    m_tools->addSeparator();
    m_tools->addAction(add("expandAll", tr("Expand all"), QKeySequence(Qt::Key_E),
                           tr("Show everything below every state"), "expand", [this] { expandAll(); }));
    m_tools->addAction(add("collapseAll", tr("Collapse all"), QKeySequence(Qt::Key_C),
                           tr("Show only the first choice; open states one by one"), "collapse",
                           [this] { collapseAll(); }));
    for (QAction *action : m_tools->actions())
        if (auto *button = qobject_cast<QToolButton *>(m_tools->widgetForAction(action));
            button && !action->icon().isNull())
            button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    auto *room = new QWidget(m_tools);
    room->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_tools->addWidget(room);
    const bool lineage = settings.value(QStringLiteral("sketch_tree/lineage"), true).toBool();
    m_tools->addAction(toggle("lineage", tr("Lineage"), QKeySequence(Qt::Key_L),
                              tr("Show where the selected trial comes from"), "", lineage, [this](bool on) {
                                  m_lineage->setVisible(on);
                                  m_context.settings.setValue(QStringLiteral("sketch_tree/lineage"), on);
                              }));
    m_lineage->setVisible(lineage);
    add("copy", tr("Copy the tree as text"), QKeySequence::Copy, tr("One line a node, as shown"), "copy",
        [this] { QApplication::clipboard()->setText(text()); });
}

void SketchTreeView::fillFilters() {
    const auto fill = [](QComboBox *box, const QString &all, QStringList names, const QString &chosen) {
        box->clear();
        box->addItem(all, QString());
        for (const auto &name : names) box->addItem(name, name);
        box->setCurrentIndex(std::max(0, box->findData(chosen)));
    };
    fill(m_stages, tr("All stages"), m_tree.stages, m_choice.stage);
    fill(m_rules, tr("All rules"), m_tree.rules, m_choice.rule);
    if (QAction *clear = m_context.actions.find(QStringLiteral("sketch_tree.clearFilter")))
        clear->setEnabled(m_choice.filters());
}

void SketchTreeView::setFilter(const QString &stage, const QString &rule) {
    if (m_choice.stage == stage && m_choice.rule == rule) return;
    m_choice.stage = stage;
    m_choice.rule = rule;
    m_choice.unlisted.clear();
    m_choice.collapsed = collapseBeyond(m_tree, m_choice, kMostExpanded);
    fillFilters();
    rebuild();
    m_graph->showStart(m_picture->nodeRect(0));
}

void SketchTreeView::expandAll() {
    m_choice.collapsed = collapseBeyond(m_tree, m_choice, kMostExpanded);
    rebuild();
    m_graph->showStart(m_picture->nodeRect(0));
}

void SketchTreeView::collapseAll() {
    m_choice.collapsed.clear();
    TreeChoice open = m_choice;
    const ShownTree all = makeShownTree(m_tree, open);
    for (const auto &node : all.nodes)
        if (node.children.size() > 1) m_choice.collapsed.insert(node.number);
    rebuild();
    m_graph->showStart(m_picture->nodeRect(0));
}

// --- Find
// -------------------------------------------------------------------------------------------------------------

void SketchTreeView::startFind() {
    m_findBar->show();
    m_findText->setFocus(Qt::ShortcutFocusReason);
    m_findText->selectAll();
    find(m_findText->text());
}

void SketchTreeView::closeFind() {
    const bool had = m_findText->hasFocus();
    m_findBar->hide();
    m_found.clear();
    m_foundNow = -1;
    if (had) m_graph->setFocus();
    mark();
}

void SketchTreeView::find(const QString &text) {
    m_found.clear();
    m_foundNow = -1;
    const QString wanted = text.trimmed();
    const auto has = [&](const QString &where) { return where.contains(wanted, Qt::CaseInsensitive); };
    if (!wanted.isEmpty())
        for (const auto &node : m_tree.nodes) {
            if ((node.parent >= 0 && (has(ruleText(node)) || has(node.by.reason) || has(node.by.rule))) ||
                (node.sketch >= 0 && has(QStringLiteral("sketch %1").arg(node.sketch))))
                m_found.push_back({node.number, false});
            else if (m_choice.refused && std::any_of(node.refused.begin(), node.refused.end(),
                                                     [&](const RuleTried &tried) { return has(refusalText(tried)); }))
                m_found.push_back({node.number, true});
        }
    m_findCount->setText(wanted.isEmpty()  ? QString()
                         : m_found.empty() ? tr("nothing found")
                                           : tr("%1 found").arg(m_found.size()));
    mark();
    if (!m_found.empty()) showFound(1);
}

void SketchTreeView::showFound(int direction) {
    if (m_found.empty()) return;
    const int count = static_cast<int>(m_found.size());
    m_foundNow = m_foundNow < 0 ? (direction > 0 ? 0 : count - 1) : (m_foundNow + direction + count) % count;
    const Found &found = m_found[static_cast<size_t>(m_foundNow)];
    bool changed = false;
    for (const int above : m_tree.pathTo(found.number))
        if (above != found.number) changed = m_choice.collapsed.erase(above) > 0 || changed;
    if (found.refused && !m_choice.listAll && !m_choice.filters()) {
        changed = m_choice.listed.insert(found.number).second || changed;
        const int index = indexOf(found.number);
        if (index >= 0 && m_shown.nodes[static_cast<size_t>(index)].number != found.number) {
            const auto &steps = m_shown.nodes[static_cast<size_t>(index)].steps;
            m_choice.unfolded.insert(steps.begin(), steps.end());
            changed = true;
        }
    }
    if (changed) rebuild();
    m_findCount->setText(tr("%1 of %2").arg(m_foundNow + 1).arg(count));
    m_current = found.number;
    mark();
    if (const int index = indexOf(found.number); index >= 0) m_graph->reveal(m_picture->nodeRect(index));
}

} // namespace loopscope
