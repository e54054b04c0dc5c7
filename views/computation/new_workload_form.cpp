#include "views/computation/new_workload_form.h"

#include "views/session/text.h"

#include <QComboBox>
#include <QGridLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <limits>

namespace loopscope {

namespace {

QStringList typeNames() {
    QStringList names;
    for (const DType type : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16, DType::Int8, DType::UInt8,
                             DType::Int16, DType::UInt16, DType::Int32, DType::UInt32, DType::Int64})
        names << qt(dtypeName(type));
    return names;
}

QGridLayout *section(QWidget *fields, const QString &title) {
    auto *box = new QGroupBox(title, fields);
    auto *grid = new QGridLayout(box);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    fields->layout()->addWidget(box);
    return grid;
}

} // namespace

NewWorkloadForm::NewWorkloadForm(Draft &draft) : m_draft(draft) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 4, 0);
    auto *nameRow = new QHBoxLayout;
    auto *nameLabel = new QLabel(QStringLiteral("Name of the workload"), this);
    auto *name = new QLineEdit(m_draft.name, this);
    nameLabel->setBuddy(name);
    nameRow->addWidget(nameLabel);
    nameRow->addWidget(name, 1);
    column->addLayout(nameRow);
    connect(name, &QLineEdit::textChanged, this, [this](const QString &typed) {
        m_draft.name = typed.trimmed();
        Q_EMIT touched();
    });
    addParams();
    addTensors();
    addArgs();
    addEpilogue();
    column->addStretch(1);
}

void NewWorkloadForm::addParams() {
    if (m_draft.params.empty()) return;
    QGridLayout *grid = section(this, QStringLiteral("Dimensions"));
    constexpr int kColumns = 4;
    for (size_t p = 0; p < m_draft.params.size(); ++p) {
        const auto &[name, value] = m_draft.params[p];
        auto *label = new QLabel(name, this);
        auto *field = new QSpinBox(this);
        field->setRange(0, std::numeric_limits<int>::max());
        field->setValue(static_cast<int>(value));
        field->setAlignment(Qt::AlignRight);
        field->setAccessibleName(QStringLiteral("Dimension ") + name);
        field->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("000000")) + 32);
        label->setBuddy(field);
        const auto at = static_cast<int>(p);
        grid->addWidget(label, at / kColumns, 2 * (at % kColumns), Qt::AlignRight | Qt::AlignVCenter);
        grid->addWidget(field, at / kColumns, 2 * (at % kColumns) + 1);
        connect(field, &QSpinBox::valueChanged, this, [this, p](int number) {
            m_draft.params[p].second = number;
            Q_EMIT touched();
        });
    }
    for (int c = 0; c < kColumns; ++c) grid->setColumnStretch(2 * c + 1, 1);
}

void NewWorkloadForm::addTensors() {
    QGridLayout *grid = section(this, QStringLiteral("Tensors"));
    for (size_t t = 0; t < m_draft.tensors.size(); ++t) {
        const DraftTensor &tensor = m_draft.tensors[t];
        auto *label = new QLabel(tensor.name, this);
        auto *shape = new QLineEdit(tensor.shape, this);
        shape->setAccessibleName(QStringLiteral("Shape of ") + tensor.name);
        shape->setToolTip(QStringLiteral("Extents, separated by commas: numbers, dimensions, or expressions of them"));
        auto *type = new QComboBox(this);
        type->addItems(typeNames());
        type->setCurrentText(tensor.dtype);
        type->setAccessibleName(QStringLiteral("Type of ") + tensor.name);
        const auto row = static_cast<int>(t);
        grid->addWidget(label, row, 0);
        grid->addWidget(shape, row, 1);
        grid->addWidget(type, row, 2);
        connect(shape, &QLineEdit::textChanged, this, [this, t](const QString &text) {
            m_draft.tensors[t].shape = text;
            Q_EMIT touched();
        });
        connect(type, &QComboBox::currentTextChanged, this, [this, t](const QString &text) {
            m_draft.tensors[t].dtype = text;
            Q_EMIT touched();
        });
    }
    grid->setColumnStretch(1, 1);
}

void NewWorkloadForm::addArgs() {
    if (m_draft.args.empty()) return;
    QGridLayout *grid = section(this, QStringLiteral("Arguments"));
    for (size_t a = 0; a < m_draft.args.size(); ++a) {
        const DraftArg &arg = m_draft.args[a];
        auto *label = new QLabel(arg.name, this);
        QWidget *field = nullptr;
        const auto changed = [this, a](const QString &text) {
            m_draft.args[a].value = text.trimmed();
            Q_EMIT touched();
        };
        if (!arg.choices.isEmpty()) {
            auto *box = new QComboBox(this);
            if (arg.fallback.isEmpty() && !arg.required) box->addItem(QString());
            box->addItems(arg.choices);
            box->setCurrentText(arg.value);
            connect(box, &QComboBox::currentTextChanged, this, changed);
            field = box;
        } else {
            auto *line = new QLineEdit(arg.value, this);
            line->setPlaceholderText(arg.required             ? QStringLiteral("must be given")
                                     : arg.fallback.isEmpty() ? QStringLiteral("may be left out")
                                                              : arg.fallback);
            connect(line, &QLineEdit::textChanged, this, changed);
            field = line;
        }
        field->setAccessibleName(QStringLiteral("Argument ") + arg.name);
        label->setBuddy(field);
        const auto at = static_cast<int>(a);
        grid->addWidget(label, at / 2, 2 * (at % 2));
        grid->addWidget(field, at / 2, 2 * (at % 2) + 1);
    }
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
}

void NewWorkloadForm::addEpilogue() {
    auto *grid = section(this, QStringLiteral("Then, element by element"));
    auto *row = new QHBoxLayout;
    row->setSpacing(4);
    for (qsizetype e = 0; e < m_draft.epilogue.size(); ++e) {
        auto *step = new QToolButton(this);
        step->setText(m_draft.epilogue[e] + QStringLiteral("  \u00d7"));
        step->setToolTip(QStringLiteral("Remove %1").arg(m_draft.epilogue[e]));
        step->setAccessibleName(step->toolTip());
        row->addWidget(step);
        connect(step, &QToolButton::clicked, this, [this, e] {
            Draft draft = m_draft;
            draft.epilogue.removeAt(e);
            Q_EMIT redrafted(draft);
        });
    }
    auto *add = new QComboBox(this);
    add->addItem(QStringLiteral("Add an operator \u2026"));
    for (const QString &name : epilogueOperators()) {
        const OperatorSpec *spec = findOperatorSpec(std8(name));
        if (spec == nullptr) continue;
        add->addItem(name);
        add->setItemData(add->count() - 1, qt(spec->doc), Qt::ToolTipRole);
    }
    add->setAccessibleName(QStringLiteral("Add an operator behind the result"));
    row->addWidget(add);
    row->addStretch(1);
    grid->addLayout(row, 0, 0);
    connect(add, &QComboBox::activated, this, [this, add](int item) {
        if (item <= 0) return;
        Draft draft = m_draft;
        draft.epilogue << add->itemText(item);
        Q_EMIT redrafted(draft);
    });
}

} // namespace loopscope
