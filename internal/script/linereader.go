package script

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds the length of a message.
const maxLine = 64 << 20

// errLong says that an engine has sent no end of a line.
var errLong = fmt.Errorf("the engine sent a line of more than %d MiB", maxLine>>20)

// lineReader reads lines of bounded length.
type lineReader struct {
	from *bufio.Reader
	most int
}

func newLineReader(r io.Reader) lineReader {
	return lineReader{from: bufio.NewReaderSize(r, 64<<10), most: maxLine}
}

// next returns the next line without its end. The text behind the last line end is no line: an engine that has died
// while it wrote has said nothing. A line is valid until the next call.
func (l lineReader) next() ([]byte, error) {
	var whole []byte
	for {
		part, err := l.from.ReadSlice('\n')
		if len(whole)+len(part) > l.most {
			return nil, errLong
		}
		if err == nil {
			if whole != nil {
				part = append(whole, part...)
			}
			return part[:len(part)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		whole = append(whole, part...)
	}
}
