#pragma once
// What the user wants to see of a document, and the question that comes to: which size, which inputs. Values, one for
// each document that was looked at.

#include "language/picture/shipped_run.h"
#include "views/pictures/input_bar.h"
#include "views/pictures/picture_run.h"
#include "views/session/document.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// For which parameters the stages are computed.
enum class PictureSize : uint8_t {
    Sample,   // of the picture that comes with the sample
    Document, // as in Computation
    Small,    // the sample's small preset
    Picture,  // of a picture that was opened
};

class PictureRequests {
  public:
    /// Another text or other parameters; size and inputs that were chosen stay as far as they are there.
    void read(const Document &document);

    [[nodiscard]] PictureQuestion question() const;
    [[nodiscard]] std::vector<InputBar::Size> sizes() const;
    [[nodiscard]] std::vector<InputBar::Input> inputs() const;
    [[nodiscard]] PictureSize size() const { return m_size; }
    /// The small preset was taken because the document's own size would take long.
    [[nodiscard]] bool shrunk() const { return m_shrunk; }
    [[nodiscard]] bool hasSmall() const { return m_small.has_value(); }

    void setSize(PictureSize size);
    /// A picture that has no fit yet decides the size where that can be.
    void setInput(const QString &input, const InputChoice &choice);
    void setFit(const QString &input, PictureFit fit);
    void otherRandom() { ++m_seed; }
    void computeEvenIfLong() { m_evenIfLong = true; }
    /// For which of the inputs these files are, by their names or else in their order; those of no input are left out.
    [[nodiscard]] std::vector<std::pair<QString, QString>> inputsFor(const QStringList &files) const;
    /// The parameters that a run was made for, once it is known.
    void made(const ParamOverrides &params);

  private:
    [[nodiscard]] ParamOverrides params() const;
    [[nodiscard]] QString shippedFile(const std::string &input) const;

    TaskSource m_source;
    QString m_folder;                    // of the workload's file
    std::vector<std::string> m_names;    // of its inputs
    std::vector<std::string> m_pictures; // those of two axes or more
    ParamOverrides m_changed;            // parameters that differ from the file's
    std::optional<ShippedRun> m_sample;
    std::optional<ShippedRun> m_small;
    PictureSize m_size = PictureSize::Document;
    bool m_chosen = false; // the size, by the user
    bool m_shrunk = false;
    bool m_evenIfLong = false;
    uint64_t m_seed = 1;
    std::map<std::string, InputChoice> m_inputs; // chosen by the user
    std::string m_sizeFrom;
    ParamOverrides m_pictureParams; // of PictureSize::Picture
};

} // namespace loopscope
