#include "views/computation/param_form.h"

#include "views/session/text.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace loopscope {

namespace {

constexpr int kFileItem = -1; // item data of "as in the file"; presets have their number

QSize cellHint(const QWidget *widget) { return widget->sizeHint(); }

} // namespace

ParamForm::ParamForm(Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_presetLabel(new QLabel(QStringLiteral("Shape"), this)),
      m_presetBox(new QComboBox(this)), m_cells(new QWidget(this)), m_grid(new QGridLayout(m_cells)) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    auto *top = new QHBoxLayout;
    top->setSpacing(8);
    top->addWidget(m_presetLabel);
    top->addWidget(m_presetBox, 1);
    column->addLayout(top);
    column->addWidget(m_cells);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(10);
    m_grid->setVerticalSpacing(4);
    m_presetLabel->setBuddy(m_presetBox);
    m_presetBox->setAccessibleName(QStringLiteral("Shape: presets of the parameters"));
    m_presetBox->setToolTip(QStringLiteral("Shapes that real networks and benchmarks run"));
    m_presetBox->setPlaceholderText(QStringLiteral("Own values"));
    m_presetBox->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_presetBox->setMinimumContentsLength(12);
    m_presetBox->setMaxVisibleItems(24);
    connect(m_presetBox, &QComboBox::activated, this, &ParamForm::applyPreset);
    connect(&theme, &Theme::changed, this, &ParamForm::refresh);
}

void ParamForm::setParams(const std::vector<WorkloadParam> &params, std::vector<ShapePreset> presets) {
    const bool sameFields = std::equal(params.begin(), params.end(), m_params.begin(), m_params.end(),
                                       [](const WorkloadParam &a, const WorkloadParam &b) { return a.name == b.name; });
    const bool samePresets = presets == m_presets;
    m_params = params;
    m_presets = std::move(presets);
    if (!sameFields) build();
    if (!sameFields || !samePresets) fillPresets();
    refresh();
}

ParamOverrides ParamForm::overrides() const {
    ParamOverrides changed;
    for (const WorkloadParam &param : m_params)
        if (param.value != param.fallback) changed.emplace_back(param.name, param.value);
    return changed;
}

void ParamForm::reset() {
    for (WorkloadParam &param : m_params) param.value = param.fallback;
    refresh();
    Q_EMIT changed(overrides());
}

void ParamForm::focusFirst() {
    if (!m_fields.empty()) m_fields.front().value->setFocus();
}

QSpinBox *ParamForm::field(const QString &name) const {
    for (size_t i = 0; i < m_params.size(); ++i)
        if (qt(m_params[i].name) == name) return m_fields[i].value;
    return nullptr;
}

void ParamForm::build() {
    for (const Field &field : m_fields) delete field.cell;
    m_fields.clear();
    QWidget *before = m_presetBox;
    for (size_t i = 0; i < m_params.size(); ++i) {
        const QString name = qt(m_params[i].name);
        Field field{};
        field.cell = new QWidget(m_cells);
        auto *row = new QHBoxLayout(field.cell);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(4);
        field.name = new QLabel(name, field.cell);
        field.value = new QSpinBox(field.cell);
        field.value->setRange(0, std::numeric_limits<int>::max());
        field.value->setAccessibleName(QStringLiteral("Parameter ") + name);
        field.value->setKeyboardTracking(false); // a value counts once it is whole
        field.value->setAlignment(Qt::AlignRight);
        field.value->setGroupSeparatorShown(false);
        field.value->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("0000000")) + 36);
        field.reset = new QToolButton(field.cell);
        field.reset->setAutoRaise(true);
        field.reset->setIcon(m_theme.icon(QStringLiteral("refresh")));
        QSizePolicy policy = field.reset->sizePolicy();
        policy.setRetainSizeWhenHidden(true);
        field.reset->setSizePolicy(policy);
        row->addWidget(field.name, 1);
        row->addWidget(field.value);
        row->addWidget(field.reset);
        connect(field.value, &QSpinBox::valueChanged, this, [this, i](int value) {
            if (m_setting) return;
            m_params[i].value = value;
            refresh();
            Q_EMIT changed(overrides());
        });
        connect(field.reset, &QToolButton::clicked, this,
                [this, i] { m_fields[i].value->setValue(static_cast<int>(m_params[i].fallback)); });
        setTabOrder(before, field.value);
        setTabOrder(field.value, field.reset);
        before = field.reset;
        m_fields.push_back(field);
    }
    m_columns = 0;
    arrange();
}

void ParamForm::arrange() {
    int widest = 1;
    for (const Field &field : m_fields) widest = std::max(widest, cellHint(field.cell).width());
    const int room = std::max(width(), widest);
    const int columns = std::clamp((room + m_grid->horizontalSpacing()) / (widest + m_grid->horizontalSpacing()), 1, 6);
    if (columns == m_columns) return;
    m_columns = columns;
    for (const Field &field : m_fields) m_grid->removeWidget(field.cell);
    for (size_t i = 0; i < m_fields.size(); ++i) {
        const auto at = static_cast<int>(i);
        m_grid->addWidget(m_fields[i].cell, at / columns, at % columns);
        m_fields[i].cell->show();
    }
    for (int c = 0; c < 6; ++c) m_grid->setColumnStretch(c, c < columns ? 1 : 0);
}

void ParamForm::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    arrange();
}

void ParamForm::fillPresets() {
    m_presetBox->clear();
    m_presetBox->addItem(QStringLiteral("As in the file"), kFileItem);
    QString group;
    for (size_t p = 0; p < m_presets.size(); ++p) {
        if (m_presets[p].source != group) {
            group = m_presets[p].source;
            m_presetBox->insertSeparator(m_presetBox->count());
            m_presetBox->addItem(group);
            auto *items = qobject_cast<QStandardItemModel *>(m_presetBox->model());
            QStandardItem *head = items->item(m_presetBox->count() - 1);
            head->setFlags(Qt::NoItemFlags);
            QFont font = m_presetBox->font();
            font.setBold(true);
            head->setFont(font);
        }
        m_presetBox->addItem(m_presets[p].name, static_cast<int>(p));
    }
    m_presetBox->setVisible(!m_params.empty());
    m_presetLabel->setVisible(!m_params.empty());
}

void ParamForm::applyPreset(int item) {
    const int preset = m_presetBox->itemData(item).toInt();
    for (WorkloadParam &param : m_params) {
        param.value = param.fallback;
        if (preset < 0) continue;
        for (const auto &[name, value] : m_presets[static_cast<size_t>(preset)].params)
            if (name == param.name) param.value = value;
    }
    refresh();
    Q_EMIT changed(overrides());
}

void ParamForm::refresh() {
    m_setting = true;
    const QColor changedInk = m_theme.color(Role::Accent);
    for (size_t i = 0; i < m_fields.size(); ++i) {
        const Field &field = m_fields[i];
        const WorkloadParam &param = m_params[i];
        const bool own = param.value != param.fallback;
        field.value->setValue(
            static_cast<int>(std::clamp<int64_t>(param.value, field.value->minimum(), field.value->maximum())));
        QFont font = field.name->font();
        font.setBold(own);
        field.name->setFont(font);
        QPalette palette = field.name->palette();
        palette.setColor(QPalette::WindowText, own ? changedInk : m_theme.color(Role::Text));
        field.name->setPalette(palette);
        field.reset->setVisible(own);
        const QString back = QStringLiteral("Back to %1, the value of the file").arg(param.fallback);
        field.reset->setToolTip(back);
        field.reset->setAccessibleName(QStringLiteral("%1: %2").arg(qt(param.name), back));
        field.value->setToolTip(own ? QStringLiteral("The file has %1").arg(param.fallback) : QString());
    }
    const bool asFile = overrides().empty();
    const int preset = asFile ? kFileItem : presetOf(m_presets, m_params);
    m_presetBox->setCurrentIndex(asFile || preset >= 0 ? m_presetBox->findData(preset) : -1);
    m_setting = false;
}

} // namespace loopscope
