#include "views/grouping/grouping_scene.h"

#include "views/session/text.h"

#include <QGraphicsScene>

#include <algorithm>
#include <utility>

namespace loopscope {

GroupingScene::GroupingScene(GraphView &view, const Theme &theme) : m_view(view), m_theme(theme) {}

void GroupingScene::clear() {
    m_boxes.clear();
    m_arrows.clear();
    m_frames.clear();
    m_tabs.clear();
    m_picture.reset();
    m_view.setContent({}); // before the items go: it may know one of them
    m_view.scene()->clear();
}

void GroupingScene::show(GroupingPicturePtr picture) {
    clear();
    m_picture = std::move(picture);
    QGraphicsScene &scene = *m_view.scene();
    for (const GroupingArrow &arrow : m_picture->arrows) {
        m_arrows.push_back(new GraphEdgeItem(m_theme, arrow.path, {}));
        scene.addItem(m_arrows.back());
    }
    for (const GroupingBox &box : m_picture->boxes) {
        m_boxes.push_back(new StageItem(m_theme, box, m_picture->options.fonts));
        scene.addItem(m_boxes.back());
    }
    m_view.setContent(m_picture->bounds);
    if (m_facts) setStep(m_result, m_facts);
}

void GroupingScene::setStep(ShownGroupingPtr result, std::shared_ptr<const StepFacts> facts) {
    m_result = std::move(result);
    m_facts = std::move(facts);
    if (!m_picture || m_picture->dag != m_result->pipeline().dag) return;
    for (StageItem *item : m_boxes) {
        GroupedStageLook look;
        if (!item->box().input) {
            const StageState &state = m_facts->stages[static_cast<size_t>(item->box().buffer)];
            look.role = state.role;
            look.where = state.where;
            look.loops = state.loops;
            for (const int group : state.groups)
                if (const int colour = m_facts->groups[static_cast<size_t>(group)].colour; colour >= 0)
                    look.colours.push_back(colour);
            constexpr size_t most = 6; // stripes that can be told apart
            look.colours.resize(std::min(look.colours.size(), most));
        }
        item->setLook(look);
    }
    frameGroups();
    updateMarks();
    m_view.contentChanged();
}

void GroupingScene::frameGroups() {
    for (const GroupFrameItem *frame : m_frames) delete frame; // which takes it out of the scene
    for (const GroupTabItem *tab : m_tabs) delete tab;
    m_frames.clear();
    m_tabs.clear();
    for (size_t group = 0; group < m_facts->groups.size(); ++group) {
        if (!m_facts->groups[group].several()) continue;
        GroupFrame frame = frameOf(static_cast<int>(group));
        if (frame.boxes.size() < 2) continue; // its other stages are not drawn
        m_frames.push_back(new GroupFrameItem(m_theme, std::move(frame), m_picture->options.fonts));
        m_view.scene()->addItem(m_frames.back());
        m_tabs.push_back(new GroupTabItem(m_theme, *m_frames.back(), m_picture->options.fonts));
        m_view.scene()->addItem(m_tabs.back());
    }
}

/// Stages inlined into several groups stand outside of all.
GroupFrame GroupingScene::frameOf(int group) const {
    const ShownGroup &shown = m_facts->groups[static_cast<size_t>(group)];
    GroupFrame frame;
    frame.group = group;
    frame.colour = std::max(shown.colour, 0);
    frame.title = QObject::tr("%1 \u00b7 %2")
                      .arg(stageName(m_result->pipeline(), shown.stage), countedText(shown.stages.size(), "stage"));
    std::vector<bool> inside(m_picture->boxes.size(), false);
    for (const int stage : shown.stages) {
        const int box = m_picture->boxOf[static_cast<size_t>(stage)];
        if (box < 0 || m_facts->stages[static_cast<size_t>(stage)].groups.size() > 1) continue;
        inside[static_cast<size_t>(box)] = true;
        frame.boxes.push_back(m_picture->boxes[static_cast<size_t>(box)].rect);
    }
    QRectF around;
    for (const QRectF &box : frame.boxes) around |= box;
    for (size_t box = 0; box < inside.size(); ++box)
        if (!inside[box] && around.intersects(m_picture->boxes[box].rect)) frame.clear = false;
    if (!frame.clear)
        for (const GroupingArrow &arrow : m_picture->arrows)
            if (inside[static_cast<size_t>(arrow.from)] && inside[static_cast<size_t>(arrow.to)])
                frame.ways.push_back(arrow.path);
    return frame;
}

void GroupingScene::setSelected(const QString &stage) {
    m_stage = stage;
    updateMarks();
    m_view.setFocusRect(rectOf(stage));
    m_view.contentChanged();
}

void GroupingScene::setMatches(const std::set<QString> &stages, bool looking) {
    m_matches = stages;
    m_looking = looking;
    updateMarks();
    m_view.contentChanged();
}

void GroupingScene::updateMarks() {
    if (!m_picture) return;
    int producer = -1;
    if (m_facts && m_facts->merge) producer = m_facts->merge->producer;
    for (StageItem *item : m_boxes)
        item->setMarks(item->box().name == m_stage, item->box().buffer == producer,
                       m_looking && !m_matches.contains(item->box().name));
    for (size_t i = 0; i < m_arrows.size(); ++i) {
        const GroupingArrow &arrow = m_picture->arrows[i];
        const bool strong =
            m_boxes[static_cast<size_t>(arrow.from)]->selected() || m_boxes[static_cast<size_t>(arrow.to)]->selected();
        m_arrows[i]->setEmphasis(strong      ? GraphEdgeItem::Emphasis::Strong
                                 : m_looking ? GraphEdgeItem::Emphasis::Faded
                                             : GraphEdgeItem::Emphasis::Normal);
    }
}

// --- What lies where
// --------------------------------------------------------------------------------------------------

QString GroupingScene::stageAt(QGraphicsItem *item) const {
    if (const auto *box = qgraphicsitem_cast<StageItem *>(item)) return box->box().name;
    const auto *tab = qgraphicsitem_cast<GroupTabItem *>(item);
    if (tab == nullptr || !m_facts) return {};
    return stageName(m_result->pipeline(), m_facts->groups[static_cast<size_t>(tab->group())].stage);
}

StageItem *GroupingScene::item(const QString &stage) const {
    const auto found = std::ranges::find_if(m_boxes, [&](const StageItem *item) { return item->box().name == stage; });
    return found == m_boxes.end() ? nullptr : *found;
}

QRectF GroupingScene::rectOf(const QString &stage) const {
    const StageItem *found = item(stage);
    return found == nullptr ? QRectF() : found->box().rect;
}

QString GroupingScene::toolTipOf(QGraphicsItem *item) const {
    if (!m_facts) return {};
    if (const auto *box = qgraphicsitem_cast<StageItem *>(item)) return boxToolTip(box->box());
    if (const auto *tab = qgraphicsitem_cast<GroupTabItem *>(item)) return groupToolTip(tab->group());
    return {};
}

QString GroupingScene::boxToolTip(const GroupingBox &box) const {
    QString text = QStringLiteral("<b>%1</b>").arg(box.name.toHtmlEscaped());
    const Pipeline &pipeline = m_result->pipeline();
    if (box.input) return text + QObject::tr("<br>input");
    const StageState &state = m_facts->stages[static_cast<size_t>(box.buffer)];
    text += QStringLiteral("<br>%1").arg(state.where.toHtmlEscaped());
    if (!state.loops.isEmpty()) text += QStringLiteral("<br>%1").arg(state.loops.toHtmlEscaped());
    QStringList names;
    for (const int group : state.groups)
        names << stageName(pipeline, m_facts->groups[static_cast<size_t>(group)].stage).toHtmlEscaped();
    if (state.role != StageRole::Root && !names.isEmpty())
        text += QObject::tr("<br>in the group of %1").arg(names.join(QStringLiteral(", ")));
    if (state.role == StageRole::Root && !state.groups.empty())
        text += QStringLiteral("<hr>") + groupToolTip(state.groups.front());
    return text;
}

QString GroupingScene::groupToolTip(int group) const {
    const ShownGroup &shown = m_facts->groups[static_cast<size_t>(group)];
    const Pipeline &pipeline = m_result->pipeline();
    const GroupCost &cost = shown.group.cost;
    return QObject::tr("Group of <b>%1</b>, %2<br>tile: %3<br>operations %4, memory %5<br>%6 parallel tasks")
        .arg(stageName(pipeline, shown.stage).toHtmlEscaped(), countedText(shown.stages.size(), "stage"),
             namedTileText(pipeline, shown.group.output, shown.group.tile).toHtmlEscaped(), costText(cost.arith),
             costText(cost.memory))
        .arg(cost.parallelism);
}

} // namespace loopscope
