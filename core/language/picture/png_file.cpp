#include "language/picture/png_file.h"

#include "base/check.h"
#include "base/input_file.h"
#include "base/outcome.h"
#include "base/whole_file.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <png.h>

namespace loopscope {

namespace {

constexpr int64_t kMaxPixels = int64_t{1} << 28;
constexpr size_t kMaxBytes = size_t{1} << 30;

struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

struct PngFailure {
    std::string message;
};

/// libpng leaves through a longjmp where an error is not handled: an exception passes its C frames as well, and says
/// more.
[[noreturn]] void onError(png_structp, png_const_charp message) { throw PngFailure{message}; }
void onWarning(png_structp, png_const_charp) {}

/// What libpng holds while it reads.
struct Reader {
    png_structp png = nullptr;
    png_infop info = nullptr;
    Reader() : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, onError, onWarning)) {
        LOOPSCOPE_CHECK(png != nullptr, "libpng of another version");
        info = png_create_info_struct(png);
    }
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;
};

struct Writer {
    png_structp png = nullptr;
    png_infop info = nullptr;
    Writer() : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, onError, onWarning)) {
        LOOPSCOPE_CHECK(png != nullptr, "libpng of another version");
        info = png_create_info_struct(png);
    }
    ~Writer() { png_destroy_write_struct(&png, &info); }
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;
};

Picture read(const std::string &path, std::FILE *file, size_t fileBytes) {
    const Reader reader;
    png_init_io(reader.png, file);
    png_read_info(reader.png, reader.info);
    Picture picture;
    picture.width = png_get_image_width(reader.png, reader.info);
    picture.height = png_get_image_height(reader.png, reader.info);
    if (picture.width * picture.height > kMaxPixels)
        throw Error(
            path, 0, 0,
            fmt::format("the picture has {} x {} pixels; at most 2^28 are read", picture.width, picture.height));
    // Palettes to colours, 1 to 4 bits to 8, a transparent colour to alpha.
    png_set_expand(reader.png);
    png_read_update_info(reader.png, reader.info);
    picture.channels = png_get_channels(reader.png, reader.info);
    picture.bits = png_get_bit_depth(reader.png, reader.info);
    const size_t rowBytes = png_get_rowbytes(reader.png, reader.info);
    // A header of some bytes may claim gigabytes. Deflate makes at most 1032 bytes of one, and a palette's bit becomes
    // four bytes.
    constexpr size_t kMaxOfAByte = 1032 * 32;
    if (rowBytes * static_cast<size_t>(picture.height) / kMaxOfAByte > fileBytes)
        throw Error(path, 0, 0,
                    fmt::format("the picture claims {} x {} pixels, which its {} bytes cannot hold", picture.width,
                                picture.height, fileBytes));
    std::vector<png_byte> bytes(rowBytes * static_cast<size_t>(picture.height));
    std::vector<png_bytep> rows;
    for (int64_t y = 0; y < picture.height; ++y) rows.push_back(bytes.data() + static_cast<size_t>(y) * rowBytes);
    png_read_image(reader.png, rows.data());
    png_read_end(reader.png, nullptr);
    const size_t count = static_cast<size_t>(picture.width) * static_cast<size_t>(picture.channels);
    picture.samples.reserve(count * static_cast<size_t>(picture.height));
    for (const png_bytep row : rows)
        for (size_t i = 0; i < count; ++i)
            picture.samples.push_back(picture.bits == 8 ? row[i]
                                                        : static_cast<uint16_t>(row[2 * i] << 8 | row[2 * i + 1]));
    return picture;
}

int colourType(const Picture &picture) {
    switch (picture.channels) {
    case 1:
        return PNG_COLOR_TYPE_GRAY;
    case 2:
        return PNG_COLOR_TYPE_GRAY_ALPHA;
    case 3:
        return PNG_COLOR_TYPE_RGB;
    default:
        return PNG_COLOR_TYPE_RGB_ALPHA;
    }
}

void write(std::FILE *file, const Picture &picture) {
    const Writer writer;
    png_init_io(writer.png, file);
    png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(picture.width),
                 static_cast<png_uint_32>(picture.height), picture.bits, colourType(picture), PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(writer.png, writer.info);
    const size_t count = static_cast<size_t>(picture.width) * static_cast<size_t>(picture.channels);
    std::vector<png_byte> row;
    for (int64_t y = 0; y < picture.height; ++y) {
        row.clear();
        for (size_t i = 0; i < count; ++i) {
            const uint16_t sample = picture.samples[static_cast<size_t>(y) * count + i];
            if (picture.bits == 16) row.push_back(static_cast<png_byte>(sample >> 8));
            row.push_back(static_cast<png_byte>(sample & 255));
        }
        png_write_row(writer.png, row.data());
    }
    png_write_end(writer.png, writer.info);
}

} // namespace

Picture readPng(const std::string &path) {
    std::string bytes = readInputFile(path, "the picture", kMaxBytes);
    const File file(bytes.empty() ? nullptr : ::fmemopen(bytes.data(), bytes.size(), "rb"));
    try {
        if (!file) throw PngFailure{"Not a PNG file"};
        return read(path, file.get(), bytes.size());
    } catch (const PngFailure &failure) {
        throw Error(path, 0, 0, "the picture cannot be read: " + failure.message);
    }
}

void writePng(const std::string &path, const Picture &picture) {
    char *bytes = nullptr;
    size_t size = 0;
    File file(::open_memstream(&bytes, &size));
    if (!file) throw std::bad_alloc();
    struct Freed {
        char *&bytes;
        ~Freed() { std::free(bytes); }
    } const freed{bytes};
    try {
        write(file.get(), picture);
    } catch (const PngFailure &failure) {
        throw Error(path, 0, 0, "the picture cannot be written: " + failure.message);
    }
    if (std::fclose(file.release()) != 0) throw std::bad_alloc(); // it makes `bytes` what they are
    writeWholeFile(path, {bytes, size});
}

} // namespace loopscope
