"""%%script, %%bash and their like with IPython: all output of the program is shown,
with lines of any length, and a missing program fails the cell."""
import codecs
import errno
import os
import select
import signal
import subprocess
import sys
import tempfile

from IPython.core.magics.script import ScriptMagics
from IPython.utils.process import arg_split

commands = load("commands")
STREAMS = ((1, "out"), (2, "err"))
LARGE = 1 << 16


def install(shell):
    magics = shell.magics_manager.registry.get("ScriptMagics")
    if magics is None:
        return
    theirs = magics.shebang

    def shebang(line, cell):
        args, command = ScriptMagics.shebang.parser.parse_known_args(arg_split(line, posix=True))
        if args.bg or not command:
            return theirs(line, cell)
        Script(shell, args, command).run(cell)
        shell.runner.gate.check()

    shebang.__doc__ = theirs.__doc__
    shebang.parser = ScriptMagics.shebang.parser  # IPython's code expects it there
    magics.shebang = shebang  # the magics named after programs call it
    shell.register_magic_function(shebang, "cell", "script")


class Script:
    def __init__(self, shell, args, command):
        self.shell, self.args, self.command, self.enter = shell, args, command, shell.runner.enter
        self.pipes = {}  # by read end, the consumer of its text
        self.kept = {}  # text for variables
        self.ends = []  # ends of the program, to be closed here

    def run(self, cell):
        text = (cell if cell.endswith("\n") else cell + "\n").encode("utf-8", "replace")
        with tempfile.TemporaryFile() as source:
            source.write(text)
            source.seek(0)
            child = self.start(source.fileno())
        signals = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
        interrupt = None
        while True:
            try:
                if interrupt is None:
                    self.read()
                status = self.enter(os.waitpid, child, 0)[1]
                break
            except KeyboardInterrupt as error:
                interrupt = error
                os.killpg(child, signals.pop() if len(signals) > 1 else signals[0])
            except BaseException:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                raise
            finally:
                if interrupt is not None:
                    self.close()
        self.shell.user_ns.update(self.kept)
        if interrupt is not None:
            raise interrupt
        code = os.waitstatus_to_exitcode(status)
        if code and self.args.raise_error:
            raise subprocess.CalledProcessError(code, text)

    def start(self, source):
        """Start the program, with the output of the cell."""
        actions = [(os.POSIX_SPAWN_DUP2, source, 0)]
        try:
            for number, name in STREAMS:
                stream = sys.stdout if number == 1 else sys.stderr
                variable = getattr(self.args, name)
                if variable is None and commands.is_own(stream):
                    continue
                mine, theirs = os.pipe()
                self.ends.append(theirs)
                self.pipes[mine] = self.keeping(variable) if variable else stream.write
                actions.append((os.POSIX_SPAWN_DUP2, theirs, number))
            return os.posix_spawnp(self.command[0], self.command, os.environ, file_actions=actions, setpgroup=0)
        except FileNotFoundError:
            self.close()
            raise FileNotFoundError(errno.ENOENT, "Couldn't find program", self.command[0]) from None
        except BaseException:
            self.close()
            raise
        finally:
            while self.ends:
                os.close(self.ends.pop())

    def keeping(self, variable):
        self.kept[variable] = ""

        def keep(text):
            self.kept[variable] += text

        return keep

    def read(self):
        """Read the program's output until it has closed all pipes."""
        decoders = {end: codecs.getincrementaldecoder("utf-8")("replace") for end in self.pipes}
        while self.pipes:
            for end in self.enter(select.select, list(self.pipes), [], [])[0]:
                data = os.read(end, LARGE)
                text = decoders[end].decode(data, not data)
                if text:
                    self.enter(self.pipes[end], text)
                if not data:
                    del self.pipes[end]
                    os.close(end)

    def close(self):
        while self.pipes:
            os.close(self.pipes.popitem()[0])
