#pragma once
// What is known of a network's tasks already: the best time of each in the tuning logs that are open and in the
// workloads of the session, by task key.

#include <QString>

#include <map>
#include <string>

namespace loopscope {

class Session;

struct KnownTime {
    double seconds = 0;
    size_t records = 0; // of all places
    QString where;      // the best one is from: a log's name, a workload's
};

/// By key; of the tasks asked for only.
std::map<std::string, KnownTime> knownTimes(Session &session, const std::map<std::string, int> &keys);

} // namespace loopscope
