import { connect } from 'amqplib';
import { beforeEach, describe, expect, it } from 'vitest';
import { keyfoldHere } from '../support/cli-in-process.js';
import { keyfold } from '../support/cli.js';
import { lastingPort } from '../support/lasting-port.js';
import { freshBroker, type FreshBroker } from '../support/rabbitmq/fresh-broker.js';
import { limitedUser } from '../support/rabbitmq/limited-user.js';

let broker: FreshBroker;
const topology = (command: 'apply' | 'diff', env: Record<string, string> = {}, run = keyfoldHere) =>
  run(
    { KEYFOLD_RABBITMQ_URL: broker.url, KEYFOLD_RABBITMQ_MANAGEMENT_URL: broker.managementUrl, ...env },
    'topology',
    command,
  );

beforeEach(async () => {
  broker = await freshBroker();
});

/** Creates a queue by other means, like an operator. */
async function makeQueue(name: string, options: object): Promise<void> {
  const connection = await connect(broker.url);
  await (await connection.createChannel()).assertQueue(name, options);
  await connection.close();
}

describe('keyfold topology', () => {
  it('diff reports what is missing, apply creates it, and then diff is empty', async () => {
    expect(await topology('diff', {}, keyfold)).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^missing {4}queue keyfold\.commands\.q$(.|\n)*^15 objects: 15 missing$/m),
    });
    expect(await topology('apply', {}, keyfold)).toMatchObject({
      status: 0,
      out: expect.stringContaining('15 objects: 15 created'),
    });
    for (const command of ['diff', 'apply'] as const)
      expect(await topology(command)).toMatchObject({
        status: 0,
        out: expect.stringContaining('15 objects: 15 same'),
        err: '',
      });
  });

  it('reports a conflict and creates the rest', async () => {
    await makeQueue('keyfold.rpc', { durable: true });
    const { status, out, err } = await topology('apply');
    expect({ status, err }).toEqual({ status: 1, err: '' });
    expect(out).toMatch(/^different {2}queue keyfold\.rpc\n +inequivalent arg/m);
    expect(out).toContain('15 objects: 14 created, 1 different');
  });

  it('prints the commands that set the policies if there is no management API', async () => {
    const { status, out, err } = await topology('apply', { KEYFOLD_RABBITMQ_MANAGEMENT_URL: '' });
    expect(status).toBe(0);
    expect(out).toMatch(/^ +rabbitmqctl set_operator_policy .* keyfold-subscriber-limits '\^\(\?!keyfold/m);
    expect(err).toContain('KEYFOLD_RABBITMQ_MANAGEMENT_URL');
  });

  it('fails if RabbitMQ refuses the user, even without the management API', async () => {
    await topology('apply');
    const env = { KEYFOLD_RABBITMQ_URL: await limitedUser(broker, {}), KEYFOLD_RABBITMQ_MANAGEMENT_URL: '' };
    for (const command of ['diff', 'apply'] as const) {
      const { status, out } = await topology(command, env);
      expect(status).toBe(1);
      expect(out).toMatch(/^refused {4}queue keyfold\.rpc\n +access to .* refused .*: grant the user/m);
    }
  });

  it('fails in one line without the password if RabbitMQ is down or refuses the user', async () => {
    const away = `amqp://guest:hidden-word@127.0.0.1:${await lastingPort()}`;
    const refused = broker.url.replace(/\/\/[^@]*@/, '//guest:hidden-word@');
    for (const [url, reason] of [
      [away, 'ECONNREFUSED'],
      [refused, 'ACCESS'],
    ] as const) {
      const { status, out, err } = await topology('diff', { KEYFOLD_RABBITMQ_URL: url });
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toMatch(/^keyfold: cannot connect to RabbitMQ at 127\.0\.0\.1:\d+: [^\n]*\n$/);
      expect(err).toContain(reason);
      expect(err).not.toContain('hidden-word');
    }
  });

  it('reports what it cannot check because the management API refuses the user', async () => {
    const managementUrl = broker.managementUrl.replace(/\/\/[^@]*@/, '//guest:hidden-word@');
    await topology('apply');
    for (const command of ['diff', 'apply'] as const) {
      const { status, out, err } = await topology(command, { KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl });
      expect(status).toBe(1);
      expect(err).toMatch(
        command === 'diff'
          ? /^cannot compare 8 objects: the user needs the tag policymaker/
          : /^cannot compare 5 objects: /,
      );
      expect(out).toMatch(
        /^unknown {4}policy keyfold-event-log-limits\n +the management API at 127\.0\.0\.1:\d+ refused the request: 401.*\n +To set this one:\n +rabbitmqctl set_policy -p \S+ /m,
      );
      expect(out.match(/^ +rabbitmqctl set_(operator_)?policy /gm)).toHaveLength(4);
      expect(out).toMatch(/^same {7}queue keyfold\.commands\.q$/m);
      expect(out).not.toContain('hidden-word');
    }
  });

  it('says that the management API does not answer, and names no tags', async () => {
    const managementUrl = `http://127.0.0.1:${await lastingPort()}`;
    const { status, err } = await topology('diff', { KEYFOLD_RABBITMQ_MANAGEMENT_URL: managementUrl });
    expect(status).toBe(1);
    expect(err).toBe(
      'cannot compare 8 objects: KEYFOLD_RABBITMQ_MANAGEMENT_URL leads to no management API that answers. ' +
        'Fix this, or run the printed rabbitmqctl lines and unset KEYFOLD_RABBITMQ_MANAGEMENT_URL\n',
    );
  });
});
