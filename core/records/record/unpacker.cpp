#include "records/record/unpacker.h"

#include "base/outcome.h"

#include <fmt/format.h>
#include <string>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace loopscope {

namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr size_t kPiece = size_t{1} << 17;

class GzipUnpacker final : public Unpacker {
  public:
    GzipUnpacker() : m_out(kPiece) {
        constexpr int gzipOnly = 16;
        if (::inflateInit2(&m_stream, MAX_WBITS + gzipOnly) != Z_OK) throw Error("zlib cannot be started");
    }
    ~GzipUnpacker() override { ::inflateEnd(&m_stream); }
    GzipUnpacker(const GzipUnpacker &) = delete;
    GzipUnpacker &operator=(const GzipUnpacker &) = delete;

    bool add(std::string_view packed, const Take &take) override {
        while (!packed.empty()) {
            if (m_between) {
                // Tapes and disks fill up with zeros.
                packed.remove_prefix(std::min(packed.find_first_not_of('\0'), packed.size()));
                if (packed.empty()) break;
                if (packed.front() != kGzipMagic.front()) {
                    m_damage = "what stands behind its end is no gzip";
                    return false;
                }
                ::inflateReset(&m_stream);
                m_between = false;
            }
            const size_t before = packed.size();
            m_stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data())); // zlib only reads it
            m_stream.avail_in = static_cast<uInt>(std::min<size_t>(before, UINT32_MAX));
            const size_t given = m_stream.avail_in;
            m_stream.next_out = reinterpret_cast<Bytef *>(m_out.data());
            m_stream.avail_out = static_cast<uInt>(m_out.size());
            const int result = ::inflate(&m_stream, Z_NO_FLUSH);
            const size_t made = m_out.size() - m_stream.avail_out;
            packed.remove_prefix(given - m_stream.avail_in);
            m_bytes += made;
            if (made > 0) take({m_out.data(), made});
            if (result == Z_STREAM_END) {
                m_between = true;
            } else if (result != Z_OK && !(result == Z_BUF_ERROR && packed.size() < before)) {
                m_damage = m_stream.msg != nullptr ? m_stream.msg : "it cannot be read on";
                return false;
            }
        }
        return true;
    }

  protected:
    std::string_view name() const override { return "gzip"; }

  private:
    z_stream m_stream{};
    std::vector<char> m_out;
};

class ZstdUnpacker final : public Unpacker {
  public:
    ZstdUnpacker() : m_stream(::ZSTD_createDStream()), m_out(::ZSTD_DStreamOutSize()) {
        if (m_stream == nullptr) throw Error("libzstd cannot be started");
    }
    ~ZstdUnpacker() override { ::ZSTD_freeDStream(m_stream); }
    ZstdUnpacker(const ZstdUnpacker &) = delete;
    ZstdUnpacker &operator=(const ZstdUnpacker &) = delete;

    bool add(std::string_view packed, const Take &take) override {
        ZSTD_inBuffer in{packed.data(), packed.size(), 0};
        for (bool full = false; in.pos < in.size || full;) {
            ZSTD_outBuffer out{m_out.data(), m_out.size(), 0};
            const size_t result = ::ZSTD_decompressStream(m_stream, &out, &in);
            if (::ZSTD_isError(result) != 0) {
                m_damage = ::ZSTD_getErrorName(result);
                return false;
            }
            m_between = result == 0;
            m_bytes += out.pos;
            full = out.pos == out.size && !m_between;
            if (out.pos > 0) take({m_out.data(), out.pos});
        }
        return true;
    }

  protected:
    std::string_view name() const override { return "zstd"; }

  private:
    ZSTD_DStream *m_stream;
    std::vector<char> m_out;
};

} // namespace

Packing packingOf(std::string_view start) {
    if (start.starts_with(kGzipMagic)) return Packing::Gzip;
    return start.starts_with(kZstdMagic) ? Packing::Zstd : Packing::None;
}

std::unique_ptr<Unpacker> Unpacker::make(Packing packing) {
    if (packing == Packing::Gzip) return std::make_unique<GzipUnpacker>();
    return packing == Packing::Zstd ? std::make_unique<ZstdUnpacker>() : nullptr;
}

std::string Unpacker::problem() const {
    if (!m_damage.empty())
        return fmt::format("the {} archive is damaged here ({}): what stands behind these {} bytes of text is lost",
                           name(), m_damage, m_bytes);
    return m_between ? std::string()
                     : fmt::format("the {} archive is cut off here: what stood behind these {} bytes of text is lost",
                                   name(), m_bytes);
}

} // namespace loopscope
