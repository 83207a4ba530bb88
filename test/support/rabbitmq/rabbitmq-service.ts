import { connect } from 'node:net';
import { managementApi } from './management-api.js';

/**
 * The RabbitMQ of the tests: its addresses with user and password but no virtual host, and a function that releases it.
 */
export type RabbitmqService = Readonly<{ url: string; managementUrl: string; stop: () => Promise<void> }>;

const LOCAL = 'amqp://guest:guest@127.0.0.1:5672';
/** RabbitMQ's default: 5672 and 15672. */
const MANAGEMENT_OFFSET = 10_000;
const GIVEN_TIMEOUT = 10_000;
const LOCAL_TIMEOUT = 500;

/**
 * Finds the RabbitMQ of a test run: that of `RABBITMQ_URL`, else one on the default port of this machine, else a
 * private node. Prints which one it uses. Rejects with a one-line error that names what is missing.
 */
export async function findRabbitmq(given = process.env['RABBITMQ_URL']): Promise<RabbitmqService> {
  if (given) return foreign(given, 'RABBITMQ_URL', GIVEN_TIMEOUT);
  const local = await foreign(LOCAL, LOCAL.replace('guest:guest@', ''), LOCAL_TIMEOUT).catch(() => undefined);
  return local ?? privateNode();
}

async function privateNode(): Promise<RabbitmqService> {
  // Imported here, because the module needs rabbitmq-server, which the other two ways do not.
  const { RabbitmqNode, rabbitmqPrograms } = await import('./rabbitmq-node.js');
  const programs = rabbitmqPrograms();
  const node = await RabbitmqNode.start();
  report(`private node, rabbitmq-server from ${programs}`);
  return { url: node.url, managementUrl: node.managementUrl, stop: () => node.dispose() };
}

async function foreign(url: string, origin: string, timeout: number): Promise<RabbitmqService> {
  const { hostname, port, username, password, protocol } = new URL(url);
  const amqpPort = Number(port || (protocol === 'amqps:' ? 5671 : 5672));
  await reachable(hostname, amqpPort, timeout).catch((error: Error) => {
    throw new Error(`RabbitMQ: ${origin} cannot be used: ${error.message}`, { cause: error });
  });
  const managementUrl =
    process.env['RABBITMQ_MANAGEMENT_URL'] ??
    `http://${username || 'guest'}:${password || 'guest'}@${hostname}:${amqpPort + MANAGEMENT_OFFSET}`;
  await managementApi(managementUrl)('GET', '/overview', undefined, timeout).catch((error: Error) => {
    throw new Error(
      `RabbitMQ: ${origin} cannot be used: tests make virtual hosts through its management API, which cannot be ` +
        `used (${error.message}): enable the plugin rabbitmq_management, and set RABBITMQ_MANAGEMENT_URL where its port is not ` +
        `that of AMQP and ${MANAGEMENT_OFFSET}`,
      { cause: error },
    );
  });
  report(`the broker of ${origin}`);
  return { url, managementUrl, stop: async () => {} };
}

const report = (what: string) => console.log(`RabbitMQ: ${what}`);

function reachable(host: string, port: number, timeout: number): Promise<void> {
  const socket = connect(port, host);
  return new Promise<void>((answer, fail) => {
    socket.setTimeout(timeout, () => fail(new Error(`no answer within ${timeout} ms`)));
    socket.once('error', fail).once('connect', answer);
  }).finally(() => socket.destroy());
}
