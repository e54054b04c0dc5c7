#include "measure/fleet/fleet.h"

namespace loopscope {

namespace {

class FleetMeasurer final : public Measurer {
  public:
    FleetMeasurer(std::shared_ptr<Fleet> fleet, const Task &task, std::string name)
        : m_fleet(std::move(fleet)), m_task(m_fleet->add(task, std::move(name))) {}
    bool prepare(const std::atomic<bool> *cancel) override { return m_fleet->prepare(m_task, cancel); }
    [[nodiscard]] int measurementsAtOnce() const override { return m_fleet->options().rounds; }
    [[nodiscard]] std::vector<std::string> notes() const override { return m_fleet->notes(m_task); }
    void measure(const std::vector<Steps> &candidates,
                 const std::function<void(size_t index, const Trial &trial)> &onTrial,
                 const MeasureWatch &watch) override {
        m_fleet->measure(m_task, candidates, onTrial, watch);
    }
    std::vector<TurnSamples> measureInterleaved(const std::vector<Steps> &candidates, int rounds,
                                                const MeasureWatch &watch) override {
        return m_fleet->interleave(m_task, candidates, rounds, watch);
    }

  private:
    std::shared_ptr<Fleet> m_fleet;
    int m_task;
};

} // namespace

std::unique_ptr<Measurer> makeFleetMeasurer(std::shared_ptr<Fleet> fleet, const Task &task, std::string name) {
    return std::make_unique<FleetMeasurer>(std::move(fleet), task, std::move(name));
}

} // namespace loopscope
