package main

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"
)

// reportUse tells Keyfold which key opened a session. pam_exec runs it after sshd has verified the signature, with the variables of PAM.
func reportUse(settings settings, log *logger, variable func(string) string) int {
	if variable("PAM_TYPE") != "open_session" {
		return statusOK
	}
	key, ok := keyOfLogin(variable("SSH_AUTH_INFO_0"))
	if !ok {
		return statusOK
	}
	user := variable("PAM_USER")
	if checkUser(user) != nil {
		return statusOK
	}
	body, err := json.Marshal(map[string]string{
		"id":          rand.Text(),
		"username":    user,
		"fingerprint": key.fingerprint,
		"time":        time.Now().UTC().Format(time.RFC3339Nano),
	})
	if err != nil {
		panic(err)
	}
	service, err := newService(settings)
	if err == nil {
		err = service.report(body)
	}
	if err != nil {
		log.warning("the use of a key of user %q is not recorded: %v", user, err)
		return statusFailed
	}
	return statusOK
}

// keyOfLogin returns the key of sshd's SSH_AUTH_INFO_0, which has one line for each passed method. Of several keys, the last one counts.
func keyOfLogin(methods string) (found publicKey, ok bool) {
	for line := range strings.Lines(methods) {
		words := strings.Fields(line)
		if len(words) != 3 || words[0] != "publickey" {
			continue
		}
		if key, err := parseKey(words[1], words[2]); err == nil {
			found, ok = key, true
		}
	}
	return found, ok
}
