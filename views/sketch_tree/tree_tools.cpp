#include "views/sketch_tree/tree_tools.h"

#include "views/sketch_tree/sketch_tree_view.h"
#include "views/sketch_tree/tree_actions.h"
#include "views/sketch_tree/tree_side.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kMaxExpanded = 1000; // shown by "expand all": beyond, nobody reads it
const QString kFoldKey = QStringLiteral("sketch_tree/fold");
const QString kRefusedKey = QStringLiteral("sketch_tree/refused");

void askForExport(const ViewContext &context, SketchTreeView &view, const QString &suffix) {
    const Document *document = context.session.document();
    auto *dialog = new QFileDialog(&view, TreeTools::tr("Export the sketch tree"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->selectFile(
        QStringLiteral("%1-sketches.%2").arg(document ? document->name : QStringLiteral("task"), suffix));
    QObject::connect(dialog, &QFileDialog::fileSelected, &view, [&context, &view](const QString &path) {
        Messages &messages = context.session.messages();
        if (const QString problem = view.exportTo(path); problem.isEmpty())
            messages.note(TreeTools::tr("The sketch tree is in %1").arg(path));
        else
            messages.fail(problem);
    });
    dialog->open();
}

} // namespace

TreeChoice TreeTools::rememberedChoice(const Settings &settings) {
    TreeChoice choice;
    choice.fold = settings.value(kFoldKey, true).toBool();
    choice.refused = settings.value(kRefusedKey, true).toBool();
    return choice;
}

TreeTools::TreeTools(const ViewContext &context, TreeContent &content, TreePane &pane, TreeSide &side,
                     SketchTreeView &view)
    : QToolBar(&view), m_context(context), m_content(content), m_pane(pane),
      m_stages(addFilter(tr("Stage filter"), tr("Only what was tried on one stage"))),
      m_rules(addFilter(tr("Rule filter"), tr("Only where one rule was tried"))) {
    setObjectName(QStringLiteral("SketchTreeTools"));
    setIconSize({16, 16});
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const TreeActions actions{m_context, &view};
    addCommands(actions, view);
    addExports(actions, view);
    // Names stay on what is switched on and off; the rest is known by its picture.
    for (QAction *action : this->actions())
        if (auto *button = qobject_cast<QToolButton *>(widgetForAction(action))) {
            button->setToolButtonStyle(Qt::ToolButtonIconOnly);
            button->setPopupMode(QToolButton::InstantPopup);
        }
    addSeparator();
    addSwitches(actions);
    addActions(side.addActions(actions));
    actions.add("copy", tr("Copy the tree as text"), QKeySequence::Copy, tr("One line a node, as shown"), "copy",
                [&view] { QApplication::clipboard()->setText(view.text()); });
    connect(&content, &TreeContent::replacing, this, &TreeTools::fillFilters);
}

QComboBox *TreeTools::addFilter(const QString &name, const QString &tip) {
    auto *combo = new QComboBox(this);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(12);
    combo->setAccessibleName(name);
    combo->setToolTip(tip);
    connect(combo, &QComboBox::activated, this,
            [this] { setFilter(m_stages->currentData().toString(), m_rules->currentData().toString()); });
    addWidget(combo);
    return combo;
}

void TreeTools::addCommands(const TreeActions &actions, SketchTreeView &view) {
    m_clear = actions.add("clearFilter", tr("Clear filter"), {}, tr("Show all stages and rules again"), "filter",
                          [this] { setFilter({}, {}); });
    addAction(m_clear);
    addSeparator();
    addAction(actions.add("fit", tr("Fit"), {}, tr("Show the whole tree"), "zoom-fit", [this] { m_pane.zoomToFit(); }));
    addAction(actions.add("find", tr("Find"), {}, tr("Find a rule, a stage, a reason or a sketch (Ctrl+F)"), "find",
                          [&view] { view.startFind(); }));
    addAction(actions.add("expandAll", tr("Expand all"), QKeySequence(Qt::Key_E),
                          tr("Show everything below every state"), "expand", [this] { expandAll(); }));
    addAction(actions.add("collapseAll", tr("Collapse all"), QKeySequence(Qt::SHIFT | Qt::Key_E),
                          tr("Close every state that several rules applied to"), "collapse",
                          [this] { collapseAll(); }));
}

void TreeTools::addExports(const TreeActions &actions, SketchTreeView &view) {
    auto *exports = new QMenu(tr("Export"), this);
    for (const QString &suffix : view.exportSuffixes()) {
        const QByteArray id = "export." + suffix.toLatin1();
        exports->addAction(actions.add(id.constData(), tr("Export as %1 \u2026").arg(suffix.toUpper()), {},
                                       tr("Write the tree as it is shown to a file"), "export",
                                       [this, &view, suffix] { askForExport(m_context, view, suffix); }));
    }
    QAction *menu = addAction(m_context.theme.icon(QStringLiteral("export")), tr("Export"));
    menu->setToolTip(tr("Write the tree as it is shown to a file"));
    menu->setMenu(exports);
}

void TreeTools::addSwitches(const TreeActions &actions) {
    const auto change = [this](const auto &edit) {
        TreeChoice choice = m_content.choice();
        edit(choice);
        m_content.choose(std::move(choice));
    };
    addAction(actions.toggle("fold", tr("Fold"), QKeySequence(Qt::Key_C), tr("Draw steps without a choice as one edge"),
                             m_content.choice().fold, [this, change](bool on) {
                                 m_context.settings.setValue(kFoldKey, on);
                                 change([on](TreeChoice &choice) {
                                     choice.fold = on;
                                     choice.unfolded.clear();
                                 });
                             }));
    QAction *refused =
        actions.toggle("refused", tr("Refused"), QKeySequence(Qt::Key_R), tr("Show the rules that were refused"),
                       m_content.choice().refused, [this, change](bool on) {
                           m_context.settings.setValue(kRefusedKey, on);
                           change([on](TreeChoice &choice) { choice.refused = on; });
                       });
    addAction(refused);
    QAction *reasons =
        actions.toggle("reasons", tr("List all reasons"), QKeySequence(Qt::SHIFT | Qt::Key_R),
                       tr("List every refused rule with its reason in the picture"), false, [change](bool on) {
                           change([on](TreeChoice &choice) {
                               choice.listAll = on;
                               choice.listed.clear();
                               choice.unlisted.clear();
                           });
                       });
    reasons->setEnabled(refused->isChecked());
    connect(refused, &QAction::toggled, reasons, &QAction::setEnabled);
}

void TreeTools::fillFilters() {
    const auto fill = [](QComboBox *box, const QString &all, const QStringList &names, const QString &chosen) {
        box->clear();
        box->addItem(all, QString());
        for (const auto &name : names) box->addItem(name, name);
        box->setCurrentIndex(std::max(0, box->findData(chosen)));
    };
    fill(m_stages, tr("All stages"), m_content.tree().stages, m_content.choice().stage);
    fill(m_rules, tr("All rules"), m_content.tree().rules, m_content.choice().rule);
    m_clear->setEnabled(m_content.choice().filters());
}

void TreeTools::showFromStart(TreeChoice choice) {
    m_content.choose(std::move(choice));
    m_pane.showStart();
}

void TreeTools::setFilter(const QString &stage, const QString &rule) {
    TreeChoice choice = m_content.choice();
    if (choice.stage == stage && choice.rule == rule) return;
    choice.stage = stage;
    choice.rule = rule;
    choice.unlisted.clear();
    choice.collapsed = collapseBeyond(m_content.tree(), choice, kMaxExpanded);
    showFromStart(std::move(choice));
    fillFilters();
}

void TreeTools::expandAll() {
    TreeChoice choice = m_content.choice();
    choice.collapsed = collapseBeyond(m_content.tree(), choice, kMaxExpanded);
    showFromStart(std::move(choice));
}

void TreeTools::collapseAll() {
    TreeChoice choice = m_content.choice();
    choice.collapsed.clear();
    for (const auto &node : m_content.tree().nodes)
        if (node.children.size() > 1) choice.collapsed.insert(node.number);
    showFromStart(std::move(choice));
}

} // namespace loopscope
