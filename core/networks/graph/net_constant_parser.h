#pragma once
// What constants hold in `.net` text: one value, a list, a rule, base64, part of a file.

#include "language/tensor/host_tensor.h"
#include "networks/graph/net_cursor.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

class NetValueParser;

class NetConstantParser {
  public:
    NetConstantParser(NetCursor &cursor, NetValueParser &values) : m_cursor(cursor), m_values(values) {}

    /// Type and content; `name` is the constant's, from which a rule without a seed makes one.
    HostTensor tensor(const std::string &name);

  private:
    HostTensor content(DType type, const std::vector<int64_t> &dims, const std::string &name);
    HostTensor recipe(DType type, const std::vector<int64_t> &dims, const std::string &name);
    HostTensor listed(DType type, const std::vector<int64_t> &dims);
    HostTensor encoded(DType type, const std::vector<int64_t> &dims);
    HostTensor fromFile(DType type, const std::vector<int64_t> &dims);
    void element(HostTensor &tensor, int64_t i);
    void floatElement(HostTensor &tensor, int64_t i);

    NetCursor &m_cursor;
    NetValueParser &m_values;
    std::map<std::string, std::shared_ptr<const MappedFile>> m_files; // by their names in the text
};

} // namespace loopscope
