// Command keyfold-ssh connects sshd and rclone with Keyfold. sshd runs it for each offered key (`keys`) and after each login (`used`), rclone for
// each login (`auth-proxy`). docs/file-servers.md explains how to install it.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
)

const usage = `usage: keyfold-ssh [-config FILE] keys USER KEY-TYPE KEY   prints the key if it may log in as USER (AuthorizedKeysCommand)
       keyfold-ssh [-config FILE] used                     reports the key of a login (pam_exec)
       keyfold-ssh [-config FILE] auth-proxy PROTOCOL      answers a login over sftp, webdav or ftp (rclone serve --auth-proxy)
       keyfold-ssh [-config FILE] check                    tests the configuration and every address
`

// protocols are those of logins that Keyfold checks.
var protocols = []string{"sftp", "webdav", "ftp"}

// Exit statuses. sshd and rclone ignore what was printed unless the status is 0.
const (
	statusOK     = 0
	statusFailed = 1
	statusUsage  = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout))
}

func run(words []string, in io.Reader, out io.Writer) int {
	configFile := defaultConfigFile
	if len(words) >= 2 && words[0] == "-config" {
		configFile, words = words[1], words[2:]
	}
	if len(words) == 0 || !isUsage(words) {
		fmt.Fprint(os.Stderr, usage)
		return statusUsage
	}
	settings, err := readSettings(configFile)
	log := openLog(settings.syslog)
	defer log.close()
	if err != nil {
		log.failure("cannot use the configuration: %v", err)
		return statusFailed
	}
	switch words[0] {
	case "keys":
		return printKeys(settings, log, out, words[1], words[2], words[3])
	case "used":
		return reportUse(settings, log, os.Getenv)
	case "auth-proxy":
		return authProxy(settings, log, in, out, words[1])
	default:
		return check(settings, out)
	}
}

func isUsage(words []string) bool {
	count := map[string]int{"keys": 4, "used": 1, "auth-proxy": 2, "check": 1}
	return count[words[0]] == len(words) && (words[0] != "auth-proxy" || slices.Contains(protocols, words[1]))
}
