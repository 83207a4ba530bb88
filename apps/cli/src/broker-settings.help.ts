/** How commands that work on RabbitMQ find it. */
export const BROKER_SETTINGS = `
KEYFOLD_RABBITMQ_URL names RabbitMQ with a user who may do this, and the virtual host: amqp://<user>:<password>@<host>:5672/<virtual
host>; KEYFOLD_RABBITMQ_MANAGEMENT_URL its management API, for example http://<host>:15672, with the same user where it names none.
Each setting may also come from the file that <setting>_FILE names. No store is opened.`;
