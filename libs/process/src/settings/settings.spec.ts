import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { settingProblems } from '../../testing/setting-problems.js';
import { readSettings } from './read-settings.js';
import {
  apiSettings,
  brokerSettings,
  eventLogSettings,
  mongoSettings,
  mongoStoreOnly,
  projectorSettings,
  retentionSettings,
  sharedSecretSettings,
} from './settings.js';

const schema = z.object({
  ...mongoStoreOnly,
  ...mongoSettings,
  ...sharedSecretSettings,
  ...projectorSettings,
  ...brokerSettings,
});
const COMPLETE = {
  KEYFOLD_MONGODB_URI: 'mongodb://localhost:27017/keyfold?replicaSet=rs0',
  KEYFOLD_TOKEN_SECRET: 'a secret of at least 32 characters',
  KEYFOLD_SEALING_KEY: 'k1:7kHPEHiVD09lj+mji2UbxB+xfb2M1UIaBy9QtoSh5NM=',
};

const problemsOf = (environment: Record<string, string>) => settingProblems(schema, environment);

describe('the settings of a process on MongoDB', () => {
  it('need a connection string and both secrets; all others have defaults', () => {
    expect(readSettings(schema, COMPLETE)).toEqual({
      ...COMPLETE,
      KEYFOLD_STORE: 'mongodb',
      KEYFOLD_LEASE_SECONDS: 10,
      KEYFOLD_EVENT_LOG_DAYS: 90,
    });
  });

  it('say how to generate missing ones', () => {
    expect(problemsOf({})).toEqual([
      'KEYFOLD_MONGODB_URI: is required: mongodb://<host>:27017/<database>?replicaSet=<name>',
      'KEYFOLD_TOKEN_SECRET: is required with MongoDB, with the same value in every process. Generate one with "openssl rand -base64 48"',
      'KEYFOLD_SEALING_KEY: is required with MongoDB, with the same value in every process. Generate one with "echo k1:$(openssl rand -base64 32)"',
    ]);
  });

  it('refuse secrets that can be guessed, and say how to generate better ones', () => {
    expect(
      problemsOf({
        ...COMPLETE,
        KEYFOLD_TOKEN_SECRET: 'changeme'.repeat(5),
        KEYFOLD_SEALING_KEY: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      }),
    ).toEqual([
      'KEYFOLD_TOKEN_SECRET: repeats itself and can be guessed: generate one with "openssl rand -base64 48"',
      'KEYFOLD_SEALING_KEY: sealing key 1 repeats itself and can be guessed: put a new key before it (generate one with "openssl rand -base64 32"), then run "keyfold secrets reseal"',
    ]);
  });

  it('accept a weak sealing key after a strong one, so that its secrets can be resealed', () => {
    const weak = `weak:${Buffer.alloc(32, 7).toString('base64')}`;
    expect(problemsOf({ ...COMPLETE, KEYFOLD_SEALING_KEY: `${COMPLETE.KEYFOLD_SEALING_KEY},${weak}` })).toEqual([]);
  });

  it('accept a list of token secrets', () => {
    const list = `${COMPLETE.KEYFOLD_TOKEN_SECRET},another one of more than 32 characters`;
    expect(problemsOf({ ...COMPLETE, KEYFOLD_TOKEN_SECRET: list })).toEqual([]);
    expect(problemsOf({ ...COMPLETE, KEYFOLD_TOKEN_SECRET: `${list},short` })).toEqual([
      'KEYFOLD_TOKEN_SECRET: secret 3 of the list (commas separate secrets) needs at least 32 characters (256 bits): generate one with "openssl rand -base64 48"',
    ]);
  });

  it('accept no other store', () => {
    expect(problemsOf({ ...COMPLETE, KEYFOLD_STORE: 'sqlite' })).toEqual([
      'KEYFOLD_STORE: must be mongodb: only the standalone process ("npm start") can use sqlite',
    ]);
  });

  it('do not report a setting as missing if its file cannot be read', () => {
    const { KEYFOLD_TOKEN_SECRET: _, ...rest } = COMPLETE;
    expect(problemsOf({ ...rest, KEYFOLD_TOKEN_SECRET_FILE: '/missing/file' })).toEqual([
      'KEYFOLD_TOKEN_SECRET_FILE: cannot read /missing/file: ENOENT',
    ]);
  });
});

describe('a URL', () => {
  const [mongo, rabbit, api] = ['KEYFOLD_MONGODB_URI', 'KEYFOLD_RABBITMQ_URL', 'KEYFOLD_RABBITMQ_MANAGEMENT_URL'];

  it.each([
    [mongo, 'mongodb://one:27017/keyfold'],
    [mongo, 'mongodb://one,two:27018,[::1]:27019/keyfold?replicaSet=rs0'],
    [mongo, 'mongodb://user:p%40ss@one/keyfold?authSource=admin'],
    [mongo, 'mongodb+srv://cluster.example.net/keyfold'],
    [rabbit, 'amqp://localhost'],
    [rabbit, 'amqp://user:p%40s%2Fs@localhost:5672/keyfold'],
    [rabbit, 'amqps://user:pass@[::1]:5671/%2F?heartbeat=5'],
    [api, 'http://localhost:15672'],
    [api, 'https://user:p%40ss@broker.example.net/rabbit'],
  ])('in %s can be %s', (name, url) => {
    expect(problemsOf({ ...COMPLETE, [name]: url })).toEqual([]);
  });

  it.each([
    [mongo, 'localhost:27017/keyfold', 'must begin with mongodb://'],
    [mongo, 'http://localhost/keyfold', 'must begin with mongodb://'],
    [mongo, 'mongodb://localhost:27017', 'must name a database'],
    [mongo, 'mongodb://localhost:27017/', 'must name a database'],
    [mongo, 'mongodb://localhost:27017/?replicaSet=rs0', 'must name a database'],
    [mongo, 'mongodb:///keyfold', 'must name a database'],
    [mongo, 'mongodb://user:pass/word@localhost/keyfold', 'Write a slash in the password as %2F'],
    [rabbit, 'localhost:5672', 'must begin with amqp://'],
    [rabbit, 'http://user:pass-word@localhost', 'must begin with amqp://'],
    [rabbit, 'amqp://', 'is not a valid URL'],
    [rabbit, 'amqp://user:pass/word@localhost', '%2F'],
    [rabbit, 'amqp://user:1/word@localhost/keyfold', '%2F'],
    [rabbit, 'amqp://user:pa@ss-word@localhost', '%40'],
    [rabbit, 'amqp://localhost:port-word', 'is not a valid URL'],
    [rabbit, 'amqp://localhost/one/word', 'is not a valid URL'],
    [api, 'localhost:15672', ''],
    [api, 'amqp://localhost', ''],
    [api, 'http://user:pass/word@localhost', ''],
    [api, 'http://', ''],
  ])('in %s cannot be %s, and the problem does not repeat it', (name, url, text) => {
    const problems = problemsOf({ ...COMPLETE, [name]: url });
    expect(problems).not.toEqual([]);
    expect(problems.join('\n')).toContain(text);
    for (const problem of problems) expect(problem).toMatch(new RegExp(`^${name}: `));
    expect(problems.join('\n')).not.toMatch(/word@|-word/);
  });
});

describe('the retention of sessions', () => {
  it.each([
    ['', 90],
    ['0.001', 0.001],
    ['36500', 36_500],
  ])('"%s" is %d days', (KEYFOLD_SESSION_DAYS, days) => {
    expect(readSettings(z.object(retentionSettings), { KEYFOLD_SESSION_DAYS })).toEqual({ KEYFOLD_SESSION_DAYS: days });
  });

  it.each(['0', '36501', 'never', '-1'])('%s is invalid', (KEYFOLD_SESSION_DAYS) => {
    expect(() => readSettings(z.object(retentionSettings), { KEYFOLD_SESSION_DAYS })).toThrow(
      'KEYFOLD_SESSION_DAYS: must be a number of days from 0.001 to 36500',
    );
  });
});

describe('the days of the log of events', () => {
  const read = (KEYFOLD_EVENT_LOG_DAYS: string) => readSettings(z.object(eventLogSettings), { KEYFOLD_EVENT_LOG_DAYS });

  it.each([
    ['', 90],
    ['1', 1],
    ['36500', 36_500],
  ])('"%s" is %d days', (text, days) => {
    expect(read(text)).toEqual({ KEYFOLD_EVENT_LOG_DAYS: days });
  });

  it.each(['0', '36501', '1.5', 'never'])('%s is invalid', (text) => {
    expect(() => read(text)).toThrow('KEYFOLD_EVENT_LOG_DAYS: must be ');
  });
});

describe('the system names', () => {
  const read = (KEYFOLD_SYSTEM_NAMES = '') =>
    readSettings(z.object(apiSettings), { KEYFOLD_SYSTEM_NAMES }).KEYFOLD_SYSTEM_NAMES;

  it('default to those of systems and services, and of Keyfold', () => {
    expect(read()).toEqual(expect.arrayContaining(['root', 'sshd', 'postgres', 'keyfold']));
  });

  it.each([
    [' root, sshd ,,', ['root', 'sshd']],
    ['none', []],
    [' none ', []],
  ])('"%s" are %j', (text, names) => {
    expect(read(text)).toEqual(names);
  });
});

describe('the lease time', () => {
  it.each([
    ['1', 1],
    ['1.5', 1.5],
    ['3600', 3_600],
  ])('%s is %d seconds', (KEYFOLD_LEASE_SECONDS, seconds) => {
    expect(readSettings(schema, { ...COMPLETE, KEYFOLD_LEASE_SECONDS })).toMatchObject({
      KEYFOLD_LEASE_SECONDS: seconds,
    });
  });

  it.each(['0.9', '3601', 'soon', '-1'])('%s is invalid', (KEYFOLD_LEASE_SECONDS) => {
    expect(problemsOf({ ...COMPLETE, KEYFOLD_LEASE_SECONDS })).toEqual([
      'KEYFOLD_LEASE_SECONDS: must be a number of seconds from 1 to 3600',
    ]);
  });
});
