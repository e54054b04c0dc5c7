#include "views/main_window/network_workbench.h"

#include "views/main_window/dock_host.h"
#include "views/main_window/window_layouts.h"
#include "views/main_window/window_pages.h"
#include "views/session/network_tuning.h"
#include "views/session/open_networks.h"
#include "views/session/text.h"

namespace loopscope {

NetworkWorkbench::NetworkWorkbench(const WindowParts &parts, QObject *parent) : QObject(parent), m_parts(parts) {
    const OpenNetworks &networks = m_parts.context.session.networks();
    connect(&networks, &OpenNetworks::openedByUser, this, [this] {
        m_parts.pages.showWorkbench();
        // Whoever has no workload open came for the network.
        if (m_parts.context.session.documents().all().empty()) m_parts.layouts.switchTo(QStringLiteral("Network"));
        m_parts.docks.showDock(QStringLiteral("network_bytecode"), false);
        m_parts.docks.showDock(QStringLiteral("network_dispatch"), false);
        m_parts.docks.showDock(QStringLiteral("network_memory"), false);
        m_parts.docks.showDock(QStringLiteral("network_passes"), false);
        m_parts.docks.showDock(QStringLiteral("network_profile"), false);
        m_parts.docks.showDock(QStringLiteral("network_tasks"), false);
        m_parts.docks.showDock(QStringLiteral("network"), false);
    });
    connect(&networks, &OpenNetworks::taskAsked, this, &NetworkWorkbench::openTask);
    connect(&m_parts.context.session.documents(), &Documents::settled, this, &NetworkWorkbench::takeTrials,
            Qt::QueuedConnection);
}

/// One that is open already is shown. From there on it is a workload like any other.
void NetworkWorkbench::openTask(int network, size_t task) {
    Session &session = m_parts.context.session;
    const OpenNetwork *from = session.networks().find(network);
    if (from == nullptr || !from->kernels || !from->kernels->canOpen(static_cast<int>(task))) return;
    const NetworkTask &wanted = from->kernels->tasks[task];
    QString text;
    try {
        text = workloadText(wanted);
    } catch (const std::exception &error) {
        session.messages().fail(tr("%1 of %2 cannot be written as a workload").arg(qt(wanted.name), from->name()),
                                qt(error.what()));
        return;
    }
    int open = 0;
    for (const Document *document : session.documents().all())
        if (document->text == text) open = document->id;
    if (open != 0)
        session.documents().setCurrent(open);
    else
        session.documents().openText(qt(wanted.name), text);
    const NetworkProgress &progress = session.tuning().progress(network);
    const NetworkTaskProgress *tuned = progress.of(wanted.key);
    if (const Document *shown = session.document(); shown != nullptr && tuned != nullptr && tuned->best > 0)
        m_logs[shown->id] = progress.logPath;
    takeTrials();
    m_parts.pages.showWorkbench();
    m_parts.docks.showDock(QStringLiteral("dag"), true);
}

/// Of those that are understood by now. The same log again brings what it has gained.
void NetworkWorkbench::takeTrials() {
    Session &session = m_parts.context.session;
    for (const Document *document : session.documents().all()) {
        const auto wanted = m_logs.find(document->id);
        if (wanted == m_logs.end() || document->analysing || !document->task) continue;
        const QString log = wanted->second;
        m_logs.erase(wanted);
        session.files().loadLog(log, document->taskId);
    }
}

} // namespace loopscope
