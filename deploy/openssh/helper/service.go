package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// maxAnswerBytes is more than one key takes, with room for comments.
const maxAnswerBytes = 64 << 10

// errTokenRefused means that a server answered and does not accept the token. The cache must not be used then.
var errTokenRefused = errors.New("the access token is not accepted: it is unknown, expired or revoked, or lacks the scope keys:look-up")

// service asks Keyfold at its addresses in turn.
type service struct {
	settings settings
	client   *http.Client
}

func newService(settings settings) (*service, error) {
	transport := &http.Transport{DisableKeepAlives: true}
	if settings.caFile != "" {
		text, err := readTrusted(settings.caFile, 1<<20, false)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s contains no certificate in PEM format", settings.caFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	// A redirect could carry the token to another server.
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &service{settings, &http.Client{Transport: transport, CheckRedirect: noRedirect}}, nil
}

// report sends the use of a key. Every address gets the same body, whose id makes a repetition harmless.
func (service *service) report(body []byte) error {
	return service.askEach(func(ctx context.Context, address string) error {
		_, err := service.ask(ctx, http.MethodPost, address+"/ssh-key-uses", "", body)
		return err
	})
}

// askEach asks one address after the other until one succeeds. All of them together have the time limit. A refused token outweighs other
// failures.
func (service *service) askEach(ask func(ctx context.Context, address string) error) error {
	deadline := time.Now().Add(service.settings.timeout)
	var failures []error
	for index, address := range service.settings.addresses {
		// A server that does not answer leaves time for the others.
		share := time.Until(deadline) / time.Duration(len(service.settings.addresses)-index)
		ctx, cancel := context.WithTimeout(context.Background(), share)
		err := ask(ctx, address)
		cancel()
		if err == nil {
			return nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", address, err))
	}
	return errors.Join(failures...)
}

// ask returns the body of a successful answer. That to GET must be of the kind.
func (service *service) ask(ctx context.Context, method, address, kind string, body []byte) ([]byte, error) {
	answer, err := service.send(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return nil, errTokenRefused
	case method == http.MethodPost && answer.StatusCode == http.StatusNoContent:
		return nil, nil
	case method == http.MethodGet && answer.StatusCode == http.StatusOK && isOfKind(answer, kind):
		return readAnswer(answer.Body)
	}
	return nil, unexpected(answer)
}

// send returns the answer to a request, whatever its status. The caller closes its body.
func (service *service) send(ctx context.Context, method, address string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+service.settings.token)
	request.Header.Set("User-Agent", tag)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := service.client.Do(request)
	if err != nil {
		// The error of net/http repeats the address, which contains the user name.
		return nil, errors.Unwrap(err)
	}
	return answer, nil
}

func unexpected(answer *http.Response) error {
	return fmt.Errorf("unexpected answer: status %d, %s", answer.StatusCode, answer.Header.Get("Content-Type"))
}

// isOfKind tells Keyfold from a server that answers every request with a page.
func isOfKind(answer *http.Response, expected string) bool {
	kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return err == nil && kind == expected
}

func readAnswer(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxAnswerBytes+1))
	if err == nil && len(text) > maxAnswerBytes {
		return nil, errors.New("the answer is too long")
	}
	return text, err
}
