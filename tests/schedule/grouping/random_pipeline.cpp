#include "random_pipeline.h"

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

namespace loopscope {

namespace {

struct Drawn {
    std::string name;
    int64_t height = 0;
    int64_t width = 0;
};

class PipelineDrawer {
  public:
    PipelineDrawer(Random &random, bool ordered) : m_random(random), m_ordered(ordered) {}

    std::string run() {
        constexpr std::array<int64_t, 5> widths = {131, 64, 97, 150, 17};
        constexpr std::array<int64_t, 5> heights = {23, 31, 8, 40, 13};
        m_text = "workload random()\n";
        m_drawn.push_back({"in", heights[m_random.index(5)], widths[m_random.index(5)]});
        m_text += fmt::format("in = placeholder [{}, {}] int32\n", m_drawn[0].height, m_drawn[0].width);
        const size_t stages = 2 + m_random.index(7);
        while (m_drawn.size() <= stages) addStage();
        return m_text;
    }

  private:
    /// Names in another order than stages, since candidates are visited by name.
    std::string newName() { return fmt::format("s{}_{}", static_cast<char>('a' + m_random.index(26)), m_drawn.size()); }

    void add(int64_t height, int64_t width, const std::string &value) { add(newName(), height, width, value); }

    void add(const std::string &name, int64_t height, int64_t width, const std::string &value) {
        m_text += fmt::format("{}(y < {}, x < {}) = {}\n", name, height, width, value);
        m_drawn.push_back({name, height, width});
    }

    void addStage() {
        const Drawn from = m_drawn[m_drawn.size() - 1 - m_random.index(std::min<size_t>(m_drawn.size(), 3))];
        const auto at = [&](const std::string &y, const std::string &x) {
            return fmt::format("{}[{}, {}]", from.name, y, x);
        };
        if (m_ordered && m_random.index(3) == 0) return addOrdered(from);
        switch (m_random.index(9)) {
        case 0:
            if (from.width > 8)
                return add(from.height, from.width - 2,
                           fmt::format("{} + 2 * {} - {}", at("y", "x"), at("y", "x + 1"), at("y", "x + 2")));
            break;
        case 1:
            if (from.height > 8)
                return add(from.height - 4, from.width,
                           fmt::format("3 * {} + {} + {}", at("y", "x"), at("y + 2", "x"), at("y + 4", "x")));
            break;
        case 2:
            return add(from.height + 4, from.width + 2,
                       at(fmt::format("min(max(y - 2, 0), {})", from.height - 1),
                          fmt::format("min(max(x - 1, 0), {})", from.width - 1)));
        case 3:
            if (from.width > 8 && from.height > 8)
                return add(from.height / 2, from.width / 2,
                           fmt::format("{} + {}", at("2 * y", "2 * x"), at("2 * y + 1", "2 * x + 1")));
            break;
        case 4:
            if (from.width * from.height < 4000)
                return add(2 * from.height, 2 * from.width, fmt::format("{} * (1 + x % 2)", at("y // 2", "x // 2")));
            break;
        case 5:
            return add(from.width, from.height, fmt::format("{} - 1", at("x", "y")));
        case 6:
            if (from.width > 8 && from.height > 8)
                return add(from.height - 2, from.width - 4,
                           fmt::format("sum(ry < 3, rx < 5; {} * (ry + 1 - rx))", at("y + ry", "x + rx")));
            break;
        case 7: {
            const Drawn &other = m_drawn[m_random.index(m_drawn.size())];
            return add(std::min(from.height, other.height), std::min(from.width, other.width),
                       fmt::format("{} * {}[y, x] + {}", at("y", "x"), other.name, other.name + "[y, x]"));
        }
        default:
            break;
        }
        add(from.height, from.width, fmt::format("select({} > 0, {}, 7)", at("y", "x"), at("y", "x")));
    }

    /// A scan along rows or columns, forwards or backwards; counts of a row or of columns, sums into cells that
    /// elements name; and a gather, which reads where elements say.
    void addOrdered(const Drawn &from) {
        const std::string name = newName();
        const std::string element = from.name + "[y, x]";
        const int64_t bins = 5 + static_cast<int64_t>(m_random.index(9));
        switch (m_random.index(7)) {
        case 0:
            return add(name, from.height, from.width,
                       fmt::format("scan(y; from {0}; 3 * {1}[y - 1, x] - {0})", element, name));
        case 1:
            return add(name, from.height, from.width,
                       fmt::format("scan(y; from {0} + 1; max({1}[y + 1, x], {0}))", element, name));
        case 2:
            return add(name, from.height, from.width,
                       fmt::format("scan(x; from {0}; {1}[y, x - 1] + {0} * 2)", element, name));
        case 3:
            return add(name, from.height, bins,
                       fmt::format("sum(r < {} at x = clamp({}[y, r], 0, {}); 1)", from.width, from.name, bins - 1));
        case 4:
            return add(name, bins, from.width,
                       fmt::format("sum(r < {0} at y = clamp({1}[r, x], 0, {2}); {1}[r, x])", from.height, from.name,
                                   bins - 1));
        case 5: {
            const Drawn &table = m_drawn[m_random.index(m_drawn.size())];
            return add(name, std::min(from.height, table.height), from.width,
                       fmt::format("{}[y, clamp({}, 0, {})]", table.name, element, table.width - 1));
        }
        default: {
            const Drawn &table = m_drawn[m_random.index(m_drawn.size())];
            return add(name, from.height, std::min(from.width, table.width),
                       fmt::format("{}[clamp({}, 0, {}), x] + {}", table.name, element, table.height - 1, element));
        }
        }
    }

    Random &m_random;
    bool m_ordered;
    std::string m_text;
    std::vector<Drawn> m_drawn;
};

} // namespace

std::string randomPipeline(Random &random) { return PipelineDrawer(random, false).run(); }

std::string randomOrderedPipeline(Random &random) { return PipelineDrawer(random, true).run(); }

MachineParameters randomMachine(Random &random) {
    MachineParameters machine;
    machine.parallelism = 1 + static_cast<int64_t>(random.index(16));
    machine.lastLevelCache = int64_t{256} << random.index(10);
    machine.vectorBytes = random.index(2) == 0 ? 32 : 64;
    machine.integerVectorBytes = machine.vectorBytes;
    machine.coreCache = int64_t{256} << random.index(8);
    return machine;
}

} // namespace loopscope
