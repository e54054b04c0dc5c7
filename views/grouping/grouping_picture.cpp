#include "views/grouping/grouping_picture.h"

#include "views/session/text.h"

#include <QApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace loopscope {

namespace {

constexpr double kNarrowest = 148;
constexpr double kWidest = 230;
constexpr double kPadding = 10;

QSizeF boxSize(const GroupingBox &box, const GroupingFonts &fonts) {
    const QFontMetricsF name(fonts.name), small(fonts.small);
    const double wanted = std::ceil(name.horizontalAdvance(box.name)) + 2 * kPadding;
    if (box.input) return {std::min(wanted, kWidest), std::ceil(name.height()) + 6};
    return {std::clamp(wanted, kNarrowest, kWidest), std::ceil(name.height() + 2 * small.height()) + 12};
}

class PictureBuilder {
  public:
    PictureBuilder(const ShownGrouping &result, const StepFacts &end, const GroupingPictureOptions &options)
        : m_result(result), m_pipeline(result.pipeline()), m_end(end) {
        m_picture.options = options;
        m_picture.dag = m_pipeline.dag;
        m_picture.boxOf.assign(m_pipeline.bufferCount(), -1);
    }

    GroupingPicture make() {
        // Inputs first, then every stage behind those it reads.
        for (size_t b = m_pipeline.stages.size(); b < m_pipeline.bufferCount(); ++b) add(static_cast<BufferNumber>(b));
        for (size_t stage = 0; stage < m_pipeline.stages.size(); ++stage) {
            if (!m_picture.options.inlined && hasNoLoops(stage))
                ++m_picture.hidden;
            else
                add(static_cast<BufferNumber>(stage));
        }
        for (size_t to = 0; to < m_picture.boxes.size(); ++to) {
            const BufferNumber buffer = m_picture.boxes[to].buffer;
            if (m_pipeline.isInput(buffer)) continue;
            std::set<int> from;
            collect(buffer, from);
            for (const int box : from) m_picture.arrows.push_back({box, static_cast<int>(to), {}});
        }
        return std::move(m_picture);
    }

  private:
    [[nodiscard]] bool hasNoLoops(size_t stage) const {
        const StageRole role = m_end.stages[stage].role;
        return role == StageRole::Inlined || role == StageRole::InlinedEarly;
    }

    void add(BufferNumber buffer) {
        GroupingBox box;
        box.buffer = buffer;
        box.input = m_pipeline.isInput(buffer);
        box.name = stageName(m_pipeline, buffer);
        box.size = boxSize(box, m_picture.options.fonts);
        if (!box.input) {
            const auto &groups = m_end.stages[static_cast<size_t>(buffer)].groups;
            if (groups.size() == 1 && m_end.groups[static_cast<size_t>(groups.front())].several())
                box.cluster = groups.front();
        }
        m_picture.boxOf[static_cast<size_t>(buffer)] = static_cast<int>(m_picture.boxes.size());
        m_picture.boxes.push_back(std::move(box));
    }

    /// Boxes that a stage reads, through stages that are not drawn.
    void collect(BufferNumber stage, std::set<int> &from) const {
        std::set<BufferNumber> seen;
        std::vector<BufferNumber> open = m_result.reads[static_cast<size_t>(stage)];
        while (!open.empty()) {
            const BufferNumber read = open.back();
            open.pop_back();
            if (!seen.insert(read).second) continue;
            if (const int box = m_picture.boxOf[static_cast<size_t>(read)]; box >= 0) {
                from.insert(box);
            } else {
                const auto &further = m_result.reads[static_cast<size_t>(read)];
                open.insert(open.end(), further.begin(), further.end());
            }
        }
    }

    const ShownGrouping &m_result;
    const Pipeline &m_pipeline;
    const StepFacts &m_end;
    GroupingPicture m_picture;
};

} // namespace

GroupingFonts groupingFonts() {
    GroupingFonts fonts;
    fonts.name = fonts.small = QApplication::font();
    fonts.name.setBold(true);
    fonts.small.setPointSizeF(std::max(7.0, fonts.small.pointSizeF() * 0.88));
    return fonts;
}

bool GroupingPicture::sameShape(const GroupingPicture &other) const {
    const auto same = [](const GroupingBox &a, const GroupingBox &b) {
        return a.buffer == b.buffer && a.cluster == b.cluster && a.size == b.size;
    };
    const auto tied = [](const GroupingArrow &a, const GroupingArrow &b) { return a.from == b.from && a.to == b.to; };
    return dag == other.dag && options == other.options && std::ranges::equal(boxes, other.boxes, same) &&
           std::ranges::equal(arrows, other.arrows, tied);
}

GroupingPicture groupingPicture(const ShownGrouping &result, const StepFacts &end,
                                const GroupingPictureOptions &options) {
    return PictureBuilder(result, end, options).make();
}

GroupingPicturePtr layOut(GroupingPicture picture, const std::atomic<bool> &cancelled) {
    GraphInput input;
    input.nodeGap = 28;
    input.rankGap = 46; // two frames and a tab
    for (const GroupingBox &box : picture.boxes) {
        LayoutNode node;
        node.size = box.size;
        node.group = box.cluster;
        input.nodes.push_back(node);
    }
    for (const GroupingArrow &arrow : picture.arrows) {
        LayoutEdge edge;
        edge.from = arrow.from;
        edge.to = arrow.to;
        edge.weight = picture.boxes[static_cast<size_t>(arrow.from)].input ? 1 : 4;
        input.edges.push_back(edge);
    }
    GraphLayout layout = layoutGraph(input, cancelled);
    if (cancelled) return nullptr;
    for (size_t i = 0; i < picture.boxes.size(); ++i) {
        const QSizeF size = picture.boxes[i].size;
        picture.boxes[i].rect = {layout.nodes[i] - QPointF(size.width() / 2, size.height() / 2), size};
    }
    for (size_t i = 0; i < picture.arrows.size(); ++i) picture.arrows[i].path = std::move(layout.edges[i]);
    constexpr double frames = 30; // round the outermost boxes
    picture.bounds = layout.bounds.adjusted(-frames, -frames, frames, frames);
    return std::make_shared<const GroupingPicture>(std::move(picture));
}

} // namespace loopscope
