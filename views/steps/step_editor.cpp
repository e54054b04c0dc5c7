#include "views/steps/step_editor.h"

#include "views/actions/flow_layout.h"
#include "views/session/text.h"
#include "views/steps/step_text.h"

#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace loopscope {

namespace {
constexpr int kTypingPause = 120; // ms after which what was typed is judged
constexpr qsizetype kMaxLegal = 12;
} // namespace

StepEditor::StepEditor(const Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("StepEditor"));
    m_line = new QLineEdit(this);
    m_line->setObjectName(QStringLiteral("line"));
    m_line->setAccessibleName(tr("The step as a script line"));
    m_line->setPlaceholderText(tr("Choose a step above to change it"));
    m_verdict = new QLabel(this);
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_choices = new QWidget(this);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 4, 8, 6);
    column->setSpacing(4);
    column->addWidget(m_line);
    column->addWidget(m_verdict);
    column->addWidget(m_choices);
    column->addStretch(1);
    new QVBoxLayout(m_choices);
    m_choices->layout()->setContentsMargins(0, 0, 0, 0);
    m_soon.setSingleShot(true);
    m_soon.setInterval(kTypingPause);
    connect(&m_soon, &QTimer::timeout, this, &StepEditor::judge);
    connect(m_line, &QLineEdit::textEdited, &m_soon, qOverload<>(&QTimer::start));
    connect(m_line, &QLineEdit::returnPressed, this, &StepEditor::take);
    clear();
}

void StepEditor::show(std::shared_ptr<const EditedSteps> steps, size_t at, const QString &line) {
    m_steps = std::move(steps);
    m_at = at;
    m_was = line;
    m_line->setEnabled(true);
    m_line->setText(line);
    m_line->setCursorPosition(0);
    m_soon.stop();
    showChoices({});
    say(refusalText(*m_steps, at), true);
}

void StepEditor::clear() {
    m_steps.reset();
    m_soon.stop();
    m_was.clear();
    m_line->clear();
    m_line->setEnabled(false);
    say({}, false);
    showChoices({});
}

void StepEditor::startTyping() {
    if (!m_line->isEnabled()) return;
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
}

QString StepEditor::verdict() const { return m_verdict->text(); }

void StepEditor::say(const QString &text, bool bad) {
    m_verdict->setText(text);
    m_verdict->setVisible(!text.isEmpty());
    m_verdict->setStyleSheet(QStringLiteral("color: %1").arg(m_theme.color(bad ? Role::Bad : Role::Good).name()));
}

void StepEditor::judge() {
    m_soon.stop();
    if (!m_steps) return;
    if (m_line->text().trimmed() == m_was) return say(refusalText(*m_steps, m_at), true);
    const TypedStep typed = readStep(*m_steps, m_at, m_line->text());
    if (typed.step) return say(tr("This applies. Enter makes it."), false);
    QString text = typed.problem;
    // The sentence of a refusal says what would be legal by itself; that of a misspelt line may not.
    if (!typed.legal.isEmpty() && !text.contains(typed.legal.first()))
        text += tr(" Legal: %1").arg(typed.legal.mid(0, kMaxLegal).join(QStringLiteral(", ")));
    say(text, true);
}

void StepEditor::take() {
    judge();
    if (!m_steps || m_line->text().trimmed() == m_was) return;
    const TypedStep typed = readStep(*m_steps, m_at, m_line->text());
    if (typed.step) Q_EMIT decided(*typed.step);
}

void StepEditor::showChoices(std::vector<ChoiceGroup> groups) {
    m_groups = std::move(groups);
    if (auto *old = m_choices->findChild<QWidget *>(QStringLiteral("groups"), Qt::FindDirectChildrenOnly)) {
        m_choices->layout()->removeWidget(old);
        old->setObjectName({});
        old->hide();
        old->deleteLater(); // a chip of it may be what was clicked
    }
    m_choices->setVisible(!m_groups.empty());
    if (m_groups.empty()) return;
    auto *all = new QWidget(m_choices);
    all->setObjectName(QStringLiteral("groups"));
    auto *column = new QVBoxLayout(all);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(3);
    for (const ChoiceGroup &group : m_groups) addGroup(*column, group);
    m_choices->layout()->addWidget(all);
}

void StepEditor::addGroup(QVBoxLayout &column, const ChoiceGroup &group) {
    auto *row = new QWidget(column.parentWidget());
    auto *flow = new FlowLayout(row, 3, 3);
    const auto label = [&](const QString &text, const QString &tip) {
        auto *words = new QLabel(text, row);
        words->setToolTip(tip);
        words->setStyleSheet(
            QStringLiteral("color: %1; padding: 3px 4px 3px 0;").arg(m_theme.color(Role::QuietText).name()));
        flow->addWidget(words);
    };
    const auto chips = [&](const std::vector<StepChoice> &choices, bool guarded) {
        for (const StepChoice &choice : choices) {
            auto *chip = new QToolButton(row);
            chip->setObjectName(QStringLiteral("chip"));
            chip->setText(choice.label);
            chip->setCheckable(true);
            chip->setChecked(choice.chosen);
            chip->setFocusPolicy(Qt::TabFocus);
            chip->setAccessibleName(QStringLiteral("%1: %2").arg(group.title, choice.label));
            chip->setToolTip(guarded ? tr("%1 does not divide the loop: its last tile is guarded").arg(choice.label)
                                     : group.tip);
            connect(chip, &QToolButton::clicked, this, [this, chip, choice] {
                chip->setChecked(choice.chosen); // until it is so
                if (!choice.chosen) Q_EMIT decided(choice.step);
            });
            flow->addWidget(chip);
        }
    };
    label(group.title, group.tip);
    chips(group.choices, false);
    if (!group.guarded.empty()) {
        label(tr("  with a guard"), tr("Legal, but they do not divide the loop: part of the last tile is wasted"));
        chips(group.guarded, true);
    }
    column.addWidget(row);
}

void StepEditor::restyle() {
    m_line->setFont(m_theme.codeFont());
    const auto name = [&](Role role) { return m_theme.color(role).name(); };
    setStyleSheet(QStringLiteral("QToolButton#chip { border: 1px solid %1; border-radius: 3px; padding: 2px 7px; "
                                 "background: %2; color: %3; }"
                                 "QToolButton#chip:hover { background: %4; }"
                                 "QToolButton#chip:focus { border-color: %5; }"
                                 "QToolButton#chip:checked { background: %5; color: %6; border-color: %5; }")
                      .arg(name(Role::Border), name(Role::Raised), name(Role::Text), name(Role::Hover),
                           name(Role::Accent), name(Role::AccentText)));
    showChoices(std::move(m_groups));
}

} // namespace loopscope
