#pragma once
// The picture's items in a graph view, and what of the history they show: boxes with where each stage is computed,
// frames round the groups, what is selected or looked for.

#include "views/graph/graph_edge_item.h"
#include "views/graph/graph_view.h"
#include "views/grouping/group_frame_item.h"

#include <set>

namespace loopscope {

class GroupingScene {
  public:
    GroupingScene(GraphView &view, const Theme &theme);

    void show(GroupingPicturePtr picture);
    /// What the boxes say and how they are framed; of the same DAG as the picture.
    void setStep(ShownGroupingPtr result, std::shared_ptr<const StepFacts> facts);
    void clear();
    [[nodiscard]] const GroupingPicture *picture() const { return m_picture.get(); }

    void setSelected(const QString &stage);
    /// Names of stages; nothing is faded while `looking` is false.
    void setMatches(const std::set<QString> &stages, bool looking);

    /// Of the box or the group's tab there; empty: neither.
    [[nodiscard]] QString stageAt(QGraphicsItem *item) const;
    [[nodiscard]] QString toolTipOf(QGraphicsItem *item) const;
    [[nodiscard]] QRectF rectOf(const QString &stage) const; // empty: not there
    [[nodiscard]] const std::vector<StageItem *> &boxes() const { return m_boxes; }
    [[nodiscard]] const std::vector<GroupFrameItem *> &frames() const { return m_frames; }
    [[nodiscard]] StageItem *item(const QString &stage) const; // null: not drawn

  private:
    void frameGroups();
    [[nodiscard]] GroupFrame frameOf(int group) const;
    void updateMarks();
    [[nodiscard]] QString boxToolTip(const GroupingBox &box) const;
    [[nodiscard]] QString groupToolTip(int group) const;

    GraphView &m_view;
    const Theme &m_theme;
    GroupingPicturePtr m_picture;
    ShownGroupingPtr m_result;
    std::shared_ptr<const StepFacts> m_facts;
    std::vector<StageItem *> m_boxes;
    std::vector<GraphEdgeItem *> m_arrows;
    std::vector<GroupFrameItem *> m_frames;
    std::vector<GroupTabItem *> m_tabs;
    QString m_stage;
    std::set<QString> m_matches;
    bool m_looking = false;
};

} // namespace loopscope
