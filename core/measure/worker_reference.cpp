#include "measure/worker.h"

#include "measure/channel.h"
#include "measure/messages.h"
#include "measure/reference_data.h"

namespace loopscope {

int makeReference(Channel &channel, const SetupMessage &setup) {
    fillReferenceFile(kWorkerDataFd, *dagOf(setup), setup.seed, setup.referenceThreads);
    channel.send(encode(ReadyMessage{}));
    return 0;
}

} // namespace loopscope
