// Maintains a table of SSH keys from Keyfold's events, see README.md. The table is in keys.go.
package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// A single active consumer keeps the order. RabbitMQ drops messages redelivered more often than the limit.
var queueArguments = amqp.Table{"x-queue-type": "quorum", "x-single-active-consumer": true, "x-delivery-limit": 1_000_000}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	keys, err := openKeyTable(cmp.Or(os.Getenv("DATABASE"), "keys.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer keys.Close()
	for ctx.Err() == nil {
		log.Print(subscribe(ctx, keys))
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// Handles messages sequentially until any failure. Unacknowledged messages are redelivered in order.
func subscribe(ctx context.Context, keys *sql.DB) error {
	connection, err := amqp.Dial(cmp.Or(os.Getenv("KEYFOLD_RABBITMQ_URL"), "amqp://localhost"))
	if err != nil {
		return err
	}
	defer connection.Close()
	messages, err := consume(connection, cmp.Or(os.Getenv("KEYFOLD_QUEUE"), "sftp.keyfold-events"))
	for err == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case message, open := <-messages:
			if !open {
				return errors.New("the broker cancelled the consumer")
			}
			err = handle(keys, message)
		}
	}
	return err
}

func consume(connection *amqp.Connection, queue string) (<-chan amqp.Delivery, error) {
	bindings, given := os.LookupEnv("KEYFOLD_BINDINGS")
	if !given {
		bindings = "ssh-key.# account.#"
	}
	defer time.AfterFunc(10*time.Second, func() { connection.Close() }).Stop() // A starting broker may not answer.
	channel, err := connection.Channel()
	if err != nil {
		return nil, err
	}
	_, err = channel.QueueDeclare(queue, true, false, false, false, queueArguments)
	for _, binding := range strings.Fields(bindings) {
		err = errors.Join(err, channel.QueueBind(queue, binding, "keyfold.events", false, nil))
	}
	if err = errors.Join(err, channel.Qos(100, 0, false)); err != nil {
		return nil, err
	}
	return channel.Consume(queue, "", false, false, false, false, nil)
}
