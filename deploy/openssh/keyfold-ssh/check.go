package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// check asks every address about nobody and prints the outcomes: whether it would answer logins, or questions about keys.
func check(settings settings, out io.Writer, logins bool) int {
	service, err := newService(settings)
	if err != nil {
		fmt.Fprintln(out, err)
		return statusFailed
	}
	status := statusOK
	for _, address := range settings.addresses {
		ctx, cancel := context.WithTimeout(context.Background(), settings.timeout)
		err := service.probe(ctx, address, logins)
		cancel()
		if err != nil {
			status = statusFailed
			fmt.Fprintf(out, "%s: %v\n", address, err)
			continue
		}
		fmt.Fprintf(out, "%s: ok\n", address)
	}
	if settings.root != "" {
		if _, err := folderOf(settings.root, "/"); err != nil {
			status = statusFailed
			fmt.Fprintf(out, "root: %v\n", err)
		}
	}
	if _, err := openCache(settings); err != nil {
		status = statusFailed
		fmt.Fprintf(out, "cache: %v. Run this check as the AuthorizedKeysCommandUser\n", err)
	}
	return status
}

func (service *service) probe(ctx context.Context, address string, logins bool) error {
	if logins {
		return service.checkLogins(ctx, address)
	}
	_, err := service.ask(ctx, http.MethodGet, address+"/authorized_keys?username=", "text/plain", nil)
	return err
}
