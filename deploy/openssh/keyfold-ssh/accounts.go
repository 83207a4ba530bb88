package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/user"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxAccounts = 100_000
	// maxAccountBytes is more than any account takes in a line.
	maxAccountBytes = 1 << 20
	// maxPathBytes leaves room for the other fields of a line, which must fit into the buffers of programs that read passwd files.
	maxPathBytes = 512
	maxNameBytes = 255
)

// account is a line of "keyfold account list --json".
type account struct {
	Username string
	BasePath string
}

// readAccounts reads all lines. One that is no account makes the whole list unusable: an error message must not remove users.
func readAccounts(in io.Reader) ([]account, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxAccountBytes)
	var accounts []account
	known := map[string]bool{}
	for lines.Scan() {
		var read account
		err := json.Unmarshal(lines.Bytes(), &read)
		if err != nil || read.Username == "" || !strings.HasPrefix(read.BasePath, "/") {
			return nil, fmt.Errorf("line %d is not an account. Expected the output of: keyfold account list --json", len(accounts)+1)
		}
		if known[read.Username] {
			return nil, fmt.Errorf("line %d repeats the account %.64q", len(accounts)+1, read.Username)
		}
		if len(accounts) == maxAccounts {
			return nil, fmt.Errorf("more than %d accounts", maxAccounts)
		}
		known[read.Username] = true
		accounts = append(accounts, read)
	}
	return accounts, lines.Err()
}

// checkMachineUser accepts names that a passwd file can have and that the machine does not give to another user.
func checkMachineUser(name string) error {
	if err := checkUser(name); err != nil {
		return err
	}
	if _, err := user.Lookup(name); err == nil {
		return errors.New("/etc/passwd has a user of this name")
	}
	return nil
}

// folderNames splits a base path. The folder "files" is reserved: users can write to it, so root must not follow a path through it.
func folderNames(basePath string) ([]string, error) {
	if err := checkPath(basePath); err != nil {
		return nil, err
	}
	if basePath == "/" {
		return nil, nil
	}
	names := strings.Split(strings.TrimPrefix(basePath, "/"), "/")
	for _, name := range names {
		switch {
		case name == "" || name == "." || name == ".." || len(name) > maxNameBytes:
			return nil, fmt.Errorf("the base path %.64q has an unusable folder %.64q", basePath, name)
		case name == filesFolder:
			return nil, fmt.Errorf("the base path %.64q leads through a folder %q, in which users can write", basePath, filesFolder)
		}
	}
	return names, nil
}

// checkPath accepts a path that can be a field of a passwd file.
func checkPath(path string) error {
	if len(path) > maxPathBytes || !utf8.ValidString(path) {
		return fmt.Errorf("the path %.64q has more than %d bytes or is not UTF-8", path, maxPathBytes)
	}
	for _, char := range path {
		if char == ':' || unicode.IsControl(char) || char == '\u2028' || char == '\u2029' {
			return fmt.Errorf("the path %.64q has a character that a passwd file cannot have", path)
		}
	}
	return nil
}
