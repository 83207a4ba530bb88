import { expect, it } from 'vitest';
import { loggedError, maskSecrets } from './create-log.js';

it.each([
  ['connect to mongodb://keyfold:p%40ss@db:27017/keyfold failed', 'connect to mongodb://***@db:27017/keyfold failed'],
  ['{"err":"amqps://guest:guest@mq/%2F: no"}', '{"err":"amqps://***@mq/%2F: no"}'],
  ['mongodb://keyfold:p@ss@db is no address', 'mongodb://***@db is no address'],
  ['http://:token@collector:4318/v1/traces', 'http://***@collector:4318/v1/traces'],
  ['Authorization: eyJhbGciOiJIUzI1NiJ9.eyJ1c2VybmFtZSI6ImFubiJ9.c2lnbmF0dXJl', 'Authorization: ***'],
  ['Authorization: openlist-0f8fad5b-d9cb-469f-a165-70867728950eAbC123', 'Authorization: ***'],
  [`Authorization: Bearer kf_${'0'.repeat(42)}`, 'Authorization: Bearer ***'],
  ['PASS 7k3m-9qxa-0b2c-d4ef-5gh6', 'PASS ***'],
  ['{"password":"7K3M-9QXA-0B2C-D4EF-5GH6"}', '{"password":"***"}'],
  ['"hash":"$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g"', '"hash":"***"'],
])('%s is written as %s', (line, expected) => {
  expect(maskSecrets(line)).toBe(expected);
});

it.each([
  '{"url":"http://0.0.0.0:5244","msg":"ready"}',
  '{"errorId":"0f8fad5b-d9cb-469f-a165-70867728950e"}',
  '7k3m-9qxa-0b2c-d4ef-5gh6-7jk8 is too long for an app password',
  'http://localhost:5244/docs?mail=ann@example.com',
  'RabbitMQ at mq:5672 is unavailable, events stay in the store: connect ECONNREFUSED 127.0.0.1:5672',
])('%s is not changed', (line) => {
  expect(maskSecrets(line)).toBe(line);
});

it('an error is logged with its type, code, message and causes, and without its other fields', () => {
  const cause = new Error('E11000 duplicate key');
  const error = Object.assign(new RangeError('cannot be stored', { cause }), {
    code: 11_000,
    document: { sealed: 'something secret' },
  });
  const logged = loggedError(error);
  expect(logged).toMatchObject({
    type: 'RangeError',
    code: 11_000,
    message: expect.stringContaining('cannot be stored'),
  });
  expect((logged as { stack: string }).stack).toContain('E11000 duplicate key');
  expect(JSON.stringify(logged)).not.toContain('secret');
});

it('an error of several addresses has no message of its own and is logged with the messages of all', () => {
  const refused = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:5672`));
  expect(loggedError(new AggregateError(refused))).toMatchObject({
    type: 'AggregateError',
    message: 'connect ECONNREFUSED ::1:5672; connect ECONNREFUSED 127.0.0.1:5672',
  });
});

it('a thrown value that is not an error is logged unchanged', () => {
  expect(loggedError('gone')).toBe('gone');
});
