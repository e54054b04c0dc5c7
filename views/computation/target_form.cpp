#include "views/computation/target_form.h"

#include "base/outcome.h"
#include "views/session/text.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {
constexpr int kGaps = 6;
} // namespace

TargetForm::TargetForm(Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_choice(new QComboBox(this)), m_more(new QToolButton(this)),
      m_details(new QWidget(this)), m_line(new QLineEdit(m_details)), m_problem(new QLabel(m_details)),
      m_cells(new QWidget(m_details)), m_grid(new QGridLayout(m_cells)) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGaps);
    auto *top = new QHBoxLayout;
    top->setSpacing(8);
    auto *label = new QLabel(QStringLiteral("Target"), this);
    label->setBuddy(m_choice);
    top->addWidget(label);
    top->addWidget(m_choice, 1);
    top->addWidget(m_more);
    column->addLayout(top);
    m_choice->setAccessibleName(QStringLiteral("Target: machines to choose from"));
    m_choice->setToolTip(QStringLiteral("The machine that kernels are for; another one is another task"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choice->setMinimumContentsLength(4); // it has what is left of the line, and panels may be narrow
    m_choice->setMaxVisibleItems(24);
    m_more->setText(QStringLiteral("Figures"));
    m_more->setCheckable(true);
    m_more->setAutoRaise(true);
    m_more->setToolTip(QStringLiteral("The figures of the target, to be changed"));

    auto *below = new QVBoxLayout(m_details);
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(kGaps);
    m_line->setAccessibleName(QStringLiteral("Target as text"));
    m_line->setToolTip(QStringLiteral("The target as it stands in logs: a kind, then attributes as -name=value; Enter "
                                      "takes it over"));
    below->addWidget(m_line);
    m_problem->setWordWrap(true);
    m_problem->setAccessibleName(QStringLiteral("What is wrong with the target"));
    m_problem->hide();
    below->addWidget(m_problem);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(10);
    m_grid->setVerticalSpacing(4);
    below->addWidget(m_cells);
    column->addWidget(m_details);
    m_details->hide();

    connect(m_choice, &QComboBox::activated, this, &TargetForm::choose);
    connect(m_more, &QToolButton::toggled, m_details, &QWidget::setVisible);
    connect(m_line, &QLineEdit::textEdited, this, &TargetForm::check);
    connect(m_line, &QLineEdit::returnPressed, this, [this] {
        check();
        if (problem().isEmpty()) commit(m_line->text().simplified());
    });
    connect(&theme, &Theme::changed, this, &TargetForm::check);
}

QString TargetForm::problem() const { return m_problem->isHidden() ? QString() : m_problem->text(); }

QSpinBox *TargetForm::figure(const QString &attribute) const {
    for (const Figure &one : m_figures)
        if (QLatin1String(one.about.attribute) == attribute) return one.value;
    return nullptr;
}

void TargetForm::setTarget(const QString &text) {
    if (text == m_text && !m_choices.empty()) return;
    const QScopedValueRollback setting(m_setting, true);
    m_text = text;
    const std::vector<TargetChoice> choices = targetChoices(text);
    if (choices != m_choices) {
        m_choices = choices;
        m_choice->clear();
        for (const TargetChoice &choice : m_choices) {
            if (choice.name.isEmpty()) {
                m_choice->insertSeparator(m_choice->count());
                continue;
            }
            m_choice->addItem(choice.name);
            m_choice->setItemData(m_choice->count() - 1, choice.tip, Qt::ToolTipRole);
        }
    }
    m_choice->setCurrentIndex(choiceOf(m_choices, text));
    m_line->setText(text);
    m_line->setCursorPosition(0); // what kind it is, rather than its end
    check();
    showFigures();
}

void TargetForm::choose(int item) {
    if (item < 0 || static_cast<size_t>(item) >= m_choices.size()) return;
    commit(m_choices[static_cast<size_t>(item)].text);
}

void TargetForm::commit(const QString &text) {
    if (text == m_text) return;
    setTarget(text);
    Q_EMIT targetChosen(text);
}

/// Whether the line could be a target.
void TargetForm::check() {
    const QString problem = targetProblem(m_line->text());
    m_problem->setText(problem.isEmpty() ? QString() : asSentence(problem));
    m_problem->setStyleSheet(QStringLiteral("color: %1").arg(m_theme.color(Role::Bad).name()));
    m_problem->setVisible(!problem.isEmpty());
}

void TargetForm::showFigures() {
    Target target;
    try {
        target = parseTarget(std8(m_text));
    } catch (const Error &) {
        m_cells->setEnabled(false); // the line says what is wrong
        return;
    }
    m_cells->setEnabled(true);
    if (m_figures.empty() || m_gpu != target.isGpu()) {
        m_gpu = target.isGpu();
        build(targetFigures(target));
    }
    const QScopedValueRollback setting(m_setting, true);
    for (const Figure &one : m_figures) {
        const bool own = hasAttribute(m_text, QLatin1String(one.about.attribute));
        one.value->setValue(static_cast<int>(std::min(one.about.of(target), one.about.most)));
        one.reset->setVisible(own);
        QFont font = one.name->font();
        font.setBold(own);
        one.name->setFont(font);
    }
}

void TargetForm::build(const std::vector<TargetFigure> &figures) {
    for (const Figure &one : m_figures) delete one.cell;
    m_figures.clear();
    for (const TargetFigure &about : figures) {
        Figure one{about, new QWidget(m_cells), nullptr, nullptr, nullptr};
        auto *row = new QHBoxLayout(one.cell);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(4);
        one.name = new QLabel(QLatin1String(about.name), one.cell);
        one.value = new QSpinBox(one.cell);
        one.reset = new QToolButton(one.cell);
        one.name->setBuddy(one.value);
        row->addWidget(one.name, 1);
        row->addWidget(one.reset);
        row->addWidget(one.value);
        const QString attribute = QLatin1String(about.attribute);
        one.value->setAccessibleName(one.name->text());
        one.value->setRange(static_cast<int>(about.least), static_cast<int>(about.most));
        one.value->setSingleStep(static_cast<int>(about.step));
        one.value->setSuffix(QLatin1String(about.unit));
        one.value->setGroupSeparatorShown(true);
        one.value->setKeyboardTracking(false);
        for (QWidget *widget : std::initializer_list<QWidget *>{one.name, one.value})
            widget->setToolTip(QStringLiteral("%1 (-%2)").arg(QLatin1String(about.tip), attribute));
        one.reset->setText(QStringLiteral("\u21ba"));
        one.reset->setAutoRaise(true);
        one.reset->setToolTip(QStringLiteral("As the machine has it"));
        one.reset->setAccessibleName(QStringLiteral("Reset %1").arg(one.name->text()));
        connect(one.value, &QSpinBox::valueChanged, this, [this, attribute](int value) {
            if (m_setting) return;
            const QString text = withAttribute(m_text, attribute, QString::number(value));
            if (targetProblem(text).isEmpty()) return commit(text);
            m_line->setText(text); // says why not; the figure stays as it was
            check();
            showFigures();
            m_line->setFocus();
        });
        connect(one.reset, &QToolButton::clicked, this,
                [this, attribute] { commit(withAttribute(m_text, attribute, QString())); });
        m_figures.push_back(one);
    }
    m_columns = 0;
    arrange();
}

void TargetForm::arrange() {
    int widest = 1;
    for (const Figure &one : m_figures) widest = std::max(widest, one.cell->sizeHint().width());
    const int columns =
        std::clamp((width() + m_grid->horizontalSpacing()) / (widest + m_grid->horizontalSpacing()), 1, 3);
    if (columns == m_columns) return;
    m_columns = columns;
    while (QLayoutItem *item = m_grid->takeAt(0)) delete item; // the cells stay
    int place = 0;
    for (const Figure &one : m_figures) {
        m_grid->addWidget(one.cell, place / columns, place % columns);
        ++place;
    }
}

void TargetForm::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace loopscope
