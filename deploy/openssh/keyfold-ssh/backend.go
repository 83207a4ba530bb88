package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// backend is the configuration of a backend of rclone. `_root` is the folder that it serves.
type backend map[string]string

// backendOf returns the backend that serves the files of an account, below the folder of the site.
func backendOf(site string, account admitted) (backend, error) {
	folder, err := folderOf(site, account.BasePath)
	if err != nil {
		return nil, err
	}
	if account.Write {
		return backend{"type": "local", "_root": path.Join(site, folder)}, nil
	}
	// Only a union has read-only parts, and it needs two. rclone keeps backends under user and root for minutes, so the root differs from that
	// of the writable backend: here, it is below the parts.
	readOnly := site + ":ro"
	below := folder
	if folder == "." {
		below = ""
	}
	return backend{"type": "union", "_root": below, "upstreams": readOnly + " " + readOnly}, nil
}

// folderOf returns the folder of a base path, relative to the folder of the site. The folder must exist, and neither the base path nor a
// symbolic link in it may lead out of the site.
func folderOf(site, basePath string) (string, error) {
	if slices.Contains(strings.Split(basePath, "/"), "..") {
		return "", fmt.Errorf("the base path %q leads upwards", basePath)
	}
	folder := strings.TrimPrefix(path.Clean("/"+basePath), "/")
	if folder == "" {
		folder = "."
	}
	root, err := os.OpenRoot(site)
	if err != nil {
		return "", fmt.Errorf("cannot open the folder of the site: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the folder of the account is missing. Create %s, writable for user %d", path.Join(site, folder), os.Geteuid())
	case err != nil:
		return "", fmt.Errorf("cannot use the folder of base path %q: %w", basePath, err)
	case !info.IsDir():
		return "", fmt.Errorf("%s is not a folder", path.Join(site, folder))
	}
	return folder, nil
}
