// A problem of a script in words: the refusals of steps speak of numbers of stages and loops, scripts of names.

#include "schedule/script/schedule_script.h"
#include "schedule/script/script_words.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

std::vector<std::string> textsOf(const LoopState &state, const Suggestion &suggestion) {
    std::vector<std::string> texts;
    std::visit(StepVisitor{
                   [&](const LegalStages &legal) {
                       for (const StageId stage : legal.stages) texts.push_back(scriptStage(state, stage));
                   },
                   [&](const LegalLoops &legal) {
                       for (const IterId loop : legal.loops) texts.push_back(scriptLoop(state, legal.stage, loop));
                   },
                   [&](const LegalAttachPoints &legal) {
                       for (const AttachPoint &point : legal.points)
                           texts.push_back(scriptStage(state, point.stage) + " " +
                                           scriptLoop(state, point.stage, point.iter));
                   },
                   [&](const LegalSources &legal) {
                       for (const StepId step : legal.steps) texts.push_back(fmt::format("s{}", step.value));
                   },
                   [&](const LegalNumbers &legal) {
                       for (const int64_t number : legal.sensible) texts.push_back(fmt::format("{}", number));
                       if (legal.sensible.empty()) texts.push_back(fmt::format("{} to {}", legal.least, legal.most));
                   },
                   [&](const LegalAnnotations &legal) {
                       for (const Annotation annotation : legal.annotations)
                           texts.emplace_back(primitiveOf(AnnotateStep{{}, {}, annotation}) == "bind"
                                                  ? annotationText(annotation)
                                                  : primitiveOf(AnnotateStep{{}, {}, annotation}));
                   },
                   [&](const LegalWords &legal) { texts = legal.words; },
                   [&](const ApplyFirst &legal) { texts.push_back(scriptLine(state, legal.step)); },
               },
               suggestion);
    return texts;
}

} // namespace

std::string ScriptProblem::text(const std::string &path) const {
    return fmt::format("{}:{}:{}: {}", path, line, column, reason);
}

std::vector<std::string> legalTexts(const LoopState &state, const ScheduleRefusal &refusal) {
    std::vector<std::string> all;
    for (const Suggestion &suggestion : refusal.legal)
        for (std::string &text : textsOf(state, suggestion)) all.push_back(std::move(text));
    return all;
}

} // namespace loopscope
