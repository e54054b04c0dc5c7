#pragma once
// Logs are kept as .gz and .zst, too. What a file is tells its content, not its name.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace loopscope {

enum class Packing : uint8_t { None, Gzip, Zstd };

/// Of a file that begins so; four bytes are enough.
Packing packingOf(std::string_view start);

/// Unpacks piece by piece; several members or frames one behind the other are one text.
class Unpacker {
  public:
    using Take = std::function<void(std::string_view text)>;
    static std::unique_ptr<Unpacker> make(Packing packing);
    Unpacker() = default;
    Unpacker(const Unpacker &) = delete;
    Unpacker &operator=(const Unpacker &) = delete;
    virtual ~Unpacker() = default;

    /// False when the archive is damaged here; what was handed on until then is right. Whatever `take` throws passes.
    virtual bool add(std::string_view packed, const Take &take) = 0;
    /// Behind the last piece: one sentence when the archive was damaged or cut off, or else nothing.
    [[nodiscard]] std::string problem() const;

  protected:
    virtual std::string_view name() const = 0;
    std::string m_damage;   // what is wrong; empty: nothing
    bool m_between = false; // at the end of a member
    uint64_t m_bytes = 0;   // handed on
};

} // namespace loopscope
