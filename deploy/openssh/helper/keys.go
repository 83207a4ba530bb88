package main

import (
	"errors"
	"fmt"
	"io"
)

// printKeys prints the offered key if Keyfold lets it log in as the user, or if Keyfold is away and did so before. The key is an offer: the
// client has not proved that it has the private half.
func printKeys(settings settings, log *logger, out io.Writer, user, kind, blob string) int {
	if err := checkUser(user); err != nil {
		log.warning("refused user %.64q: %v", user, err)
		return statusOK
	}
	key, err := parseKey(kind, blob)
	if err != nil {
		log.warning("refused a key of user %q: %v", user, err)
		return statusOK
	}
	service, err := newService(settings)
	if err != nil {
		log.failure("cannot ask Keyfold: %v", err)
		return statusFailed
	}
	cache, err := openCache(settings)
	if err != nil {
		log.failure("the cache is not used: %v", err)
	}
	entry := cache.entryOf(user, key)
	defer entry.close()
	granted, err := service.grants(user, key)
	switch {
	case err == nil && granted:
		if err := entry.store(); err != nil {
			log.failure("cannot write to the cache: %v", err)
		}
	case err == nil:
		if err := entry.remove(); err != nil {
			log.failure("cannot delete from the cache, so the key may work again while Keyfold is away: %v", err)
		}
		return statusOK
	case errors.Is(err, errTokenRefused):
		log.failure("refused a key of user %q: %v", user, err)
		return statusFailed
	default:
		age, cached := entry.read()
		if !cached {
			log.failure("refused a key of user %q, because Keyfold is not available and the key is not in the cache: %v", user, err)
			return statusFailed
		}
		log.warning("accepted a key of user %q from the cache, checked %v ago, because Keyfold is not available: %v", user, age, err)
	}
	fmt.Fprintf(out, "%s %s\n", key.kind, key.blob)
	return statusOK
}
