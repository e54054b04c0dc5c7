// The tools above the picture, the find line below it, and the actions.

#include "views/sketch_tree/lineage_view.h"
#include "views/sketch_tree/sketch_tree_view.h"
#include "views/sketch_tree/tree_picture.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QShortcut>
#include <QSplitter>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>
#include <map>

namespace loopscope {

namespace {
constexpr size_t kMostExpanded = 1000; // shown by "expand all": beyond, nobody reads it
}

void SketchTreeView::makeTools() {
    m_tools = new QToolBar(this);
    m_tools->setObjectName(QStringLiteral("SketchTreeTools"));
    m_tools->setIconSize({16, 16});
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
        QAction *action = m_context.actions.add(
            {QStringLiteral("sketch_tree.") + QLatin1String(id), category, text, keys, tip, QLatin1String(icon), false},
            this, std::move(run));
        if (*icon) action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    const auto toggle = [&](const char *id, const QString &text, const QKeySequence &keys, const QString &tip, bool on,
                            std::function<void(bool)> run) {
        QAction *action = m_context.actions.add(
            {QStringLiteral("sketch_tree.") + QLatin1String(id), category, text, keys, tip, {}, true}, this, [] {});
        action->setChecked(on);
        connect(action, &QAction::toggled, this, std::move(run));
        return action;
    };

    Settings &settings = m_context.settings;
    m_choice.fold = settings.value(QStringLiteral("sketch_tree/fold"), true).toBool();
    m_choice.refused = settings.value(QStringLiteral("sketch_tree/refused"), true).toBool();
    QAction *clear = add("clearFilter", tr("Clear filter"), {}, tr("Show all stages and rules again"), "filter",
                         [this] { setFilter({}, {}); });
    m_tools->addAction(clear);
    m_tools->addSeparator();
    m_tools->addAction(add("fit", tr("Fit"), {}, tr("Show the whole tree"), "zoom-fit", [this] { zoomToFit(); }));
    m_tools->addAction(add("find", tr("Find"), {}, tr("Find a rule, a stage, a reason or a sketch (Ctrl+F)"), "find",
                           [this] { startFind(); }));
    m_tools->addAction(add("expandAll", tr("Expand all"), QKeySequence(Qt::Key_E),
                           tr("Show everything below every state"), "expand", [this] { expandAll(); }));
    m_tools->addAction(add("collapseAll", tr("Collapse all"), QKeySequence(Qt::SHIFT | Qt::Key_E),
                           tr("Close every state that several rules applied to"), "collapse",
                           [this] { collapseAll(); }));
    auto *exports = new QMenu(tr("Export"), this);
    for (const QString &suffix : exportSuffixes()) {
        const QByteArray id = "export." + suffix.toLatin1();
        exports->addAction(add(id.constData(), tr("Export as %1 \u2026").arg(suffix.toUpper()), {},
                               tr("Write the tree as it is shown to a file"), "export",
                               [this, suffix] { askForExport(suffix); }));
    }
    QAction *exportMenu = m_tools->addAction(m_context.theme.icon(QStringLiteral("export")), tr("Export"));
    exportMenu->setToolTip(tr("Write the tree as it is shown to a file"));
    exportMenu->setMenu(exports);
    // Names stay on what is switched on and off; the rest is known by its picture.
    for (QAction *action : m_tools->actions())
        if (auto *button = qobject_cast<QToolButton *>(m_tools->widgetForAction(action))) {
            button->setToolButtonStyle(Qt::ToolButtonIconOnly);
            button->setPopupMode(QToolButton::InstantPopup);
        }
    m_tools->addSeparator();
    m_tools->addAction(toggle("fold", tr("Fold"), QKeySequence(Qt::Key_C),
                              tr("Draw steps without a choice as one edge"), m_choice.fold, [this](bool on) {
                                  m_choice.fold = on;
                                  m_choice.unfolded.clear();
                                  m_context.settings.setValue(QStringLiteral("sketch_tree/fold"), on);
                                  rebuild();
                              }));
    m_tools->addAction(toggle("refused", tr("Refused"), QKeySequence(Qt::Key_R), tr("Show the rules that were refused"),
                              m_choice.refused, [this](bool on) {
                                  m_choice.refused = on;
                                  m_context.settings.setValue(QStringLiteral("sketch_tree/refused"), on);
                                  m_context.actions.find(QStringLiteral("sketch_tree.reasons"))->setEnabled(on);
                                  rebuild();
                              }));
    QAction *reasons = toggle("reasons", tr("List all reasons"), QKeySequence(Qt::SHIFT | Qt::Key_R),
                              tr("List every refused rule with its reason in the picture"), false, [this](bool on) {
                                  m_choice.listAll = on;
                                  m_choice.listed.clear();
                                  m_choice.unlisted.clear();
                                  rebuild();
                              });
    reasons->setEnabled(m_choice.refused);
    const bool panel = settings.value(QStringLiteral("sketch_tree/reasons_panel"), false).toBool();
    m_reasonsAction = toggle("reasons_panel", tr("Reasons"), QKeySequence(Qt::Key_Y),
                             tr("Show beside the tree why rules were applied or refused"), panel, [this](bool on) {
                                 m_context.settings.setValue(QStringLiteral("sketch_tree/reasons_panel"), on);
                                 m_reasonsOf = -2;
                                 showReasons();
                             });
    m_tools->addAction(m_reasonsAction);
    const bool lineage = settings.value(QStringLiteral("sketch_tree/lineage"), true).toBool();
    m_showLineage = toggle("lineage", tr("Lineage"), QKeySequence(Qt::Key_L),
                           tr("Show where the selected trial comes from"), lineage, [this](bool on) {
                               m_context.settings.setValue(QStringLiteral("sketch_tree/lineage"), on);
                               showLineage();
                           });
    m_tools->addAction(m_showLineage);
    showLineage();
    add("copy", tr("Copy the tree as text"), QKeySequence::Copy, tr("One line a node, as shown"), "copy",
        [this] { QApplication::clipboard()->setText(text()); });
}

void SketchTreeView::showLineage() {
    const Document *document = m_context.session.document();
    const bool some = document && !document->trials.empty();
    m_showLineage->setEnabled(some); // without trials there is nothing it could show, and the tree needs the room
    m_lineage->setVisible(some && m_showLineage->isChecked());
    showReasons();
}

void SketchTreeView::askForExport(const QString &suffix) {
    const Document *document = m_context.session.document();
    auto *dialog = new QFileDialog(this, tr("Export the sketch tree"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->selectFile(
        QStringLiteral("%1-sketches.%2").arg(document ? document->name : QStringLiteral("task"), suffix));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        if (const QString problem = exportTo(path); problem.isEmpty())
            m_context.session.messages().note(tr("The sketch tree is in %1").arg(path));
        else
            m_context.session.messages().fail(problem);
    });
    dialog->open();
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
    showStart();
}

void SketchTreeView::expandAll() {
    m_choice.collapsed = collapseBeyond(m_tree, m_choice, kMostExpanded);
    rebuild();
    showStart();
}

void SketchTreeView::collapseAll() {
    m_choice.collapsed.clear();
    for (const auto &node : m_tree.nodes)
        if (node.children.size() > 1) m_choice.collapsed.insert(node.number);
    rebuild();
    showStart();
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
    // All words must occur, in whichever of the texts. Few texts are different ones, and each is searched once.
    const QStringList words = wanted.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::map<const QChar *, unsigned> known; // text -> bit set of the words in it
    const auto bits = [&](const QString &where) {
        const auto [place, isNew] = known.try_emplace(where.constData(), 0U);
        for (qsizetype i = 0; isNew && i < std::min<qsizetype>(words.size(), 32); ++i)
            if (where.contains(words[i], Qt::CaseInsensitive)) place->second |= 1U << i;
        return place->second;
    };
    const unsigned all = words.size() >= 32 ? ~0U : (1U << words.size()) - 1;
    const auto has = [&](const RuleTried &tried) {
        return (bits(tried.rule) | bits(tried.stage) | bits(tried.reason)) == all;
    };
    if (!wanted.isEmpty())
        for (const auto &node : m_tree.nodes) {
            const bool card =
                node.sketch >= 0 && QStringLiteral("sketch %1").arg(node.sketch).contains(wanted, Qt::CaseInsensitive);
            const bool skip =
                node.skipped() && QStringLiteral("skip %1").arg(node.by.stage).contains(wanted, Qt::CaseInsensitive);
            if (card || skip || (node.parent >= 0 && has(node.by)))
                m_found.push_back({node.number, false});
            else if (m_choice.refused && std::any_of(node.refused.begin(), node.refused.end(), has))
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
