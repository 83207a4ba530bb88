import 'reflect-metadata';
import { DomainError } from '@keyfold/domain';
import { Body, Controller, ForbiddenException, Get, InternalServerErrorException, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EnvelopeFilter } from './envelope.filter.js';
import { Fault, Refusal } from './refusal.js';

class StoreGone extends Error {}

const errors: Record<string, unknown> = {
  refusal: new Refusal(401, 'no entry'),
  wait: new Refusal(429, 'later', { retryAfterSeconds: 0.2 }),
  domain: new DomainError('too-many-attempts', { retryAfterSeconds: 300 }),
  fault: new Fault(503, 'busy, secret', { retryAfterSeconds: 4.2 }),
  store: new StoreGone('mongodb://user:secret@db'),
  nest: new ForbiddenException('not here'),
  'nest-500': new InternalServerErrorException('secret path'),
  bug: new TypeError('secret detail'),
  text: 'a thrown text',
  address: new Refusal(400, 'from 10.1.2.3 <b>'),
};

@Controller()
class Thrower {
  @Get('throw/:name')
  never() {
    return null;
  }
  @Post('body')
  body(@Body() body: unknown) {
    return body;
  }
}

for (const [name, error] of Object.entries(errors)) {
  const method = `throw-${name}`;
  const fail = () => {
    throw error;
  };
  Object.defineProperty(Thrower.prototype, method, { value: fail, configurable: true });
  Get(`throws/${name}`)(Thrower.prototype, method, { value: fail });
}

@Module({ controllers: [Thrower] })
class ThrowingModule {}

describe('the envelope filter', () => {
  const logged: { errorId: string; error: unknown; path: string }[] = [];
  const recognised: string[] = [];
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await NestFactory.create(ThrowingModule, new FastifyAdapter({ bodyLimit: 20 }), { logger: false });
    app.useGlobalFilters(
      new EnvelopeFilter({
        mask: {
          ofRefusal: (message) => {
            const masked = message.replace('10.1.2.3', '********');
            return message.startsWith('from') ? setImmediate(masked) : masked;
          },
          ofFault: (message) => message.replace('secret', '******'),
        },
        logFault: (errorId, error, path) => logged.push({ errorId, error, path }),
        faults: (error, { id }) => {
          recognised.push(id);
          return error instanceof StoreGone ? new Fault(503, 'store is down', { retryAfterSeconds: 2 }) : undefined;
        },
        methodsOf: (path) => (path === '/body' ? ['POST', 'PUT'] : []),
      }),
    );
    await app.init();
  });
  afterAll(() => app.close());
  beforeEach(() => void logged.splice(0));

  const get = (url: string) => app.inject({ method: 'GET', url });
  const envelope = (code: number, message: string) => JSON.stringify({ code, message, data: null });

  it.each([
    ['refusal', 200, envelope(401, 'no entry'), undefined],
    ['wait', 200, envelope(429, 'later'), '1'],
    ['fault', 503, envelope(503, 'busy, ******'), '5'],
    ['store', 503, envelope(503, 'store is down'), '2'],
    ['nest', 403, envelope(403, 'not here'), undefined],
  ])('answers %s with HTTP %s', async (name, status, body, retryAfter) => {
    const answer = await get(`/throws/${name}`);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['retry-after']).toBe(retryAfter);
    expect(answer.body).toBe(body);
    expect(logged).toEqual([]);
  });

  it('answers a domain error from the error table', async () => {
    const answer = await get('/throws/domain');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['retry-after']).toBe('300');
    expect(answer.json()).toMatchObject({ code: 429, message: expect.stringMatching(/^Too many unsuccessful/) });
  });

  it.each(['bug', 'nest-500', 'text'])('answers %s with an error id and logs the error with that id', async (name) => {
    const answer = await get(`/throws/${name}?access_token=secret`);
    expect(answer.statusCode).toBe(500);
    const [entry] = logged;
    expect(answer.body).toBe(envelope(500, `internal error, id ${entry?.errorId}`));
    expect(entry?.error).toBe(errors[name]);
    expect(entry?.path).toBe(`/throws/${name}`);
  });

  it('passes the request to the fault lookup', async () => {
    recognised.splice(0);
    await get('/throws/store');
    expect(recognised).toEqual([expect.stringMatching(/^req-/)]);
  });

  it('masks and escapes the message, even if the patterns must be read first', async () => {
    expect((await get('/throws/address')).body).toBe(
      String.raw`{"code":400,"message":"from ******** \u003cb\u003e","data":null}`,
    );
  });

  it('answers an unknown path with 404 and does not quote it', async () => {
    const answer = await get('/nope/<x>?y');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['allow']).toBeUndefined();
    expect(answer.body).toBe(envelope(404, 'this path does not exist'));
  });

  it('answers an unsupported method with 405 and the methods of the path', async () => {
    const answer = await get('/body?x=1');
    expect(answer.statusCode).toBe(405);
    expect(answer.headers['allow']).toBe('POST, PUT');
    expect(answer.json()).toMatchObject({ code: 405, data: null });
  });

  it('answers HEAD without a body', async () => {
    for (const [url, status] of [
      ['/nope', 404],
      ['/body', 405],
    ] as const) {
      const answer = await app.inject({ method: 'HEAD', url });
      expect(answer.statusCode).toBe(status);
      expect(answer.body).toBe('');
    }
  });

  it('answers 413 to a body over the limit and 400 to a body that Fastify cannot parse', async () => {
    const headers = { 'content-type': 'application/json' };
    const large = await app.inject({ method: 'POST', url: '/body', headers, payload: `"${'x'.repeat(30)}"` });
    expect(large.statusCode).toBe(413);
    expect(large.json()).toMatchObject({ code: 413, data: null });
    const broken = await app.inject({ method: 'POST', url: '/body', headers, payload: '{' });
    expect(broken.statusCode).toBe(400);
    expect(broken.json()).toMatchObject({ code: 400, data: null });
  });
});
