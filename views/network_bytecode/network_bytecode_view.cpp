#include "views/network_bytecode/network_bytecode_view.h"

#include "views/actions/elided_label.h"
#include "views/actions/flow_bar.h"
#include "views/actions/page_stack.h"
#include "views/actions/row_table.h"
#include "views/session/text.h"

#include <QComboBox>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLocale>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

NetworkBytecodeView::NetworkBytecodeView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()),
      m_run(new SteppedRun(context.session.jobs(), this)), m_model(new BytecodeModel(context.theme, this)),
      m_held(new RegisterModel(context.theme, this)) {
    setObjectName(QStringLiteral("NetworkBytecodeView"));
    build();
    addActions();
    connect(m_run, &SteppedRun::programChanged, this, [this] {
        m_code->clearSpans();
        m_model->show(m_run->program());
        m_model->setStops(m_run->stops());
        for (int row = 0; row < m_model->rowCount(); ++row)
            if (!m_model->placeOf(row)) m_code->setSpan(row, BytecodeModel::InstructionColumn, 1, 2);
    });
    connect(m_run, &SteppedRun::changed, this, &NetworkBytecodeView::showRun);
    connect(m_run, &SteppedRun::stopsChanged, this, [this] {
        m_model->setStops(m_run->stops());
        refresh();
    });
    connect(&m_networks, &OpenNetworks::currentChanged, this, &NetworkBytecodeView::networkChanged);
    connect(&m_networks, &OpenNetworks::networkChanged, this, [this](int id) {
        if (const OpenNetwork *shown = m_networks.current(); shown != nullptr && shown->id == id) networkChanged();
    });
    connect(&m_context.theme, &Theme::changed, this, [this] {
        m_code->viewport()->update();
        m_registers->viewport()->update();
    });
    networkChanged();
}

void NetworkBytecodeView::build() {
    m_tools = new FlowBar(this);
    m_sentence = new ElidedLabel(this);
    m_sentence->setObjectName(QStringLiteral("bytecode_sentence"));
    m_sentence->setContentsMargins(8, 2, 8, 4);
    m_code = new QTableView(this);
    m_code->setObjectName(QStringLiteral("bytecode"));
    m_code->setAccessibleName(tr("Instructions"));
    m_code->setModel(m_model);
    makeRowTable(*m_code, RowSelection::One);
    setColumnLetters(*m_code, {4, 5, 38, 14});
    m_code->setIconSize({16, 16});
    m_calls = new QComboBox(this);
    m_calls->setObjectName(QStringLiteral("bytecode_calls"));
    m_calls->setAccessibleName(tr("Call"));
    m_calls->setToolTip(tr("Calls that are not over, the innermost first: whose registers are shown"));
    m_calls->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_calls->setMinimumContentsLength(16);
    m_registers = new QTableView(this);
    m_registers->setObjectName(QStringLiteral("bytecode_registers"));
    m_registers->setAccessibleName(tr("Registers"));
    m_registers->setModel(m_held);
    makeRowTable(*m_registers, RowSelection::One);
    setColumnLetters(*m_registers, {10, 12, 18, 20});
    m_value = new ValuePane(m_context, this);
    auto *held = new QWidget(this);
    auto *heldColumn = new QVBoxLayout(held);
    heldColumn->setContentsMargins(0, 0, 0, 0);
    heldColumn->setSpacing(2);
    heldColumn->addWidget(m_calls);
    heldColumn->addWidget(m_registers, 1);
    m_side = new QSplitter(Qt::Vertical, this);
    m_side->addWidget(held);
    m_side->addWidget(m_value);
    m_split = new QSplitter(this);
    m_split->addWidget(m_code);
    m_split->addWidget(m_side);
    m_split->setChildrenCollapsible(false);
    m_side->setChildrenCollapsible(false);
    m_split->setSizes({600, 400});
    m_side->setSizes({300, 300});
    m_empty = newEmptySentence(QStringLiteral("bytecode_empty"), this);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tools);
    column->addWidget(m_sentence);
    column->addWidget(m_split, 1);
    column->addWidget(m_empty, 1);
    connect(m_code, &QTableView::clicked, this, [this](const QModelIndex &index) {
        if (index.column() == BytecodeModel::StopColumn) toggleStop(index.row());
    });
    connect(m_code->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &NetworkBytecodeView::rowChanged);
    connect(m_registers->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &now) {
                if (m_following) return;
                const HeldRegister *held = m_held->at(now.row());
                m_chosen = held != nullptr ? held->name() : QString();
                m_value->show(held);
            });
    connect(m_calls, &QComboBox::currentIndexChanged, this, &NetworkBytecodeView::showRegisters);
}

void NetworkBytecodeView::addActions() {
    const auto add = [this](const char *id, const QString &text, const char *keys, const char *icon, const QString &tip,
                            std::function<void()> run) {
        QAction *action = m_context.actions.add({QLatin1String(id), tr("Network bytecode"), text,
                                                 QKeySequence(QLatin1String(keys)), tip, QLatin1String(icon)},
                                                this, std::move(run));
        action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    m_begin = add("bytecode.begin", tr("Begin again"), "Ctrl+Shift+F5", "refresh",
                  tr("To the first instruction, on inputs drawn anew"), [this] { begin(); });
    m_into = add("bytecode.into", tr("Step into"), "F11", "down",
                 tr("One instruction; of a call, to the first one of what is called"),
                 [this] { m_run->move(StepSize::Into); });
    m_over = add("bytecode.over", tr("Step over"), "F10", "forward", tr("One instruction; calls and loops as a whole"),
                 [this] { m_run->move(StepSize::Over); });
    m_out = add("bytecode.out", tr("Step out"), "Shift+F11", "up", tr("To where the function that runs was called"),
                [this] { m_run->move(StepSize::Out); });
    m_on = add("bytecode.continue", tr("Continue"), "Ctrl+F5", "resume", tr("To the next place to stop, or to the end"),
               [this] { m_run->move(StepSize::On); });
    m_here = add("bytecode.here", tr("Run to here"), "Ctrl+F10", "",
                 tr("To the chosen instruction, or to a place to stop before it"), [this] {
                     if (const auto place = m_model->placeOf(m_code->currentIndex().row())) m_run->moveTo(*place);
                 });
    m_halt = add("bytecode.halt", tr("Halt"), "Shift+F5", "pause", tr("Behind the instruction that runs"),
                 [this] { m_run->halt(); });
    m_stop = add("bytecode.stop", tr("Stop here"), "F9", "",
                 tr("A run stops before the chosen instruction, or no longer does (a click left of it, too)"),
                 [this] { toggleStop(m_code->currentIndex().row()); });
    m_noStops = add("bytecode.no_stops", tr("Remove all stops"), "", "", tr("A run goes on to its end"),
                    [this] { m_run->removeStops(); });
    m_tools->addButton(m_begin);
    for (QAction *action : {m_into, m_over, m_out, m_on, m_halt}) m_tools->addButton(action);
    m_code->addActions({m_here, m_stop, m_noStops});
    m_code->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_seed = new QSpinBox(this);
    m_seed->setObjectName(QStringLiteral("bytecode_seed"));
    m_seed->setRange(0, 1'000'000);
    m_seed->setValue(1);
    m_seed->setPrefix(tr("Seed "));
    m_seed->setAccessibleName(tr("Seed of the inputs"));
    m_seed->setToolTip(tr("The inputs are drawn from it, as `net run --seed` does; the run begins again"));
    m_seed->setKeyboardTracking(false);
    m_tools->addField(m_seed);
    connect(m_seed, &QSpinBox::valueChanged, this, [this] { begin(); });
}

QString NetworkBytecodeView::sentence() const { return m_sentence->text(); }

QString NetworkBytecodeView::emptyText() const { return m_empty->isHidden() ? QString() : m_empty->text(); }

void NetworkBytecodeView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    if (m_stale) networkChanged();
}

/// In a narrow dock that is high enough, what registers hold stands below the instructions.
void NetworkBytecodeView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    constexpr int kNarrow = 110; // letters
    constexpr int kHigh = 34;    // lines
    const bool below =
        width() < fontMetrics().averageCharWidth() * kNarrow && height() > fontMetrics().lineSpacing() * kHigh;
    const Qt::Orientation wanted = below ? Qt::Vertical : Qt::Horizontal;
    if (m_split->orientation() == wanted) return;
    m_split->setOrientation(wanted);
    m_side->setOrientation(below ? Qt::Horizontal : Qt::Vertical);
    const int whole = below ? height() : width();
    m_split->setSizes({whole * 11 / 20, whole * 9 / 20});
}

void NetworkBytecodeView::networkChanged() {
    m_stale = !isVisible();
    if (m_stale) return;
    const OpenNetwork *shown = m_networks.current();
    m_network = shown != nullptr ? shown->id : 0;
    const NetworkContentsPtr contents = shown != nullptr ? shown->contents : nullptr;
    if (contents != m_contents) {
        m_contents = contents;
        begin();
    }
    showRun();
}

void NetworkBytecodeView::begin() {
    const OpenNetwork *shown = m_networks.find(m_network);
    m_chosen.clear();
    if (shown != nullptr && m_contents && m_contents->main && m_contents->symbols.empty()) {
        m_run->begin(m_contents, shown->name(), static_cast<uint64_t>(m_seed->value()));
        return;
    }
    m_run->giveUp();
    m_model->show({});
    showRun();
}

QString NetworkBytecodeView::whyEmpty() const {
    const OpenNetwork *shown = m_networks.current();
    if (shown == nullptr)
        return tr(
            "Open a network (.onnx, .net) to run it step by step: its bytecode, the calls and what every register "
            "holds.");
    if (!shown->problem.isEmpty()) return shown->problem;
    if (!m_contents) return tr("%1 is being read \u2026").arg(shown->name());
    if (!m_contents->main)
        return m_contents->problems.empty() ? tr("%1 has no function main.").arg(shown->name())
                                            : asSentence(m_contents->problems.front().sentence());
    if (!m_contents->symbols.empty())
        return tr("%1 A run needs one, too: \"Sizes \u2026\" in Network gives it.")
            .arg(symbolsSentence(m_contents->symbols));
    if (m_run->phase() == SteppedRun::Phase::Refused) return asSentence(m_run->problem());
    if (m_run->phase() == SteppedRun::Phase::Nothing) return m_run->problem();
    return tr("Making bytecode of %1 \u2026").arg(shown->name());
}

QString NetworkBytecodeView::runSentence() const {
    const auto place = [this](CodePlace at) { return m_model->placeText(at); };
    const auto instructions = [this] {
        return countedText(static_cast<size_t>(m_run->stepper()->machine().instructionsRun()), "instruction");
    };
    switch (m_run->phase()) {
    case SteppedRun::Phase::Waiting:
        return tr("Next is %1; %2 run so far").arg(place(m_run->stepper()->here()), instructions());
    case SteppedRun::Phase::Moving:
        return tr("Running from %1 on \u2026").arg(place(m_run->movesFrom()));
    case SteppedRun::Phase::Finished:
        return tr("Finished after %1; r0, r1, \u2026 are its results").arg(instructions());
    case SteppedRun::Phase::Failed:
        return tr("Failed: %1").arg(m_run->problem());
    default:
        return {};
    }
}

void NetworkBytecodeView::showRun() {
    const bool any = m_run->program() != nullptr;
    m_empty->setVisible(!any);
    m_empty->setText(any ? QString() : whyEmpty());
    m_split->setVisible(any);
    m_sentence->setText(any ? runSentence() : QString());
    m_sentence->setVisible(any);
    QPalette palette = m_sentence->palette();
    palette.setColor(QPalette::WindowText,
                     m_context.theme.color(m_run->phase() == SteppedRun::Phase::Failed ? Role::Bad : Role::Text));
    m_sentence->setPalette(palette);
    setFocusProxy(any ? static_cast<QWidget *>(m_code) : m_empty);
    if (m_run->phase() != SteppedRun::Phase::Moving) showCalls(); // else what was there stays until it is known anew
    refresh();
}

/// The innermost is chosen.
void NetworkBytecodeView::showCalls() {
    const Stepper *stepper = m_run->stepper();
    const bool over = m_run->phase() == SteppedRun::Phase::Finished;
    std::vector<CodePlace> places;
    {
        const QSignalBlocker blocked(m_calls);
        m_calls->clear();
        if (stepper != nullptr && !over)
            for (const CallFrame &call : stepper->machine().stack().calls()) {
                places.push_back({call.function, call.at});
                m_calls->insertItem(0, m_model->placeText(places.back()), static_cast<int>(places.size()) - 1);
            }
        if (over) m_calls->addItem(tr("Results of main"), -1);
        m_calls->setCurrentIndex(0);
    }
    m_calls->setVisible(stepper != nullptr);
    m_model->setCalls(places);
    if (!places.empty()) {
        const int row = m_model->rowOf(places.back());
        m_code->setCurrentIndex(m_model->index(row, BytecodeModel::InstructionColumn));
        m_code->scrollTo(m_model->index(row, BytecodeModel::StopColumn));
    }
    showRegisters();
}

void NetworkBytecodeView::showRegisters() {
    const Stepper *stepper = m_run->stepper();
    std::vector<HeldRegister> registers;
    if (stepper != nullptr && m_calls->count() > 0) {
        const int call = m_calls->currentData().toInt();
        const bool there = static_cast<size_t>(call) < stepper->machine().stack().calls().size();
        registers = call < 0 ? resultsOf(*stepper)
                    : there  ? registersOf(*stepper, static_cast<size_t>(call))
                             : std::vector<HeldRegister>();
    }
    const QScopedValueRollback following(m_following, true);
    m_held->show(std::move(registers));
    // The register somebody chose; else the tensor that was written last.
    int row = m_chosen.isEmpty() ? -1 : m_held->rowOf(m_chosen);
    for (int i = 0; row < 0 && i < m_held->rowCount(); ++i)
        if (m_held->isNew(i) && m_held->at(i)->tensor) row = i;
    for (int i = 0; row < 0 && i < m_held->rowCount(); ++i)
        if (m_held->at(i)->tensor) row = i;
    if (row >= 0) m_registers->setCurrentIndex(m_held->index(row, 0));
    m_value->show(m_held->at(row));
}

/// Its node is selected in the network.
void NetworkBytecodeView::rowChanged() {
    refresh();
    const std::set<std::string> sources = m_model->sourcesOf(m_code->currentIndex().row());
    if (!sources.empty() && m_network != 0) m_networks.select(m_network, sources);
}

void NetworkBytecodeView::toggleStop(int row) {
    if (const auto place = m_model->placeOf(row)) m_run->toggleStop(*place);
}

void NetworkBytecodeView::refresh() {
    const SteppedRun::Phase phase = m_run->phase();
    const bool waiting = phase == SteppedRun::Phase::Waiting;
    const bool chosen = m_model->placeOf(m_code->currentIndex().row()).has_value();
    m_begin->setEnabled(m_contents && m_contents->main && m_contents->symbols.empty() &&
                        phase != SteppedRun::Phase::Preparing);
    for (QAction *action : {m_into, m_over, m_on}) action->setEnabled(waiting);
    m_out->setEnabled(waiting && m_run->stepper()->machine().stack().calls().size() > 1);
    m_here->setEnabled(waiting && chosen);
    m_halt->setEnabled(phase == SteppedRun::Phase::Moving);
    m_stop->setEnabled(chosen);
    m_noStops->setEnabled(!m_run->stops().empty());
}

} // namespace loopscope
