#include "views/computation/facts_panel.h"

#include "views/session/text.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

namespace loopscope {

namespace {

/// Takes the room there is and shows the rest as a tooltip.
class ElidedLabel : public QLabel {
  public:
    using QLabel::QLabel;
    [[nodiscard]] QSize minimumSizeHint() const override {
        return {fontMetrics().averageCharWidth() * 6, QLabel::minimumSizeHint().height()};
    }

  protected:
    void paintEvent(QPaintEvent *) override {
        QPainter painter(this);
        painter.drawText(contentsRect(), Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
    }
};

} // namespace

FactsPanel::FactsPanel(Theme &theme, QAction *copyKey, QWidget *parent) : QWidget(parent), m_theme(theme) {
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(3);
    m_flops = addFact(QStringLiteral("Work"), 0, 0);
    m_bytes = addFact(QStringLiteral("Data"), 0, 2);
    m_intensity = addFact(QStringLiteral("Intensity"), 1, 0);
    m_stages = addFact(QStringLiteral("Stages"), 1, 2);
    m_keyLabel = addFact(QStringLiteral("Task key"), 2, 0);
    m_target = addFact(QStringLiteral("Target"), 2, 2);
    auto *copy = new QToolButton(this);
    copy->setDefaultAction(copyKey);
    copy->setAutoRaise(true);
    copy->setAccessibleName(copyKey->text());
    grid->addWidget(copy, 2, 4);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    connect(&theme, &Theme::changed, this, &FactsPanel::restyle);
    setFacts(std::nullopt, false);
}

QLabel *FactsPanel::addFact(const QString &name, int row, int column) {
    auto *grid = static_cast<QGridLayout *>(layout());
    auto *label = new QLabel(name, this);
    auto *value = new ElidedLabel(this);
    value->setAccessibleName(name);
    grid->addWidget(label, row, column);
    grid->addWidget(value, row, column + 1);
    m_names.push_back(label);
    m_values.push_back(value);
    return value;
}

void FactsPanel::setFacts(const std::optional<TaskFacts> &facts, bool outdated) {
    m_outdated = outdated;
    m_key = facts ? facts->key : QString();
    const QString none = QStringLiteral("\u2013");
    const auto set = [](QLabel *label, const QString &text, const QString &tip) {
        label->setText(text);
        label->setToolTip(tip);
    };
    if (!facts) {
        for (QLabel *value : m_values) set(value, none, {});
    } else {
        set(m_flops, facts->flops < 0 ? none : countText(facts->flops) + QStringLiteral("FLOP"),
            facts->flops < 0 ? QStringLiteral("The floating-point operations of this computation cannot be counted")
                             : QStringLiteral("%L1 floating-point operations").arg(facts->flops, 0, 'f', 0));
        set(m_bytes, bytesText(facts->bytes()),
            QStringLiteral("Inputs %1, outputs %2").arg(bytesText(facts->inputBytes), bytesText(facts->outputBytes)));
        set(m_intensity, intensityText(facts->intensity()),
            QStringLiteral("Arithmetic intensity: operations per byte of inputs and outputs, each moved once"));
        set(m_stages, QString::number(facts->stages),
            QStringLiteral("%1 computed from %2")
                .arg(countedText(static_cast<size_t>(facts->stages), "stage"),
                     countedText(static_cast<size_t>(facts->inputs), "input")));
        set(m_keyLabel, facts->shortKey(), facts->key);
        set(m_target, facts->target, facts->target);
    }
    restyle();
}

void FactsPanel::restyle() {
    const auto paint = [&](QLabel *label, Role role) {
        QPalette palette = label->palette();
        palette.setColor(QPalette::WindowText, m_theme.color(role));
        label->setPalette(palette);
    };
    for (QLabel *label : m_names) paint(label, Role::QuietText);
    for (QLabel *label : m_values) paint(label, m_outdated ? Role::QuietText : Role::Text);
}

} // namespace loopscope
