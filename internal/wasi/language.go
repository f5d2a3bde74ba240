package wasi

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"

	"github.com/tetratelabs/wazero/api"
)

// language is what the package knows of an interpreter's language.
type language struct {
	extension, mime string
	driver          string
	// begin starts the driver in the module of an interpreter, and returns when the driver has ended.
	begin starter
	// diesSaying says that the interpreter writes its last error, and nothing else, to stderr before it ends.
	diesSaying bool
}

//go:embed drivers/python.py
var pythonDriver string

//go:embed drivers/ruby.rb
var rubyDriver string

//go:embed drivers/perl.pl
var perlDriver string

//go:embed drivers/php.php
var phpDriver string

// languageOf returns what is known of a language of the table of builds.
func languageOf(name string) language {
	switch name {
	case "python":
		begin := command("python3", "-I", "-S", "-u", "-X", "utf8", driverPath)
		return language{extension: ".py", mime: "text/x-python", driver: pythonDriver, begin: begin}
	case "ruby":
		return language{extension: ".rb", mime: "text/x-ruby", driver: rubyDriver, begin: rubyReactor}
	case "perl":
		return language{extension: ".pl", mime: "text/x-perl", driver: perlDriver, begin: perlReactor}
	case "php":
		return language{extension: ".php", mime: "application/x-httpd-php", driver: phpDriver, begin: phpCommand, diesSaying: true}
	}
	panic("no driver for " + name)
}

// starter begins an interpreter in a module with its driver, and returns when it has ended.
type starter func(ctx context.Context, m *module) error

// command returns the starter of an interpreter that is a program with arguments.
func command(args ...string) starter {
	return func(ctx context.Context, m *module) error {
		_, err := m.runtime.InstantiateModule(ctx, m.code, m.config.WithArgs(args...).WithEnv("PYTHONHOME", "/usr/local"))
		return err
	}
}

// phpWithout are functions that need processes or a network, of which some would end the interpreter here. Without them, a program
// gets the error of a function that is not there. The driver has others in place of those that wait.
const phpWithout = "fsockopen,pfsockopen,stream_socket_client,stream_socket_server,stream_socket_pair,gethostbyname,gethostbynamel,gethostbyaddr," +
	"sleep,usleep,time_nanosleep,time_sleep_until,dns_check_record,dns_get_record,dns_get_mx,checkdnsrr,getmxrr,exec,shell_exec,system,passthru,popen,proc_open,mail"

// phpCommand starts PHP, whose own bound of memory is far below that of the module, whose blocks it aligns at a cost: its bound ends a
// program with an error, where the end of the module's memory crashes the interpreter.
func phpCommand(ctx context.Context, m *module) error {
	args := []string{"php-cgi", "-q"}
	for _, setting := range []string{
		"html_errors=0", "display_errors=0", "log_errors=1", "implicit_flush=1", "output_buffering=0", "max_execution_time=0", "error_reporting=E_ALL",
		"memory_limit=" + strconv.FormatInt(m.memory*2/5, 10), "include_path=.", "user_ini.filename=", "zend.exception_ignore_args=1", "allow_url_fopen=0",
		"disable_functions=" + phpWithout,
	} {
		args = append(args, "-d", setting)
	}
	_, err := m.runtime.InstantiateModule(ctx, m.code, m.config.WithArgs(append(args, "-f", driverPath)...))
	return err
}

// The functions of Ruby's module, whose names are those of its interface.
const (
	rubyInit = "ruby-init: func(args: list<string>) -> ()"
	rubyEval = "rb-eval-string-protect: func(str: string) -> tuple<handle<rb-abi-value>, s32>"
)

// rubyReactor starts Ruby, whose module is a library: strings are passed in its memory, as pairs of address and length.
func rubyReactor(ctx context.Context, m *module) error {
	instance, err := m.runtime.InstantiateModule(ctx, m.code, m.config.WithArgs("ruby.wasm").WithStartFunctions("_initialize"))
	if err != nil {
		return err
	}
	put := func(align uint64, bytes []byte) (uint64, error) {
		address, err := call(ctx, instance, "cabi_realloc", 0, 0, align, uint64(len(bytes)))
		if err == nil && !instance.Memory().Write(uint32(address), bytes) {
			err = errors.New("an address outside the memory")
		}
		return address, err
	}
	args := []string{"ruby.wasm\x00", "-EUTF-8\x00", "-e_=0\x00"}
	var list []byte
	for _, arg := range args {
		address, err := put(1, []byte(arg))
		if err != nil {
			return err
		}
		list = append(list, words(uint32(address), uint32(len(arg)))...)
	}
	address, err := put(4, list)
	if err != nil {
		return err
	}
	if _, err := call(ctx, instance, rubyInit, address, uint64(len(args))); err != nil {
		return err
	}
	if address, err = put(1, []byte(m.driver)); err != nil {
		return err
	}
	_, err = call(ctx, instance, rubyEval, address, uint64(len(m.driver)))
	return err
}

// words returns numbers as a module has them in memory.
func words(numbers ...uint32) []byte {
	var bytes []byte
	for _, n := range numbers {
		bytes = append(bytes, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return bytes
}

// perlReactor starts Perl, whose module is a library with functions for C strings.
func perlReactor(ctx context.Context, m *module) error {
	instance, err := m.runtime.InstantiateModule(ctx, m.code, m.config.WithArgs("perl").WithStartFunctions("_initialize"))
	if err != nil {
		return err
	}
	if status, err := call(ctx, instance, "zeroperl_init"); err != nil || status != 0 {
		return fmt.Errorf("initialise Perl: status %d: %w", status, err)
	}
	driver := []byte(m.driver + "\x00")
	address, err := call(ctx, instance, "malloc", uint64(len(driver)))
	if err != nil {
		return err
	}
	if !instance.Memory().Write(uint32(address), driver) {
		return errors.New("an address outside the memory")
	}
	status, err := call(ctx, instance, "zeroperl_eval", address, 0, 0, 0)
	if err == nil && status != 0 {
		err = errors.New("the driver has ended")
	}
	return err
}

// call calls a function of a module, and returns its result, 0 if it has none.
func call(ctx context.Context, instance api.Module, name string, args ...uint64) (uint64, error) {
	function := instance.ExportedFunction(name)
	if function == nil {
		return 0, fmt.Errorf("the module has no function %q", name)
	}
	results, err := function.Call(ctx, args...)
	if err != nil || len(results) == 0 {
		return 0, err
	}
	return results[0], nil
}
