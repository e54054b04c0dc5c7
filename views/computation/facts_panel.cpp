#include "views/computation/facts_panel.h"

#include "views/session/text.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>
#include <array>

namespace loopscope {

FactsPanel::FactsPanel(Theme &theme, QAction *copyKey, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_copy(new QToolButton(this)) {
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(3);
    m_flops = addFact(QStringLiteral("Work"));
    m_bytes = addFact(QStringLiteral("Data"));
    m_intensity = addFact(QStringLiteral("Intensity"));
    m_stages = addFact(QStringLiteral("Stages"));
    m_keyLabel = addFact(QStringLiteral("Task key"));
    m_target = addFact(QStringLiteral("Target"));
    m_target->setWordWrap(true); // with all its options it is longer than any panel is wide
    m_copy->setDefaultAction(copyKey);
    m_copy->setAutoRaise(true);
    m_copy->setAccessibleName(copyKey->text());
    connect(&theme, &Theme::changed, this, &FactsPanel::restyle);
    setFacts(std::nullopt, false);
}

QLabel *FactsPanel::addFact(const QString &name) {
    auto *label = new QLabel(name, this);
    auto *value = new QLabel(this);
    value->setTextFormat(Qt::PlainText);
    value->setAccessibleName(name);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    value->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_names.push_back(label);
    m_values.push_back(value);
    return value;
}

/// Two facts a line where there is room for the longest, else one.
void FactsPanel::arrange() {
    auto *grid = static_cast<QGridLayout *>(layout());
    constexpr size_t kShort = 4; // numbers; key and target have lines of their own
    std::array<int, 2> widest{};
    for (size_t i = 0; i < kShort; ++i) widest[i % 2] = std::max(widest[i % 2], m_values[i]->sizeHint().width());
    int names = 0;
    for (const QLabel *name : m_names) names = std::max(names, name->sizeHint().width());
    const int gaps = 3 * grid->horizontalSpacing() + fontMetrics().averageCharWidth();
    const int columns = 2 * names + widest[0] + widest[1] + gaps <= width() ? 2 : 1;
    if (columns == m_columns) return;
    m_columns = columns;
    while (QLayoutItem *item = grid->takeAt(0)) delete item; // the labels stay
    const auto put = [&](size_t fact, int row, int column, int span) {
        grid->addWidget(m_names[fact], row, column);
        grid->addWidget(m_values[fact], row, column + 1, 1, span);
    };
    const int across = 2 * columns - 1;
    int row = 0;
    for (size_t i = 0; i < kShort; ++i) {
        const int column = static_cast<int>(i) % columns;
        const bool last = column == columns - 1;
        put(i, row, 2 * column, last ? 2 : 1); // also above the button beside the key
        if (last) ++row;
    }
    put(kShort, row, 0, across);
    grid->addWidget(m_copy, row++, across + 1, Qt::AlignRight);
    put(kShort + 1, row, 0, across + 1);
    for (int column = 0; column < 5; ++column) grid->setColumnStretch(column, column == 1 || column == across ? 1 : 0);
}

QSize FactsPanel::minimumSizeHint() const {
    int names = 0;
    int values = 0;
    for (const QLabel *name : m_names) names = std::max(names, name->sizeHint().width());
    for (const QLabel *value : m_values)
        if (!value->wordWrap()) values = std::max(values, value->sizeHint().width());
    const int gaps = 2 * static_cast<const QGridLayout *>(layout())->horizontalSpacing();
    return {names + values + m_copy->sizeHint().width() + gaps, QWidget::minimumSizeHint().height()};
}

void FactsPanel::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    arrange();
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
        set(m_target, facts->target, {});
    }
    arrange();
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
