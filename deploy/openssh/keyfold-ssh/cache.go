package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	maxEntries = 4096
	// staleQuestion is far longer than any question can take.
	staleQuestion = 10 * time.Minute
	timeBytes     = 8
)

// cache remembers when Keyfold last let a key log in, and whether the account could write. An entry is a file whose name is a keyed hash of user
// and key, and whose content is the encrypted time of the question and the grant. Both keys follow from the token, so a new token makes all entries unreadable.
type cache struct {
	entries   string
	questions string
	time      time.Duration
	names     []byte
	aead      cipher.AEAD
}

var nameText = base32.StdEncoding.WithPadding(base32.NoPadding)

// openCache returns nil without an error if no cache is configured.
func openCache(settings settings) (*cache, error) {
	if settings.cacheTime == 0 {
		return nil, nil
	}
	if err := requirePrivateFolder(settings.cacheFolder); err != nil {
		return nil, err
	}
	opened := &cache{
		entries:   filepath.Join(settings.cacheFolder, "entries"),
		questions: filepath.Join(settings.cacheFolder, "questions"),
		time:      settings.cacheTime,
	}
	for _, folder := range []string{opened.entries, opened.questions} {
		if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	names, err := hkdf.Key(sha256.New, []byte(settings.token), nil, "keyfold-ssh cache names", 32)
	if err != nil {
		return nil, err
	}
	content, err := hkdf.Key(sha256.New, []byte(settings.token), nil, "keyfold-ssh cache contents", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(content)
	if err != nil {
		return nil, err
	}
	opened.names = names
	opened.aead, err = cipher.NewGCMWithRandomNonce(block)
	return opened, err
}

func requirePrivateFolder(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	if !info.IsDir() || owner != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s must be a folder of user %d with mode 0700", path, os.Geteuid())
	}
	return nil
}

// cacheEntry is the place of one user and key. Without a cache, it stores nothing.
type cacheEntry struct {
	cache    *cache
	name     string
	question string
	askedAt  time.Time
}

// entryOf returns the entry of a user with this home, because a new account of the same name has another one, and notes that Keyfold is about to be asked. The note is a file: an answer is stored by renaming it, and a later
// "no" deletes it. So an answer that arrives late cannot revive a key that was removed in the meantime.
func (cache *cache) entryOf(user, home string, key publicKey) *cacheEntry {
	entry := &cacheEntry{cache: cache, askedAt: time.Now()}
	if cache == nil {
		return entry
	}
	mac := hmac.New(sha256.New, cache.names)
	fmt.Fprintf(mac, "%s\x00%s\x00%s", user, key.fingerprint, home)
	entry.name = nameText.EncodeToString(mac.Sum(nil))
	entry.question = filepath.Join(cache.questions, entry.name+"."+rand.Text())
	if os.WriteFile(entry.question, entry.sealed(refused), 0o600) != nil {
		// A full disk: the answer is not stored.
		entry.question = ""
	}
	return entry
}

// store remembers what Keyfold granted.
func (entry *cacheEntry) store(granted grant) error {
	if entry.cache == nil {
		return nil
	}
	path := entry.path()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := entry.cache.makeRoom(); err != nil {
			return err
		}
	}
	if granted != readAndWrite {
		// An earlier answer that arrives late must not revive the permission to write.
		if err := entry.removeQuestions(entry.question); err != nil {
			return err
		}
	}
	err := entry.answer(granted)
	if err == nil {
		err = os.Rename(entry.question, path)
	}
	if entry.question != "" && errors.Is(err, fs.ErrNotExist) {
		// Another process got a "no" after this question was asked.
		return nil
	}
	return err
}

// answer writes the grant into the file of the question, if nobody has deleted it.
func (entry *cacheEntry) answer(granted grant) error {
	file, err := os.OpenFile(entry.question, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(entry.sealed(granted))
	return errors.Join(err, file.Close())
}

// remove forgets the key, also for questions that have not been answered yet.
func (entry *cacheEntry) remove() error {
	if entry.cache == nil {
		return nil
	}
	return errors.Join(entry.removeQuestions(""), unlink(entry.path()))
}

// removeQuestions deletes all questions about the key but one, and those that nobody answers any more.
func (entry *cacheEntry) removeQuestions(except string) error {
	questions, err := os.ReadDir(entry.cache.questions)
	for _, question := range questions {
		path := filepath.Join(entry.cache.questions, question.Name())
		isOther := strings.HasPrefix(question.Name(), entry.name+".") && path != except
		if isOther || isOlderThan(question, staleQuestion) {
			err = errors.Join(err, unlink(path))
		}
	}
	return err
}

// read returns what Keyfold granted and how long ago, if that is within the cache time, and otherwise a refusal.
func (entry *cacheEntry) read() (granted grant, age time.Duration) {
	if entry.cache == nil {
		return refused, 0
	}
	content, err := os.ReadFile(entry.path())
	if err != nil {
		return refused, 0
	}
	opened, err := entry.cache.aead.Open(nil, nil, content, []byte(entry.name))
	if err != nil || len(opened) != timeBytes+1 {
		return refused, 0
	}
	age = time.Since(time.UnixMilli(int64(binary.BigEndian.Uint64(opened))))
	// An entry from the future means that the clock was set back, and then its age is unknown.
	if age < 0 || age > entry.cache.time {
		_ = unlink(entry.path())
		return refused, 0
	}
	return grant(opened[timeBytes]), age.Round(time.Second)
}

func (entry *cacheEntry) close() {
	if entry.question != "" {
		_ = unlink(entry.question)
	}
}

func (entry *cacheEntry) path() string {
	return filepath.Join(entry.cache.entries, entry.name)
}

// makeRoom deletes the oldest entries of a full cache until one more fits.
func (cache *cache) makeRoom() error {
	entries, err := os.ReadDir(cache.entries)
	if err != nil || len(entries) < maxEntries {
		return err
	}
	written := make(map[string]time.Time, len(entries))
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			written[entry.Name()] = info.ModTime()
		}
	}
	oldestFirst := slices.SortedFunc(maps.Keys(written), func(one, other string) int {
		return written[one].Compare(written[other])
	})
	for _, name := range oldestFirst[:max(0, len(oldestFirst)-maxEntries+1)] {
		err = errors.Join(err, unlink(filepath.Join(cache.entries, name)))
	}
	return err
}

func isOlderThan(file fs.DirEntry, age time.Duration) bool {
	info, err := file.Info()
	return err == nil && time.Since(info.ModTime()) > age
}

func unlink(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sealed returns the content of an entry or question.
func (entry *cacheEntry) sealed(granted grant) []byte {
	stamp := binary.BigEndian.AppendUint64(nil, uint64(entry.askedAt.UnixMilli()))
	return entry.cache.aead.Seal(nil, nil, append(stamp, byte(granted)), []byte(entry.name))
}
