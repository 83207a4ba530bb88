package main

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	defaultConfigFile = "/etc/keyfold/ssh.conf"
	defaultSyslog     = "/dev/log"
	maxConfigBytes    = 64 << 10
	maxTokenBytes     = 1 << 10
	maxUsersBytes     = 128 << 20
	maxAddresses      = 8
	maxTimeout        = 30 * time.Second
	maxCacheTime      = 7 * 24 * time.Hour
)

// settings are the lines of the configuration file, and the token that it names.
type settings struct {
	addresses   []string
	token       string
	timeout     time.Duration
	caFile      string
	cacheFolder string
	cacheTime   time.Duration
	syslog      string
	root        string
	acceptKeys  bool
	usersFile   string
}

// accessToken matches Keyfold's access tokens.
var accessToken = regexp.MustCompile(`^kf_[0-9A-Za-z]{42}$`)

var servedPath = regexp.MustCompile(`^/[0-9A-Za-z._/-]+$`)

// readSettings reads the configuration file and the token. It refuses files that other users could have written, and a token that they can read.
func readSettings(path string) (settings, error) {
	read := settings{timeout: 3 * time.Second, syslog: defaultSyslog}
	text, err := readTrusted(path, maxConfigBytes, false)
	if err != nil {
		return read, err
	}
	tokenFile := ""
	for number, line := range strings.Split(string(text), "\n") {
		word, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "" || strings.HasPrefix(word, "#") {
			continue
		}
		if err := read.set(word, strings.TrimSpace(value), &tokenFile); err != nil {
			return read, fmt.Errorf("%s, line %d: %s: %w", path, number+1, word, err)
		}
	}
	if err := read.requireComplete(tokenFile); err != nil {
		return read, fmt.Errorf("%s: %w", path, err)
	}
	text, err = readTrusted(tokenFile, maxTokenBytes, true)
	if err != nil {
		return read, err
	}
	read.token = strings.TrimSpace(string(text))
	if !accessToken.MatchString(read.token) {
		return read, fmt.Errorf("%s does not contain an access token of Keyfold (kf_...)", tokenFile)
	}
	return read, nil
}

func (read *settings) set(word, value string, tokenFile *string) (err error) {
	switch word {
	case "address":
		return read.addAddress(value)
	case "token-file":
		*tokenFile, err = absolute(value)
	case "ca-file":
		read.caFile, err = absolute(value)
	case "cache-folder":
		read.cacheFolder, err = absolute(value)
	case "syslog":
		read.syslog, err = absolute(value)
	case "root":
		read.root, err = servedFolder(value)
	case "accept-keys":
		read.acceptKeys, err = yesOrNo(value)
	case "users-file":
		read.usersFile, err = absolute(value)
	case "timeout":
		read.timeout, err = duration(value, time.Millisecond, maxTimeout)
	case "cache-time":
		read.cacheTime, err = duration(value, 0, maxCacheTime)
	default:
		return errors.New("unknown setting")
	}
	return err
}

func (read *settings) addAddress(value string) error {
	address, err := url.Parse(value)
	isServer := err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Host != "" &&
		address.User == nil && address.RawQuery == "" && address.Fragment == ""
	if !isServer {
		return errors.New("expected http://HOST:PORT or https://HOST:PORT")
	}
	if len(read.addresses) == maxAddresses {
		return fmt.Errorf("at most %d addresses are possible", maxAddresses)
	}
	read.addresses = append(read.addresses, strings.TrimSuffix(value, "/"))
	return nil
}

func (read *settings) requireComplete(tokenFile string) error {
	switch {
	case len(read.addresses) == 0:
		return errors.New("address is missing")
	case tokenFile == "":
		return errors.New("token-file is missing")
	case read.cacheTime > 0 && read.cacheFolder == "":
		return errors.New("cache-time needs cache-folder")
	case read.usersFile != "" && read.root == "":
		return errors.New("users-file needs root")
	}
	return nil
}

func absolute(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", errors.New("expected an absolute path")
	}
	return path, nil
}

// servedFolder accepts a path that needs no quotes in a configuration of rclone.
func servedFolder(value string) (string, error) {
	if !servedPath.MatchString(value) {
		return "", errors.New("expected an absolute path of letters, digits and . _ - /")
	}
	return filepath.Clean(value), nil
}

func yesOrNo(value string) (bool, error) {
	if value != "yes" && value != "no" {
		return false, errors.New("expected yes or no")
	}
	return value == "yes", nil
}

func duration(text string, least, most time.Duration) (time.Duration, error) {
	value, err := time.ParseDuration(text)
	if err != nil || value < least || value > most {
		return 0, fmt.Errorf("expected a duration from %v to %v, such as 3s or 10m", least, most)
	}
	return value, nil
}
