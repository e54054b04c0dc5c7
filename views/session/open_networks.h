#pragma once
// The networks that are open as documents of their own, beside the workloads: each read by a job, with what is wrong
// with it in the messages. Which nodes of one are selected is kept here for all views, by the names of the nodes in the
// file, so that it means the same before and after passes. How a network becomes kernels and tasks is another matter
// (network_kernels.h); a task that is worked on is a workload like any other.

#include "views/session/network_contents.h"
#include "views/session/network_kernels.h"
#include "views/session/network_profile.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

class Jobs;
class Messages;
class Settings;

struct OpenNetwork {
    enum class State : uint8_t { Reading, Ready, Cancelled, Failed };
    int id = 0;
    QString path; // or a name, of one that was made
    State state = State::Reading;
    QString problem;             // why it failed
    NetworkDims dims;            // numbers that were given for symbols
    NetworkContentsPtr contents; // null until it is ready
    NetworkKernelsPtr kernels;   // null until they are known
    QString kernelsProblem;      // why there are none
    int job = 0;                 // that reads it, or that looks for its kernels
    KernelChoice choice;         // how kernels are looked for
    int form = 0;                // of NetworkKernels::forms, which is shown
    NetworkProfilePtr profile;   // of the last run; null: none yet
    /// Names of nodes in the file (sourcesOf).
    std::set<std::string> selected;

    [[nodiscard]] QString name() const; // of the file
    [[nodiscard]] bool working() const { return job != 0; }
    /// In the form that is shown; null until it is read.
    [[nodiscard]] FunctionPtr function() const;
};

/// Everything on the UI thread.
class OpenNetworks : public QObject {
    Q_OBJECT

  public:
    OpenNetworks(Settings &settings, Messages &messages, Jobs &jobs);
    ~OpenNetworks() override;

    /// One that is open is shown, and read anew.
    void open(const QString &path);
    /// One that was open before, as a session file says; its id. It is not brought to the front.
    int restore(const QString &path, NetworkDims dims = {}, KernelChoice choice = {});
    /// One that has no file.
    void show(const QString &name, NetworkContentsPtr contents);
    /// Anew, whatever is known of it.
    void reopen(int id);
    /// Other numbers for the symbols among its dims: it is read anew.
    void setDims(int id, NetworkDims dims);
    /// Reading, or looking for kernels.
    void cancel(int id);
    void close(int id);
    void setCurrent(int id);
    void select(int id, std::set<std::string> sources);
    /// Its kernels are looked for anew.
    void setFusion(int id, FusionMode fusion, bool confirmed = false);
    /// The same, with implementations and layouts chosen so; pins and fusion stay. `again`: even where nothing of that
    /// changes, as logs and machines do.
    void setImplementations(int id, const KernelChoice &wanted, bool again = false);
    /// The user's own choice for a node, kept in a file beside the network's; an empty one is none.
    void pin(int id, const std::string &node, const std::string &implementation);
    void unpinAll(int id);
    /// As it is after one of the passes.
    void showForm(int id, int form);
    [[nodiscard]] const std::vector<std::unique_ptr<OpenNetwork>> &all() const { return m_networks; }
    [[nodiscard]] const OpenNetwork *current() const { return find(m_current); }
    [[nodiscard]] const OpenNetwork *find(int id) const;
    /// It was run; null: what was known of that is forgotten.
    void setProfile(int id, NetworkProfilePtr profile);
    /// A task of it, in the workbench, please: whoever shows documents hears of it.
    void openTask(int id, size_t task) { Q_EMIT taskAsked(id, task); }

  signals:
    void listChanged();          // opened, closed
    void currentChanged();       // another one is shown
    void networkChanged(int id); // state, contents, kernels: read it anew
    void selectionChanged(int id);
    void formChanged(int id);
    void profileChanged(int id);
    void openedByUser(int id); // and is to be seen
    void taskAsked(int id, size_t task);

  private:
    OpenNetwork &add(const QString &path);
    void start(OpenNetwork &network);
    void taken(OpenNetwork &network, NetworkContentsPtr contents);
    void findKernels(OpenNetwork &network);
    void findKernelsAnew(OpenNetwork &network);
    void readPinsOf(OpenNetwork &network);
    void changePins(int id, const std::function<void(Pins &)> &change);
    void tellProblems(const OpenNetwork &network);
    void jobCancelled(int job);
    [[nodiscard]] OpenNetwork *opened(int id);

    Settings &m_settings;
    Messages &m_messages;
    Jobs &m_jobs;
    std::vector<std::unique_ptr<OpenNetwork>> m_networks;
    int m_current = 0;
    int m_nextId = 1;
};

} // namespace loopscope
