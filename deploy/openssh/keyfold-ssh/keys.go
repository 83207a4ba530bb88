package main

import (
	"errors"
	"fmt"
	"io"
)

// filesFolder is the part of an account's folder in which it can write. The folder itself must belong to root: it is the root of its files.
const filesFolder = "files"

// login is what sshd passes: a user name and an offered key. The client has not proved that it has the private half.
type login struct {
	user, kind, blob string
	// folder has the files of all accounts. It restricts the key to transfers of files, and to reading without the permission to write.
	folder string
	// home is the home of the user, which must be the base path of the account below folder.
	home string
}

// printKey prints the offered key if Keyfold lets it log in as the user, or if Keyfold is down and did so before.
func printKey(settings settings, log *logger, out io.Writer, login login) int {
	user := login.user
	if err := checkUser(user); err != nil {
		log.warning("refused user %.64q: %v", user, err)
		return statusOK
	}
	key, err := parseKey(login.kind, login.blob)
	if err != nil {
		log.warning("refused a key of user %q: %v", user, err)
		return statusOK
	}
	service, err := newService(settings)
	if err != nil {
		log.failure("cannot ask Keyfold: %v", err)
		return statusFailed
	}
	cache, err := openCache(settings)
	if err != nil {
		log.failure("the cache is not used: %v", err)
	}
	entry := cache.entryOf(user, login.home, key)
	defer entry.close()
	var granted grant
	if login.folder == "" {
		granted, err = service.lookUpLogin(user, key)
	} else {
		granted, err = service.lookUpSftp(login, key)
	}
	switch {
	case err == nil && granted != refused:
		if err := entry.store(granted); err != nil {
			log.failure("cannot write to the cache: %v", err)
		}
	case err == nil:
		if err := entry.remove(); err != nil {
			log.failure("cannot delete from the cache, so the key may work again while Keyfold is down: %v", err)
		}
		return statusOK
	case errors.Is(err, errMoved):
		log.failure("refused a key of user %q: %v", user, errors.Join(err, entry.remove()))
		return statusFailed
	case errors.Is(err, errTokenRefused):
		log.failure("refused a key of user %q: %v", user, err)
		return statusFailed
	default:
		cached, age := entry.read()
		if cached == refused {
			log.failure("refused a key of user %q, because Keyfold is not available and the key is not in the cache: %v", user, err)
			return statusFailed
		}
		log.warning("accepted a key of user %q from the cache, checked %v ago, because Keyfold is not available: %v", user, age, err)
		granted = cached
	}
	options := ""
	if login.folder != "" {
		options = sftpOptions(granted)
	}
	fmt.Fprintf(out, "%s%s %s\n", options, key.kind, key.blob)
	return statusOK
}

// sftpOptions returns the options with which sshd serves files and nothing else.
func sftpOptions(granted grant) string {
	readOnly := "-R "
	if granted == readAndWrite {
		readOnly = ""
	}
	return fmt.Sprintf("restrict,command=\"internal-sftp %s-d /%s\" ", readOnly, filesFolder)
}
