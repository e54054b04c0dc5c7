#include "deploy/network/assignment_solver.h"

#include "base/check.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace loopscope {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

class GraphReduction {
  public:
    explicit GraphReduction(const AssignmentProblem &problem)
        : m_costs(problem.costs), m_neighbours(problem.costs.size()), m_states(problem.costs.size(), 0) {
        for (const AssignmentProblem::Pair &pair : problem.pairs) {
            LOOPSCOPE_CHECK(pair.a != pair.b && pair.costs.size() == count(pair.a) * count(pair.b), "a pair's costs");
            addPair(pair.a, pair.b, pair.costs);
        }
        for (size_t v = 0; v < m_costs.size(); ++v) {
            LOOPSCOPE_CHECK(count(v) > 0, "a variable has states");
            m_byDegree.emplace(m_neighbours[v].size(), v);
        }
    }

    Assignment solve() {
        while (!m_byDegree.empty()) {
            const auto [degree, variable] = *m_byDegree.begin();
            if (degree <= 2)
                takeOut(variable);
            else
                set(m_byDegree.rbegin()->second);
        }
        // What was taken out last knows the states of its neighbours first.
        while (!m_removed.empty()) {
            const Removed &last = m_removed.back();
            if (!last.isSet) m_states[last.variable] = cheapest(last);
            m_removed.pop_back();
        }
        return {m_states, 0, m_heuristic};
    }

  private:
    using Table = std::vector<double>; // [own state * states of the neighbour + its state]
    struct Removed {
        size_t variable = 0;
        bool isSet = false;
        std::vector<std::pair<size_t, Table>> neighbours;
    };

    [[nodiscard]] size_t count(size_t variable) const { return m_costs[variable].size(); }

    void addPair(size_t a, size_t b, const Table &costs) {
        Table &ours = m_neighbours[a].try_emplace(b, count(a) * count(b), 0.0).first->second;
        Table &theirs = m_neighbours[b].try_emplace(a, count(a) * count(b), 0.0).first->second;
        for (size_t i = 0; i < count(a); ++i)
            for (size_t j = 0; j < count(b); ++j) {
                ours[i * count(b) + j] += costs[i * count(b) + j];
                theirs[j * count(a) + i] += costs[i * count(b) + j];
            }
    }

    /// Out of the graph, with what is needed to come back.
    Removed unhook(size_t variable) {
        Removed removed = {variable, false, {}};
        m_byDegree.erase({m_neighbours[variable].size(), variable});
        for (auto &[neighbour, table] : m_neighbours[variable]) {
            m_byDegree.erase({m_neighbours[neighbour].size(), neighbour});
            m_neighbours[neighbour].erase(variable);
            m_byDegree.emplace(m_neighbours[neighbour].size(), neighbour);
            removed.neighbours.emplace_back(neighbour, std::move(table));
        }
        m_neighbours[variable].clear();
        return removed;
    }

    void takeOut(size_t variable) {
        Removed removed = unhook(variable);
        const std::vector<double> &own = m_costs[variable];
        if (removed.neighbours.size() == 1) {
            const auto &[to, table] = removed.neighbours[0];
            for (size_t j = 0; j < count(to); ++j) {
                double least = kInfinite;
                for (size_t i = 0; i < own.size(); ++i) least = std::min(least, own[i] + table[i * count(to) + j]);
                m_costs[to][j] += least;
            }
        } else if (removed.neighbours.size() == 2) {
            const auto &[a, left] = removed.neighbours[0];
            const auto &[b, right] = removed.neighbours[1];
            Table between(count(a) * count(b), kInfinite);
            for (size_t j = 0; j < count(a); ++j)
                for (size_t k = 0; k < count(b); ++k)
                    for (size_t i = 0; i < own.size(); ++i)
                        between[j * count(b) + k] = std::min(between[j * count(b) + k],
                                                             own[i] + left[i * count(a) + j] + right[i * count(b) + k]);
            for (const size_t end : {a, b}) m_byDegree.erase({m_neighbours[end].size(), end});
            addPair(a, b, between);
            for (const size_t end : {a, b}) m_byDegree.emplace(m_neighbours[end].size(), end);
        }
        m_removed.push_back(std::move(removed));
    }

    void set(size_t variable) {
        ++m_heuristic;
        Removed removed = unhook(variable);
        removed.isSet = true;
        size_t best = 0;
        double least = kInfinite;
        for (size_t i = 0; i < count(variable); ++i) {
            double cost = m_costs[variable][i];
            for (const auto &[to, table] : removed.neighbours) {
                double answer = kInfinite;
                for (size_t j = 0; j < count(to); ++j)
                    answer = std::min(answer, table[i * count(to) + j] + m_costs[to][j]);
                cost += answer;
            }
            if (cost < least) {
                least = cost;
                best = i;
            }
        }
        m_states[variable] = best;
        for (const auto &[to, table] : removed.neighbours)
            for (size_t j = 0; j < count(to); ++j) m_costs[to][j] += table[best * count(to) + j];
        m_removed.push_back(std::move(removed));
    }

    [[nodiscard]] size_t cheapest(const Removed &removed) const {
        size_t best = 0;
        double least = kInfinite;
        for (size_t i = 0; i < count(removed.variable); ++i) {
            double cost = m_costs[removed.variable][i];
            for (const auto &[to, table] : removed.neighbours) cost += table[i * count(to) + m_states[to]];
            if (cost < least) {
                least = cost;
                best = i;
            }
        }
        return best;
    }

    std::vector<std::vector<double>> m_costs;
    std::vector<std::map<size_t, Table>> m_neighbours;
    std::vector<size_t> m_states;
    std::set<std::pair<size_t, size_t>> m_byDegree;
    std::vector<Removed> m_removed;
    size_t m_heuristic = 0;
};

} // namespace

double assignmentCost(const AssignmentProblem &problem, const std::vector<size_t> &states) {
    double cost = 0;
    for (size_t v = 0; v < problem.costs.size(); ++v) cost += problem.costs[v][states[v]];
    for (const AssignmentProblem::Pair &pair : problem.pairs)
        cost += pair.costs[states[pair.a] * problem.costs[pair.b].size() + states[pair.b]];
    return cost;
}

Assignment solveAssignment(const AssignmentProblem &problem) {
    Assignment assignment = GraphReduction(problem).solve();
    assignment.cost = assignmentCost(problem, assignment.states);
    return assignment;
}

} // namespace loopscope
