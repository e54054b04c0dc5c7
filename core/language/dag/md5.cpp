#include "language/dag/md5.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/MD5.h>

namespace loopscope {

std::string md5Hex(std::string_view text) {
    llvm::MD5 md5;
    md5.update(llvm::StringRef(text.data(), text.size()));
    llvm::MD5::MD5Result digest;
    md5.final(digest);
    return std::string(digest.digest());
}

} // namespace loopscope
