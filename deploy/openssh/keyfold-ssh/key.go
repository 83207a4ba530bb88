package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxUserBytes is the longest user name that Linux programs accept.
	maxUserBytes = 256
	// maxKeyBytes is far more than the largest key that Keyfold stores, RSA with 8192 bits.
	maxKeyBytes = 16 << 10
)

// keyTypes are the types that Keyfold stores. Certificates are none of them.
var keyTypes = map[string]bool{
	"ssh-ed25519":                        true,
	"ecdsa-sha2-nistp256":                true,
	"ecdsa-sha2-nistp384":                true,
	"ecdsa-sha2-nistp521":                true,
	"ssh-rsa":                            true,
	"sk-ssh-ed25519@openssh.com":         true,
	"sk-ecdsa-sha2-nistp256@openssh.com": true,
}

// publicKey is a key as sshd names it, and as Keyfold finds it.
type publicKey struct {
	kind        string
	blob        string
	fingerprint string
}

// parseKey checks a key type and a blob in base64. It does not check that the key is mathematically valid, which sshd has done.
func parseKey(kind, blob string) (publicKey, error) {
	if !keyTypes[kind] {
		return publicKey{}, errors.New("the key type is not supported")
	}
	if len(blob) > maxKeyBytes {
		return publicKey{}, errors.New("the key is too long")
	}
	// Strict and without line breaks: the text is compared and printed as it is.
	bytes, err := base64.StdEncoding.Strict().DecodeString(blob)
	if err != nil || strings.ContainsAny(blob, "\r\n") {
		return publicKey{}, errors.New("the key is not base64")
	}
	if typeInside(bytes) != kind {
		return publicKey{}, errors.New("the key is of another type")
	}
	sum := sha256.Sum256(bytes)
	return publicKey{kind, blob, "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])}, nil
}

// typeOfBlob returns the type of a key in base64; nothing if there is none.
func typeOfBlob(blob string) string {
	bytes, err := base64.StdEncoding.DecodeString(blob)
	if err != nil {
		return ""
	}
	return typeInside(bytes)
}

// typeInside returns the first string of a key blob (RFC 4253 section 6.6).
func typeInside(blob []byte) string {
	if len(blob) < 4 {
		return ""
	}
	length := binary.BigEndian.Uint32(blob)
	if uint64(length) > uint64(len(blob)-4) {
		return ""
	}
	return string(blob[4 : 4+length])
}

// checkUser accepts the user names that machines have: letters, digits and . _ @ + -, of which only letters, digits and _ come first.
func checkUser(name string) error {
	if name == "" || len(name) > maxUserBytes || !utf8.ValidString(name) {
		return errors.New("the user name is empty, too long or not UTF-8")
	}
	for index, char := range name {
		isLetter := unicode.IsLetter(char) || unicode.IsDigit(char) || char == '_'
		if !isLetter && (index == 0 || !strings.ContainsRune(".@+-", char)) {
			return errors.New("the user name has a character that no account of a machine has")
		}
	}
	return nil
}
