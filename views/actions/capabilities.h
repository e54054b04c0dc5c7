#pragma once
// What views and the window ask of one another. No view knows another; one that needs something names it here, and
// whoever can do it registers an action of that id (Actions::add). Nobody may offer it in a window that has fewer
// views: Actions::find gives null then.

#include <array>
#include <cstdint>

namespace loopscope {

enum class Capability : uint8_t {
    OpenFile,
    NewWorkload,
    StartSearch,
    PauseSearch,
    ResumeSearch,
    ContinueSearch,
    StopSearch,
    ShowComparison,
    CompareTrials,  // those selected
    CompareTargets, // the ScheduleRef it is run with, or the one shown, with one for another target
    SwapCompared,
    UndoEdit, // along the tree of schedules made by hand
    RedoEdit,
    ExportSchedule, // the ScheduleRef it is run with (Actions::run), or the one shown
};
inline constexpr std::array kCapabilities{
    Capability::OpenFile,      Capability::NewWorkload,    Capability::StartSearch,  Capability::PauseSearch,
    Capability::ResumeSearch,  Capability::ContinueSearch, Capability::StopSearch,   Capability::ShowComparison,
    Capability::CompareTrials, Capability::CompareTargets, Capability::SwapCompared, Capability::UndoEdit,
    Capability::RedoEdit,      Capability::ExportSchedule};

/// The id of the action that offers it.
constexpr const char *actionId(Capability capability) {
    switch (capability) {
    case Capability::OpenFile:
        return "file.open";
    case Capability::NewWorkload:
        return "computation.new";
    case Capability::StartSearch:
        return "search.start";
    case Capability::PauseSearch:
        return "search.pause";
    case Capability::ResumeSearch:
        return "search.resume";
    case Capability::ContinueSearch:
        return "search.continue";
    case Capability::StopSearch:
        return "search.stop";
    case Capability::ShowComparison:
        return "view.dock.compare";
    case Capability::CompareTrials:
        return "compare.trials";
    case Capability::CompareTargets:
        return "compare.targets";
    case Capability::SwapCompared:
        return "compare.swap";
    case Capability::UndoEdit:
        return "edits.undo";
    case Capability::RedoEdit:
        return "edits.redo";
    case Capability::ExportSchedule:
        return "file.export_schedule";
    }
    return "";
}

} // namespace loopscope
