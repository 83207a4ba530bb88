import { expect, it } from 'vitest';
import { masked } from './masked.js';

it.each([
  ['connect to mongodb://keyfold:p%40ss@db:27017/keyfold failed', 'connect to mongodb://***@db:27017/keyfold failed'],
  ['{"err":"amqps://guest:guest@mq/%2F: no"}', '{"err":"amqps://***@mq/%2F: no"}'],
  ['mongodb://keyfold:p@ss@db is no address', 'mongodb://***@db is no address'],
  ['http://:token@collector:4318/v1/traces', 'http://***@collector:4318/v1/traces'],
  ['Authorization: eyJhbGciOiJIUzI1NiJ9.eyJ1c2VybmFtZSI6ImFubiJ9.c2lnbmF0dXJl', 'Authorization: ***'],
  ['Authorization: openlist-0f8fad5b-d9cb-469f-a165-70867728950eAbC123', 'Authorization: ***'],
  ['"hash":"$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g"', '"hash":"***"'],
])('%s is written as %s', (line, expected) => {
  expect(masked(line)).toBe(expected);
});

it.each([
  '{"url":"http://0.0.0.0:5244","msg":"ready"}',
  'http://localhost:5244/docs?mail=ann@example.com',
  'RabbitMQ at mq:5672 is away, events wait in the store: connect ECONNREFUSED 127.0.0.1:5672',
])('%s stays as it is', (line) => {
  expect(masked(line)).toBe(line);
});
