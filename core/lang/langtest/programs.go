package langtest

// Programs are the sources that the suite runs, in the language of the engine. An empty source leaves out the rules
// that need it.
type Programs struct {
	Hello    string // prints "hello\n"; has no value
	Streams  string // "a\n" on stdout, "b\n" on stderr, "c\n" on stdout
	Set      string // keeps 42 for later; has no value
	Get      string // has the kept 42 as its value
	Got      string // the Recorder's line for that; "result: 42" if empty
	Displays string // prints "a\n", shows text/html "<b>b</b>", prints "c\n"
	Updates  string // shows text/html "1" under an id, then updates it to "2"
	Clears   string // prints "a\n", clears with wait, prints "b\n"

	Fail        string // prints "before\n", then fails
	FailName    string // the name of that error
	FailMessage string // its message
	FailLine    int    // its line
	Syntax      string // cannot be parsed
	SyntaxLine  int    // the line to blame

	Loop     string // prints "started\n", then computes for ever
	Sleep    string // prints "started\n", then waits for ever without computing
	Stubborn string // prints "started\n", then refuses to be interrupted
	Die      string // prints "last\n", then ends its process, with status 3

	SplitUTF8 string // writes the bytes of "é🐎" one by one, each at once
	BadUTF8   string // writes the bytes 'a' 0xFF 'b' to stdout
	Flood     string // prints FloodSize bytes to stdout
	FloodSize int    // best over 32 MiB, so that a queue without a bound shows

	Ask       string // prints "before\n", asks "name? ", prints the answer and "\n"
	AskSecret string // asks "word? " for a secret, prints how many characters it has and "\n"
	AskTicks  string // asks "more? " while a thread prints "tick\n" again and again, until it is answered
	NoAnswer  string // the name of the error of Ask when no answer comes
	Nobody    string // the same when no person can be asked; NoAnswer if empty

	Name    string // the name of the variable of Set, of two letters at least
	Lead    string // may be written before a name, and has a character outside the BMP
	Shared  string // prints the second item of the list that the variable shared has under "b", and "\n"
	Define  string // defines Defined, with the doc "says what it does"
	Defined string
	Calling string // the beginning of a call of Defined, up to its arguments; may be empty

	Comms       string // prints "a\n", opens a comm with the target test and data {"x":1}, prints "b\n", sends {"y":[2]} with the bytes 0 and 255, closes it, prints "c\n"
	CommLater   string // opens a comm, and sends {"late":true} over it after the end of the run
	CommAnswers string // opens a comm that answers data d with {"got":d} and the same buffers
	CommWidget  string // opens a comm with the target jupyter.widget and a state, which does not echo

	Late       string // prints "in time\n", and "late\n" soon after the end of the run, or as LateBeside says
	LateBeside string // prints "waits\n", has the program of Late print its text and waits for that, prints "went on\n"
	AtClose    string // prints "in time\n", and "late\n" when the engine is closed

	Packages  []string // can be installed
	Installed string   // prints "installed\n" if they are installed; fails otherwise
	Missing   string   // a package that does not exist
}
