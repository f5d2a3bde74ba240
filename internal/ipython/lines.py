"""%%script, %%bash and their like: a line that the program prints may be of any length."""
import asyncio

from IPython.core.magics import script


class Streams:
    """asyncio without a bound for lines that a program prints."""

    def __getattr__(self, name):
        return getattr(asyncio, name)

    def create_subprocess_exec(self, *command, **options):
        return asyncio.create_subprocess_exec(*command, **{"limit": 1 << 62, **options})


def install():
    if hasattr(script, "asyncio"):  # from IPython 8 on
        script.asyncio = Streams()
