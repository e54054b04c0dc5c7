#include "packed_text.h"

#include <zlib.h>
#include <zstd.h>

namespace loopscope {

std::string gzipped(std::string_view text) {
    z_stream stream{};
    constexpr int gzipOnly = 16;
    if (::deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + gzipOnly, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
    std::string out(text.size() + 1024, '\0');
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef *>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    ::deflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    ::deflateEnd(&stream);
    return out;
}

std::string zstandard(std::string_view text) {
    std::string out(::ZSTD_compressBound(text.size()), '\0');
    out.resize(::ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

std::string packed(bool zstd, std::string_view text) { return zstd ? zstandard(text) : gzipped(text); }

} // namespace loopscope
