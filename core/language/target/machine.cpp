#include "language/target/machine.h"

#include <hwloc.h>

#include <algorithm>
#include <thread>

namespace loopscope {

namespace {

int64_t cacheBytes(hwloc_topology_t topology, hwloc_obj_type_t level) {
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, level, 0);
    return cache != nullptr ? static_cast<int64_t>(cache->attr->cache.size) : 0;
}

Machine detect() {
    Machine machine;
    machine.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) return machine;
    if (hwloc_topology_load(topology) == 0) {
        machine.l1Bytes = cacheBytes(topology, HWLOC_OBJ_L1CACHE);
        machine.l2Bytes = cacheBytes(topology, HWLOC_OBJ_L2CACHE);
        machine.l3Bytes = cacheBytes(topology, HWLOC_OBJ_L3CACHE);
        // taskset and containers leave a process fewer threads than the machine has.
        const hwloc_bitmap_t usable = hwloc_bitmap_alloc();
        if (hwloc_get_cpubind(topology, usable, HWLOC_CPUBIND_PROCESS) == 0 && hwloc_bitmap_weight(usable) > 0)
            machine.threads = std::min(machine.threads, hwloc_bitmap_weight(usable));
        hwloc_bitmap_free(usable);
    }
    hwloc_topology_destroy(topology);
    return machine;
}

} // namespace

const Machine &thisMachine() {
    static const Machine machine = detect();
    return machine;
}

} // namespace loopscope
