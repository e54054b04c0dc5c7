#include "views/grouping/machine_form.h"

#include "views/actions/flow_layout.h"
#include "views/session/text.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSlider>

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopscope {

namespace {

constexpr auto kMachineKey = "grouping/machine";
constexpr auto kCoreKey = "grouping/coreCache";
constexpr auto kModeKey = "grouping/mode";

bool sameMachine(const MachineParameters &a, const MachineParameters &b) {
    return a.parallelism == b.parallelism && a.balance == b.balance && a.lastLevelCache == b.lastLevelCache &&
           a.coreCache == b.coreCache;
}

} // namespace

int LogScale::stops() const { return static_cast<int>(std::lround(std::log2(most / least) * stopsPerDoubling)); }

double LogScale::at(int stop) const {
    const double value = least * std::exp2(static_cast<double>(stop) / stopsPerDoubling);
    return std::max(least, std::round(value / unit) * unit);
}

int LogScale::stopOf(double value) const {
    const double stop = std::log2(std::clamp(value, least, most) / least) * stopsPerDoubling;
    return std::clamp(static_cast<int>(std::lround(stop)), 0, stops());
}

QString cacheText(int64_t bytes) {
    constexpr int64_t mebi = int64_t{1} << 20;
    constexpr int64_t kibi = int64_t{1} << 10;
    if (bytes % mebi == 0) return QStringLiteral("%1M").arg(bytes / mebi);
    if (bytes % kibi == 0) return QStringLiteral("%1k").arg(bytes / kibi);
    return QString::number(bytes);
}

MachineForm::MachineForm(const Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_modes(new QComboBox(this)), m_presets(new QComboBox(this)) {
    auto *flow = new FlowLayout(this, 12, 4);
    flow->setContentsMargins(6, 4, 6, 4);
    const auto labelled = [&](const QString &name, QWidget *field) {
        auto *box = new QWidget(this);
        auto *line = new QHBoxLayout(box);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(5);
        auto *label = new QLabel(name, box);
        label->setBuddy(field);
        line->addWidget(label);
        line->addWidget(field);
        flow->addWidget(box);
        return line;
    };
    m_modes->setAccessibleName(tr("Mode"));
    m_modes->addItem(tr("Fixed"), static_cast<int>(GroupingMode::Fixed));
    m_modes->addItem(tr("Compat"), static_cast<int>(GroupingMode::Compat));
    m_modes->setItemData(0, tr("With a model of what a tile keeps in the core's own cache"), Qt::ToolTipRole);
    m_modes->setItemData(1, tr("The decisions of Halide's scheduler, to the integer"), Qt::ToolTipRole);
    m_modes->setToolTip(tr("Fixed: with a model of what a tile keeps in the core's own cache. Compat: the decisions of "
                           "Halide's scheduler, to the integer."));
    labelled(tr("Mode"), m_modes);
    m_presets->setAccessibleName(tr("Machine"));
    m_presets->setToolTip(tr("Machine parameters that have a name"));
    labelled(tr("Machine"), m_presets);
    addRow(MachineField::Parallelism, tr("Tasks P"),
           tr("Parallel tasks that a group must leave at least; a threshold, not a number of threads"),
           {1, 4096, 2, 1});
    addRow(MachineField::LastLevelCache, tr("Cache L"), tr("Bytes at which a load costs most; k and M may follow"),
           {1024, 1024.0 * 1024 * 1024, 2, 1024});
    addRow(MachineField::Balance, tr("Byte B"), tr("What a loaded byte costs then, in arithmetic operations"),
           {1, 1024, 4, 1});
    addRow(MachineField::CoreCache, tr("Core cache"),
           tr("Bytes of cache that a core has for itself, for all that is alive in a tile; mode fixed alone knows it"),
           {1024, 64.0 * 1024 * 1024, 2, 1024});
    connect(m_modes, &QComboBox::currentIndexChanged, this, [this] {
        if (m_showing) return;
        showValues();
        Q_EMIT changed();
    });
    connect(m_presets, &QComboBox::activated, this, [this](int number) {
        if (static_cast<size_t>(number) >= m_sets.size()) return;
        m_machine = m_sets[static_cast<size_t>(number)].machine;
        showValues();
        Q_EMIT changed();
    });
    showValues();
}

void MachineForm::addRow(MachineField field, const QString &name, const QString &tip, const LogScale &scale) {
    Row made;
    made.field = field;
    made.scale = scale;
    made.box = new QWidget(this);
    auto *line = new QHBoxLayout(made.box);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(5);
    auto *label = new QLabel(name, made.box);
    made.slider = new QSlider(Qt::Horizontal, made.box);
    made.slider->setRange(0, scale.stops());
    made.slider->setPageStep(scale.stopsPerDoubling);
    made.slider->setAccessibleName(name);
    made.entry = new QLineEdit(made.box);
    made.entry->setAccessibleName(tr("%1, exactly").arg(name));
    const int letter = made.entry->fontMetrics().averageCharWidth();
    made.entry->setFixedWidth(7 * letter + 10);
    made.slider->setFixedWidth(9 * letter);
    label->setBuddy(made.entry);
    for (QWidget *part :
         {static_cast<QWidget *>(label), static_cast<QWidget *>(made.slider), static_cast<QWidget *>(made.entry)}) {
        part->setToolTip(tip);
        line->addWidget(part);
    }
    layout()->addWidget(made.box);
    const auto number = static_cast<size_t>(field);
    m_rows.push_back(made);
    connect(made.slider, &QSlider::valueChanged, this, [this, number](int stop) {
        if (m_showing) return;
        setValue(m_rows[number].field, m_rows[number].scale.at(stop));
        showValues();
        Q_EMIT changed();
    });
    connect(made.entry, &QLineEdit::editingFinished, this, [this, number] { read(m_rows[number]); });
}

void MachineForm::setPresets(std::vector<MachinePreset> presets) {
    const MachineParameters before = m_sets.empty() ? MachineParameters{} : m_sets.front().machine;
    m_sets = std::move(presets);
    if (sameMachine(m_machine, before)) m_machine = m_sets.front().machine; // another target has another one
    m_presets->clear();
    for (const MachinePreset &preset : m_sets) {
        m_presets->addItem(preset.name);
        m_presets->setItemData(m_presets->count() - 1, preset.tip, Qt::ToolTipRole);
    }
    m_presets->addItem(tr("Custom"));
    showValues();
}

void MachineForm::set(const MachineParameters &machine, GroupingMode mode) {
    m_machine = machine;
    {
        const QScopedValueRollback showing(m_showing, true);
        m_modes->setCurrentIndex(m_modes->findData(static_cast<int>(mode)));
    }
    showValues();
}

void MachineForm::keepIn(Settings &settings) {
    MachineParameters machine;
    const QString text = settings.value(QLatin1String(kMachineKey)).toString();
    if (const auto kept = parseMachineParameters(std8(text)); !text.isEmpty() && kept) machine = *kept;
    if (const qlonglong core = settings.value(QLatin1String(kCoreKey)).toLongLong(); core > 0) machine.coreCache = core;
    const bool compat = settings.value(QLatin1String(kModeKey)).toString() == QLatin1String("compat");
    set(machine, compat ? GroupingMode::Compat : GroupingMode::Fixed);
    connect(this, &MachineForm::changed, this, [this, &settings] {
        settings.setValue(QLatin1String(kMachineKey), qt(machineParametersText(m_machine)));
        settings.setValue(QLatin1String(kCoreKey), QVariant::fromValue(static_cast<qlonglong>(m_machine.coreCache)));
        settings.setValue(QLatin1String(kModeKey),
                          mode() == GroupingMode::Compat ? QStringLiteral("compat") : QStringLiteral("fixed"));
    });
}

GroupingMode MachineForm::mode() const { return static_cast<GroupingMode>(m_modes->currentData().toInt()); }

double MachineForm::valueOf(MachineField field) const {
    switch (field) {
    case MachineField::Parallelism:
        return static_cast<double>(m_machine.parallelism);
    case MachineField::LastLevelCache:
        return static_cast<double>(m_machine.lastLevelCache);
    case MachineField::Balance:
        return m_machine.balance;
    case MachineField::CoreCache:
        return static_cast<double>(m_machine.coreCache);
    }
    return 0;
}

void MachineForm::setValue(MachineField field, double value) {
    switch (field) {
    case MachineField::Parallelism:
        m_machine.parallelism = static_cast<int64_t>(value);
        break;
    case MachineField::LastLevelCache:
        m_machine.lastLevelCache = static_cast<int64_t>(value);
        break;
    case MachineField::Balance:
        m_machine.balance = value;
        break;
    case MachineField::CoreCache:
        m_machine.coreCache = static_cast<int64_t>(value);
        break;
    }
}

void MachineForm::showValues() {
    const QScopedValueRollback showing(m_showing, true);
    for (const Row &row : m_rows) {
        const double value = valueOf(row.field);
        row.slider->setValue(row.scale.stopOf(value));
        const bool cache = row.field == MachineField::LastLevelCache || row.field == MachineField::CoreCache;
        row.entry->setText(cache ? cacheText(static_cast<int64_t>(value)) : QString::number(value));
        showProblem(row, {});
    }
    row(MachineField::CoreCache).box->setEnabled(mode() == GroupingMode::Fixed);
    const auto same = std::ranges::find_if(m_sets, [&](const MachinePreset &preset) {
        MachineParameters machine = preset.machine;
        if (mode() == GroupingMode::Compat) machine.coreCache = m_machine.coreCache; // it does not know of them
        return sameMachine(machine, m_machine);
    });
    m_presets->setCurrentIndex(static_cast<int>(same - m_sets.begin())); // the last one: none of them
}

/// As the command line reads it.
void MachineForm::read(const Row &row) {
    const QString text = row.entry->text().trimmed();
    const bool cache = row.field == MachineField::LastLevelCache || row.field == MachineField::CoreCache;
    QString all = QStringLiteral("1,1,%1");
    if (cache) all = QStringLiteral("1,%1,1");
    if (row.field == MachineField::Parallelism) all = QStringLiteral("%1,1,1");
    const auto parsed = parseMachineParameters(std8(all.arg(text)));
    if (text.contains(u',') || !parsed) {
        const QString why = row.field == MachineField::Balance ? tr("'%1' is no number from 1 to 1e15, such as 40")
                            : cache ? tr("'%1' is no number of bytes; one from 1 to 1e15 is, such as 16M or 512k")
                                    : tr("'%1' is no whole number from 1 to 1e15, such as 16");
        showProblem(row, why.arg(text));
        return;
    }
    const double value = row.field == MachineField::Balance ? parsed->balance
                         : cache                            ? static_cast<double>(parsed->lastLevelCache)
                                                            : static_cast<double>(parsed->parallelism);
    const bool other = value != valueOf(row.field);
    setValue(row.field, value);
    showValues();
    if (other) Q_EMIT changed();
}

void MachineForm::showProblem(const Row &row, const QString &problem) {
    QPalette palette = this->palette();
    if (!problem.isEmpty()) palette.setColor(QPalette::Text, m_theme.color(Role::Bad));
    row.entry->setPalette(palette);
    row.entry->setToolTip(problem.isEmpty() ? row.slider->toolTip() : problem);
    if (m_problem == problem) return;
    m_problem = problem;
    Q_EMIT problemChanged();
}

} // namespace loopscope
