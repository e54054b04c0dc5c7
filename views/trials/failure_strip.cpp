#include "views/trials/failure_strip.h"

#include "views/actions/flow_layout.h"
#include "views/session/text.h"
#include "views/trials/chip.h"
#include "views/trials/trial_facts.h"
#include "views/trials/trial_filter.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

namespace {

constexpr size_t kMaxReasons = 6;

/// The longest piece without a quote, as a quoted word of the filter cannot have one inside.
QString quotable(const QString &pattern) {
    QString longest;
    for (const QString &piece : pattern.split(QLatin1Char('"')))
        if (piece.size() > longest.size()) longest = piece;
    return longest.trimmed();
}

/// Text that gives way instead of widening the window.
class ReasonLabel : public QLabel {
  public:
    using QLabel::QLabel;
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }
    [[nodiscard]] QSize sizeHint() const override {
        return {fontMetrics().averageCharWidth() * 20, QLabel::sizeHint().height()};
    }

  protected:
    void paintEvent(QPaintEvent * /*event*/) override {
        QPainter painter(this);
        painter.setPen(palette().color(foregroundRole()));
        painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft,
                         fontMetrics().elidedText(text(), Qt::ElideRight, width()));
    }
};

} // namespace

FailureStrip::FailureStrip(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setAccessibleName(tr("Failures"));
    m_label = new QLabel(this);
    m_label->setMinimumHeight(fontMetrics().height() + 6); // as high as a chip
    m_more = new QToolButton(this);
    m_more->setCheckable(true);
    m_more->setAutoRaise(true);
    m_more->setText(tr("Reasons"));
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setArrowType(Qt::RightArrow);
    m_more->setToolTip(tr("The most frequent reasons; reasons that differ in numbers only count as one"));
    m_reasons = new QWidget(this);
    m_reasons->hide();
    m_reasonRows = new QGridLayout(m_reasons);
    m_reasonRows->setContentsMargins(0, 0, 0, 4);
    m_reasonRows->setVerticalSpacing(3);
    m_reasonRows->setHorizontalSpacing(8);
    m_reasonRows->setColumnStretch(1, 1);
    m_chips = new FlowLayout(nullptr, 6, 6);
    m_chips->addWidget(m_label);
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(8, 0, 8, 4);
    all->setSpacing(4);
    all->addLayout(m_chips);
    all->addWidget(m_reasons);
    for (int error = 1; error <= static_cast<int>(TrialError::Unknown); ++error) {
        auto *chip = new Chip(theme, Role::Bad, this);
        chip->hide();
        const QString kind = failureKind(static_cast<TrialError>(error));
        chip->setToolTip(tr("Show only what failed by %1").arg(kind));
        connect(chip, &QAbstractButton::clicked, this,
                [this, kind] { Q_EMIT filterAsked(QStringLiteral("failure:") + kind); });
        m_chips->addWidget(chip);
        m_kinds.push_back(chip);
    }
    m_chips->addWidget(m_more);
    connect(m_more, &QToolButton::toggled, this, [this](bool on) {
        m_more->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
        m_reasons->setVisible(on);
    });
    connect(&theme, &Theme::changed, this, &FailureStrip::applyTheme);
    applyTheme();
    hide();
}

void FailureStrip::applyTheme() {
    QPalette quiet = palette();
    quiet.setColor(QPalette::WindowText, m_theme.color(Role::QuietText));
    m_label->setPalette(quiet);
}

void FailureStrip::setSummary(const FailureSummary &summary, int total) {
    setVisible(summary.failed() > 0);
    if (summary.failed() == 0) return;
    m_label->setText(tr("%1 of %2 failed:").arg(summary.failed()).arg(total));
    for (size_t i = 0; i < m_kinds.size(); ++i) {
        Chip *chip = m_kinds[i];
        const auto kind = static_cast<TrialError>(i + 1);
        chip->setCount(failureKind(kind), summary.count(kind));
        chip->setVisible(summary.count(kind) > 0);
    }
    showReasons(summary);
}

void FailureStrip::showReasons(const FailureSummary &summary) {
    std::vector<ReasonCluster> top = summary.topReasons(kMaxReasons);
    const auto same = [](const ReasonCluster &a, const ReasonCluster &b) {
        return a.kind == b.kind && a.pattern == b.pattern && a.count == b.count;
    };
    if (std::equal(top.begin(), top.end(), m_shownReasons.begin(), m_shownReasons.end(), same)) return;
    m_shownReasons = std::move(top);
    while (QLayoutItem *item = m_reasonRows->takeAt(0)) {
        if (item->widget() != nullptr) item->widget()->deleteLater();
        delete item;
    }
    int row = 0;
    for (const ReasonCluster &cluster : m_shownReasons) {
        auto *chip = new Chip(m_theme, Role::Bad, m_reasons);
        chip->setCount(failureKind(cluster.kind), cluster.count);
        const QString reason = cluster.pattern.empty() ? tr("no reason was kept") : qt(cluster.pattern).simplified();
        auto *text = new ReasonLabel(reason, m_reasons);
        text->setToolTip(tr("%1\nfor example trial %2").arg(reason).arg(cluster.example + 1));
        chip->setToolTip(tr("Show only these"));
        chip->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed); // one width for all
        const QString filter = QStringLiteral("failure:%1%2")
                                   .arg(failureKind(cluster.kind),
                                        cluster.pattern.empty()
                                            ? QString()
                                            : QStringLiteral(" reason:") + filterQuoted(quotable(qt(cluster.pattern))));
        connect(chip, &QAbstractButton::clicked, this, [this, filter] { Q_EMIT filterAsked(filter); });
        m_reasonRows->addWidget(chip, row, 0);
        m_reasonRows->addWidget(text, row++, 1);
    }
}

} // namespace loopscope
