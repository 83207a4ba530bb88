"""Maintains a table of SSH keys from Keyfold's events, see README.md."""
import os
import re
import signal
import sqlite3
import sys
import threading

import pika

URL = os.environ.get("KEYFOLD_RABBITMQ_URL", "amqp://guest:guest@localhost")
QUEUE = os.environ.get("KEYFOLD_QUEUE", "sftp.keyfold-events")
BINDINGS = os.environ.get("KEYFOLD_BINDINGS", "ssh-key.# account.#").split()
# A single active consumer keeps the order. RabbitMQ drops messages redelivered more often than the limit.
QUEUE_ARGUMENTS = {"x-queue-type": "quorum", "x-single-active-consumer": True, "x-delivery-limit": 1_000_000}
SCHEMA = """PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS seen (stream TEXT PRIMARY KEY, version INTEGER, event_index INTEGER);
CREATE TABLE IF NOT EXISTS history (number INTEGER PRIMARY KEY, id TEXT, type TEXT, data TEXT);
CREATE TABLE IF NOT EXISTS keys (id PRIMARY KEY, account, public_key, expires);
CREATE TABLE IF NOT EXISTS disabled (account PRIMARY KEY);"""
# Changes a row only if the event is newer than all events already seen in its stream.
ADVANCE = """INSERT INTO seen VALUES (:stream, :version, :index) ON CONFLICT (stream) DO UPDATE
    SET version = :version, event_index = :index WHERE (:version, :index) > (version, event_index)"""
# Effect of each event type. Other and unknown types are only added to the history.
EFFECTS = {
    "ssh-key.added": """REPLACE INTO keys
        SELECT :data ->> 'keyId', :data ->> 'accountId', :data ->> 'publicKey', :data ->> 'expires'""",
    "ssh-key.expiry-changed": "UPDATE keys SET expires = :data ->> 'expires' WHERE id = :data ->> 'keyId'",
    "ssh-key.removed": "DELETE FROM keys WHERE id = :data ->> 'keyId'",
    "account.registered": "REPLACE INTO disabled SELECT :data ->> 'accountId' WHERE :data ->> 'disabled'",
    "account.disabled": "REPLACE INTO disabled SELECT :data ->> 'accountId'",
    "account.enabled": "DELETE FROM disabled WHERE account = :data ->> 'accountId'",
    "account.deleted": "DELETE FROM keys WHERE account = :data ->> 'accountId'",
}


def handle(db, channel, delivery, headers, body):
    id, type, data = headers.get("cloudEvents_id"), headers.get("cloudEvents_type"), body.decode(errors="replace")
    match = isinstance(id, str) and re.fullmatch(r"(.+):(\d{1,15}):(\d{1,9})", id, re.ASCII)
    if not match or not isinstance(type, str) or not db.execute("SELECT 1 WHERE json_valid(?)", (data,)).fetchone():
        print("rejected a message that is not a Keyfold event", file=sys.stderr)
        return channel.basic_reject(delivery.delivery_tag, requeue=False)
    seen = {"stream": match[1], "version": int(match[2]), "index": int(match[3])}
    with db:  # Stores effect and progress in one transaction: both or neither.
        is_new = db.execute(ADVANCE, seen).rowcount > 0
        if is_new:
            db.execute("INSERT INTO history (id, type, data) VALUES (?, ?, ?)", (id, type, data))
            db.execute(EFFECTS.get(type, "SELECT :data"), {"data": data})
    if is_new:
        print(f"applied {id} {type}", flush=True)
    channel.basic_ack(delivery.delivery_tag)


def subscribe(db):
    """Handles messages sequentially until any failure. Unacknowledged messages are redelivered in order."""
    with pika.BlockingConnection(pika.URLParameters(URL)) as connection:
        channel = connection.channel()
        channel.queue_declare(QUEUE, durable=True, arguments=QUEUE_ARGUMENTS)
        for binding in BINDINGS:
            channel.queue_bind(QUEUE, "keyfold.events", binding)
        channel.basic_qos(prefetch_count=1)  # pika returns prefetched messages ahead of the current one, which breaks the order.
        for delivery, properties, body in channel.consume(QUEUE, inactivity_timeout=1):
            if delivery:
                handle(db, channel, delivery, properties.headers or {}, body)
            if stopping.is_set():
                return


stopping = threading.Event()
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: stopping.set())
database = sqlite3.connect(os.environ.get("DATABASE", "keys.db"))
database.executescript(SCHEMA)
while not stopping.is_set():
    try:
        subscribe(database)
    except (pika.exceptions.AMQPError, sqlite3.Error, OSError) as error:
        print(repr(error), file=sys.stderr)
    stopping.wait(1)
database.close()
