#include "random_network.h"

#include "base/random.h"

#include <fmt/format.h>
#include <vector>

namespace loopscope {

namespace {

class NetworkMaker {
  public:
    explicit NetworkMaker(uint64_t seed) : m_random(11, seed) {}

    std::string run() {
        const std::string body = function("main", 3);
        return "network made\n" + body + m_functions;
    }

  private:
    size_t below(size_t most) { return m_random.index(most); }

    struct Body {
        std::string text;
        size_t vectors = 1; // x0, x1, ...: float32[s]
        size_t lonely = 0;  // values of sizes of their own
    };
    std::string anyVector(const Body &body) { return fmt::format("x{}", below(body.vectors)); }
    void add(Body &body, const std::string &what) { body.text += fmt::format("    x{} = {}\n", body.vectors++, what); }

    /// `func NAME(x0: float32[s], y: float32[s, 2], c: bool[]) -> x, p`: p has a size of its own.
    std::string function(const std::string &name, int depth) {
        Body body;
        const size_t count = 1 + below(5);
        for (size_t i = 0; i < count; ++i) statement(body, name, depth);
        body.text += fmt::format("    last = concat({}, {}, axis = 0)\n", anyVector(body), anyVector(body));
        return fmt::format("func {}(x0: float32[s], y: float32[s, 2], c: bool[]) {{\n  effect {{\n{}  }} yield x{}, "
                           "last\n  return x{}, last\n}}\n",
                           name, body.text, body.vectors - 1,
                           below(4) == 0 && body.vectors == 1 ? 0 : body.vectors - 1);
    }

    std::string another(const std::string &of, int depth) {
        const std::string name = fmt::format("{}.{}", of, m_count++);
        m_functions += function(name, depth - 1);
        return name;
    }

    void statement(Body &body, const std::string &name, int depth) {
        const std::string from = anyVector(body);
        switch (depth > 0 ? below(12) : below(8)) {
        case 0:
            return add(body, fmt::format("add({}, {})", from, anyVector(body)));
        case 1:
            return add(body, fmt::format("mul({}, {}.3)", from, below(3)));
        case 2:
            return add(body, fmt::format("tanh({})", from));
        case 3:
            return add(body, fmt::format("reduce_sum(y, axes = [1], keep_dims = 0)"));
        case 4:
            body.text += fmt::format("    x{}: float32[s] = match({})\n", body.vectors++, from);
            return;
        case 5: { // a size of its own, bound, and made a vector of s again by a sum
            const size_t n = body.lonely++;
            body.text +=
                fmt::format("    r{0} = round({1})\n    u{0} = unique(r{0})\n    v{0}: float32[m{0}] = match(u{0})\n"
                            "    q{0} = reduce_sum(v{0}, axes = [0], keep_dims = 1)\n",
                            n, from);
            return add(body, fmt::format("add({}, q{})", from, n));
        }
        case 6: { // cut to a size that need not be there; matched with what may fail
            const size_t n = body.lonely++;
            body.text += fmt::format("    b{0} = constant int64[1] {1}\n    e{0} = constant int64[1] {2}\n"
                                     "    k{0} = cut({3}, b{0}, e{0})\n    w{0}: float32[{4}h{0}] = match(k{0})\n"
                                     "    q{0} = reduce_sum(w{0}, axes = [0], keep_dims = 1)\n",
                                     n, below(2), 1 + below(4), from, below(8) == 0 ? "2*" : "");
            return add(body, fmt::format("sub({}, q{})", from, n));
        }
        case 7:
            return add(body, fmt::format("relu({})", from));
        case 8:
        case 9: {
            const size_t n = body.lonely++;
            body.text += fmt::format("    x{}, p{} = if(c, {}, y, c, then = \"{}\", else = \"{}\")\n", body.vectors++,
                                     n, from, another(name, depth), another(name, depth));
            return;
        }
        case 10: {
            const size_t n = body.lonely++;
            body.text += fmt::format("    x{}, p{} = call({}, y, c, function = \"{}\")\n", body.vectors++, n, from,
                                     another(name, depth));
            return;
        }
        default:
            return loop(body, name, depth, from);
        }
    }

    void loop(Body &body, const std::string &name, int depth, const std::string &from) {
        const size_t n = body.lonely++;
        const std::string inner = another(name, depth);
        const bool grows = below(4) == 0;
        const std::string bodyName = inner + ".body";
        m_functions += fmt::format(
            "func {}(i: int64[], go: bool[], v: float32[s], g: float32[k], y: float32[s, 2]) {{\n  effect {{\n    r, p "
            "= "
            "call(v, y, go, function = \"{}\")\n    h = {}\n  }} yield r, h\n  most = constant int64[] {}\n  next = "
            "less(i, most)\n  return next, r, h, i{}\n}}\n",
            bodyName, inner, grows ? "concat(g, r, axis = 0)" : "mul(g, 0.5)", below(4), below(2) == 0 ? ", r" : ", g");
        body.text +=
            fmt::format("    n{0} = constant int64[] {1}\n    x{2}, g{0}, a{0}, t{0} = loop({3}, {4}, {5}, x0, y, "
                        "body = \"{6}\", carried = 2)\n",
                        n, below(4), body.vectors++, below(5) == 0 ? "_" : fmt::format("n{}", n),
                        below(2) == 0 ? "_" : "c", from, bodyName);
    }

    Random m_random;
    std::string m_functions;
    size_t m_count = 0;
};

} // namespace

std::string randomNetwork(uint64_t seed) { return NetworkMaker(seed).run(); }

} // namespace loopscope
