package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// check asks every address for the keys of nobody and prints the outcomes.
func check(settings settings, out io.Writer) int {
	service, err := newService(settings)
	if err != nil {
		fmt.Fprintln(out, err)
		return statusFailed
	}
	status := statusOK
	for _, address := range settings.addresses {
		ctx, cancel := context.WithTimeout(context.Background(), settings.timeout)
		_, err := service.ask(ctx, http.MethodGet, address+"/authorized_keys?username=", "text/plain", nil)
		cancel()
		if err != nil {
			status = statusFailed
			fmt.Fprintf(out, "%s: %v\n", address, err)
			continue
		}
		fmt.Fprintf(out, "%s: ok\n", address)
	}
	if _, err := openCache(settings); err != nil {
		status = statusFailed
		fmt.Fprintf(out, "cache: %v. Run this check as the AuthorizedKeysCommandUser\n", err)
	}
	return status
}
