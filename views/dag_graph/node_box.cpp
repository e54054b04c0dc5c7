#include "views/dag_graph/node_box.h"

#include "views/session/text.h"

#include <QApplication>
#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr double kNarrowest = 176;
constexpr double kPadding = 10; // left and right; the bar of the kind is in it
constexpr double kGap = 5;      // between rows and pills
constexpr double kPillPadding = 5;

/// Fills a box from top to bottom; rows are shortened to the widest width, and the box is as wide as its widest row.
class BoxBuilder {
  public:
    explicit BoxBuilder(const NodeFonts &fonts)
        : m_fonts(fonts), m_small(fonts.small), m_bold(fonts.bold), m_code(fonts.code) {}

    /// Name at the left, shape and type at the right or below when there is no room.
    void header(const QString &name, const QString &detail) {
        const QString shown = m_bold.elidedText(name, Qt::ElideMiddle, kRoom);
        const double nameWidth = width(m_bold, shown), detailWidth = width(m_small, detail);
        m_texts.push_back({shown, {kPadding, m_y, nameWidth, m_bold.height()}, TextPiece::Font::Bold, Role::Text});
        if (nameWidth + 3 * kGap + detailWidth <= kRoom) {
            m_right = m_texts.size();
            m_texts.push_back({detail,
                               {0, m_y + m_bold.ascent() - m_small.ascent(), detailWidth, m_small.height()},
                               TextPiece::Font::Small,
                               Role::QuietText});
            widen(nameWidth + 3 * kGap + detailWidth);
            m_y += m_bold.height() + kGap;
        } else {
            widen(nameWidth);
            m_y += m_bold.height();
            line(detail, TextPiece::Font::Small, Role::QuietText);
        }
    }

    void line(const QString &text, TextPiece::Font font, Role color) {
        if (text.isEmpty()) return;
        const QFontMetricsF &metrics = font == TextPiece::Font::Code ? m_code : m_small;
        const QString shown = metrics.elidedText(text, Qt::ElideRight, kRoom);
        const double used = width(metrics, shown);
        m_texts.push_back({shown, {kPadding, m_y, used, metrics.height()}, font, color});
        widen(used);
        m_y += metrics.height() + kGap;
    }

    /// Side by side, in as many rows as needed. A rule is drawn before pill `divideAt` where it shares a row.
    void pills(std::vector<PillPiece> row, size_t divideAt = SIZE_MAX) {
        if (row.empty()) return;
        const double height = m_small.height() + 2;
        double x = 0;
        for (size_t i = 0; i < row.size(); ++i) {
            PillPiece &pill = row[i];
            pill.text = m_small.elidedText(pill.text, Qt::ElideRight, kRoom - 2 * kPillPadding);
            const double needed = width(m_small, pill.text) + 2 * kPillPadding;
            const double rule = i == divideAt && i > 0 ? 2 * kGap : 0;
            if (x > 0 && x + rule + needed > kRoom) {
                x = 0;
                m_y += height + kGap - 1;
            } else if (rule > 0) {
                m_box.divider = kPadding + x + (rule - kGap) / 2;
                m_box.dividerRow = {m_box.divider, m_y, 0, height};
                x += rule;
            }
            pill.rect = {kPadding + x, m_y, needed, height};
            x += needed + kGap;
            widen(x - kGap);
            m_box.pills.push_back(pill);
        }
        m_y += height + kGap;
    }

    void strip() {
        m_y += 1;
        m_stripAt = m_y;
        m_y += m_small.height() + 6;
    }

    NodeBox done() {
        const double wide = std::ceil(std::clamp(m_wide, kNarrowest - 2 * kPadding, kRoom) + 2 * kPadding);
        if (m_right < m_texts.size()) m_texts[m_right].rect.moveRight(wide - kPadding);
        m_box.texts = std::move(m_texts);
        if (m_stripAt >= 0) m_box.strip = {0, m_stripAt, wide, m_y - m_stripAt};
        m_box.size = {wide, std::ceil(m_stripAt >= 0 ? m_y : m_y + 2)};
        return std::move(m_box);
    }

  private:
    static constexpr double kRoom = kNodeWidest - 2 * kPadding;
    static double width(const QFontMetricsF &metrics, const QString &text) {
        return std::ceil(metrics.horizontalAdvance(text));
    }
    void widen(double used) { m_wide = std::max(m_wide, used); }

    const NodeFonts &m_fonts;
    QFontMetricsF m_small, m_bold, m_code;
    NodeBox m_box;
    std::vector<TextPiece> m_texts;
    size_t m_right = SIZE_MAX; // text to be moved to the right edge
    double m_y = 7;
    double m_wide = 0;
    double m_stripAt = -1;
};

PillPiece sharePill(double share) {
    PillPiece pill;
    pill.text = shareText(share);
    pill.color = share >= 0.1 ? Role::Accent : Role::QuietText;
    return pill;
}

} // namespace

NodeFonts nodeFonts(const Theme &theme) {
    NodeFonts fonts;
    fonts.text = QApplication::font();
    fonts.bold = fonts.text;
    fonts.bold.setBold(true);
    fonts.small = fonts.text;
    if (fonts.text.pointSizeF() > 0)
        fonts.small.setPointSizeF(fonts.text.pointSizeF() * 0.9);
    else
        fonts.small.setPixelSize(qRound(fonts.text.pixelSize() * 0.9));
    fonts.code = theme.codeFont();
    if (fonts.small.pointSizeF() > 0)
        fonts.code.setPointSizeF(fonts.small.pointSizeF());
    else
        fonts.code.setPixelSize(fonts.small.pixelSize());
    return fonts;
}

NodeBox stageBox(const StageFact &stage, const NodeFonts &fonts) {
    BoxBuilder box(fonts);
    box.header(stage.name, QStringLiteral("%1  %2").arg(stage.shape, stage.dtype));
    if (stage.kind != StageKind::Placeholder) {
        std::vector<PillPiece> axes;
        size_t reduceAt = SIZE_MAX;
        for (size_t i = 0; i < stage.axes.size(); ++i) {
            const AxisFact &axis = stage.axes[i];
            if (axis.reduce && reduceAt == SIZE_MAX) reduceAt = i;
            PillPiece pill;
            pill.text = QStringLiteral("%1 %2").arg(axis.name).arg(axis.extent);
            pill.color = axis.reduce ? Role::Reduction : Role::Serial;
            pill.axis = static_cast<int>(i);
            axes.push_back(pill);
        }
        box.pills(std::move(axes), reduceAt);
        box.line(stage.expression, TextPiece::Font::Code, Role::Text);
    }
    std::vector<PillPiece> badges;
    if (stage.share > 0) badges.push_back(sharePill(stage.share));
    for (const Badge badge : stage.badges) {
        PillPiece pill;
        pill.text = badgeText(badge);
        pill.color = badgeColor(badge);
        pill.badge = static_cast<int>(badge);
        badges.push_back(pill);
    }
    box.pills(std::move(badges));
    if (stage.kind != StageKind::Placeholder) box.strip();
    return box.done();
}

QString chainTitle(const Chain &chain) { return QStringLiteral("%1 elementwise stages").arg(chain.stages.size()); }

NodeBox chainBox(const Chain &chain, const DagFacts &facts, const NodeFonts &fonts) {
    BoxBuilder box(fonts);
    const StageFact &last = facts.stages[static_cast<size_t>(chain.stages.back())];
    box.header(chainTitle(chain), QStringLiteral("%1  %2").arg(last.shape, last.dtype));
    QStringList names;
    double share = 0;
    for (const int stage : chain.stages) {
        names << facts.stages[static_cast<size_t>(stage)].name;
        share += facts.stages[static_cast<size_t>(stage)].share;
    }
    box.line(names.join(QStringLiteral(" → ")), TextPiece::Font::Code, Role::Text);
    std::vector<PillPiece> pills;
    PillPiece open;
    open.text = QStringLiteral("click to expand");
    open.color = Role::Compute;
    pills.push_back(open);
    if (share > 0) pills.push_back(sharePill(share));
    if (!chain.inputs.empty()) {
        PillPiece inputs;
        inputs.text =
            chain.inputs.size() == 1 ? QStringLiteral("1 input") : QStringLiteral("%1 inputs").arg(chain.inputs.size());
        inputs.color = Role::Placeholder;
        pills.push_back(inputs);
    }
    box.pills(std::move(pills));
    box.strip();
    return box.done();
}

Role badgeColor(Badge badge) {
    switch (badge) {
    case Badge::NeedsTiling:
        return Role::Unroll;
    case Badge::Inlineable:
        return Role::Compute;
    case Badge::Output:
        return Role::Output;
    case Badge::Reduction:
        return Role::Reduction;
    case Badge::ConstantMatrix:
    case Badge::ConstantIndices:
        return Role::ConstantMatrix;
    case Badge::Branch:
    case Badge::Expensive:
        return Role::Warning;
    case Badge::LayoutFree:
        return Role::Vector;
    }
    return Role::QuietText;
}

Role kindColor(StageKind kind) {
    switch (kind) {
    case StageKind::Placeholder:
        return Role::Placeholder;
    case StageKind::Compute:
        return Role::Compute;
    case StageKind::ConstantMatrix:
        return Role::ConstantMatrix;
    case StageKind::Output:
        return Role::Output;
    }
    return Role::Compute;
}

QString shareText(double share) {
    if (share < 0.001) return QStringLiteral("<0.1 % of FLOPs");
    if (share > 0.9994 && share < 1) return QStringLiteral(">99.9 % of FLOPs");
    return QStringLiteral("%1 of FLOPs").arg(percentText(share));
}

double addedStageHeight(const NodeFonts &fonts) { return QFontMetricsF(fonts.small).height() + 8; }

} // namespace loopscope
