package main

import (
	"encoding/json"
	"io"
)

// authProxy answers one question of `rclone serve --auth-proxy`: it reads a login, asks Keyfold and prints the backend with the files of the
// account. Any status but statusOK refuses the login.
func authProxy(settings settings, log *logger, in io.Reader, out io.Writer, protocol string) int {
	if settings.root == "" {
		log.failure("cannot serve files: the configuration has no line root, the folder of the site")
		return statusFailed
	}
	question, err := readQuestion(in, protocol)
	if err != nil {
		log.warning("refused a login over %s: %v", protocol, err)
		return statusFailed
	}
	if question.PublicKey != "" && !settings.acceptKeys {
		// rclone remembers an offered key without its signature, and then takes its text as a password.
		log.warning("refused a key of user %.64q: the configuration has no line accept-keys yes", question.Username)
		return statusFailed
	}
	account, _ := admit(settings, log, question)
	if account == nil {
		// rclone logs what Keyfold refuses, with the address of the client if it knows it.
		return statusFailed
	}
	backend, err := backendOf(settings.root, *account)
	if err != nil {
		log.failure("refused user %.64q: %v", question.Username, err)
		return statusFailed
	}
	if err := json.NewEncoder(out).Encode(backend); err != nil {
		log.failure("cannot answer rclone: %v", err)
		return statusFailed
	}
	return statusOK
}
