// Command keyfold-ssh connects sshd, rclone and servers that use PAM with Keyfold. sshd runs it for each offered key (`keys` or `sftp-keys`) and
// after each login (`used`), rclone and PAM for each login (`auth-proxy` and `pam`), and an operator after changes of accounts (`users`).
// docs/connect/file-servers.md explains how to install it.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
)

const usage = `usage: keyfold-ssh [-config FILE] keys USER KEY-TYPE KEY        prints the key if it may log in as USER (AuthorizedKeysCommand)
       keyfold-ssh [-config FILE] sftp-keys FOLDER HOME USER KEY-TYPE KEY
                                                                the same, for file transfers only, with the write permission of the account,
                                                                and only if its base path below FOLDER is the HOME of the user
       keyfold-ssh [-config FILE] used                          reports the key of a login (pam_exec)
       keyfold-ssh [-config FILE] auth-proxy PROTOCOL           answers a login over sftp, webdav or ftp (rclone serve --auth-proxy)
       keyfold-ssh [-config FILE] pam PROTOCOL [read-only]      answers a login by password over sftp, webdav or ftp (pam_exec expose_authtok);
                                                                without read-only, the account must also have the permission to write
       keyfold-ssh [-config FILE] check [logins]                tests the configuration and every address, for keys unless there is a root
       keyfold-ssh users PASSWD-FILE FOLDER ID                  reads "keyfold account list --json", writes a passwd file with the accounts as
                                                                names of user ID, and creates their folders below FOLDER
       keyfold-ssh log SOCKET                                   prints the log lines of other runs where no syslog runs
`

// protocols are those of logins that Keyfold checks.
var protocols = []string{"sftp", "webdav", "ftp"}

// Exit statuses. sshd and rclone ignore what was printed unless the status is 0, and pam_exec lets nobody in.
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
	// These run before there is a configuration, or without one.
	switch words[0] {
	case "users":
		return writeUsers(in, out, words[1], words[2], words[3])
	case "log":
		return printLog(out, words[1])
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
		return printKey(settings, log, out, login{user: words[1], kind: words[2], blob: words[3]})
	case "sftp-keys":
		return printKey(settings, log, out, login{user: words[3], kind: words[4], blob: words[5], folder: words[1], home: words[2]})
	case "used":
		return reportUse(settings, log, os.Getenv)
	case "auth-proxy":
		return authProxy(settings, log, in, out, words[1])
	case "pam":
		return pam(settings, log, in, os.Getenv, words[1], len(words) == 3)
	default:
		return check(settings, out, settings.root != "" || len(words) == 2)
	}
}

func isUsage(words []string) bool {
	switch words[0] {
	case "keys", "users":
		return len(words) == 4
	case "sftp-keys":
		return len(words) == 6
	case "log":
		return len(words) == 2
	case "used":
		return len(words) == 1
	case "auth-proxy":
		return len(words) == 2 && slices.Contains(protocols, words[1])
	case "pam":
		return slices.Contains([]int{2, 3}, len(words)) && slices.Contains(protocols, words[1]) && (len(words) == 2 || words[2] == "read-only")
	case "check":
		return len(words) == 1 || len(words) == 2 && words[1] == "logins"
	}
	return false
}
