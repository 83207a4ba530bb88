package main

import (
	"database/sql"
	"log"
	"regexp"

	amqp "github.com/rabbitmq/amqp091-go"
	_ "modernc.org/sqlite"
)

const schema = `CREATE TABLE IF NOT EXISTS seen (stream TEXT PRIMARY KEY, version INTEGER, event_index INTEGER);
	CREATE TABLE IF NOT EXISTS history (number INTEGER PRIMARY KEY, id TEXT, type TEXT, data TEXT);
	CREATE TABLE IF NOT EXISTS keys (id PRIMARY KEY, account, public_key, expires); CREATE TABLE IF NOT EXISTS disabled (account PRIMARY KEY);`

// Changes a row only if the event is newer than all events already seen in its stream.
const advance = `INSERT INTO seen VALUES (?1, ?2, ?3) ON CONFLICT (stream) DO UPDATE
	SET version = ?2, event_index = ?3 WHERE (?2, ?3) > (version, event_index)`

// Effect of each event type. Other and unknown types are only added to the history.
var effects = map[string]string{
	"ssh-key.added":          "REPLACE INTO keys SELECT ?1 ->> 'keyId', ?1 ->> 'accountId', ?1 ->> 'publicKey', ?1 ->> 'expires'",
	"ssh-key.expiry-changed": "UPDATE keys SET expires = ?1 ->> 'expires' WHERE id = ?1 ->> 'keyId'",
	"ssh-key.removed":        "DELETE FROM keys WHERE id = ?1 ->> 'keyId'",
	"account.registered":     "REPLACE INTO disabled SELECT ?1 ->> 'accountId' WHERE ?1 ->> 'disabled'",
	"account.disabled":       "REPLACE INTO disabled SELECT ?1 ->> 'accountId'",
	"account.enabled":        "DELETE FROM disabled WHERE account = ?1 ->> 'accountId'",
	"account.deleted":        "DELETE FROM keys WHERE account = ?1 ->> 'accountId'",
}
var eventID = regexp.MustCompile(`^(.+):(\d{1,15}):(\d{1,9})$`)

func openKeyTable(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	if err == nil {
		_, err = db.Exec(schema)
	}
	return db, err
}

// Acknowledges a message once its effect is stored or was stored before. Rejects messages that Keyfold cannot have sent.
func handle(keys *sql.DB, message amqp.Delivery) error {
	id, _ := message.Headers["cloudEvents_id"].(string)
	kind, _ := message.Headers["cloudEvents_type"].(string)
	seen, data, valid := eventID.FindStringSubmatch(id), string(message.Body), false
	if err := keys.QueryRow("SELECT json_valid(?)", data).Scan(&valid); err != nil {
		return err
	}
	if seen == nil || kind == "" || !valid {
		log.Print("rejected a message that is not a Keyfold event")
		return message.Reject(false)
	}
	if err := apply(keys, id, kind, data, seen); err != nil {
		return err
	}
	return message.Ack(false)
}

// Stores effect and progress in one transaction: both or neither.
func apply(keys *sql.DB, id, kind, data string, seen []string) error {
	tx, err := keys.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	result, err := tx.Exec(advance, seen[1], seen[2], seen[3])
	if err != nil {
		return err
	}
	if rows, err := result.RowsAffected(); rows == 0 {
		return err
	}
	if _, err = tx.Exec("INSERT INTO history (id, type, data) VALUES (?2, ?3, ?1);"+effects[kind], data, id, kind); err == nil {
		err = tx.Commit()
	}
	if err == nil {
		log.Printf("applied %s %s", id, kind)
	}
	return err
}
