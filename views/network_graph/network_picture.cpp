#include "views/network_graph/network_picture.h"

#include "views/graph/graph_edge_item.h"
#include "views/graph/layered_layout.h"
#include "views/session/text.h"

#include <QApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <map>

namespace loopscope {

namespace {

constexpr double kWidest = 300;
constexpr double kNarrowest = 150;
constexpr double kPadding = 10;
constexpr double kRowGap = 3;
constexpr double kColumnGap = 14;
constexpr double kFramePadding = 12;
constexpr double kLabelWidest = 200;

/// Rows of texts, one at the left and perhaps one at the right of each.
class RowBuilder {
  public:
    explicit RowBuilder(const NetworkFonts &fonts) : m_bold(fonts.bold), m_small(fonts.small) {}

    void head(const QString &title, const QString &detail) {
        const QString shown = m_bold.elidedText(title, Qt::ElideMiddle, kWidest - 2 * kPadding);
        const double used = m_bold.horizontalAdvance(shown), wanted = m_small.horizontalAdvance(detail);
        m_texts.push_back({shown, {kPadding, m_y}, true, false});
        if (used + kColumnGap + wanted <= kWidest - 2 * kPadding) {
            m_right = detail.isEmpty() ? SIZE_MAX : m_texts.size();
            if (!detail.isEmpty())
                m_texts.push_back({detail, {wanted, m_y + m_bold.ascent() - m_small.ascent()}, false, false});
            m_rightWidth = wanted;
            m_wide = std::max(m_wide, used + (detail.isEmpty() ? 0 : kColumnGap + wanted));
            m_y += m_bold.height() + kRowGap;
        } else {
            m_wide = std::max(m_wide, used);
            m_y += m_bold.height() + kRowGap;
            row(detail, false, Qt::ElideRight);
        }
    }
    void row(const QString &text, bool quiet, Qt::TextElideMode elide) {
        if (text.isEmpty()) return;
        const QString shown = m_small.elidedText(text, elide, kWidest - 2 * kPadding);
        m_texts.push_back({shown, {kPadding, m_y}, false, quiet});
        m_wide = std::max(m_wide, m_small.horizontalAdvance(shown));
        m_y += m_small.height() + kRowGap;
    }
    void finish(NetworkBox &box) {
        const double width = std::ceil(std::clamp(m_wide + 2 * kPadding, kNarrowest, kWidest));
        if (m_right < m_texts.size()) m_texts[m_right].at.setX(width - kPadding - m_rightWidth);
        box.texts = std::move(m_texts);
        box.rect = {0, 0, width, std::ceil(m_y + kRowGap)};
    }

  private:
    QFontMetricsF m_bold, m_small;
    std::vector<BoxText> m_texts;
    size_t m_right = SIZE_MAX;
    double m_rightWidth = 0;
    double m_y = 6;
    double m_wide = 0;
};

QString weightWords(int constants, int64_t bytes) {
    return constants == 0 ? QString()
                          : QStringLiteral("%1, %2").arg(countedText(static_cast<size_t>(constants), "constant"),
                                                         bytesText(bytes));
}

void fillNode(NetworkBox &box, const NodeFact &node, const NetworkFonts &fonts, const QString &amount) {
    RowBuilder rows(fonts);
    box.title = node.op;
    const bool plain = node.dtype.isEmpty() || node.dtype == QLatin1String("float32");
    rows.head(node.op, plain ? node.shape : QStringLiteral("%1  %2").arg(node.shape, node.dtype));
    QString name = node.name;
    if (!node.layer.isEmpty() && !name.startsWith(node.layer)) name += QStringLiteral("  \u00b7  ") + node.layer;
    rows.row(name, true, Qt::ElideMiddle);
    rows.row(node.details, false, Qt::ElideRight);
    rows.row(weightWords(node.constants, node.weightBytes), true, Qt::ElideRight);
    rows.row(amount, false, Qt::ElideRight);
    rows.finish(box);
}

/// "conv → relu → conv, 3 more".
QString opsWords(const NetworkFacts &facts, const std::vector<int> &nodes) {
    constexpr size_t kShown = 5;
    QStringList words;
    for (size_t i = 0; i < std::min(kShown, nodes.size()); ++i) words << facts.nodes[static_cast<size_t>(nodes[i])].op;
    QString text = words.join(QStringLiteral(" \u2192 "));
    if (nodes.size() > kShown) text += QStringLiteral(" and %1 more").arg(nodes.size() - kShown);
    return text;
}

void fillFold(NetworkBox &box, const Fold &fold, const NetworkFacts &facts, const NetworkFonts &fonts,
              const QString &amount) {
    RowBuilder rows(fonts);
    box.title = fold.title;
    int constants = 0;
    int64_t bytes = 0;
    box.kind = BoxKind::Elementwise;
    double most = -1;
    for (const int number : fold.nodes) {
        const NodeFact &node = facts.nodes[static_cast<size_t>(number)];
        constants += node.constants;
        bytes += node.weightBytes;
        if (node.flops <= most) continue;
        most = node.flops;
        box.kind = node.kind;
    }
    rows.head(fold.title, facts.nodes[static_cast<size_t>(fold.nodes.back())].shape);
    rows.row(opsWords(facts, fold.nodes), true, Qt::ElideRight);
    QString many = countedText(fold.nodes.size(), "node");
    if (fold.times > 1) many += QStringLiteral(", %1 times in the network").arg(fold.times);
    rows.row(many, false, Qt::ElideRight);
    rows.row(weightWords(constants, bytes), true, Qt::ElideRight);
    rows.row(amount, false, Qt::ElideRight);
    rows.finish(box);
}

} // namespace

NetworkFonts networkFonts() {
    NetworkFonts fonts{QApplication::font(), QApplication::font()};
    fonts.bold.setBold(true);
    if (fonts.small.pointSizeF() > 0)
        fonts.small.setPointSizeF(fonts.small.pointSizeF() * 0.9);
    else
        fonts.small.setPixelSize(qRound(fonts.small.pixelSize() * 0.9));
    return fonts;
}

NetworkPicture networkPicture(NetworkFactsPtr facts, std::vector<Fold> folds, const NetworkPictureOptions &options) {
    NetworkPicture picture;
    picture.options = options;
    picture.folds = std::move(folds);
    const size_t count = facts->nodes.size();
    picture.boxOf.assign(count, -1);
    std::vector<int> foldOf(count, -1);
    for (size_t f = 0; f < picture.folds.size(); ++f) {
        if (options.expanded.contains(picture.folds[f].key)) {
            picture.frames.push_back({static_cast<int>(f), {}, {}});
            continue;
        }
        for (const int node : picture.folds[f].nodes) foldOf[static_cast<size_t>(node)] = static_cast<int>(f);
    }
    picture.values = OverlayValues(options.overlay, *facts, options.known);
    std::map<int, int> boxOfFold;
    for (size_t i = 0; i < count; ++i) {
        const int fold = foldOf[i];
        if (const auto known = boxOfFold.find(fold); fold >= 0 && known != boxOfFold.end()) {
            picture.boxOf[i] = known->second;
            continue;
        }
        NetworkBox box;
        box.fold = fold;
        box.kind = facts->nodes[i].kind;
        if (fold >= 0) {
            box.nodes = picture.folds[static_cast<size_t>(fold)].nodes;
            fillFold(box, picture.folds[static_cast<size_t>(fold)], *facts, options.fonts,
                     picture.values.words(box.nodes));
            boxOfFold[fold] = static_cast<int>(picture.boxes.size());
        } else {
            box.nodes = {static_cast<int>(i)};
            fillNode(box, facts->nodes[i], options.fonts, picture.values.words(box.nodes));
        }
        picture.boxOf[i] = static_cast<int>(picture.boxes.size());
        picture.boxes.push_back(std::move(box));
    }
    for (FoldFrame &frame : picture.frames)
        for (const int node : picture.folds[static_cast<size_t>(frame.fold)].nodes)
            frame.boxes.push_back(picture.boxOf[static_cast<size_t>(node)]);
    std::map<std::pair<int, int>, size_t> arrowOf;
    for (size_t i = 0; i < facts->flows.size(); ++i) {
        const FlowFact &flow = facts->flows[i];
        const int from = picture.boxOf[static_cast<size_t>(flow.from)];
        const int to = picture.boxOf[static_cast<size_t>(flow.to)];
        if (from == to) continue;
        const auto [at, fresh] = arrowOf.try_emplace({from, to}, picture.arrows.size());
        if (fresh) {
            NetworkArrow arrow;
            arrow.from = from;
            arrow.to = to;
            arrow.label = options.labels ? flow.shape : QString();
            picture.arrows.push_back(std::move(arrow));
        }
        picture.arrows[at->second].flows.push_back(static_cast<int>(i));
    }
    picture.facts = std::move(facts);
    return picture;
}

NetworkPicturePtr layOut(NetworkPicture picture, const std::atomic<bool> &cancelled) {
    GraphInput input;
    input.nodeGap = 28;
    input.rankGap = picture.options.labels ? 2.6 * QFontMetricsF(picture.options.fonts.small).height() : 30;
    for (const NetworkBox &box : picture.boxes) input.nodes.push_back({box.rect.size()});
    for (const NetworkArrow &arrow : picture.arrows) input.edges.push_back({arrow.from, arrow.to, {}});
    GraphLayout layout = layoutInLayers(input, cancelled);
    if (cancelled) return nullptr;
    for (size_t i = 0; i < picture.boxes.size(); ++i) picture.boxes[i].rect.moveCenter(layout.nodes[i]);
    for (size_t i = 0; i < picture.arrows.size(); ++i) {
        picture.arrows[i].path = std::move(layout.edges[i]);
        picture.arrows[i].labelCentre = layout.labels[i];
    }
    picture.bounds = layout.bounds;
    for (FoldFrame &frame : picture.frames) {
        for (const int box : frame.boxes) frame.rect |= picture.boxes[static_cast<size_t>(box)].rect;
        frame.rect.adjust(-kFramePadding, -kFramePadding, kFramePadding, kFramePadding);
        picture.bounds |= frame.rect;
    }
    for (const NetworkArrow &arrow : picture.arrows) {
        const QSizeF size = GraphEdgeItem::labelSize(arrow.label, picture.options.fonts.small, kLabelWidest);
        picture.bounds |= QRectF(arrow.labelCentre - QPointF(size.width() / 2, size.height() / 2), size);
    }
    return std::make_shared<const NetworkPicture>(std::move(picture));
}

} // namespace loopscope
