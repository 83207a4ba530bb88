package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

var (
	errVerifyRefused = errors.New("the access token is not accepted: it is unknown, expired or revoked, or lacks the scope logins:verify")
	// errThrottled means that Keyfold counts too many failed logins. Other addresses count the same ones.
	errThrottled = errors.New("Keyfold throttles logins after too many failures")
	// errNotPermitted means that the password was right.
	errNotPermitted = errors.New("the account is disabled or lacks the permission bit to log in")
)

// admitted is the account that Keyfold answers about a login that it admits.
type admitted struct {
	Username string `json:"username"`
	BasePath string `json:"base_path"`
	Write    bool   `json:"write"`
}

// admit returns the account of a login; nil if it must be refused. Unless Keyfold has decided, it logs why.
func admit(settings settings, log *logger, question question) (account *admitted, isDecided bool) {
	service, err := newService(settings)
	if err != nil {
		log.failure("cannot ask Keyfold: %v", err)
		return nil, false
	}
	account, err = service.verify(question)
	switch {
	case errors.Is(err, errThrottled), errors.Is(err, errNotPermitted):
		log.warning("refused user %.64q: %v", question.Username, err)
		return nil, false
	case err != nil:
		log.failure("refused user %.64q, because Keyfold gave no answer: %v", question.Username, err)
		return nil, false
	}
	return account, true
}

// verify returns the account of a login; nil if Keyfold refuses it. An error means that there is no definite answer.
func (service *service) verify(question question) (granted *admitted, err error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	var refusal error
	err = service.askEach(func(ctx context.Context, address string) error {
		found, err := service.verifyAt(ctx, address, body)
		if errors.Is(err, errThrottled) || errors.Is(err, errNotPermitted) {
			refusal = err
			return nil
		}
		granted = found
		return err
	})
	if refusal != nil {
		return nil, refusal
	}
	return granted, err
}

func (service *service) verifyAt(ctx context.Context, address string, body []byte) (*admitted, error) {
	answer, err := service.send(ctx, http.MethodPost, address+"/logins", body)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return nil, errVerifyRefused
	case answer.StatusCode == http.StatusTooManyRequests:
		return nil, errThrottled
	case answer.StatusCode != http.StatusOK || !isOfKind(answer, "application/json"):
		return nil, unexpected(answer)
	}
	text, err := readAnswer(answer.Body)
	if err != nil {
		return nil, err
	}
	var envelope struct {
		Code int `json:"code"`
		Data *struct {
			Account      *admitted `json:"account"`
			NotPermitted bool      `json:"not_permitted"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &envelope); err != nil || envelope.Code != http.StatusOK || envelope.Data == nil {
		return nil, errors.New("the answer is not that of Keyfold")
	}
	if envelope.Data.NotPermitted {
		return nil, errNotPermitted
	}
	granted := envelope.Data.Account
	if granted != nil && (granted.Username == "" || granted.BasePath == "") {
		return nil, errors.New("the answer has an account without a name or a base path")
	}
	return granted, nil
}

// checkLogins returns an error unless the address would answer a login. It asks nothing about anybody: Keyfold refuses the empty question only
// after it has accepted the token.
func (service *service) checkLogins(ctx context.Context, address string) error {
	answer, err := service.send(ctx, http.MethodPost, address+"/logins", []byte("{}"))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return errVerifyRefused
	case answer.StatusCode != http.StatusBadRequest || !isOfKind(answer, "application/json"):
		return fmt.Errorf("expected a refusal with status 400: %w", unexpected(answer))
	}
	return nil
}
