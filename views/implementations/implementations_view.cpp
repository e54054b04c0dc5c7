#include "views/implementations/implementations_view.h"

#include "networks/strategy/compatible_strategies.h"
#include "networks/strategy/usual_strategies.h"
#include "views/actions/elided_label.h"
#include "views/actions/flow_bar.h"
#include "views/implementations/choice_page.h"
#include "views/implementations/layout_page.h"
#include "views/implementations/operator_page.h"
#include "views/session/network_tuning.h"
#include "views/session/open_logs.h"
#include "views/session/text.h"

#include <QComboBox>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {

bool looksIntoLogs(const KernelChoice &choice) {
    return choice.rule == ImplementationRule::Measured || choice.layouts == DataLayoutRule::Estimated ||
           choice.layouts == DataLayoutRule::Measured;
}

} // namespace

ImplementationsView::ImplementationsView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()) {
    setObjectName(QStringLiteral("ImplementationsView"));
    build();
    connect(m_rule, &QComboBox::activated, this, &ImplementationsView::choose);
    connect(m_worst, &QComboBox::activated, this, &ImplementationsView::choose);
    connect(m_layouts, &QComboBox::activated, this, [this] {
        choose();
        m_pages->setCurrentWidget(m_layoutPage);
    });
    connect(m_choices, &ChoicePage::changed, this, &ImplementationsView::refresh);
    connect(m_choices, &ChoicePage::operatorAsked, this, [this](const QString &name) {
        m_operators->choose(name);
        m_pages->setCurrentWidget(m_operators);
    });
    connect(&m_networks, &OpenNetworks::currentChanged, this, &ImplementationsView::networkChanged);
    connect(&m_networks, &OpenNetworks::networkChanged, this, [this](int id) {
        if (const OpenNetwork *shown = m_networks.current(); shown != nullptr && shown->id == id) networkChanged();
    });
    networkChanged();
}

void ImplementationsView::build() {
    m_rule = new QComboBox(this);
    m_rule->setObjectName(QStringLiteral("implementation_rule"));
    m_rule->setAccessibleName(tr("How implementations are chosen"));
    m_rule->addItems({tr("By level"), tr("By measured times"), tr("As TVM does"), tr("By a search of all forms")});
    m_rule->setToolTip(
        tr("By level: the usual one of every operator. By measured times: the fastest by the records of the "
           "logs that are open and of this network's search. As TVM does: by its tables. By a search of all forms: "
           "usual ones until then; "
           "the network's search has the others beside them, and measured times decide once it has ended"));
    m_worst = new QComboBox(this);
    m_worst->setObjectName(QStringLiteral("implementation_accuracy"));
    m_worst->setAccessibleName(tr("Least accuracy"));
    for (const AccuracyClass one : allAccuracyClasses()) m_worst->addItem(tr("at worst %1").arg(qt(accuracyName(one))));
    m_worst->setToolTip(tr("How far answers of implementations may be from those of the operator's definition"));
    m_layouts = new QComboBox(this);
    m_layouts->setObjectName(QStringLiteral("layout_rule"));
    m_layouts->setAccessibleName(tr("How data lies between operators"));
    m_layouts->addItems(
        {tr("layouts as in the file"), tr("channels last"), tr("layouts by estimate"), tr("fastest layouts")});
    m_layouts->setToolTip(tr(
        "As in the file: channels first. Channels last: wherever an operator takes that. By estimate: what costs least "
        "by the records of open logs, and by the analytic estimate where there are none. Fastest: all kernels are "
        "timed "
        "with either layout, for some seconds"));
    const auto add = [this](const char *id, const QString &text, const char *icon, const QString &tip, auto run) {
        QAction *action = m_context.actions.add(
            {QLatin1String(id), tr("Implementations"), text, {}, tip, QLatin1String(icon), false}, this, run);
        action->setIcon(m_context.theme.icon(QLatin1String(icon)));
        return action;
    };
    m_again = add("implementations.again", tr("Look again"), "refresh",
                  tr("Choose anew by what the logs hold now, and time layouts again"), [this] { lookAgain(); });
    m_unpin =
        add("implementations.unpin", tr("Take all pins away"), "unpin",
            tr("No node of this network has an implementation of your own choice any more"), [this] { unpinAll(); });
    m_tools = new FlowBar(this);
    m_tools->addField(m_rule);
    m_tools->addField(m_worst);
    m_tools->addField(m_layouts);
    m_tools->addButtons({m_again, m_unpin});
    m_sentence = new ElidedLabel(this);
    m_sentence->setObjectName(QStringLiteral("implementations_sentence"));
    m_sentence->setContentsMargins(8, 0, 8, 4);
    m_choices = new ChoicePage(m_context, this);
    m_layoutPage = new LayoutPage(m_context, this);
    m_operators = new OperatorPage(m_context, this);
    m_pages = new QTabWidget(this);
    m_pages->setObjectName(QStringLiteral("implementation_pages"));
    m_pages->setDocumentMode(true);
    m_pages->addTab(m_choices, tr("Choices"));
    m_pages->addTab(m_layoutPage, tr("Layouts"));
    m_pages->addTab(m_operators, tr("Operators"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tools);
    column->addWidget(m_sentence);
    column->addWidget(m_pages, 1);
    setFocusProxy(m_choices);
}

QString ImplementationsView::sentence() const { return m_sentence->text(); }

void ImplementationsView::networkChanged() {
    m_choices->networkChanged();
    m_layoutPage->networkChanged();
    const OpenNetwork *shown = m_networks.current();
    const KernelChoice choice = shown != nullptr ? shown->choice : KernelChoice();
    m_operators->setTable(choice.rule == ImplementationRule::Compatible ? compatibleStrategies() : usualStrategies());
    refresh();
}

void ImplementationsView::refresh() {
    const OpenNetwork *shown = m_networks.current();
    const KernelChoice choice = shown != nullptr ? shown->choice : KernelChoice();
    m_rule->setEnabled(shown != nullptr);
    m_worst->setEnabled(shown != nullptr);
    m_layouts->setEnabled(shown != nullptr);
    m_layouts->setCurrentIndex(static_cast<int>(choice.layouts));
    m_rule->setCurrentIndex(static_cast<int>(choice.rule));
    const auto &classes = allAccuracyClasses();
    m_worst->setCurrentIndex(static_cast<int>(std::ranges::find(classes, choice.worst) - classes.begin()));
    m_again->setEnabled(shown != nullptr && looksIntoLogs(choice) && !shown->working());
    m_unpin->setEnabled(!choice.pins.empty());
    QStringList parts;
    if (const QString text = m_choices->sentence(); !text.isEmpty()) parts << text;
    if (choice.rule == ImplementationRule::Measured)
        parts << (choice.logs.empty() ? tr("no log is open, so levels decide")
                                      : tr("%1 looked into").arg(countedText(choice.logs.size(), "log")));
    if (choice.rule == ImplementationRule::Tried && shown != nullptr && shown->kernels)
        parts << tr("%1 with several forms; once they are searched, choose \"By measured times\"")
                     .arg(countedText(shown->kernels->alternatives.groups.size(), "kind of node", "kinds of nodes"));
    if (shown != nullptr && shown->kernels)
        for (const std::string &note : shown->kernels->logNotes) parts << qt(note);
    m_sentence->setText(parts.join(QStringLiteral("; ")));
}

/// Those that are open, and the one of the network's own search.
std::vector<std::string> ImplementationsView::logs() const {
    std::vector<std::string> paths;
    for (const auto &log : m_context.session.logs().all())
        if (log->state == OpenLog::State::Ready) paths.push_back(std8(log->path));
    if (const OpenNetwork *shown = m_networks.current()) {
        const std::string own = std8(m_context.session.tuning().progress(shown->id).logPath);
        if (!own.empty() && std::ranges::find(paths, own) == paths.end()) paths.push_back(own);
    }
    return paths;
}

void ImplementationsView::choose() {
    const OpenNetwork *shown = m_networks.current();
    if (shown == nullptr) return;
    KernelChoice wanted;
    wanted.rule = static_cast<ImplementationRule>(m_rule->currentIndex());
    wanted.worst = allAccuracyClasses()[static_cast<size_t>(m_worst->currentIndex())];
    wanted.layouts = static_cast<DataLayoutRule>(m_layouts->currentIndex());
    if (looksIntoLogs(wanted)) wanted.logs = logs();
    m_networks.setImplementations(shown->id, wanted);
}

void ImplementationsView::lookAgain() {
    const OpenNetwork *shown = m_networks.current();
    if (shown == nullptr) return;
    KernelChoice wanted = shown->choice;
    wanted.logs = logs();
    m_networks.setImplementations(shown->id, wanted, true);
}

void ImplementationsView::unpinAll() {
    if (const OpenNetwork *shown = m_networks.current()) m_networks.unpinAll(shown->id);
}

} // namespace loopscope
