package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
)

// grant is what a key allows its user.
type grant byte

const (
	refused grant = iota
	// loggedIn allows a login. Whether the account may write is unknown, or it may not.
	loggedIn
	readAndWrite
)

// mayWrite is the permission bit "write over SFTP".
const mayWrite = 1 << 11

// lookUpLogin returns whether the key may log in as the user. An error means that there is no definite answer.
func (service *service) lookUpLogin(user string, key publicKey) (grant, error) {
	return service.lookUp("/authorized_keys", "text/plain", user, key, func(body []byte) (grant, error) {
		if containsKey(string(body), key) {
			return loggedIn, nil
		}
		return refused, nil
	})
}

// errMoved means that the passwd file is older than the account. The home could hold the files of an earlier account of this name.
var errMoved = errors.New("its home is not the base path of the account. Run keyfold-ssh users again")

func requireHome(home, folder, basePath string) error {
	if filepath.Clean(home) != filepath.Join(folder, basePath) {
		return errMoved
	}
	return nil
}

// lookUpSftp is like lookUpLogin, and also returns whether the account may write. The home of the user must be that of the account.
func (service *service) lookUpSftp(login login, key publicKey) (grant, error) {
	return service.lookUp("/ssh-keys", "application/json", login.user, key, func(body []byte) (grant, error) {
		var answer struct {
			Data *struct {
				Account *struct {
					Permission *int64
					BasePath   string `json:"base_path"`
				}
				Keys []struct {
					PublicKey string `json:"public_key"`
				}
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil || answer.Data == nil {
			return refused, errors.New("unexpected answer: no keys of an account")
		}
		account := answer.Data.Account
		for _, each := range answer.Data.Keys {
			if account == nil || !containsKey(each.PublicKey, key) {
				continue
			}
			if err := requireHome(login.home, login.folder, account.BasePath); err != nil {
				return refused, err
			}
			if account.Permission != nil && *account.Permission&mayWrite != 0 {
				return readAndWrite, nil
			}
			return loggedIn, nil
		}
		return refused, nil
	})
}

// lookUp asks for one key of a user and reads the answer.
func (service *service) lookUp(path, kind, user string, key publicKey, read func([]byte) (grant, error)) (granted grant, err error) {
	query := url.Values{"username": {user}, "fingerprint": {key.fingerprint}}
	err = service.askEach(func(ctx context.Context, address string) error {
		body, err := service.ask(ctx, http.MethodGet, address+path+"?"+query.Encode(), kind, nil)
		if err == nil {
			granted, err = read(body)
		}
		return err
	})
	return granted, err
}

// containsKey returns whether a line gives the key without options. A line with options would grant less than the bare key.
func containsKey(text string, key publicKey) bool {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) >= 2 && words[0] == key.kind && words[1] == key.blob {
			return true
		}
	}
	return false
}
