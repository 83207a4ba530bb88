package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	// libnss-extrausers ignores lower ids, and the ids above belong to the system.
	minUserID = 500
	maxUserID = 60_000
	shell     = "/usr/sbin/nologin"
)

// writeUsers replaces a passwd file by one with a line for each account, all with the same id, and creates their folders. An account whose name
// or base path is unusable gets no line. If the accounts cannot be read to their end, the file stays as it is.
func writeUsers(accounts io.Reader, out io.Writer, file, folder, id string) int {
	count, err := replaceUsers(accounts, file, folder, id)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: cannot write %s: %v\n", tag, file, err)
		return statusFailed
	}
	fmt.Fprintf(out, "%s has %d users\n", file, count)
	return statusOK
}

func replaceUsers(accounts io.Reader, file, folder, id string) (count int, err error) {
	number, err := strconv.Atoi(id)
	if err != nil || number < minUserID || number > maxUserID {
		return 0, fmt.Errorf("expected an id from %d to %d, not %q", minUserID, maxUserID, id)
	}
	if !filepath.IsAbs(folder) || checkPath(folder) != nil {
		return 0, fmt.Errorf("expected an absolute path of letters without a colon, not %q", folder)
	}
	listed, err := readAccounts(accounts)
	if err != nil {
		return 0, err
	}
	root, err := openSftpFolder(folder, number)
	if err != nil {
		return 0, err
	}
	defer root.close()
	var text strings.Builder
	for _, account := range listed {
		home, err := root.prepare(account)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: skipped account %.64q: %v\n", tag, account.Username, err)
			continue
		}
		fmt.Fprintf(&text, "%s:*:%d:%d::%s:%s\n", account.Username, number, number, home, shell)
		count++
	}
	if count == 0 {
		return 0, errors.New("no account can be a user")
	}
	return count, replaceFile(file, text.String())
}

// homeIn returns the home of a user in a file that writeUsers wrote.
func homeIn(file, name string) (string, error) {
	text, err := readTrusted(file, maxUsersBytes, false)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, ":"); fields[0] == name && len(fields) == 7 {
			return fields[5], nil
		}
	}
	return "", fmt.Errorf("%s has no line for the user", file)
}

// replaceFile writes a file that everybody may read. Readers see either the old or the new content.
func replaceFile(path, text string) error {
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	if err := requireTrustedFolder(folder); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, ".passwd-")
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	err = errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
