package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// sftpFolder is the folder with the files of all accounts.
type sftpFolder struct {
	path string
	root *os.Root
	id   int
}

func openSftpFolder(path string, id int) (*sftpFolder, error) {
	if err := requireTrustedFolder(path); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	opened := &sftpFolder{path: filepath.Clean(path), root: root, id: id}
	// sshd passes through the folders as the shared user, whatever the umask of the operator is.
	syscall.Umask(0o022)
	return opened, opened.requireOwn(".")
}

// prepare creates the folder of an account, and the one below it in which the account can write. It returns the path of the first. All folders
// above the second must belong to root: sshd requires it, and nobody else can put a link there.
func (folder *sftpFolder) prepare(account account) (home string, err error) {
	if err := checkMachineUser(account.Username); err != nil {
		return "", err
	}
	names, err := folderNames(account.BasePath)
	if err != nil {
		return "", err
	}
	path := "."
	for _, name := range names {
		path = filepath.Join(path, name)
		if err := folder.makeFolder(path, 0o755); err != nil {
			return "", err
		}
		if err := folder.requireOwn(path); err != nil {
			return "", err
		}
	}
	return filepath.Join(folder.path, path), folder.makeFiles(filepath.Join(path, filesFolder))
}

// makeFiles creates the folder in which the shared user can write. One that a former run has not handed over belongs to this process.
func (folder *sftpFolder) makeFiles(path string) error {
	if err := folder.makeFolder(path, 0o700); err != nil {
		return err
	}
	info, err := folder.root.Lstat(path)
	if err != nil {
		return err
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", filepath.Join(folder.path, path))
	case owner == folder.id:
		return nil
	case owner == os.Geteuid():
		return folder.root.Lchown(path, folder.id, folder.id)
	}
	return fmt.Errorf("%s belongs to user %d", filepath.Join(folder.path, path), owner)
}

func (folder *sftpFolder) makeFolder(path string, mode os.FileMode) error {
	if err := folder.root.Mkdir(path, mode); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// requireOwn checks that the path is a folder which only root, or the user of this process, can change.
func (folder *sftpFolder) requireOwn(path string) error {
	info, err := folder.root.Lstat(path)
	if err != nil {
		return err
	}
	whole := filepath.Join(folder.path, path)
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", whole)
	}
	return requireTrusted(whole, info)
}

func (folder *sftpFolder) close() {
	_ = folder.root.Close()
}
