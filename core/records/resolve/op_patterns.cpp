#include "records/resolve/op_patterns.h"

#include <iterator>
#include <utility>
#include <vector>

namespace loopscope {

const std::vector<OpPattern> &opPatterns() {
    static const std::vector<OpPattern> all = [] {
        std::vector<OpPattern> joined;
        for (std::vector<OpPattern> family :
             {convolutionPatterns(), transposedPatterns(), densePatterns(), normalizationPatterns(), poolingPatterns()})
            joined.insert(joined.end(), std::make_move_iterator(family.begin()), std::make_move_iterator(family.end()));
        return joined;
    }();
    return all;
}

} // namespace loopscope
