package main

import (
	"errors"
	"io"
	"os/user"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// maxPamPasswordBytes is the longest password that pam_exec passes on. It cuts longer ones without a sign.
	maxPamPasswordBytes = 511
	// firstPersonalID is the lowest id that Debian gives to people. Lower ones belong to root and to services.
	firstPersonalID = 1_000
)

// pam answers a login of pam_exec with expose_authtok: the password comes on standard input, the user and the client in variables. Any status but
// statusOK refuses the login. PAM has no right to write, so an account without it is refused unless the server is read-only.
func pam(settings settings, log *logger, in io.Reader, variable func(string) string, protocol string, readOnly bool) int {
	name := variable("PAM_USER")
	question, err := readPamQuestion(settings.timeout, in, variable, protocol)
	if err != nil {
		log.warning("refused user %.64q over %s: %v", name, protocol, err)
		return statusFailed
	}
	account, isDecided := admit(settings, log, question)
	switch {
	case account == nil && isDecided:
		log.warning("refused user %.64q over %s: Keyfold refuses the login", name, protocol)
		return statusFailed
	case account == nil:
		return statusFailed
	case !account.Write && !readOnly:
		log.warning("refused user %.64q over %s: the account may not write, and the server is not read-only", name, protocol)
		return statusFailed
	}
	if err := checkHome(settings, name, account.BasePath); err != nil {
		log.failure("refused user %.64q over %s: %v", name, protocol, err)
		return statusFailed
	}
	return statusOK
}

// checkHome requires that the server will serve the base path of the account, if it has a file with the homes of its users.
func checkHome(settings settings, name, basePath string) error {
	if settings.usersFile == "" {
		return nil
	}
	home, err := homeIn(settings.usersFile, name)
	if err != nil {
		return err
	}
	return requireHome(home, settings.root, basePath)
}

func readPamQuestion(limit time.Duration, in io.Reader, variable func(string) string, protocol string) (question, error) {
	if kind := variable("PAM_TYPE"); kind != "auth" {
		return question{}, errors.New("PAM_TYPE is not auth. Use pam_exec in lines of the type auth only")
	}
	read := question{Protocol: protocol, Username: variable("PAM_USER"), Address: addressOf(variable("PAM_RHOST"))}
	if err := checkPamUser(read.Username); err != nil {
		return question{}, err
	}
	password, err := readPassword(limit, in)
	read.Password = password
	return read, err
}

// checkPamUser accepts names that servers can put into paths, and that are no service of this machine.
func checkPamUser(name string) error {
	if err := checkUser(name); err != nil {
		return err
	}
	known, err := user.Lookup(name)
	if err != nil {
		return nil
	}
	if id, err := strconv.Atoi(known.Uid); err != nil || id < firstPersonalID {
		return errors.New("this machine has a system user of this name")
	}
	return nil
}

// readPassword reads until a NUL or the end, for at most the limit.
func readPassword(limit time.Duration, in io.Reader) (string, error) {
	type outcome struct {
		text []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(in, maxPamPasswordBytes))
		done <- outcome{text, err}
	}()
	select {
	case <-time.After(limit):
		return "", errors.New("the password did not arrive in time")
	case read := <-done:
		password, _, _ := strings.Cut(string(read.text), "\x00")
		switch {
		case read.err != nil:
			return "", read.err
		case len(password) == maxPamPasswordBytes:
			return "", errors.New("the password is too long for pam_exec")
		case password == "":
			return "", errors.New("the password is empty. pam_exec needs expose_authtok")
		case !utf8.ValidString(password):
			return "", errors.New("the password is not UTF-8")
		}
		return password, nil
	}
}
