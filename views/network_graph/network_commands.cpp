#include "views/network_graph/network_commands.h"

#include "views/actions/flow_bar.h"
#include "views/network_graph/dims_dialog.h"
#include "views/network_graph/network_graph_view.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>

#include <cmath>

namespace loopscope {

namespace {
const QString kLegendKey = QStringLiteral("network/legend");
const QString kLabelsKey = QStringLiteral("network/labels");

void setItemEnabled(QComboBox &box, int item, bool enabled, const QString &why = {}) {
    if (auto *model = qobject_cast<QStandardItemModel *>(box.model())) {
        model->item(item)->setEnabled(enabled);
        model->item(item)->setToolTip(why);
    }
}
} // namespace

NetworkCommands::NetworkCommands(const ViewContext &context, NetworkGraphView &view, FlowBar &tools)
    : QObject(&view), m_context(context), m_view(view) {
    QAction *fit =
        add("network.fit", tr("Fit"), "", "zoom-fit", tr("Show the whole network"), [this] { m_view.zoomToFit(); });
    QAction *find =
        add("network.find", tr("Find"), "", "find", tr("Find nodes by name, operator, shape or attribute (Ctrl+F)"),
            [this] { m_view.startFind(); });
    m_open = add("network.open_task", tr("Open task"), "Ctrl+Return", "continue",
                 tr("Open the task of the selected node as a workload: its schedules, loops and code"),
                 [this] { m_view.openTask(); });
    m_sizes =
        add("network.sizes", tr("Sizes \u2026"), "", "settings",
            tr("Numbers for the dims that the file leaves open; the network is read anew"), [this] { askForDims(); });
    tools.addButtons({fit, find, m_open, m_sizes});
    addChoices(tools);
    QAction *labels =
        add("network.labels", tr("Shapes"), "H", "note", tr("Write the shape on every arrow"), [] {}, true);
    labels->setChecked(context.settings.value(kLabelsKey, true).toBool());
    connect(labels, &QAction::toggled, this, [this](bool shown) {
        m_context.settings.setValue(kLabelsKey, shown);
        m_view.showLabels(shown);
    });
    m_view.showLabels(labels->isChecked());
    QAction *legend = add("network.legend", tr("Legend"), "L", "help", tr("What colours mean"), [] {}, true);
    legend->setChecked(context.settings.value(kLegendKey, true).toBool());
    connect(legend, &QAction::toggled, this, [this](bool shown) {
        m_context.settings.setValue(kLegendKey, shown);
        m_view.showLegend(shown);
    });
    m_view.showLegend(legend->isChecked());
    tools.addButtons({labels, legend});
    addExport(tools);
    add("network.next", tr("Next node"), ".", "forward", tr("Select the next node in the order of the network"),
        [this] { selectNext(1); });
    add("network.previous", tr("Previous node"), ",", "back",
        tr("Select the previous node in the order of the network"), [this] { selectNext(-1); });
    add("network.expand", tr("Unfold or fold"), "E", "expand",
        tr("Show the selected fold node by node, or fold it again"), [this] {
            const NetworkPicture *picture = m_view.scene().picture();
            const int box = m_view.scene().selectedBox();
            if (picture == nullptr || box < 0) return;
            const NetworkBox &of = picture->boxes[static_cast<size_t>(box)];
            if (of.fold >= 0) return m_view.setExpanded(picture->folds[static_cast<size_t>(of.fold)].key, true);
            for (const FoldFrame &frame : picture->frames)
                if (std::ranges::count(frame.boxes, box) > 0)
                    return m_view.setExpanded(picture->folds[static_cast<size_t>(frame.fold)].key, false);
        });
    add("network.copy", tr("Copy name"), "Ctrl+C", "copy",
        tr("Copy the names of the selected nodes, as the file has them"), [this] {
            const OpenNetwork *network = m_view.network();
            if (network == nullptr || network->selected.empty()) return;
            QStringList names;
            for (const std::string &name : network->selected) names << QString::fromStdString(name);
            QApplication::clipboard()->setText(names.join(u'\n'));
        });
    add("network.close", tr("Close the network"), "", "close", tr("Close the network shown; its file stays"), [this] {
        if (const OpenNetwork *network = m_view.network()) m_context.session.networks().close(network->id);
    });
    add("network.reload", tr("Read the network anew"), "", "refresh", tr("Read the file of the network shown again"),
        [this] {
            if (const OpenNetwork *network = m_view.network()) m_context.session.networks().reopen(network->id);
        });
}

QAction *NetworkCommands::add(const char *id, const QString &text, const char *key, const char *icon,
                              const QString &tip, std::function<void()> run, bool checkable) {
    QAction *action = m_context.actions.add(
        {QLatin1String(id), tr("Network"), text, QKeySequence(QLatin1String(key)), tip, QLatin1String(icon), checkable},
        &m_view, std::move(run));
    action->setIcon(m_context.theme.icon(QLatin1String(icon)));
    return action;
}

void NetworkCommands::addChoices(FlowBar &tools) {
    const auto choice = [&](const QString &name, const QStringList &items, const QString &tip) {
        auto *box = new QComboBox(&tools);
        box->setObjectName(name);
        box->addItems(items);
        box->setToolTip(tip);
        box->setAccessibleName(tip);
        box->setFocusPolicy(Qt::TabFocus);
        tools.addField(box);
        return box;
    };
    m_form =
        choice(QStringLiteral("network_form"), {}, tr("The network as its file has it, or after one of the passes"));
    m_form->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_fold = choice(
        QStringLiteral("network_fold"), {tr("All nodes"), tr("Fold layers"), tr("Fold blocks"), tr("Fold kernels")},
        tr("What is drawn as one box: layers by their names, blocks between single values, what is computed "
           "in one kernel"));
    QStringList overlays;
    for (int overlay = 0; overlay < kOverlays; ++overlay)
        overlays << tr("Colour: %1").arg(overlayName(static_cast<Overlay>(overlay)));
    m_overlay = choice(QStringLiteral("network_overlay"), overlays, tr("What the colours of the boxes say"));
    connect(m_form, &QComboBox::activated, this, [this](int item) {
        if (const OpenNetwork *network = m_view.network()) m_context.session.networks().showForm(network->id, item);
    });
    connect(m_fold, &QComboBox::activated, this, [this](int item) { m_view.foldBy(static_cast<FoldBy>(item)); });
    connect(m_overlay, &QComboBox::activated, this, [this](int item) { m_view.colourBy(static_cast<Overlay>(item)); });
}

void NetworkCommands::addExport(FlowBar &tools) {
    auto *exports = new QMenu(tr("Export"), &m_view);
    for (const QString &suffix : m_view.exportSuffixes()) {
        const QByteArray id = "network.export." + suffix.toLatin1();
        exports->addAction(add(id.constData(), tr("Export as %1 \u2026").arg(suffix.toUpper()), "", "export",
                               tr("Write the whole network as it is shown to a file"),
                               [this, suffix] { askForExport(suffix); }));
    }
    auto *button = new QToolButton(&tools);
    button->setText(tr("Export"));
    button->setIcon(m_context.theme.icon(QStringLiteral("export")));
    button->setToolTip(tr("Write the whole network as it is shown to a file"));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(exports);
    button->setAutoRaise(true);
    button->setIconSize({16, 16});
    tools.addField(button);
}

void NetworkCommands::refresh(FoldBy fold, Overlay overlay) {
    const OpenNetwork *network = m_view.network();
    const bool kernels = network != nullptr && network->kernels != nullptr;
    setItemEnabled(*m_fold, static_cast<int>(FoldBy::Kernels), kernels);
    m_fold->setCurrentIndex(static_cast<int>(fold));
    m_overlay->setCurrentIndex(static_cast<int>(overlay));
    for (int item = 0; item < kOverlays; ++item) {
        const QString missing =
            overlayMissing(static_cast<Overlay>(item), network != nullptr ? network->kernels.get() : nullptr,
                           network != nullptr ? network->profile.get() : nullptr);
        setItemEnabled(*m_overlay, item, missing.isEmpty(), missing);
    }
    m_open->setEnabled(kernels && network->kernels->canOpen(network->kernels->taskAt(network->selected)));
    m_sizes->setVisible(hasSymbols(network));
    QStringList forms;
    if (kernels)
        for (const NetworkForm &form : network->kernels->forms)
            forms << (forms.isEmpty() ? tr("As in the file") : tr("After %1").arg(form.pass));
    if (forms.size() > 1) forms.last() = tr("After all passes");
    QStringList shown;
    for (int i = 0; i < m_form->count(); ++i) shown << m_form->itemText(i);
    if (shown != forms) {
        m_form->clear();
        m_form->addItems(forms);
    }
    if (kernels) m_form->setCurrentIndex(network->form);
    m_form->setVisible(forms.size() > 1);
}

void NetworkCommands::selectNext(int direction) {
    const NetworkPicture *picture = m_view.scene().picture();
    if (picture == nullptr) return;
    const int count = static_cast<int>(picture->boxes.size());
    const int now = m_view.scene().selectedBox();
    m_view.selectBox(now < 0 ? (direction > 0 ? 0 : count - 1) : std::clamp(now + direction, 0, count - 1));
}

void NetworkCommands::selectNeighbour(int key) {
    const NetworkPicture *picture = m_view.scene().picture();
    const int now = m_view.scene().selectedBox();
    if (picture == nullptr) return;
    if (now < 0) return m_view.selectBox(0);
    const QPointF here = m_view.scene().rectOf(now).center();
    int best = -1;
    double least = 0;
    const auto consider = [&](int box, double distance) {
        if (best >= 0 && distance >= least) return;
        best = box;
        least = distance;
    };
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
        for (const NetworkArrow &arrow : picture->arrows) {
            const int other =
                key == Qt::Key_Up ? (arrow.to == now ? arrow.from : -1) : (arrow.from == now ? arrow.to : -1);
            if (other >= 0) consider(other, std::abs(m_view.scene().rectOf(other).center().x() - here.x()));
        }
    } else {
        for (int i = 0; i < static_cast<int>(picture->boxes.size()); ++i) {
            const QPointF there = m_view.scene().rectOf(i).center() - here;
            if (i == now || std::abs(there.x()) <= 1 || (there.x() > 0) != (key == Qt::Key_Right)) continue;
            consider(i, std::abs(there.x()) + 4 * std::abs(there.y()));
        }
    }
    if (best >= 0) m_view.selectBox(best);
}

void NetworkCommands::popUp(QGraphicsItem *item, QPoint globalPoint) {
    const NetworkHit hit = m_view.scene().hit(item);
    const NetworkPicture *picture = m_view.scene().picture();
    auto *menu = new QMenu(&m_view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto take = [&](const char *id) {
        if (QAction *action = m_context.actions.find(QLatin1String(id))) menu->addAction(action);
    };
    if (picture != nullptr && hit.box >= 0) {
        if (!m_view.scene().item(hit.box)->marks().selected) m_view.selectBox(hit.box);
        take("network.open_task");
        const NetworkBox &box = picture->boxes[static_cast<size_t>(hit.box)];
        const bool framed = std::ranges::any_of(
            picture->frames, [&](const FoldFrame &frame) { return std::ranges::count(frame.boxes, hit.box) > 0; });
        if (box.fold >= 0 || framed) take("network.expand");
        menu->addAction(tr("Zoom to it"), &m_view, [this, box = hit.box] { m_view.zoomToBox(box); });
        take("network.copy");
        menu->addSeparator();
    }
    for (const char *id : {"network.fit", "network.find", "network.labels", "network.legend"}) take(id);
    menu->addSeparator();
    for (const QString &suffix : m_view.exportSuffixes()) take(("network.export." + suffix.toLatin1()).constData());
    menu->addSeparator();
    for (const char *id : {"network.reload", "network.close"}) take(id);
    menu->popup(globalPoint);
}

void NetworkCommands::askForDims() {
    const OpenNetwork *network = m_view.network();
    if (!hasSymbols(network)) return;
    auto *dialog = new DimsDialog(*network, &m_view);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog, id = network->id] { m_context.session.networks().setDims(id, dialog->dims()); });
    dialog->open();
}

void NetworkCommands::askForExport(const QString &suffix) {
    const OpenNetwork *network = m_view.network();
    auto *dialog = new QFileDialog(&m_view, tr("Export the network"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->selectFile(
        QStringLiteral("%1.%2").arg(network != nullptr ? network->name() : QStringLiteral("network"), suffix));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        if (const QString problem = m_view.exportTo(path); problem.isEmpty())
            m_context.session.messages().note(tr("The network is in %1").arg(path));
        else
            m_context.session.messages().fail(problem);
    });
    dialog->open();
}

} // namespace loopscope
