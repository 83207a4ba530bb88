package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"strings"
	"unicode/utf8"
)

const (
	// maxQuestionBytes is more than the longest user name and password take, with every letter escaped.
	maxQuestionBytes = 64 << 10
	// maxLoginLetters is the longest user name and the longest password that Keyfold reads.
	maxLoginLetters = 4096
)

// question is the body of a question to Keyfold. Exactly one of password and public key is set.
type question struct {
	Protocol  string `json:"protocol"`
	Username  string `json:"username"`
	Password  string `json:"password,omitempty"`
	PublicKey string `json:"public_key,omitempty"`
	Address   string `json:"address,omitempty"`
}

// readQuestion reads a question of rclone, and refuses what Keyfold could not read.
func readQuestion(in io.Reader, protocol string) (question, error) {
	var asked struct {
		User      string  `json:"user"`
		Pass      *string `json:"pass"`
		PublicKey *string `json:"public_key"`
		ClientIP  string  `json:"client_ip"`
	}
	text, err := io.ReadAll(io.LimitReader(in, maxQuestionBytes+1))
	if err != nil {
		return question{}, err
	}
	if len(text) > maxQuestionBytes || json.Unmarshal(text, &asked) != nil {
		// The error of the parser could quote a password.
		return question{}, errors.New("the question of rclone is too long or not JSON")
	}
	read := question{Protocol: protocol, Username: asked.User}
	if err := checkLoginText("user name", read.Username); err != nil {
		return question{}, err
	}
	// rclone keeps backends under "USER:ROOT". Without a colon in the name, two users never share one.
	if strings.Contains(read.Username, ":") {
		return question{}, errors.New("the user name has a colon")
	}
	switch {
	case asked.Pass != nil && asked.PublicKey == nil:
		read.Password, err = *asked.Pass, checkLoginText("password", *asked.Pass)
	case asked.Pass == nil && asked.PublicKey != nil:
		read.PublicKey, err = *asked.PublicKey, checkBlob(*asked.PublicKey)
	default:
		err = errors.New("the question of rclone has not exactly one of password and public key")
	}
	if err != nil {
		return question{}, err
	}
	read.Address = addressOf(asked.ClientIP)
	return read, nil
}

func checkLoginText(name, text string) error {
	if text == "" || utf8.RuneCountInString(text) > maxLoginLetters {
		return errors.New("the " + name + " is empty or too long")
	}
	return nil
}

// addressOf returns the text of an IP address; nothing for other texts, such as a host name.
func addressOf(text string) string {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	return address.Unmap().WithZone("").String()
}

// checkBlob accepts a public key that is the base64 text of its blob, of a type that Keyfold stores.
func checkBlob(text string) error {
	_, err := parseKey(typeOfBlob(text), text)
	return err
}
