#include "made_records.h"

#include "records/record/record.h"

namespace loopscope {

std::string madeLine(const MadeRecord &made) {
    Record record;
    record.key = made.key;
    record.targetText = made.target;
    record.hardware = HardwareParams{};
    record.hardware->numCores = made.cores;
    record.layoutRewrite = made.layoutRewrite;
    record.version = made.version;
    record.taskElements = made.elements;
    if (made.elements < 3) record.hardware.reset();
    record.trial.steps = Steps{SplitStep{StageId{2}, IterId{0}, 64, {made.tile, 2}, true},
                               AnnotateStep{StageId{2}, IterId{made.loop}, Annotation::Parallel}};
    record.trial.seconds = made.seconds;
    if (made.checked)
        record.trial.reason = "checked by the executor, not timed: all 4 blocks ran";
    else if (made.seconds.empty())
        record.trial.error = TrialError::RunTimeout;
    record.trial.runSeconds = 0.5;
    record.trial.timestamp = made.timestamp;
    return recordLine(record) + '\n';
}

} // namespace loopscope
