# The program of `python -c`: it must parse in every version of Python, to report one that is too
# old. All other parts arrive over descriptor 3 and are never files, so a folder with a json.py or a
# _quire.py breaks nothing.
def boot():
    # No imports at module level: the module is __main__, which belongs to the program.
    import os, sys
    if sys.version_info < (3, 9):
        body = ('{"kind":"hello","version":"%d.%d.%d"}' % sys.version_info[:3]).encode()
        os.write(4, bytes(bytearray([0, 0, 0, len(body)] + [0] * 8)) + body)
        os._exit(0)

    path, sys.path = sys.path, [p for p in sys.path if p not in ("", os.getcwd())]
    # The start folder stays in the path when the program changes its working directory, and the
    # current folder then comes after the library, as in IPython.
    if path[:1] == [""]:
        places = [i for i, p in enumerate(path) if p.endswith(("site-packages", "dist-packages"))]
        path.insert(places[0] if places else len(path), "")
        path[0] = os.getcwd()
    import _signal, json

    # Until the driver has its own handler an interrupt has nothing to stop.
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)

    def read(size):
        data = b""
        while len(data) < size:
            chunk = os.read(3, size - len(data))
            if not chunk:
                os._exit(0)
            data += chunk
        return data

    setup = json.loads(read(int.from_bytes(read(4), "big")))

    # A copy, so a program that overwrites a builtin breaks only itself; and names of our own for
    # the code in load, which has the program's builtins.
    import builtins
    private = dict(vars(builtins))
    modules = {}
    Module, translate, execute, namespace = type(sys), compile, exec, vars

    def load(name):
        """Return a part of the driver, compiled at its first use."""
        if name not in modules:
            module = Module("quire." + name)
            namespace(module).update(__builtins__=private, load=load)
            source = translate(setup["sources"][name], "<quire " + name + ">", "exec", 0, True)
            execute(source, namespace(module))
            modules[name] = module  # last, so a failed one is tried again
        return modules[name]

    main = load("main")
    sys.path = path
    sys.argv = [""]
    globals().pop("boot")
    globals()["__loader__"] = None  # not the loader of built-in modules
    main.serve(setup)


boot()
