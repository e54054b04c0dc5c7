#include "views/network_dispatch/network_dispatch_view.h"

#include "deploy/dispatch/check_table.h"
#include "deploy/dispatch/dispatch_table_json.h"
#include "deploy/network/prepare.h"
#include "views/actions/elided_label.h"
#include "views/actions/flow_bar.h"
#include "views/actions/page_stack.h"
#include "views/actions/row_table.h"
#include "views/session/hand_measuring.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/text.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace loopscope {

namespace {

/// What is wrong with the table for the network of a file; for a job.
std::vector<std::string> problemsWith(const DispatchTable &table, const QString &path, FusionMode fusion) {
    NetworkChoice choice;
    choice.path = std8(path);
    choice.fusion = fusion;
    choice.level = usualLevel(fusion);
    const PreparedNetwork network = prepareNetwork(choice);
    const auto sized =
        SizedNetwork::of(network.optimised.find(network.optimised.main().name()), network.partition.mode);
    if (!sized) return {sized.why()};
    const auto families = kernelFamilies(*sized, table.bound, parseTarget("llvm"));
    if (!families) return {families.why()};
    return problemsOf(table, *families, *sized->function(), sized->partition());
}

} // namespace

NetworkDispatchView::NetworkDispatchView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()), m_making(new DispatchMaking(this)),
      m_kernelModel(new KernelTableModel(context.theme, this)), m_guardModel(new GuardModel(this)) {
    setObjectName(QStringLiteral("NetworkDispatchView"));
    build();
    addActions();
    connect(m_making, &DispatchMaking::changed, this, &NetworkDispatchView::showTable);
    connect(m_making, &DispatchMaking::made, this,
            [this](const std::shared_ptr<const DispatchTable> &table) { keep(m_madeFor, table); });
    connect(m_making, &DispatchMaking::failed, this, [this](const QString &sentence) {
        const OpenNetwork *network = m_networks.find(m_madeFor);
        if (network == nullptr) return;
        m_context.session.messages().fail(tr("No dispatch table of %1 was made").arg(network->name()), sentence);
        if (Kept &kept = m_kept[m_madeFor]; !kept.table) kept.problem = asSentence(sentence);
    });
    connect(&m_networks, &OpenNetworks::currentChanged, this, &NetworkDispatchView::networkChanged);
    connect(&m_networks, &OpenNetworks::networkChanged, this, [this](int id) {
        if (const OpenNetwork *shown = m_networks.current(); shown != nullptr && shown->id == id) networkChanged();
    });
    connect(&m_networks, &OpenNetworks::listChanged, this, [this] {
        const auto closed = [this](const auto &one) { return m_networks.find(one.first) == nullptr; };
        std::erase_if(m_kept, closed);
        std::erase_if(m_tuneLog, closed);
        if (m_networks.find(m_madeFor) == nullptr) m_making->cancel();
    });
    networkChanged();
}

void NetworkDispatchView::build() {
    m_tools = new FlowBar(this);
    m_sentence = new ElidedLabel(this);
    m_sentence->setObjectName(QStringLiteral("dispatch_sentence"));
    m_sentence->setContentsMargins(8, 2, 8, 4);
    m_warning = new QLabel(this);
    m_warning->setObjectName(QStringLiteral("dispatch_warning"));
    m_warning->setWordWrap(true);
    m_warning->setContentsMargins(8, 2, 8, 4);
    m_kernels = new QTableView(this);
    m_kernels->setObjectName(QStringLiteral("dispatch_kernels"));
    m_kernels->setAccessibleName(tr("Kernels"));
    m_order = new QSortFilterProxyModel(this);
    m_order->setSourceModel(m_kernelModel);
    m_order->setSortRole(KernelTableModel::SortRole);
    m_kernels->setModel(m_order);
    makeRowTable(*m_kernels, RowSelection::One);
    setColumnLetters(*m_kernels, {20, 16, 7, 10, 8, 8, 9});
    m_kernels->setSortingEnabled(true);
    m_kernels->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_guards = new QTableView(this);
    m_guards->setObjectName(QStringLiteral("dispatch_guards"));
    m_guards->setAccessibleName(tr("Guards"));
    m_guards->setModel(m_guardModel);
    makeRowTable(*m_guards, RowSelection::One);
    setColumnLetters(*m_guards, {34, 26, 16, 8});
    m_plot = new DispatchPlot(m_context.theme, this);
    m_side = new QSplitter(this);
    m_side->addWidget(m_kernels);
    m_side->addWidget(m_guards);
    m_side->setChildrenCollapsible(false);
    m_split = new QSplitter(Qt::Vertical, this);
    m_split->addWidget(m_plot);
    m_split->addWidget(m_side);
    m_split->setChildrenCollapsible(false);
    m_split->setStretchFactor(0, 3);
    m_split->setStretchFactor(1, 2);
    m_split->setSizes({600, 300});
    m_plot->setMinimumHeight(fontMetrics().lineSpacing() * 12);
    m_empty = newEmptySentence(QStringLiteral("dispatch_empty"), this);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tools);
    column->addWidget(m_sentence);
    column->addWidget(m_warning);
    column->addWidget(m_split, 1);
    column->addWidget(m_empty, 1);
    connect(m_kernels->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &NetworkDispatchView::kernelChosen);
    connect(m_guards->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &now) { m_plot->mark(m_guardModel->variantOf(now.row())); });
}

void NetworkDispatchView::addActions() {
    const auto add = [this](const char *id, const QString &text, const char *icon, const QString &tip,
                            std::function<void()> run) {
        QAction *action = m_context.actions.add(
            {QLatin1String(id), tr("Network dispatch"), text, {}, tip, QLatin1String(icon)}, this, std::move(run));
        action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    m_make = add("dispatch.make", tr("Make table"), "measure",
                 tr("Take schedules at sizes up to the bound, generalise them, time all of them at all of these sizes, "
                    "and choose few with guards that say which runs when"),
                 [this] { make(); });
    m_cancel = add("dispatch.cancel", tr("Cancel"), "stop", tr("No table is made"), [this] { m_making->cancel(); });
    m_open = add("dispatch.open", tr("Open table \u2026"), "open",
                 tr("A table that `net dispatch --out` wrote for this network"), [this] {
                     auto *dialog =
                         new QFileDialog(this, tr("Dispatch table"),
                                         m_context.settings.value(QStringLiteral("window/folder")).toString(),
                                         tr("Dispatch tables (*.json);;All files (*)"));
                     dialog->setAttribute(Qt::WA_DeleteOnClose);
                     dialog->setFileMode(QFileDialog::ExistingFile);
                     connect(dialog, &QFileDialog::fileSelected, this, &NetworkDispatchView::openTable);
                     dialog->open();
                 });
    m_save = add("dispatch.save", tr("Save table \u2026"), "save",
                 tr("As JSON, which `net dispatch --check` and `--against` read"), [this] { save(); });
    m_tools->addButtons({m_make, m_cancel, m_open, m_save});
    m_bound = new QSpinBox(this);
    m_bound->setObjectName(QStringLiteral("dispatch_bound"));
    m_bound->setRange(1, 65536);
    m_bound->setValue(512);
    m_bound->setPrefix(tr("sizes to "));
    m_bound->setAccessibleName(tr("The largest size"));
    m_bound->setToolTip(tr("The largest size that the table is for"));
    m_most = new QSpinBox(this);
    m_most->setObjectName(QStringLiteral("dispatch_most"));
    m_most->setRange(1, 64);
    m_most->setValue(8);
    m_most->setPrefix(tr("variants \u2264 "));
    m_most->setAccessibleName(tr("Variants of a kernel at most"));
    m_most->setToolTip(tr("Variants of a kernel at most"));
    m_tools->addField(m_bound);
    m_tools->addField(m_most);
    m_tune = new QSpinBox(this);
    m_tune->setObjectName(QStringLiteral("dispatch_tune"));
    m_tune->setRange(0, 10000);
    m_tune->setSingleStep(16);
    m_tune->setSpecialValueText(tr("no search before"));
    m_tune->setPrefix(tr("search "));
    m_tune->setAccessibleName(tr("Trials of each kernel at each size"));
    m_tune->setToolTip(
        tr("Search every kernel at powers of two first, up to so many candidates each. They go to a log of "
           "their own, which a second table goes on from"));
    m_tools->addField(m_tune);
}

QString NetworkDispatchView::sentence() const { return m_sentence->text(); }
QString NetworkDispatchView::warning() const { return m_warning->isHidden() ? QString() : m_warning->text(); }
QString NetworkDispatchView::emptyText() const { return m_empty->isHidden() ? QString() : m_empty->text(); }

/// In a narrow dock that is high enough, guards stand below the kernels.
void NetworkDispatchView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    constexpr int kNarrow = 150; // letters
    constexpr int kHigh = 46;    // lines
    const bool below =
        width() < fontMetrics().averageCharWidth() * kNarrow && height() > fontMetrics().lineSpacing() * kHigh;
    m_side->setOrientation(below ? Qt::Vertical : Qt::Horizontal);
}

std::shared_ptr<const DispatchTable> NetworkDispatchView::table() const {
    const auto kept = m_kept.find(m_network);
    return kept == m_kept.end() ? nullptr : kept->second.table;
}

void NetworkDispatchView::networkChanged() {
    const OpenNetwork *shown = m_networks.current();
    m_network = shown != nullptr ? shown->id : 0;
    showTable();
}

void NetworkDispatchView::make() {
    const OpenNetwork *shown = m_networks.current();
    if (shown == nullptr || m_making->running()) return;
    m_madeFor = shown->id;
    DispatchMaking::Request request;
    request.path = shown->path;
    request.bound = m_bound->value();
    request.most = m_most->value();
    request.fusion = shown->choice.fusion;
    request.logs = shown->choice.logs;
    request.tune = m_tune->value();
    if (QString &log = m_tuneLog[shown->id]; request.tune > 0) {
        if (log.isEmpty())
            log = newLogPath(m_context.settings, QFileInfo(shown->path).completeBaseName() + QStringLiteral("-sizes"));
        request.tuneLog = log;
        m_context.session.messages().note(tr("Trials of %1 at sizes go to %2").arg(shown->name(), log));
    }
    m_making->start(request);
}

void NetworkDispatchView::save() {
    auto *dialog = new QFileDialog(this, tr("Save the dispatch table"),
                                   m_context.settings.value(QStringLiteral("window/folder")).toString(),
                                   tr("Dispatch tables (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, saved = table()](const QString &path) {
        try {
            writeDispatchTable(*saved, std8(path));
        } catch (const Error &error) {
            m_context.session.messages().fail(tr("The dispatch table cannot be saved"), qt(error.what()));
        }
    });
    dialog->open();
}

void NetworkDispatchView::openTable(const QString &path) {
    const int network = m_network;
    m_context.session.jobs().start(
        tr("Reading %1").arg(QFileInfo(path).fileName()), this,
        [path = std8(path)](JobControl &) { return std::make_shared<const DispatchTable>(readDispatchTable(path)); },
        [this, network](const std::shared_ptr<const DispatchTable> &table) {
            if (m_networks.find(network) == nullptr) return; // closed meanwhile
            keep(network, table);
            check(network);
        },
        [this](const QString &problem) {
            m_context.session.messages().fail(tr("The dispatch table cannot be opened"), problem);
        });
}

void NetworkDispatchView::keep(int network, std::shared_ptr<const DispatchTable> table) {
    if (m_networks.find(network) == nullptr) return;
    m_kept[network] = {std::move(table), {}};
    showTable();
}

/// A table from a file may be one of another network, or of this one as it was.
void NetworkDispatchView::check(int network) {
    const OpenNetwork *of = m_networks.find(network);
    const auto table = m_kept[network].table;
    m_context.session.jobs().start(
        tr("Checking the dispatch table"), this,
        [table, path = of->path, fusion = of->choice.fusion](JobControl &) {
            return problemsWith(*table, path, fusion);
        },
        [this, network, table](const std::vector<std::string> &problems) {
            const auto kept = m_kept.find(network);
            if (kept == m_kept.end() || kept->second.table != table || problems.empty()) return;
            kept->second.problem = asSentence(qt(problems.front()));
            if (problems.size() > 1) kept->second.problem += tr(" (and %1 more)").arg(problems.size() - 1);
            showTable();
        },
        [this, network](const QString &problem) {
            const auto kept = m_kept.find(network);
            if (kept == m_kept.end()) return;
            kept->second.problem = asSentence(problem);
            showTable();
        });
}

QString NetworkDispatchView::whyEmpty() const {
    const OpenNetwork *shown = m_networks.current();
    if (shown == nullptr)
        return tr(
            "Open a network (.onnx, .net) with a size that only the run knows to see which kernel runs for which.");
    if (!shown->problem.isEmpty()) return shown->problem;
    if (!shown->contents) return tr("%1 is being read \u2026").arg(shown->name());
    if (m_making->running() && m_madeFor == m_network)
        return m_making->progress().isEmpty()
                   ? tr("Looking for the kernels of %1 \u2026").arg(shown->name())
                   : tr("%1 is timed at all sizes: %2").arg(shown->name(), m_making->progress());
    if (const auto kept = m_kept.find(m_network); kept != m_kept.end() && !kept->second.problem.isEmpty())
        return kept->second.problem;
    if (shown->contents->symbols.empty() && shown->dims.empty())
        return tr("All sizes of %1 are numbers; dispatch tables are for networks with a size that only the run knows, "
                  "as "
                  "samples/networks/bert_layer.net has.")
            .arg(shown->name());
    return tr("No table of %1 yet. Make one (kernels are timed at about twenty sizes), or open one.")
        .arg(shown->name());
}

void NetworkDispatchView::showTable() {
    const auto shown = table();
    const bool any = shown != nullptr;
    m_empty->setVisible(!any);
    m_empty->setText(any ? QString() : whyEmpty());
    m_split->setVisible(any);
    m_sentence->setVisible(any);
    const bool making = m_making->running() && m_madeFor == m_network;
    m_sentence->setText(!any     ? QString()
                        : making ? tr("A new table is being made: %1").arg(m_making->progress())
                                 : headlineOf(*shown));
    const QString problem = any ? m_kept[m_network].problem : QString();
    m_warning->setVisible(!problem.isEmpty());
    m_warning->setText(tr("This table is not to be used with the network: %1").arg(problem));
    QPalette palette = m_warning->palette();
    palette.setColor(QPalette::WindowText, m_context.theme.color(Role::Bad));
    m_warning->setPalette(palette);
    setFocusProxy(any ? static_cast<QWidget *>(m_kernels) : m_empty);
    if (m_shown != shown) {
        m_shown = shown;
        m_kernelModel->show(shown);
        m_plot->show(nullptr, -1);
        m_guardModel->show(nullptr, -1);
        if (any) m_kernels->setCurrentIndex(m_order->index(0, 0));
    }
    refresh();
}

void NetworkDispatchView::kernelChosen() {
    const QModelIndex row = m_order->mapToSource(m_kernels->currentIndex());
    const int kernel = row.isValid() ? KernelTableModel::kernelOf(row.row()) : -1;
    m_guardModel->show(table(), kernel);
    m_plot->show(row.isValid() ? table() : nullptr, kernel);
    m_guards->setVisible(kernel >= 0);
}

void NetworkDispatchView::refresh() {
    const OpenNetwork *shown = m_networks.current();
    const bool file = shown != nullptr && shown->contents && QFileInfo::exists(shown->path);
    const bool open = file && !(shown->contents->symbols.empty() && shown->dims.empty());
    m_make->setEnabled(open && !m_making->running());
    m_cancel->setEnabled(m_making->running());
    m_open->setEnabled(file);
    m_save->setEnabled(table() != nullptr);
    m_bound->setEnabled(open && !m_making->running());
    m_most->setEnabled(open && !m_making->running());
    m_tune->setEnabled(open && !m_making->running());
}

} // namespace loopscope
