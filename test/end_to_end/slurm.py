"""A whole Slurm on this machine: munge, slurmctld and slurmd, from a folder of their own.

Nothing of the system is touched: own ports, own key, own folders. All of it is gone after `stop`.
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue")

CONFIG = """
ClusterName=graspmc
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
CredType=cred/munge
# a job that was taken back starts again after so many seconds
AuthInfo=socket={folder}/munge/socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=5
SchedulerParameters=batch_sched_delay=1,sched_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
{more}
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 GraceTime=3 State=UP
PartitionName=high Nodes=ALL PriorityTier=10 State=UP
"""


def why_not():
    """Why there can be no Slurm here; empty if there can."""
    if os.geteuid() != 0:
        return "only root can start Slurm's daemons"
    missing = [name for name in DAEMONS if not shutil.which(name, path=path())]
    return f"not installed: {', '.join(missing)}" if missing else ""


def path():
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="graspmc-slurm-"))
        self.folder.chmod(0o755)  # munge wants its socket to be reachable
        for name in ("munge", "state", "spool"):
            (self.folder / name).mkdir(mode=0o755)
        self.daemons = []
        self.host = socket.gethostname().split(".")[0]
        self.ports = free_ports(2)
        self.environment = dict(os.environ, PATH=path(), SLURM_CONF=str(self.folder / "slurm.conf"))

    def start(self, more=""):
        """`more`: further lines of the configuration."""
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        (self.folder / "slurm.conf").write_text(CONFIG.format(
            host=self.host, ports=self.ports, folder=self.folder, more=more), encoding="utf-8")
        munge = self.folder / "munge"
        self.launch("munged", "--foreground", "--force", "--key-file", key, "--socket", munge / "socket",
                    "--pid-file", munge / "pid", "--log-file", munge / "log", "--seed-file",
                    munge / "seed", "--num-threads", 2)
        self.wait_for(lambda: (munge / "socket").exists(), 10, "munged")
        self.launch("slurmctld", "-D")
        self.launch("slurmd", "-D", "-N", self.host)
        self.wait_for(lambda: "idle" in self.ask("sinfo", "--noheader", "--format=%t", check=False),
                      30, "a node that is idle")

    def launch(self, *words):
        with open(self.folder / "daemons.log", "ab") as log:
            self.daemons.append(subprocess.Popen(
                [*map(str, words)], env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True))

    def wait_for(self, is_so, seconds, what):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                raise TimeoutError(f"no {what} in {seconds} s\n{self.logs()}")
            time.sleep(0.1)

    def ask(self, *words, check=True):
        done = subprocess.run([*map(str, words)], env=self.environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        if check and done.returncode != 0:
            raise RuntimeError(f"{words}: exit {done.returncode}\n{done.stderr}{self.logs()}")
        return done.stdout

    def logs(self):
        return "".join(f"--- {file.name}\n{file.read_text(errors='replace')[-3000:]}"
                       for file in sorted(self.folder.glob("*.log")))

    def stop(self):
        """End the jobs, then the daemons, then what they left."""
        try:
            self.ask("scancel", "--user=root", check=False)
            self.wait_for(lambda: not self.ask("squeue", "--noheader", check=False).strip(), 20,
                          "empty queue")
        except (TimeoutError, subprocess.TimeoutExpired):
            pass  # then the steps die with their daemon's session
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
