/** The part of a help text that says how commands find RabbitMQ. */
export const BROKER_SETTINGS = `
KEYFOLD_RABBITMQ_URL names RabbitMQ, a user with the necessary permissions, and the virtual host:
amqp://<user>:<password>@<host>:5672/<virtual host>. KEYFOLD_RABBITMQ_MANAGEMENT_URL names its management API, for example
http://<host>:15672; without a user it uses the same one. Each setting can also come from the file that <setting>_FILE names. These
commands open no store.`;
