#include "views/search_progress/setup_form.h"

#include "language/target/machine.h"
#include "views/actions/flow_layout.h"
#include "views/search_progress/measuring_choice.h"
#include "views/session/text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpressionValidator>
#include <QScopedValueRollback>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

namespace {

QString key(const char *name) { return QStringLiteral("search/%1").arg(QLatin1String(name)); }

constexpr int kMaxTrials = 1000000;
constexpr int kMaxSeconds = 30 * 24 * 3600;

} // namespace

SearchSetup storedSetup(const Settings &settings) {
    SearchSetup setup;
    auto &options = setup.options;
    const auto number = [&](const char *name, int fallback) { return settings.value(key(name), fallback).toInt(); };
    options.trials = std::clamp(number("trials", options.trials), 1, kMaxTrials);
    options.timeLimitSeconds = std::clamp(number("time_budget", 0), 0, kMaxSeconds);
    options.seed = settings.value(key("seed"), QVariant::fromValue<qulonglong>(options.seed)).toULongLong();
    options.threads = std::max(0, number("threads", options.threads));
    options.trialsPerRound =
        std::clamp(number("trials_per_round", options.trialsPerRound), 0, SearchOptions::kLargestRound);
    options.population = std::clamp(number("population", options.population), 16, 65536);
    options.generations = std::clamp(number("generations", options.generations), 1, 64);
    options.randomModel = settings.value(key("random_model"), options.randomModel).toBool();
    setup.on = measureOnOf(settings.value(key("measure_on")).toString());
    setup.nodes = settings.value(key("nodes")).toString();
    setup.layoutRewrite = std::clamp(number("layout_rewrite", setup.layoutRewrite), 0, 2);
    setup.buildTimeout = std::clamp(settings.value(key("build_timeout"), setup.buildTimeout).toDouble(), 0.1, 3600.);
    setup.runTimeout = std::clamp(settings.value(key("run_timeout"), setup.runTimeout).toDouble(), 0.1, 3600.);
    return setup;
}

void storeSetup(Settings &settings, const SearchSetup &setup) {
    const auto &options = setup.options;
    settings.setValue(key("trials"), options.trials);
    settings.setValue(key("time_budget"), static_cast<int>(options.timeLimitSeconds));
    settings.setValue(key("seed"), QVariant::fromValue<qulonglong>(options.seed));
    settings.setValue(key("threads"), options.threads);
    settings.setValue(key("trials_per_round"), options.trialsPerRound);
    settings.setValue(key("population"), options.population);
    settings.setValue(key("generations"), options.generations);
    settings.setValue(key("random_model"), options.randomModel);
    settings.setValue(key("measure_on"), measureOnName(setup.on));
    settings.setValue(key("nodes"), setup.nodes);
    settings.setValue(key("layout_rewrite"), setup.layoutRewrite);
    settings.setValue(key("build_timeout"), setup.buildTimeout);
    settings.setValue(key("run_timeout"), setup.runTimeout);
}

SetupForm::SetupForm(Theme &theme, Settings &settings, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_settings(settings) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    auto *first = new QWidget;
    auto *row = new FlowLayout(first);
    column->addWidget(first);

    m_trials = number(1, kMaxTrials, 16);

    m_trials->setObjectName(QStringLiteral("trials"));
    addField(row, QStringLiteral("&Trials"), m_trials,
             QStringLiteral("Schedules to build, check and time. Trials of the log count."));
    m_budget = number(0, kMaxSeconds, 60);
    m_budget->setSpecialValueText(QStringLiteral("no limit"));
    m_budget->setSuffix(QStringLiteral(" s"));
    addField(row, QStringLiteral("Time &budget"), m_budget,
             QStringLiteral("Seconds of search time after which no new round begins; 0 = no limit."));
    m_seed = new QLineEdit;
    m_seed->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,19}")), m_seed));
    m_seed->setMaximumWidth(m_seed->fontMetrics().averageCharWidth() * 14);
    connect(m_seed, &QLineEdit::editingFinished, this, &SetupForm::changed);
    addField(row, QStringLiteral("See&d"), m_seed,
             QStringLiteral("The same seed tries the same schedules in the same order."));
    m_threads = number(0, std::max(64, thisMachine().threads), 1);
    m_threads->setSpecialValueText(QStringLiteral("all %1").arg(thisMachine().threads));
    addField(row, QStringLiteral("T&hreads"), m_threads,
             QStringLiteral("Threads of search and compilation; measuring has the machine to itself."));
    m_target = new QComboBox;
    m_target->setEditable(true);
    m_target->setInsertPolicy(QComboBox::NoInsert);
    m_target->addItems({QStringLiteral("llvm"), QStringLiteral("llvm -num-cores=1"),
                        QStringLiteral("llvm -mcpu=x86-64-v3"), QStringLiteral("llvm -mcpu=x86-64-v4"),
                        QStringLiteral("cuda")});
    m_target->setMinimumContentsLength(18);
    connect(m_target->lineEdit(), &QLineEdit::editingFinished, this, [this] {
        if (!m_filling) Q_EMIT targetChanged(m_target->currentText().trimmed());
    });
    connect(m_target, &QComboBox::activated, this, [this] { Q_EMIT targetChanged(m_target->currentText().trimmed()); });
    addField(row, QStringLiteral("T&arget"), m_target,
             QStringLiteral("The machine to tune for, as TVM writes it. \u201cllvm\u201d alone is this machine; "
                            "-mcpu=, -num-cores= and -mattr= change it."));
    m_measuring = new MeasuringChoice(this);
    connect(m_measuring, &MeasuringChoice::changed, this, &SetupForm::changed);
    m_ways = addField(row, QStringLiteral("Measure &on"), m_measuring->ways(),
                      QStringLiteral("What trials run on: the target itself, or what stands in for it."));
    m_bundle = addField(row, QStringLiteral("Bundles in"), m_measuring->folder(),
                        QStringLiteral("Each round of the search becomes a folder in here, which is run on the other "
                                       "machine and brings its results back."));
    m_nodes =
        addField(row, QStringLiteral("Nodes"), m_measuring->nodes(),
                 QStringLiteral("What is asked of Slurm, with commas between: nodes=4, partition=P, constraint=C, "
                                "account=A, time=2:00:00; tolerance=5%: how much a node may be slower than the "
                                "others; rounds=4: how many rounds are measured at a time; worker=there: the worker "
                                "program is not sent along."));
    m_ways->hide();
    m_bundle->hide();
    m_nodes->hide();
    auto *log = new QWidget;
    auto *logRow = new QHBoxLayout(log);
    logRow->setContentsMargins(0, 0, 0, 0);
    logRow->setSpacing(2);
    m_log = new QLineEdit;
    m_log->setMinimumWidth(m_log->fontMetrics().averageCharWidth() * 31);
    m_log->setClearButtonEnabled(true);
    connect(m_log, &QLineEdit::editingFinished, this, &SetupForm::changed);
    m_chooseLog = new QToolButton;
    m_chooseLog->setText(QStringLiteral("\u2026"));
    m_chooseLog->setAccessibleName(QStringLiteral("Choose the log file"));
    connect(m_chooseLog, &QToolButton::clicked, this, &SetupForm::chooseLog);
    logRow->addWidget(m_log);
    logRow->addWidget(m_chooseLog);
    log->setFocusProxy(m_log);
    addField(row, QStringLiteral("&Log"), log, {}); // its tooltip names the file
    m_fields.emplace_back(m_chooseLog, QStringLiteral("Choose the log file"));
    m_more = new QToolButton;
    m_more->setText(QStringLiteral("More options"));
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setArrowType(Qt::RightArrow);
    m_more->setAutoRaise(true);
    m_more->setCheckable(true);
    row->addWidget(m_more);

    m_folded = new QWidget;
    auto *more = new FlowLayout(m_folded);
    column->addWidget(m_folded);
    const SearchSetup defaults;
    m_perRound = number(0, SearchOptions::kLargestRound, 1);
    m_perRound->setSpecialValueText(QStringLiteral("growing"));
    addField(more, QStringLiteral("Trials per &round"), m_perRound,
             QStringLiteral("Measured before the cost model learns again. \u201cgrowing\u201d, the default (0): a "
                            "quarter of what was measured, at least %1, at most %2.")
                 .arg(SearchOptions::kSmallestRound)
                 .arg(SearchOptions::kLargestRound));
    m_layout = new QComboBox;
    m_layout->addItems({QStringLiteral("weights as they are"), QStringLiteral("weights packed in every run"),
                        QStringLiteral("weights arrive packed")});
    connect(m_layout, &QComboBox::activated, this, &SetupForm::changed);
    addField(more, QStringLiteral("La&yout"), m_layout,
             QStringLiteral("Constant inputs may be laid out as the schedule reads them: not at all, by the kernel "
                            "(its time counts), or beforehand (default)."));
    m_population = number(16, 65536, 256);
    addField(more, QStringLiteral("&Population"), m_population,
             QStringLiteral("Schedules in one generation; default %1. More explores further and takes longer.")
                 .arg(defaults.options.population));
    m_generations = number(1, 64, 1);
    addField(
        more, QStringLiteral("&Generations"), m_generations,
        QStringLiteral("Bred in every round before trials are picked; default %1.").arg(defaults.options.generations));
    m_buildTimeout = seconds(0.1, 3600, 1);
    addField(more, QStringLiteral("B&uild timeout"), m_buildTimeout,
             QStringLiteral("Seconds a schedule may compile; default %1.").arg(defaults.buildTimeout));
    m_runTimeout = seconds(0.1, 3600, 1);
    addField(more, QStringLiteral("Ru&n timeout"), m_runTimeout,
             QStringLiteral("Seconds a schedule may be checked and timed; default %1.").arg(defaults.runTimeout));
    m_random = new QCheckBox(QStringLiteral("Rando&m model"));
    connect(m_random, &QCheckBox::clicked, this, &SetupForm::changed);
    m_fields.emplace_back(m_random, QStringLiteral("Scores are drawn at random instead of learnt: a baseline for the "
                                                   "cost model."));
    more->addWidget(m_random);

    m_where = new QLabel;
    m_where->setWordWrap(true);
    m_where->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_where->setAccessibleName(QStringLiteral("What trials run on"));
    m_where->hide();
    column->addWidget(m_where);
    m_problem = new QLabel;
    m_problem->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problem->hide();
    column->addWidget(m_problem);
    connect(m_more, &QToolButton::toggled, this, [this](bool open) {
        m_folded->setVisible(open);
        m_more->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        m_settings.setValue(key("more_options"), open);
    });
    const bool open = settings.value(key("more_options"), false).toBool();
    m_folded->setVisible(open);
    m_more->setChecked(open);
    const auto paint = [this] {
        QPalette palette = m_problem->palette();
        palette.setColor(QPalette::WindowText, m_theme.color(Role::Bad));
        m_problem->setPalette(palette);
    };
    connect(&theme, &Theme::changed, this, paint);
    paint();
    setLocked({});
}

QSpinBox *SetupForm::number(int least, int most, int step) {
    auto *box = new QSpinBox;
    box->setRange(least, most);
    box->setSingleStep(step);
    box->setKeyboardTracking(false);
    box->setAlignment(Qt::AlignRight);
    connect(box, &QSpinBox::valueChanged, this, &SetupForm::changed);
    return box;
}

QDoubleSpinBox *SetupForm::seconds(double least, double most, double step) {
    auto *box = new QDoubleSpinBox;
    box->setRange(least, most);
    box->setSingleStep(step);
    box->setDecimals(1);
    box->setSuffix(QStringLiteral(" s"));
    box->setKeyboardTracking(false);
    box->setAlignment(Qt::AlignRight);
    connect(box, &QDoubleSpinBox::valueChanged, this, &SetupForm::changed);
    return box;
}

/// Returns the field with its name.
QWidget *SetupForm::addField(FlowLayout *row, const QString &name, QWidget *field, const QString &tip) {
    auto *box = new QWidget;
    auto *line = new QHBoxLayout(box);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(6);
    auto *label = new QLabel(name);
    label->setBuddy(field->focusProxy() ? field->focusProxy() : field);
    label->setToolTip(tip);
    line->addWidget(label);
    line->addWidget(field);
    field->setAccessibleName(QString(name).remove(QLatin1Char('&')));
    m_fields.emplace_back(field, tip);
    row->addWidget(box);
    return box;
}

void SetupForm::setSetup(const SearchSetup &setup, const QString &target, const QString &defaultLog) {
    const QScopedValueRollback filling(m_filling, true);
    m_base = setup;
    const auto &options = setup.options;
    m_trials->setValue(options.trials);
    m_budget->setValue(static_cast<int>(options.timeLimitSeconds));
    if (!m_seed->hasFocus()) m_seed->setText(QString::number(options.seed));
    m_threads->setValue(options.threads);
    if (!m_target->lineEdit()->hasFocus()) {
        m_target->setEditText(target);
        m_target->lineEdit()->setCursorPosition(0); // of a long one what it is for is seen
    }
    if (!m_log->hasFocus()) m_log->setText(setup.logPath);
    m_log->setPlaceholderText(defaultLog.isEmpty() ? QStringLiteral("a new file for every search") : defaultLog);
    const QString log = setup.logPath.isEmpty() ? defaultLog : setup.logPath;
    for (auto &[field, tip] : m_fields)
        if (field->focusProxy() == m_log)
            tip = QStringLiteral("Every trial is appended to this file in Ansor's format, also when the program is "
                                 "killed.%1")
                      .arg(log.isEmpty() ? QString() : QStringLiteral("\n") + log);
    m_perRound->setValue(options.trialsPerRound);
    m_layout->setCurrentIndex(std::clamp(setup.layoutRewrite, 0, 2));
    m_population->setValue(options.population);
    m_generations->setValue(options.generations);
    m_buildTimeout->setValue(setup.buildTimeout);
    m_runTimeout->setValue(setup.runTimeout);
    m_random->setChecked(options.randomModel);
    setLocked(m_locked);
}

SearchSetup SetupForm::setup() const {
    SearchSetup setup = m_base;
    auto &options = setup.options;
    options.trials = m_trials->value();
    options.timeLimitSeconds = m_budget->value();
    options.seed = m_seed->text().toULongLong();
    options.threads = m_threads->value();
    setup.logPath = m_log->text().trimmed();
    m_measuring->put(setup);
    options.trialsPerRound = m_perRound->value();
    setup.layoutRewrite = m_layout->currentIndex();
    options.population = m_population->value();
    options.generations = m_generations->value();
    setup.buildTimeout = m_buildTimeout->value();
    setup.runTimeout = m_runTimeout->value();
    options.randomModel = m_random->isChecked();
    return setup;
}

void SetupForm::changed() {
    if (m_filling) return;
    m_base = setup();
    storeSetup(m_settings, m_base);
    Q_EMIT setupChanged(m_base);
}

void SetupForm::chooseLog() {
    const QString path = QFileDialog::getSaveFileName(
        this, QStringLiteral("Log file"), m_log->text().isEmpty() ? m_log->placeholderText() : m_log->text(),
        QStringLiteral("Tuning logs (*.json *.log);;All files (*)"), nullptr, QFileDialog::DontConfirmOverwrite);
    if (path.isEmpty()) return;
    m_log->setText(path);
    changed();
}

void SetupForm::setLocked(const QString &why) {
    m_locked = why;
    for (const auto &[field, tip] : m_fields) {
        field->setEnabled(why.isEmpty());
        field->setToolTip(why.isEmpty() ? tip : QStringLiteral("%1\n%2").arg(tip, why));
    }
}

void SetupForm::setTarget(const Target *target, const QString &defaultFolder) {
    m_measuring->show(m_base, target, defaultFolder);
    m_ways->setVisible(target != nullptr && m_measuring->several());
    m_bundle->setVisible(target != nullptr && m_measuring->bundled());
    m_nodes->setVisible(target != nullptr && m_measuring->onNodes());
    const QString where = target != nullptr ? whereElseMeasured(m_base, *target) : QString();
    m_where->setText(where);
    m_where->setVisible(!where.isEmpty());
}

void SetupForm::setProblem(const QString &sentence) {
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
}

} // namespace loopscope
