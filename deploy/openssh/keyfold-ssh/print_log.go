package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"unicode"
)

// maxLogLineBytes is more than a line of this program has. The kernel cuts a longer one.
const maxLogLineBytes = 8 << 10

// printLog listens on a socket as syslog does and prints each line, until it is killed. Containers have no syslog. Every local user may write.
func printLog(out io.Writer, socket string) int {
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return logFailure(err)
	}
	listener, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return logFailure(err)
	}
	if err := os.Chmod(socket, 0o666); err != nil {
		return logFailure(err)
	}
	buffer := make([]byte, maxLogLineBytes)
	for {
		length, err := listener.Read(buffer)
		if err != nil {
			return logFailure(err)
		}
		fmt.Fprintln(out, withoutControls(string(buffer[:length])))
	}
}

// withoutControls keeps one message on one line, even one that others wrote.
func withoutControls(text string) string {
	return strings.Map(func(char rune) rune {
		if unicode.IsControl(char) {
			return ' '
		}
		return char
	}, strings.TrimRight(text, "\n"))
}

func logFailure(err error) int {
	fmt.Fprintf(os.Stderr, "%s: cannot print the log: %v\n", tag, err)
	return statusFailed
}
