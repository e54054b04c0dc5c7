#pragma once
// The statement `packed` (networks/graph/statement.h) run: tensors as the C convention has them, the outputs made
// before the call and filled in by it. What the function may only read is looked at before and after.

#include "base/outcome.h"
#include "language/tensor/wide_tensor.h"
#include "networks/graph/dim_match.h"
#include "networks/graph/function.h"
#include "networks/packed/packed_function.h"
#include "networks/packed/packed_library.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

/// A function by its name, for a call of that signature. Refuses with where it was looked for.
using PackedFinder = std::function<Outcome<PackedFunction>(const std::string &name, const PackedSignature &signature)>;

/// In libraries that the user named, in their order: the symbol of that name. What failed is asked of NAME_last_error,
/// without the end `_packed` of the name, where the library has it.
PackedFinder findIn(std::vector<PackedLibrary> libraries);

/// `symbols` are those that are known to the function by now; dims of inputs tell others. Refuses with a sentence that
/// begins with the node: there is no such function, it failed, or it wrote to what it may only read.
Outcome<std::vector<WideTensor>> callPacked(const GraphFunction &function, const Node &node,
                                            std::span<const WideTensor *const> inputs, const SymbolNumbers &symbols,
                                            const PackedFinder &finder);

} // namespace loopscope
