package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	writableByOthers   = 0o022
	accessibleToOthers = 0o007
)

// readTrusted reads a file that only root or the user of this process can have written. Nobody outside its group may read a secret one.
func readTrusted(path string, limit int64, secret bool) ([]byte, error) {
	if err := requireTrustedFolders(path); err != nil {
		return nil, err
	}
	// A pipe without a writer must not block.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// The check is of the open file, so that nobody can replace it in between.
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if err := requireTrusted(path, info); err != nil {
		return nil, err
	}
	if secret && info.Mode().Perm()&accessibleToOthers != 0 {
		return nil, fmt.Errorf("%s contains a secret that every user can read. Run: chmod o= %s", path, path)
	}
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return text, err
}

// requireTrustedFolders checks all folders above a file: a user who can write to one of them can replace the file.
func requireTrustedFolders(path string) error {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return requireTrustedFolder(filepath.Dir(resolved))
}

// requireTrustedFolder checks a folder and all folders above it.
func requireTrustedFolder(path string) error {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	for folder := resolved; ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		if err != nil {
			return err
		}
		// In a folder such as /tmp, only the owner of a file can replace it.
		if info.Mode()&fs.ModeSticky == 0 {
			err = requireTrusted(folder, info)
		} else {
			err = requireOwner(folder, info)
		}
		if err != nil || folder == filepath.Dir(folder) {
			return err
		}
	}
}

func requireTrusted(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&writableByOthers != 0 {
		return fmt.Errorf("other users can write to %s. Run: chmod go-w %s", path, path)
	}
	return requireOwner(path, info)
}

func requireOwner(path string, info fs.FileInfo) error {
	owner := info.Sys().(*syscall.Stat_t).Uid
	if owner != 0 && int(owner) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d. Run: chown root %s", path, owner, path)
	}
	return nil
}
