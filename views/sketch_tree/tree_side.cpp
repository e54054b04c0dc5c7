#include "views/sketch_tree/tree_side.h"

#include "views/sketch_tree/lineage_view.h"
#include "views/sketch_tree/reasons_panel.h"
#include "views/sketch_tree/tree_actions.h"

namespace loopscope {

namespace {
constexpr int kNoReasons = -2;
const QString kReasonsKey = QStringLiteral("sketch_tree/reasons_panel");
const QString kLineageKey = QStringLiteral("sketch_tree/lineage");
} // namespace

TreeSide::TreeSide(const ViewContext &context, const TreeContent &content, const TreePane &pane, QWidget *parent)
    : QSplitter(Qt::Vertical, parent), m_context(context), m_content(content), m_pane(pane),
      m_reasons(new ReasonsPanel(context.theme, this)), m_lineage(new LineageView(context, this)),
      m_reasonsOf(kNoReasons) {
    connect(m_reasons, &ReasonsPanel::stageChosen, this,
            [this](const QString &stage) { m_context.session.selection().selectStage(stage); });
    connect(&content, &TreeContent::aboutToRead, this, &TreeSide::showLineage);
    connect(&content, &TreeContent::recounted, this, &TreeSide::showLineage);
    connect(&content, &TreeContent::shownChanged, this, [this] {
        m_reasonsOf = kNoReasons;
        showReasons();
    });
    connect(&pane, &TreePane::marked, this, &TreeSide::showReasons);
}

QList<QAction *> TreeSide::addActions(const TreeActions &actions) {
    const Settings &settings = m_context.settings;
    m_reasonsAction = actions.toggle("reasons_panel", tr("Reasons"), QKeySequence(Qt::Key_Y),
                                     tr("Show beside the tree why rules were applied or refused"),
                                     settings.value(kReasonsKey, false).toBool(), [this](bool on) {
                                         m_context.settings.setValue(kReasonsKey, on);
                                         m_reasonsOf = kNoReasons;
                                         showReasons();
                                     });
    m_lineageAction = actions.toggle("lineage", tr("Lineage"), QKeySequence(Qt::Key_L),
                                     tr("Show where the selected trial comes from"),
                                     settings.value(kLineageKey, true).toBool(), [this](bool on) {
                                         m_context.settings.setValue(kLineageKey, on);
                                         showLineage();
                                     });
    showLineage();
    return {m_reasonsAction, m_lineageAction};
}

int TreeSide::wantedWidth() const { return m_lineage->sizeHint().width(); }

void TreeSide::askReasons() {
    if (!m_context.settings.value(kReasonsKey).isValid()) m_reasonsAction->setChecked(true);
    showReasons();
}

void TreeSide::showReasons() {
    const bool wanted = m_reasonsAction && m_reasonsAction->isChecked() && !m_content.shown().nodes.empty();
    m_reasons->setVisible(wanted);
    setVisible(wanted || !m_lineage->isHidden());
    if (!wanted) {
        m_reasonsOf = kNoReasons;
        return;
    }
    const int index = m_pane.keysAt();
    if (index == m_reasonsOf) return;
    m_reasonsOf = index;
    m_reasons->show(m_content.tree(), m_content.shown(), index);
}

void TreeSide::showLineage() {
    const Document *document = m_context.session.document();
    const bool some = document && !document->trials.empty();
    m_lineageAction->setEnabled(some); // without trials there is nothing it could show, and the tree needs the room
    m_lineage->setVisible(some && m_lineageAction->isChecked());
    showReasons();
}

} // namespace loopscope
