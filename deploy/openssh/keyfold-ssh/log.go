package main

import (
	"fmt"
	"log/syslog"
	"os"
)

const tag = "keyfold-ssh"

// logger writes to syslog, and to standard error for a person who runs the program. sshd discards standard error.
type logger struct {
	writer *syslog.Writer
}

// openLog connects to the syslog socket. Without one, only standard error gets the lines.
func openLog(socket string) *logger {
	for _, network := range []string{"unixgram", "unix"} {
		if writer, err := syslog.Dial(network, socket, syslog.LOG_AUTHPRIV|syslog.LOG_INFO, tag); err == nil {
			return &logger{writer}
		}
	}
	return &logger{}
}

// failure reports a condition that an operator must correct.
func (log *logger) failure(format string, values ...any) {
	line := log.echo(format, values...)
	if log.writer != nil {
		_ = log.writer.Err(line)
	}
}

// warning reports a condition that needs no action if it passes.
func (log *logger) warning(format string, values ...any) {
	line := log.echo(format, values...)
	if log.writer != nil {
		_ = log.writer.Warning(line)
	}
}

func (log *logger) echo(format string, values ...any) string {
	line := fmt.Sprintf(format, values...)
	fmt.Fprintf(os.Stderr, "%s: %s\n", tag, line)
	return line
}

func (log *logger) close() {
	if log.writer != nil {
		_ = log.writer.Close()
	}
}
