#include "measure/worker_pool.h"

#include <algorithm>
#include <thread>

namespace loopscope {

namespace {

int coresOfMachine() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

} // namespace

WorkerPool::WorkerPool(const MeasureOptions &options)
    : m_options(options), m_runs(m_spawner, workerProgram(options.workerPath), options.referenceTimeout),
      m_builds(m_spawner, workerProgram(options.workerPath),
               options.buildWorkers > 0 ? options.buildWorkers : coresOfMachine(), options.buildTimeout) {}

int WorkerPool::add(const Task &task, int dataFd) {
    SetupMessage setup = makeSetup(task);
    setup.task = m_tasks++;
    setup.memoryLimitMiB = m_options.memoryLimitMiB;
    setup.kernelThreads =
        m_options.kernelThreads > 0 ? m_options.kernelThreads : std::max(1, task.target.hardware.numCores);
    setup.seed = m_options.seed;
    setup.referenceThreads = coresOfMachine();
    setup.runner = m_options.runner;
    setup.sampleBlocks = m_options.sampleBlocks;
    m_runs.add(setup, dataFd);
    m_builds.add(setup);
    return setup.task;
}

} // namespace loopscope
