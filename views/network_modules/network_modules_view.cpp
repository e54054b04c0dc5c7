#include "views/network_modules/network_modules_view.h"

#include "views/actions/elided_label.h"
#include "views/actions/flow_bar.h"
#include "views/actions/page_stack.h"
#include "views/session/messages.h"
#include "views/session/open_logs.h"
#include "views/session/text.h"
#include "views/text/code_text.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace loopscope {

namespace {

CodeLanguage languageOf(KernelForm form) {
    constexpr std::array languages{CodeLanguage::LoopProgram, CodeLanguage::C, CodeLanguage::LlvmIr,
                                   CodeLanguage::Assembly, CodeLanguage::Assembly};
    return languages[static_cast<size_t>(form)];
}

} // namespace

NetworkModulesView::NetworkModulesView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()),
      m_model(new ModuleModel(context.theme, this)) {
    setObjectName(QStringLiteral("NetworkModulesView"));
    build();
    addActions();
    connect(&m_networks, &OpenNetworks::currentChanged, this, [this] {
        m_library.reset(); // whoever goes to another network wants to see that
        networkChanged();
    });
    connect(&m_networks, &OpenNetworks::networkChanged, this, [this](int id) {
        if (const OpenNetwork *shown = m_networks.current(); shown != nullptr && shown->id == id) networkChanged();
    });
    connect(&m_networks, &OpenNetworks::listChanged, this, [this] {
        std::erase_if(m_built, [this](const auto &one) { return m_networks.find(one.first) == nullptr; });
    });
    connect(&m_networks, &OpenNetworks::selectionChanged, this, [this](int id) {
        if (id == m_network) followSelection();
    });
    connect(&m_context.session.jobs(), &Jobs::cancelled, this, [this](int job) {
        if (job != m_job) return;
        m_job = 0;
        refresh();
    });
    networkChanged();
}

void NetworkModulesView::build() {
    m_tools = new FlowBar(this);
    m_sentence = new ElidedLabel(this);
    m_sentence->setObjectName(QStringLiteral("modules_sentence"));
    m_sentence->setContentsMargins(8, 2, 8, 4);
    m_order = new QSortFilterProxyModel(this);
    m_order->setSourceModel(m_model);
    m_order->setSortRole(ModuleModel::SortRole);
    m_order->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_order->setRecursiveFilteringEnabled(true);
    m_tree = new QTreeView(this);
    m_tree->setObjectName(QStringLiteral("modules"));
    m_tree->setAccessibleName(tr("Modules"));
    m_tree->setModel(m_order);
    m_tree->setUniformRowHeights(true);
    m_tree->setSortingEnabled(true);
    m_tree->header()->setSortIndicator(-1, Qt::AscendingOrder);
    const int letter = fontMetrics().averageCharWidth();
    const std::array widths{34, 13, 8, 26, 60};
    for (size_t c = 0; c < widths.size(); ++c) m_tree->setColumnWidth(static_cast<int>(c), widths[c] * letter);
    m_code = new CodeText(m_context.theme, CodeLanguage::LoopProgram, true, this);
    m_split = new QSplitter(this);
    m_split->addWidget(m_tree);
    m_split->addWidget(m_code);
    m_split->setChildrenCollapsible(false);
    m_split->setStretchFactor(0, 1);
    m_split->setStretchFactor(1, 1);
    m_split->setSizes({500, 500});
    m_empty = newEmptySentence(QStringLiteral("modules_empty"), this);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tools);
    column->addWidget(m_sentence);
    column->addWidget(m_split, 1);
    column->addWidget(m_empty, 1);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &NetworkModulesView::functionChosen);
    connect(m_tree, &QTreeView::activated, this, &NetworkModulesView::openTask);
}

void NetworkModulesView::addActions() {
    const auto add = [this](const char *id, const QString &text, const char *icon, const QString &tip,
                            std::function<void()> run) {
        QAction *action = m_context.actions.add(
            {QLatin1String(id), tr("Network modules"), text, {}, tip, QLatin1String(icon)}, this, std::move(run));
        action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    m_build =
        add("modules.build", tr("Build"), "measure",
            tr("Compile the network with the best schedules of the logs that are open, to look at what it becomes"),
            [this] { buildNetwork(); });
    m_open = add(
        "modules.open", tr("Open library \u2026"), "open",
        tr("Look at a shared library: one that a network was exported as, or any other. Nothing of it runs"), [this] {
            auto *dialog = new QFileDialog(this, tr("Shared library"),
                                           m_context.settings.value(QStringLiteral("window/folder")).toString(),
                                           tr("Shared libraries (*.so *.so.*);;All files (*)"));
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->setFileMode(QFileDialog::ExistingFile);
            connect(dialog, &QFileDialog::fileSelected, this, &NetworkModulesView::openLibrary);
            dialog->open();
        });
    m_task = add("modules.task", tr("Open task"), "continue",
                 tr("Open the task of the chosen kernel as a workload (double click)"), [this] { openTask(); });
    m_tools->addButtons({m_build, m_open, m_task});
    m_form = new QComboBox(this);
    m_form->setObjectName(QStringLiteral("module_form"));
    m_form->setAccessibleName(tr("Form of the text"));
    m_form->setToolTip(tr("What is shown of the chosen kernel"));
    const std::array<QString, 5> titles{tr("Loops"), tr("C"), tr("LLVM IR"), tr("Assembly"), tr("Machine code")};
    for (const KernelForm form : allKernelForms()) m_form->addItem(titles[static_cast<size_t>(form)]);
    m_tools->addField(m_form);
    connect(m_form, &QComboBox::activated, this, &NetworkModulesView::showText);
    m_filter = new QLineEdit(this);
    m_filter->setObjectName(QStringLiteral("module_filter"));
    m_filter->setPlaceholderText(tr("Filter by name"));
    m_filter->setAccessibleName(tr("Filter of functions and constants"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setFixedWidth(fontMetrics().averageCharWidth() * 24);
    m_tools->addField(m_filter);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_order->setFilterFixedString(text);
        if (!text.isEmpty()) m_tree->expandAll();
    });
    connect(m_filter, &QLineEdit::returnPressed, m_tree, qOverload<>(&QWidget::setFocus));
}

void NetworkModulesView::startFind() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

QString NetworkModulesView::sentence() const { return m_sentence->text(); }
QString NetworkModulesView::emptyText() const { return m_empty->isHidden() ? QString() : m_empty->text(); }

// --- Making

void NetworkModulesView::networkChanged() {
    const OpenNetwork *shown = m_networks.current();
    const int id = shown != nullptr ? shown->id : 0;
    if (id != m_network) m_problem.clear();
    m_network = id;
    showProgram();
}

void NetworkModulesView::buildNetwork() {
    const OpenNetwork *shown = m_networks.current();
    if (shown == nullptr || !shown->kernels || m_job != 0) return;
    std::vector<std::string> logs;
    for (const auto &log : m_context.session.logs().all())
        if (log->state == OpenLog::State::Ready) logs.push_back(std8(log->path));
    m_library.reset();
    m_problem.clear();
    m_job = m_context.session.jobs().start(
        tr("Building %1").arg(shown->name()), this,
        [kernels = shown->kernels, name = shown->name(), logs](JobControl &control) {
            return inspectNetwork(kernels, name, logs, control);
        },
        [this, id = shown->id](InspectedProgramPtr program) { take(id, std::move(program)); },
        [this, name = shown->name()](const QString &problem) { failed(tr("%1 cannot be built").arg(name), problem); });
    refresh();
}

void NetworkModulesView::openLibrary(const QString &path) {
    if (m_job != 0) return;
    m_problem.clear();
    m_job = m_context.session.jobs().start(
        tr("Reading %1").arg(QFileInfo(path).fileName()), this, [path](JobControl &) { return inspectLibrary(path); },
        [this](InspectedProgramPtr program) { take(0, std::move(program)); },
        [this, path](const QString &problem) {
            failed(tr("%1 cannot be looked at").arg(QFileInfo(path).fileName()), problem);
        });
    refresh();
}

void NetworkModulesView::take(int network, InspectedProgramPtr program) {
    m_job = 0;
    if (program) {
        for (const std::string &note : program->notes) m_context.session.messages().warn(asSentence(qt(note)));
        if (network == 0)
            m_library = std::move(program);
        else if (m_networks.find(network) != nullptr)
            m_built[network] = std::move(program);
    }
    showProgram();
}

void NetworkModulesView::failed(const QString &what, const QString &problem) {
    m_job = 0;
    m_problem = asSentence(problem);
    m_context.session.messages().fail(what, problem);
    refresh();
}

// --- What is shown

void NetworkModulesView::showProgram() {
    const auto built = m_built.find(m_network);
    const InspectedProgramPtr program = m_library ? m_library : built != m_built.end() ? built->second : nullptr;
    if (program != m_model->program()) {
        const QScopedValueRollback following(m_following, true);
        m_model->show(program);
        for (int row = 0; row < m_order->rowCount(); ++row) {
            const QModelIndex module = m_order->index(row, 0);
            const InspectedModule *of = m_model->moduleAt(m_order->mapToSource(module));
            m_tree->setExpanded(module, of->kind != ModuleKind::Constants && of->kind != ModuleKind::Wanted);
        }
        m_code->setText({});
        const QModelIndex first = m_order->index(0, 0, m_order->index(0, 0));
        if (first.isValid()) m_tree->setCurrentIndex(first);
    }
    refresh();
    showText();
    followSelection();
}

QString NetworkModulesView::programSentence() const {
    const InspectedProgramPtr &program = m_model->program();
    if (!program) return {};
    size_t functions = 0, code = 0, constants = 0;
    for (const InspectedModule &module : program->tree.modules) {
        if (module.kind == ModuleKind::Wanted) continue;
        for (const InspectedFunction &function : module.functions) {
            ++functions;
            code += function.bytes;
        }
        for (const InspectedConstant &constant : module.constants) constants += constant.bytes;
    }
    QString text = tr("%1 with %2: %3 of machine code, %4 of constants")
                       .arg(countedText(program->tree.modules.size(), "module"), countedText(functions, "function"),
                            bytesText(static_cast<int64_t>(code)), bytesText(static_cast<int64_t>(constants)));
    const OpenNetwork *shown = m_networks.find(m_network);
    if (program->library.isEmpty() && shown != nullptr && shown->kernels != program->network)
        text += tr("; the kernels are others by now: build again");
    return text;
}

QString NetworkModulesView::whyEmpty() const {
    const OpenNetwork *shown = m_networks.current();
    if (m_job != 0) return tr("Building \u2026");
    if (!m_problem.isEmpty()) return m_problem;
    if (shown == nullptr)
        return tr("Open a network (.onnx, .net) to see what it is as a program, or look at a shared library with "
                  "\"Open library \u2026\".");
    if (!shown->problem.isEmpty()) return shown->problem;
    if (!shown->kernelsProblem.isEmpty()) return asSentence(shown->kernelsProblem);
    if (!shown->kernels) return tr("Looking for the kernels of %1 \u2026").arg(shown->name());
    return tr("\"Build\" compiles %1 and lists what it consists of: functions with signatures and sizes, constants, "
              "libraries, and the text of each kernel as loops, C, LLVM IR, assembly and machine code.")
        .arg(shown->name());
}

void NetworkModulesView::refresh() {
    const OpenNetwork *shown = m_networks.current();
    const bool some = m_model->program() != nullptr;
    m_sentence->setVisible(some);
    m_split->setVisible(some);
    m_empty->setVisible(!some);
    setFocusProxy(some ? static_cast<QWidget *>(m_tree) : m_empty);
    m_empty->setText(whyEmpty());
    m_sentence->setText(programSentence());
    m_build->setEnabled(shown != nullptr && shown->kernels && m_job == 0);
    m_open->setEnabled(m_job == 0);
    m_filter->setEnabled(some);
    const InspectedFunction *function = m_model->functionAt(chosen());
    m_form->setEnabled(function != nullptr && function->kernel.has_value());
    m_task->setEnabled(!chosenSources().empty());
}

QModelIndex NetworkModulesView::chosen() const {
    const QModelIndex row = m_tree->selectionModel()->currentIndex();
    return row.isValid() ? m_order->mapToSource(row.siblingAtColumn(0)) : QModelIndex();
}

std::set<std::string> NetworkModulesView::chosenSources() const {
    const InspectedFunction *function = m_model->functionAt(chosen());
    return function != nullptr && function->kernel ? m_model->program()->sources[*function->kernel]
                                                   : std::set<std::string>();
}

void NetworkModulesView::functionChosen() {
    refresh();
    if (m_following) return;
    showText();
    const std::set<std::string> sources = chosenSources();
    if (sources.empty() || !m_model->program()->library.isEmpty()) return;
    const QScopedValueRollback following(m_following, true);
    m_networks.select(m_network, sources);
}

/// Texts take a compilation: made in a job, one at a time, the last one asked for.
void NetworkModulesView::showText() {
    m_context.session.jobs().cancel(std::exchange(m_text, 0));
    const InspectedProgramPtr program = m_model->program();
    const InspectedModule *module = m_model->moduleAt(chosen());
    const InspectedFunction *function = m_model->functionAt(chosen());
    if (function == nullptr) {
        m_code->setText({});
        m_code->setPlaceholder(module == nullptr ? QString() : tr("Choose a function to see its text."));
        return;
    }
    const auto form = static_cast<KernelForm>(std::max(m_form->currentIndex(), 0));
    const bool assembly = !function->kernel.has_value() && module->kind == ModuleKind::Library;
    m_code->setLanguage(assembly                              ? CodeLanguage::Assembly
                        : module->kind == ModuleKind::Network ? CodeLanguage::Plain
                                                              : languageOf(form));
    m_code->setDimmed(true);
    m_text = m_context.session.jobs().start(
        tr("Text of %1").arg(qt(function->name)), this,
        [program, module, function, form](JobControl &) { return functionText(*program, *module, *function, form); },
        [this](const QString &text) {
            m_text = 0;
            m_code->setText(text);
            m_code->setDimmed(false);
        },
        [this](const QString &problem) {
            m_text = 0;
            m_code->setText({});
            m_code->setDimmed(false);
            m_code->setPlaceholder(asSentence(problem));
        });
}

void NetworkModulesView::followSelection() {
    const OpenNetwork *shown = m_networks.find(m_network);
    const InspectedProgramPtr &program = m_model->program();
    if (m_following || shown == nullptr || !program || !program->library.isEmpty() || shown->selected.empty()) return;
    if (meet(chosenSources(), shown->selected)) return;
    const QModelIndex row = m_order->mapFromSource(m_model->kernelOf(shown->selected));
    if (!row.isValid()) return;
    {
        const QScopedValueRollback following(m_following, true);
        m_tree->setCurrentIndex(row);
        m_tree->scrollTo(row);
    }
    showText();
}

void NetworkModulesView::openTask() {
    const OpenNetwork *shown = m_networks.find(m_network);
    const std::set<std::string> sources = chosenSources();
    if (shown == nullptr || !shown->kernels || sources.empty()) return;
    const int task = shown->kernels->taskAt(sources);
    if (shown->kernels->canOpen(task)) m_networks.openTask(m_network, static_cast<size_t>(task));
}

} // namespace loopscope
