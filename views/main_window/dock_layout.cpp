#include "views/main_window/dock_layout.h"

#include "views/choices/choices_view.h"
#include "views/compare/compare_view.h"
#include "views/computation/computation_view.h"
#include "views/dag_graph/dag_graph_view.h"
#include "views/edits/edits_view.h"
#include "views/fleet/fleet_view.h"
#include "views/grouping/grouping_view.h"
#include "views/implementations/implementations_view.h"
#include "views/limits/limits_view.h"
#include "views/logs/logs_view.h"
#include "views/loops/loops_view.h"
#include "views/memory_layout/memory_layout_view.h"
#include "views/message_list/message_list_view.h"
#include "views/network_bytecode/network_bytecode_view.h"
#include "views/network_dispatch/network_dispatch_view.h"
#include "views/network_graph/network_graph_view.h"
#include "views/network_memory/network_memory_view.h"
#include "views/network_modules/network_modules_view.h"
#include "views/network_passes/network_passes_view.h"
#include "views/network_profile/network_profile_view.h"
#include "views/network_tasks/network_tasks_view.h"
#include "views/pictures/pictures_view.h"
#include "views/program/program_view.h"
#include "views/script/script_view.h"
#include "views/search_progress/search_view.h"
#include "views/sketch_tree/sketch_tree_view.h"
#include "views/steps/steps_view.h"
#include "views/tiles/tiles_view.h"
#include "views/trials/trials_view.h"
#include "views/why/why_view.h"

#include <array>

namespace loopscope {

namespace {

template <typename View>
DockInfo dock(const char *id, const char *title, const char *icon, const char *key, const char *tip) {
    return {QString::fromLatin1(id),
            QString::fromLatin1(title),
            QString::fromLatin1(icon),
            QKeySequence(QString::fromLatin1(key)),
            QString::fromLatin1(tip),
            [](const ViewContext &context, QWidget *parent) -> QWidget * { return new View(context, parent); }};
}

QStringList ids(const char *list) { return QString::fromLatin1(list).split(u' ', Qt::SkipEmptyParts); }

} // namespace

const std::vector<DockInfo> &dockList() {
    static const std::vector<DockInfo> docks{
        dock<ComputationView>("computation", "Computation", "computation", "Alt+1",
                              "The workload: text, parameters, facts"),
        dock<DagGraphView>("dag", "ComputeDAG", "dag", "Alt+2", "Who computes what from what"),
        dock<SketchTreeView>("sketches", "Sketches", "sketches", "Alt+3", "Which rule made which sketch, and why not"),
        dock<SearchView>("search", "Search", "search", "Alt+4", "The search, live"),
        dock<ProgramView>("code", "Code", "code", "Alt+5", "The code of the chosen schedule in all its forms"),
        dock<LoopsView>("loops", "Loops", "loops", "Alt+6", "The loops of the chosen schedule"),
        dock<TilesView>("tiles", "Tiles", "tiles", "Alt+Shift+8",
                        "Into what tiles the loops of the chosen schedule cut the result, by blocks and threads"),
        dock<GroupingView>("grouping", "Grouping", "grouping", "Ctrl+Alt+U",
                           "How the grouping scheduler puts stages together, merge by merge, and for what machine"),
        dock<PicturesView>("pictures", "Pictures", "pictures", "Ctrl+Alt+P",
                           "Inputs, outputs and every stage between them as pictures"),
        dock<MemoryLayoutView>("memory_layout", "Memory", "columns", "Ctrl+Alt+M",
                               "In which order the tensors lie in memory, and what other layouts would cost"),
        dock<ScriptView>("script", "Script", "edit", "Ctrl+Alt+S", "The chosen schedule as a text to edit"),
        dock<StepsView>("steps", "Steps", "steps", "Alt+Shift+6", "The steps of the chosen schedule, to be edited"),
        dock<TrialsView>("trials", "Trials", "trials", "Alt+7", "Every trial with its time or the reason it failed"),
        dock<LogsView>("logs", "Logs", "recent", "Ctrl+Alt+G",
                       "Tuning logs with their tasks, records and failures, whatever they were tuned for"),
        dock<NetworkGraphView>("network", "Network", "sketches", "Ctrl+Alt+J",
                               "A network as a graph: operators, shapes, what is one kernel, and the way into each"),
        dock<NetworkTasksView>(
            "network_tasks", "Tasks", "steps", "Ctrl+Alt+R",
            "What of the network there is to tune: kernels, how often each is used, how much each computes"),
        dock<NetworkPassesView>("network_passes", "Passes", "continue", "Ctrl+Alt+Z",
                                "What passes make of the network, one after the other, and of which node"),
        dock<ImplementationsView>("implementations", "Operators", "operator", "Ctrl+Alt+H",
                                  "Which of its implementations each operator of the network gets and why, and all "
                                  "operators there are"),
        dock<NetworkProfileView>("network_profile", "Profile", "measure", "Ctrl+Alt+V",
                                 "The network run: what each kernel takes, and whether its answer is right"),
        dock<NetworkMemoryView>("network_memory", "Arena", "columns", "Ctrl+Alt+X",
                                "Where the values of the network lie in memory, and for how long"),
        dock<NetworkDispatchView>("network_dispatch", "Dispatch", "grouping", "Ctrl+Alt+Q",
                                  "Which kernel runs for which size of the network, and what that costs"),
        dock<NetworkBytecodeView>("network_bytecode", "Bytecode", "continue", "Ctrl+Alt+T",
                                  "The network run step by step: instructions, calls, and what every register holds"),
        dock<NetworkModulesView>("network_modules", "Modules", "code", "Ctrl+Alt+F",
                                 "What the network is as a program: functions, sizes, imports, and the text of each"),
        dock<CompareView>("compare", "Compare", "compare", "Alt+8", "Two schedules side by side"),
        dock<EditsView>("edits", "Edits", "edits", "Alt+Shift+7", "Schedules made by hand, and how they came about"),
        dock<ChoicesView>("choices", "Choices", "filter", "Ctrl+Alt+W",
                          "In what the trials differ, and which of it made them fast"),
        dock<WhyView>("why", "Why", "help", "Ctrl+Alt+Y",
                      "Why the chosen schedule is as fast as it is, and why not faster"),
        dock<FleetView>("fleet", "Nodes", "dag", "Ctrl+Alt+1",
                        "Nodes of a cluster that measure for the search: state, trials, noise, drift"),
        dock<LimitsView>("limits", "Limits", "measure", "Ctrl+Alt+K",
                         "What the kernels of the chosen schedule ask of the GPU, and what it has"),
        dock<MessageListView>("messages", "Messages", "messages", "Alt+9", "Every warning and failure with its cause"),
    };
    return docks;
}

const std::vector<Arrangement> &shippedLayouts() {
    static const std::vector<Arrangement> layouts{
        {QStringLiteral("Explore"),
         ids("computation"),
         ids("dag sketches search choices steps code tiles grouping pictures memory_layout logs "
             "network network_memory network_dispatch network_bytecode network_modules"),
         ids("trials edits compare why fleet messages network_tasks network_passes implementations network_profile"),
         ids("loops script limits"),
         ids("trials edits compare why fleet messages network network_memory network_dispatch network_bytecode "
             "network_modules network_tasks "
             "network_passes "
             "implementations "
             "network_profile"),
         {27, 46, 27},
         32},
        {QStringLiteral("Search"),
         ids("computation"),
         ids("search choices sketches dag steps code tiles grouping pictures memory_layout logs "
             "network network_memory network_dispatch network_bytecode network_modules"),
         ids("trials edits compare why fleet messages network_tasks network_passes implementations network_profile"),
         ids("loops script limits"),
         ids("computation compare network network_memory network_dispatch network_bytecode network_modules "
             "network_tasks "
             "network_passes implementations "
             "network_profile"),
         {24, 50, 26},
         42},
        {QStringLiteral("Code"),
         ids("loops script limits computation"),
         ids("code steps tiles grouping pictures memory_layout search choices sketches dag logs "
             "network network_memory network_dispatch network_bytecode network_modules"),
         ids("trials edits compare why fleet messages network_tasks network_passes implementations network_profile"),
         {},
         ids("computation search sketches dag compare network network_memory network_dispatch network_bytecode "
             "network_modules "
             "network_tasks "
             "network_passes "
             "network_profile"),
         {32, 68, 0},
         34},
        {QStringLiteral("Network"),
         ids("network computation"),
         ids("network_tasks network_profile network_passes implementations network_memory network_dispatch "
             "network_bytecode network_modules dag search "
             "code loops steps "
             "sketches choices "
             "tiles grouping pictures memory_layout logs script limits"),
         ids("trials messages fleet edits compare why"),
         {},
         ids("computation steps sketches choices tiles grouping pictures memory_layout logs script limits edits "
             "compare why"),
         {48, 52, 0},
         28},
    };
    return layouts;
}

} // namespace loopscope
