#include "measure/worker.h"

#include "base/isolate/channel.h"
#include "measure/answer/reference_data.h"
#include "measure/messages.h"

namespace loopscope {

int makeReference(Channel &channel, const SetupMessage &setup) {
    fillReferenceFile(kWorkerDataFd, *dagOf(setup), setup.seed, setup.referenceThreads);
    channel.send(encode(ReadyMessage{}));
    return 0;
}

} // namespace loopscope
