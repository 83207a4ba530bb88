import { QueryBus } from '@nestjs/cqrs';
import { GetSettingsQuery, isAdmin, isGuest, STATIC_TOKEN_KEY } from '@keyfold/application';
import { Fault } from '@keyfold/http-envelope';
import {
  FORWARDER,
  LOCKED,
  OpenListRefused,
  OpenListUnavailable,
  type MirroredIds,
  type OpenListApi,
} from '@keyfold/openlist';
import { RepeatedLine, type Sample } from '@keyfold/process';
import { Logger } from '@nestjs/common';
import { traceparentOf } from '@keyfold/event-store';
import { errors } from 'undici';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Forwarding, type ForwardingServer, type ForwardingWatch } from '../http/forwarding.js';
import { answerClientError } from '../http/client-errors.js';
import type { BoundedRequest } from '../http/bounded-request.js';
import type { Dispatch } from '../http/limit-pipelining.js';
import { headFault } from '../http/routing.js';
import { ClientAddress } from '../request/client-address.js';
import {
  askForBody,
  begunBody,
  discardRest,
  ForwardedBody,
  hasBody,
  hasLargeBody,
  IDLE_TIME,
  receivedBody,
  REPEATABLE_BODY,
  REQUEST_TIME,
} from './exchange/forwarded-body.js';
import { requestHeaders, type Sender } from './exchange/forwarded-headers.js';
import {
  holdLoginRefusals,
  holdNothing,
  holdTokenRefusals,
  isTokenRefused,
  tokenNotTaken,
} from './exchange/refused-token.js';
import { OutdatedLogin, Relay, RETRY_AFTER, type HeldAnswer, type Holding, type Relayed } from './exchange/relay.js';
import { Upstream, type Outgoing } from './exchange/upstream.js';
import { ExchangeWatch } from './exchange-watch.js';
import { ForwardedRequest } from './forwarded-request.js';
import { ForwardingCounts, outcomeOf } from './forwarding-counts.js';
import { forwardedRow, type ForwardedRow, type UserPart } from './forwarding-table.js';
import { Identities, type Identity } from './identity.js';
import { holdMetas, METAS_BYTES, withAccounts, withUsers } from './meta-users.js';
import { refusalAnswer, refuse } from './refusal-answer.js';
import { holdSettings, SETTINGS_BYTES, safeSettings, withOwnToken } from './setting-token.js';

/** How long OpenList may take to answer before this is worth a warning (milliseconds). */
const CHECK_TIME = 2_000;
/** Methods that a client could repeat as well (RFC 9110 section 9.2.1, RFC 4918). */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND'];
/** How often a request is sent while its account keeps changing, and how often its login is looked up before it can be sent in time. */
const ATTEMPTS = 5;
/** OpenList counts each refused login, and locks the address after five. */
const LOGIN_ATTEMPTS = 2;

const sentTooLate = () => new Fault(503, 'the request could not be sent in time', { retryAfterSeconds: RETRY_AFTER });

type Client = Readonly<{ request: ForwardedRequest; response: ServerResponse; row: ForwardedRow }>;
/** A large body is passed on as it arrives, and can be sent only once. */
type Body = Buffer | ForwardedBody | null;

/** Forwards requests to OpenList for the callers that this service identifies. */
export class OpenListForwarding extends Forwarding {
  readonly #counts = new ForwardingCounts();
  readonly #log = new Logger('OpenList');
  readonly #repeated = new RepeatedLine();
  readonly #upstream: Upstream;
  readonly #watch: ExchangeWatch;
  #isRoute = (_path: string): boolean => true;

  constructor(
    private readonly settings: Readonly<{ url: string; hstsSeconds: number }>,
    private readonly api: Pick<OpenListApi, 'availability' | 'forwarder' | 'loginAddress' | 'metaUsers' | 'takesToken'>,
    private readonly identities: Pick<Identities, 'of' | 'renewed' | 'hasAccess'>,
    private readonly addresses: ClientAddress,
    private readonly queryBus: QueryBus,
    private readonly ids: MirroredIds,
  ) {
    super();
    this.#upstream = new Upstream(settings.url);
    this.#watch = new ExchangeWatch(identities);
  }

  open({ server, filter, isRoute }: ForwardingServer, { count, traces }: ForwardingWatch): Dispatch {
    // Long uploads must not end. Requests that stay here have a timer.
    server.requestTimeout = 0;
    // Otherwise Node asks for every body before anybody has looked at the request.
    server.on('checkContinue', (request, response) => server.emit('request', request, response));
    this.#isRoute = isRoute;
    return (message, response) => {
      const row = this.#rowOf(message);
      if (row === undefined) return receiveOwn(message, response);
      (message as BoundedRequest).countsPieces = row instanceof Fault || mayRewriteBody(row) || !hasLargeBody(message);
      return () => {
        count(message, response);
        const request = new ForwardedRequest(message, this.addresses);
        const forward = () =>
          void this.#forward(request, response, row).catch((error) => {
            this.#counts.ended(outcomeOf(error));
            // The client has gone, or has a part of the answer that it must not take for the whole.
            if (response.closed || response.headersSent) return void message.socket.destroy();
            const refused = { request, row: row instanceof Fault ? undefined : row };
            refuse(request, response, refusalAnswer(refused, error, filter, this.settings.hstsSeconds));
          });
        if (!traces) return forward();
        const { method, protocol, headers } = request;
        const trace = traces.begin({ method, scheme: protocol, traceparent: traceparentOf(headers['traceparent']) });
        response.once('close', () =>
          trace.end({ route: 'openlist', status: response.writableFinished ? response.statusCode : undefined }),
        );
        trace.run(forward);
      };
    };
  }

  check(): Promise<string | undefined> {
    const isLate = sleep(CHECK_TIME, 'OpenList does not answer in time', { ref: false });
    return Promise.race([this.api.availability.check(), isLate]);
  }

  samples(): Sample[] {
    return this.#counts.samples();
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }

  #rowOf(message: IncomingMessage): ForwardedRow | Fault | undefined {
    if (message.headers[FORWARDER] !== this.api.forwarder) return rowOrFault(message, this.#isRoute);
    this.#repeated.write('loop', (omitted) =>
      this.#log.error(
        { omitted },
        'KEYFOLD_OPENLIST_URL leads back to Keyfold. Set it to the address of OpenList, and restart',
      ),
    );
    return new Fault(508, 'the address of the file server leads back to this service');
  }

  async #forward(request: ForwardedRequest, response: ServerResponse, row: ForwardedRow | Fault): Promise<void> {
    if (row instanceof Fault) throw row;
    this.api.availability.requireOpenList();
    const arrivedAt = performance.now();
    const client = { request, response, row };
    const found = this.identities.of(request, row);
    let identity = found instanceof Promise ? await found : found;
    if (!response.closed) response.once('close', this.#watch.add(identity, request, row));
    const isLarge = isStreamed(client, identity);
    // A large body can be sent only once.
    if (isLarge && row.speaker !== 'login' && identity.secret === 'mirror')
      identity = await this.#withTakenToken(identity, request, row);
    const identified = performance.now();
    askForBody(request.raw, response);
    const isKnown = isIdentified(identity);
    const body = isLarge
      ? await begunBody(request.raw, isKnown ? IDLE_TIME : REQUEST_TIME, isKnown || isUpload(client) ? 'begin' : 'end')
      : await this.#bodyOf(client, identity);
    // The time in which the client sent its body is not ours.
    const startedAt = performance.now() - (identified - arrivedAt);
    let answer: Relayed;
    try {
      // The account may have changed while the client let its body wait.
      if (isLarge) identity = await this.identities.of(request, row);
      answer = await this.#answered(client, identity, body, startedAt);
    } finally {
      if (body instanceof ForwardedBody) body.destroy();
    }
    const relayed = typeof answer === 'string' ? answer : await this.#passOn(client, identity, answer);
    discardRest(request.raw, response);
    this.#counts.ended(relayed);
  }

  /** Returns the answer, which OpenList gave to a token that it takes. */
  async #answered(client: Client, identity: Identity, body: Body, startedAt: number): Promise<Relayed> {
    const { request, row } = client;
    const attempts = row.speaker === 'login' ? LOGIN_ATTEMPTS : ATTEMPTS;
    let used = identity;
    for (let refused = 0, outdated = 0, locks = 0; ;) {
      const answer = await this.#sent(client, used, body, startedAt).catch(ifOutdated);
      if (!answer) {
        if (++outdated === ATTEMPTS) throw sentTooLate();
        used = await this.identities.of(request, row);
        continue;
      }
      if (typeof answer === 'string' || used.secret === undefined) return answer;
      // The answer of a storage provider, which OpenList passes on, has a body.
      if (row.speaker === 'login' && answer.status === LOCKED && answer.body.length === 0) {
        const locked = this.api.availability.locked(request.clientAddress);
        if (++locks > 1 || body instanceof ForwardedBody) throw locked;
        continue;
      }
      if (!isTokenRefused(answer)) return answer;
      if (used.secret === 'static token') {
        this.#reportStaticToken();
        throw tokenNotTaken();
      }
      const { caller } = used;
      used = await this.identities.renewed(used, request, row);
      refused++;
      // A large body is gone, but the next request has what OpenList takes.
      const isChanged = used.caller?.accountVersion !== caller!.accountVersion;
      if (body instanceof ForwardedBody || refused === attempts || (refused > 1 && !isChanged)) throw tokenNotTaken();
      this.#counts.repeated();
    }
  }

  /** Sends a request, and again if that changes nothing and OpenList closed the connection meanwhile. */
  async #sent(client: Client, identity: Identity, body: Body, startedAt: number): Promise<Relayed> {
    const send = () => this.#sentOnce(client, identity, body, startedAt);
    const mayRepeat = !(body instanceof ForwardedBody) && SAFE_METHODS.includes(client.request.method);
    return send().catch((error: unknown) => {
      if (mayRepeat && isCut(error)) return send();
      throw error;
    });
  }

  async #sentOnce(client: Client, identity: Identity, body: Body, startedAt: number): Promise<Relayed> {
    const { request, response, row } = client;
    const { raw, method, url } = request;
    const holding = holdingFor(client, identity);
    const policy = { hstsSeconds: this.settings.hstsSeconds, isPrivate: row.speaker !== 'nobody' };
    const relay = new Relay({ request: raw, response }, policy, holding, identity.validUntil);
    const mark = row.reachesProviders ? undefined : this.api.forwarder;
    const headers = requestHeaders(raw, this.#senderOf(client, identity), mark);
    const outgoing: Outgoing = {
      method,
      path: url,
      headers: headersFor(client, identity, headers, body),
      body,
    };
    const relayed = await this.#upstream.send(outgoing, relay).catch((error: unknown) => {
      // A connection that ends says little: a single request may be the reason.
      if (relay.sentAt === undefined && error instanceof OpenListUnavailable) this.api.availability.failed(error);
      throw error;
    });
    if (relay.status !== undefined && relay.status < 500) this.api.availability.answered();
    if (relay.sentAt !== undefined) this.#counts.delayed((relay.sentAt - startedAt) / 1_000);
    return relayed;
  }

  /** A login from an address that OpenList has locked is sent from that of the mirror. The failed logins may be someone else's. */
  #senderOf({ request, row }: Client, { authorization }: Identity): Sender {
    const sender = request.sender(authorization);
    const isLocked = row.speaker === 'login' && this.api.availability.isLocked(sender.address);
    return isLocked && authorization !== undefined
      ? { ...sender, address: this.api.loginAddress(authorization) }
      : sender;
  }

  async #withTakenToken(identity: Identity, request: ForwardedRequest, row: ForwardedRow): Promise<Identity> {
    if (await this.api.takesToken(identity.authorization!)) return identity;
    this.#counts.repeated();
    const renewed = await this.identities.renewed(identity, request, row);
    if (renewed.authorization !== undefined && !(await this.api.takesToken(renewed.authorization)))
      throw tokenNotTaken();
    return renewed;
  }

  #reportStaticToken(): void {
    this.#repeated.write('static token', (omitted) =>
      this.#log.error(
        { omitted },
        'OpenList refuses its static token. Set KEYFOLD_OPENLIST_TOKEN to the one that its settings page shows, and restart',
      ),
    );
  }

  async #bodyOf(client: Client, identity: Identity): Promise<Buffer | null> {
    const { raw } = client.request;
    if (savesSettings(client)) return safeSettings(await receivedBody(raw, SETTINGS_BYTES, true));
    if (namesUsers(client, identity, 'in the body'))
      return this.#rewritten(
        withUsers(await receivedBody(raw, METAS_BYTES, true), this.ids, (id) => this.api.metaUsers(id)),
      );
    return hasBody(raw) ? receivedBody(raw, REPEATABLE_BODY, isIdentified(identity)) : null;
  }

  /** Returns what was rewritten with look-ups in OpenList. Their refusals are not those of the request. */
  async #rewritten(body: Promise<Buffer>): Promise<Buffer> {
    try {
      return await body;
    } catch (error) {
      if (!(error instanceof OpenListRefused)) throw error;
      if (error.code === 401) this.#reportStaticToken();
      throw new OpenListUnavailable('OpenList refuses to tell its users', { cause: error });
    }
  }

  /** Sends an answer that was held back. */
  async #passOn(client: Client, identity: Identity, answer: HeldAnswer): Promise<'answered'> {
    const { response, row } = client;
    const { caller } = identity;
    const { status, reason, headers } = answer;
    let { body } = answer;
    if (row.token === 'replaced in the answer' && status === 200)
      body = await withOwnToken(body, async () => {
        if (!caller || !isAdmin(caller)) return '';
        const [setting] = await this.queryBus.execute(new GetSettingsQuery(caller, [STATIC_TOKEN_KEY]));
        return setting!.value;
      });
    if (status === 200 && namesUsers(client, identity, 'in the answer'))
      body = await this.#rewritten(withAccounts(body, this.ids));
    response.writeHead(status, reason, withLength(headers, body.length)).end(body);
    return 'answered';
  }
}

function ifOutdated(error: unknown): undefined {
  if (!(error instanceof OutdatedLogin)) throw error;
}

/** Returns whether the sender is a known account. The guest does not count, and S3 signatures are not checked here. */
const isIdentified = ({ secret, caller }: Identity) => secret !== undefined && !(caller && isGuest(caller));

const isUpload = ({ request, row }: Client) => row.isUpload === true && request.method === 'PUT';

/** Returns whether OpenList ended a kept connection, maybe before the request arrived. */
const isCut = (error: unknown): boolean =>
  error instanceof OpenListUnavailable &&
  (error.cause instanceof errors.SocketError ||
    (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET');

function rowOrFault(message: IncomingMessage, isRoute: (path: string) => boolean): ForwardedRow | Fault | undefined {
  try {
    const fault = headFault(message);
    if (fault) throw fault;
    return forwardedRow(message.url!, isRoute);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Bounds the time in which the body of a request arrives that stays here. */
function receiveOwn(request: IncomingMessage, response: ServerResponse): undefined {
  askForBody(request, response);
  if (!hasBody(request)) return;
  const timedOut = Object.assign(new Error('the request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const end = () => void (request.complete || answerClientError(timedOut, request.socket));
  const timer = setTimeout(end, REQUEST_TIME).unref();
  response.once('close', () => clearTimeout(timer));
}

/** OpenList itself refuses those who are no administrators, and other methods. */
const namesUsers = ({ request, row }: Client, { secret }: Identity, where: UserPart): boolean =>
  row.users === where && secret === 'static token' && request.method === (where === 'in the answer' ? 'GET' : 'POST');

function holdingFor(client: Client, identity: Identity): Holding {
  const { row } = client;
  const { secret } = identity;
  if (namesUsers(client, identity, 'in the answer')) return holdMetas;
  if (row.token === 'replaced in the answer') return holdSettings;
  if (secret === undefined) return holdNothing;
  return row.speaker === 'login' ? holdLoginRefusals : holdTokenRefusals;
}

function headersFor(client: Client, identity: Identity, headers: string[], body: Body): string[] {
  // A compressed answer could not be read.
  if (client.row.token === 'replaced in the answer' || namesUsers(client, identity, 'in the answer'))
    return without(headers, ['accept-encoding']);
  return rewritesBody(client, identity) ? jsonHeaders(headers, body as Buffer) : headers;
}

const savesSettings = ({ request, row }: Client): boolean =>
  row.token === 'left out of the body' && request.method === 'POST';

/** Returns whether bodies of the row may be read here, depending on their client. */
const mayRewriteBody = ({ token, users }: ForwardedRow): boolean =>
  token === 'left out of the body' || users === 'in the body';

const rewritesBody = (client: Client, identity: Identity): boolean =>
  savesSettings(client) || namesUsers(client, identity, 'in the body');

/** Returns whether a body is passed on as it arrives. */
const isStreamed = (client: Client, identity: Identity): boolean =>
  hasLargeBody(client.request.raw) && !rewritesBody(client, identity);

/** Another content type, or a repeated field, would make OpenList read another list than was checked here. */
const jsonHeaders = (headers: string[], body: Buffer) => [
  ...without(headers, ['content-type', 'content-length', 'content-encoding']),
  'Content-Type',
  'application/json',
  'Content-Length',
  String(body.length),
];

const withLength = (headers: string[], length: number) => [
  ...without(headers, ['content-length']),
  'Content-Length',
  String(length),
];

const without = (headers: readonly string[], names: readonly string[]) =>
  headers.filter((_, index) => !names.includes(headers[index - (index % 2)]!.toLowerCase()));
