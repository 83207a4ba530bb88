package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The entry of a key that Keyfold gave at a time.
func storedAt(t *testing.T, at time.Time) (*cache, *cacheEntry) {
	t.Helper()
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	opened, err := openCache(settings{cacheFolder: folder, cacheTime: time.Hour, token: "a token"})
	if err != nil {
		t.Fatal(err)
	}
	entry := opened.entryOf("ann", "", publicKey{fingerprint: "SHA256:a"})
	written := cacheEntry{cache: opened, name: entry.name, askedAt: at}
	if err := os.WriteFile(entry.path(), written.sealed(loggedIn), 0o600); err != nil {
		t.Fatal(err)
	}
	return opened, entry
}

func TestAnEntryCountsForTheCacheTime(t *testing.T) {
	for age, counts := range map[time.Duration]bool{
		time.Second:                true,
		59 * time.Minute:           true,
		61 * time.Minute:           false,
		30 * 24 * time.Hour:        false,
		-time.Minute:               false, // The clock was set back.
		-365 * 24 * time.Hour:      false,
		100 * 365 * 24 * time.Hour: false,
	} {
		_, entry := storedAt(t, time.Now().Add(-age))
		if granted, _ := entry.read(); (granted == loggedIn) != counts {
			t.Errorf("an entry of age %v grants %v", age, granted)
		}
	}
}

func TestARefusalDeletesQuestionsThatNobodyAnswers(t *testing.T) {
	opened, entry := storedAt(t, time.Now())
	recent, old := filepath.Join(opened.questions, "OTHER.recent"), filepath.Join(opened.questions, "OTHER.old")
	for _, path := range []string{recent, old} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * staleQuestion)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	if err := entry.remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(recent); err != nil {
		t.Error("the question of another process is gone")
	}
	for _, path := range []string{old, entry.question, entry.path()} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
}

func TestALateAnswerDoesNotReviveThePermissionToWrite(t *testing.T) {
	opened, _ := storedAt(t, time.Now())
	early := opened.entryOf("ann", "", publicKey{fingerprint: "SHA256:a"})
	late := opened.entryOf("ann", "", publicKey{fingerprint: "SHA256:a"})
	if err := late.store(loggedIn); err != nil {
		t.Fatal(err)
	}
	if err := early.store(readAndWrite); err != nil {
		t.Fatal(err)
	}
	if granted, _ := early.read(); granted != loggedIn {
		t.Errorf("the entry grants %v", granted)
	}
}

func TestAnAnswerCountsForALoginThatAskedBefore(t *testing.T) {
	opened, early := storedAt(t, time.Now().Add(-time.Minute))
	early.askedAt = time.Now().Add(-2 * time.Second)
	late := opened.entryOf("ann", "", publicKey{fingerprint: "SHA256:a"})
	if err := late.store(loggedIn); err != nil {
		t.Fatal(err)
	}
	if granted, _ := early.read(); granted != loggedIn {
		t.Errorf("the entry grants %v", granted)
	}
}
