// Matrix products, and tasks without an operator in front.

#include "records/resolve/op_patterns.h"

#include <string>
#include <utility>
#include <vector>

namespace loopscope {

std::vector<OpPattern> densePatterns() {
    using Names = std::vector<std::pair<std::string, std::string>>;
    std::vector<OpPattern> all;
    all.push_back({"dense", "M K, N K -> M N", "r = dense(a, b $T)", "{N} outputs"});
    all.push_back(
        {"dense", "M K, N K -> M N", "r = dense(a, b $T)", "{N} outputs", {}, Names{{"T_matmul_NT", "T_dense"}}});
    all.push_back({"matmul", "M K, K N -> M N", "r = matmul(a, b $T)", "{N} columns"});
    all.push_back({"matmul", "K M, K N -> M N", "r = matmul(a, b, 1 $T)", "{M} rows, {N} columns"});
    all.push_back({"matmul", "K M, N K -> M N", "r = matmul(a, b, 1, 1 $T)", "{M} rows, {N} columns"});
    const std::string batch = "{B} of {M}x{N}x{K}";
    struct Transposes {
        std::string left, right, args, suffix;
    };
    for (const Transposes &t : {Transposes{"M K", "N K", "0, 1", "NT"}, Transposes{"M K", "K N", "0, 0", "NN"},
                                Transposes{"K M", "K N", "1, 0", "TN"}, Transposes{"K M", "N K", "1, 1", "TT"}})
        for (const std::string batches : {"B B", "1 B", "B 1"}) {
            const std::string shapes = std::string(1, batches[0]) + " " + t.left + ", " + batches[2] + " " + t.right;
            const std::string out = " -> B M N";
            const std::string text = "r = batch_matmul(a, b, " + t.args + " $T)";
            all.push_back({"batch_matmul", shapes + out, text, batch});
            if (t.suffix == "NT")
                all.push_back({"batch_matmul", shapes + out, text, batch, {}, Names{{"T_batch_matmul_NT", "compute"}}});
        }
    // Before batches were broadcast, a single one had its axis in the text, too.
    all.push_back({"batch_matmul",
                   "1 M K, 1 N K -> 1 M N",
                   "r = batch_matmul(a, b, 0, 1, style = \"benchmark\")",
                   "1 of {M}x{N}x{K}",
                   {},
                   Names{{"Z", "compute"}}});
    // Nothing but what follows: chains of element-wise operators, and reductions (fused_ops.h).
    for (const std::string shape : {"A", "A B", "A B C", "A B C D", "A B C D E"})
        all.push_back({"", shape + " -> *", "", ""});
    return all;
}

} // namespace loopscope
