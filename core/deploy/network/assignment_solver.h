#pragma once
// The cheapest states of variables, each with a cost for every state and for every pair of states with a neighbour: a
// partitioned boolean quadratic problem (Scholz and Eckstein, LCTES 2002). Variables with no, one or two neighbours are
// solved away for each state of these, which is exact, and dynamic programming on chains and trees. Where every
// variable that is left has three neighbours or more, the one with the most is set to the state that looks cheapest
// with the best answers of its neighbours, and the rest goes on: a heuristic, which is counted.
// Nothing here knows what states mean.

#include <cstddef>
#include <vector>

namespace loopscope {

struct AssignmentProblem {
    struct Pair {
        size_t a = 0;
        size_t b = 0;
        std::vector<double> costs; // of state i of a and j of b at [i * states of b + j]
    };
    std::vector<std::vector<double>> costs; // by variable and state; infinite: never
    std::vector<Pair> pairs;                // of different variables; several of the same add up
};

struct Assignment {
    std::vector<size_t> states;
    double cost = 0;      // infinite where no states are allowed together
    size_t heuristic = 0; // variables that were set by the heuristic; 0: nothing is cheaper
};

/// The same answer for the same problem; of equal costs the first state.
Assignment solveAssignment(const AssignmentProblem &problem);
/// Of given states.
double assignmentCost(const AssignmentProblem &problem, const std::vector<size_t> &states);

} // namespace loopscope
