#pragma once
// A network with one open symbol as dispatch tables see it. Small values that the size alone decides, shapes that are
// computed with and what is computed of them, are no business of kernels: they are parameters behind those of the
// network, and known as soon as the size is.

#include "base/outcome.h"
#include "language/tensor/host_tensor.h"
#include "networks/graph/function.h"
#include "networks/partition/partition.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

class SizedNetwork {
  public:
    /// Types must be inferred. Refuses functions with no symbol among the dims of their parameters, or with several.
    static Outcome<SizedNetwork> of(FunctionPtr function, FusionMode mode);

    [[nodiscard]] const FunctionPtr &function() const { return m_function; }
    /// Of that function. No concat joins whose parts lie in it where the size says: it copies.
    [[nodiscard]] const Partition &partition() const { return m_partition; }
    [[nodiscard]] const std::string &symbol() const { return m_symbol; }
    /// Parameters of the network itself; the function's others are values that the size decides.
    [[nodiscard]] size_t inputs() const { return m_inputs; }

    /// Whether the kernel is another one for another size.
    [[nodiscard]] bool dependsOnSize(const Kernel &kernel) const;

    /// The function with numbers in all types, and with the elements that expressions have as numbers (where a slice
    /// begins) as constants. Made once for each size. Refuses what `values` refuses.
    [[nodiscard]] Outcome<FunctionPtr> at(int64_t size) const;
    /// Of the parameters behind the network's own. Refuses, with size and node, what cannot be computed there.
    [[nodiscard]] Outcome<std::vector<HostTensor>> values(int64_t size) const;

  private:
    class Numbered; // by size
    SizedNetwork() = default;

    FunctionPtr m_function;
    Partition m_partition;
    std::string m_symbol;
    size_t m_inputs = 0;
    std::shared_ptr<Numbered> m_numbered;
};

/// The same function with numbers for symbols in all types.
FunctionPtr withNumbers(const GraphFunction &function, const std::map<std::string, int64_t, std::less<>> &numbers);

/// The one symbol among the dims of the function's parameters. Refuses functions with none or with several.
Outcome<std::string> onlySymbol(const GraphFunction &function);

} // namespace loopscope
