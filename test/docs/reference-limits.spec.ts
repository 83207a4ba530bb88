import * as application from '@keyfold/application';
import * as domain from '@keyfold/domain';
import { IDEMPOTENCY_KEY_LETTERS, QUERY_BYTES } from '@keyfold/http-envelope';
import { apiSettings } from '@keyfold/process';
import { PAGE_BYTES } from '@keyfold/projections';
import { it } from 'vitest';
import { z } from 'zod';
import { MOST_EXPORTS, STALLED_AFTER } from '../../apps/gateway/src/accounts/activity-export.js';
import * as activity from '../../apps/gateway/src/accounts/activity.controller.js';
import { LOGIN_TIMEOUT } from '../../apps/gateway/src/file-servers/file-server-authenticator.js';
import { SERVERS_CONNECTIONS, SERVERS_LIMITS } from '../../apps/gateway/src/file-servers/file-server-port.js';
import { TEXT_LETTERS } from '../../apps/gateway/src/file-servers/key.controller.js';
import { KEY_LETTERS } from '../../apps/gateway/src/file-servers/login-check.controller.js';
import * as prompts from '../../apps/gateway/src/file-servers/sftpgo-prompts.js';
import { SESSIONS, SFTPGO_LIMITS } from '../../apps/gateway/src/file-servers/sftpgo.controller.js';
import { NAME_LETTERS } from '../../apps/gateway/src/file-servers/web-login.controller.js';
import { MAX_SMALL_PIECES, SMALL } from '../../apps/gateway/src/http/bounded-request.js';
import { API_CONNECTIONS } from '../../apps/gateway/src/http/create-api.js';
import { apiLimits } from '../../apps/gateway/src/http/http-server.js';
import * as pipelining from '../../apps/gateway/src/http/limit-pipelining.js';
import { BUDGET } from '../../apps/gateway/src/http/loop-budget.js';
import { MAX_CLIENT_LENGTH } from '../../apps/gateway/src/login/login.controller.js';
import { MAX_WAITING } from '../../apps/gateway/src/request/request-queue.js';
import { SECRET_NAME_LETTERS } from '../../apps/gateway/src/secrets/secret.requests.js';
import { WAITING_HASHES } from '../../apps/gateway/src/threads/process-services.js';
import { VALUES } from '../../libs/http-envelope/src/requests/bind-body.js';
import { FIELDS, LIST_ITEMS } from '../../libs/http-envelope/src/requests/input-refusals.js';
import { MAX_BODY, MAX_ID_LENGTH } from '../../libs/messaging/src/rabbitmq/consuming/envelope.js';
import { CONNECTIONS } from '../../libs/process/src/management-server.js';
import { WAITING_PER_ACTOR } from '../../libs/security/src/passwords/argon2-password-hasher.js';
import * as privacy from '../../libs/security/src/privacy-mask.js';
import { MAX_TEXT_BYTES } from '../../libs/security/src/ssh/ssh-public-key.js';
import { APP_PASSWORD_GUESSES } from '../../libs/security/src/throttle/login-keys.js';
import { bytes, count, expectPage } from '../support/reference-page.js';

const { TEXT_BYTES } = domain;
const api = apiLimits(z.object(apiSettings).parse({}).KEYFOLD_HEAD_BYTES);

/** Of milliseconds. */
const seconds = (milliseconds: number) => count(milliseconds / 1_000);
const minutes = (milliseconds: number) => count(milliseconds / 60_000);
const days = (milliseconds: number) => count(milliseconds / 86_400_000);
/** Shows one figure if they are equal. */
const sizes = (...each: number[]) => [...new Set(each.map(bytes))].join(', ');

/** Names and paths of usual accounts have about 30 letters. */
const accountsOnPage = Math.floor(PAGE_BYTES / (application.ACCOUNT_BYTES + 30) / 1_000) * 1_000;

const page = `# Limits

For operators who plan capacity, and developers of clients that meet a limit. A request or message that exceeds a limit gets the answer in the last
column. Texts are measured in the bytes that they occupy in an answer: those of UTF-8, but six for a control character, \`<\`, \`>\`, \`&\` and the line
separators, and two for a quote and a backslash. The limits apply only to new values: accounts keep longer ones that they already have. This page is
generated from the code by \`npm run docs\`.

| what | limit | answer |
| --- | --- | --- |
| request line and headers | ${bytes(api.http.maxHeaderSize!)} (\`KEYFOLD_HEAD_BYTES\`) | HTTP 431 |
| a query string that the route reads | ${bytes(QUERY_BYTES)} | code 400 |
| pipelined requests per connection | ${pipelining.MAX_IN_FLIGHT} unanswered, ${pipelining.MAX_PER_ITERATION} started at once | none: they wait |
| pipelined requests that arrive at once | ${pipelining.MAX_PIPELINED} | HTTP 429, the connection ends |
| requests started and bodies read, per iteration of the event loop | ${BUDGET} ms | none: they wait |
| request body | ${bytes(api.bodyLimit!)} | HTTP 413 |
| values in a JSON body | ${count(VALUES)} | code 400 |
| fields of a body or query, on routes that OpenList does not have | ${FIELDS} | code 400 |
| \`Idempotency-Key\` | ${IDEMPOTENCY_KEY_LETTERS} visible ASCII characters | code 400 |
| chunks and segments below ${SMALL} bytes, of all unanswered requests | ${MAX_SMALL_PIECES} | HTTP 413 |
| time to receive a request | ${seconds(api.requestTimeout!)} seconds | HTTP 408 |
| connections to the API per thread, servers port, management port | ${[API_CONNECTIONS, SERVERS_CONNECTIONS, CONNECTIONS].map(count).join(', ')} | none: the oldest one closes |
| request line and headers, body, on the servers port | ${bytes(SERVERS_LIMITS.http.maxHeaderSize)}, ${bytes(SERVERS_LIMITS.bodyLimit)} | HTTP 431, 413 |
| name or password, key, on the servers port | ${count(TEXT_LETTERS)}, ${count(KEY_LETTERS)} letters | HTTP 400 |
| body of SFTPGo's logins; prompts, transfers; sessions | ${bytes(SFTPGO_LIMITS.login.bodyLimit)}; ${bytes(SERVERS_LIMITS.bodyLimit)}; ${bytes(SFTPGO_LIMITS.sessions.bodyLimit)}, ${SESSIONS} sessions | HTTP 413, 400 |
| clients at SFTPGo's prompts, per process | ${count(prompts.AWAITED)} and ${count(prompts.MOST_LETTERS)} letters, for ${seconds(prompts.LIFETIME)} seconds | none: SFTPGo's address counts |
| look-ups of keys at earlier times, per process | 1 at a time, ${MAX_WAITING} waiting | HTTP 503 |
| a page of the accounts that have a key | ${application.MAX_OWNERS} accounts, ${count(application.MAX_CHECKED)} checked | none: the page ends early |
| name in a login to a web application | ${count(NAME_LETTERS)} letters, percent-encoded | HTTP 401 |
| time to receive headers, a request, on the servers port | ${seconds(SERVERS_LIMITS.http.headersTimeout)}, ${seconds(SERVERS_LIMITS.requestTimeout)} seconds | HTTP 408 |
| time to answer a request on the servers port | ${seconds(SERVERS_LIMITS.handlerTimeout)} seconds, ${seconds(LOGIN_TIMEOUT)} for logins | HTTP 503 |
| user name, base path | ${sizes(TEXT_BYTES.username, TEXT_BYTES.basePath)} | code 400 |
| \`sso_id\`, key title | ${sizes(TEXT_BYTES.ssoId, TEXT_BYTES.title)} | code 400 |
| a page of accounts, sessions | ${bytes(PAGE_BYTES)}, about ${count(accountsOnPage)} accounts or ${count(application.PAGE_ENTRIES)} sessions | none: the page ends early |
| a page of the history | ${bytes(PAGE_BYTES)}, ${activity.MOST} events, about ${count(application.EVENTS_PER_PAGE)} read | none: the page ends early |
| pages of the history per reading account and thread | 1 at a time, ${MAX_WAITING} waiting; ${activity.READ_TOGETHER} of all accounts | HTTP 503 |
| exports of the history per thread | ${MOST_EXPORTS} at a time | HTTP 503 |
| time that the client of an export may read nothing | ${seconds(STALLED_AFTER)} seconds | the connection breaks off |
| access tokens, app passwords of an account | ${domain.SECRETS_PER_ACCOUNT} that have not expired | code 400 |
| unknown app passwords of a source | ${APP_PASSWORD_GUESSES.limit} in ${minutes(APP_PASSWORD_GUESSES.forgetAfter)} minutes | HTTP 429 |
| name of an access token or app password | ${SECRET_NAME_LETTERS} characters and ${bytes(TEXT_BYTES.secretName)} | code 400 |
| expiry of an access token or app password | ${days(domain.SECRET_LIFETIME)} days after its creation | code 400 |
| expiry of a key | ${days(domain.LONGEST_EXPIRY)} days ahead | code 400 |
| a page of access tokens or app passwords | ${bytes(PAGE_BYTES)}, ${count(application.PAGE_ACCOUNTS)} accounts | none: the page ends early |
| own sessions in a list | ${count(application.MOST_SESSIONS)} | none: the latest are listed |
| text of a key | ${bytes(MAX_TEXT_BYTES)} | code 400 |
| keys of an account, with titles and comments | ${count(domain.KEYS_PER_ACCOUNT)} and ${bytes(domain.BYTES_PER_RING)} | code 400 |
| user agent stored with a session | ${MAX_CLIENT_LENGTH} characters | none: it is truncated |
| two-factor secrets generated for an account | ${domain.ENROLMENTS_PER_HOUR} an hour | code 429 |
| password hashes that wait, per process | ${WAITING_HASHES} | HTTP 503 |
| new passwords per caller and process | 1 at a time, ${WAITING_PER_ACTOR} waiting | HTTP 503 |
| waiting logins | ${application.MAX_PER_PAIR} per name and source, ${application.MAX_PER_SOURCE} per source, ${count(application.MAX_PER_NETWORK)} per network from unknown sources | HTTP 503 |
| all saved settings, secret ones sealed, ${domain.BYTES_PER_SETTING} bytes for each | ${bytes(domain.SETTINGS_BYTES)} | code 400 |
| settings in one save | ${count(LIST_ITEMS)} | code 400 |
| values in one answer of \`GET /api/admin/setting/get\` | ${count(application.MAX_VALUES)} characters | code 400 |
| patterns of \`privacy_regs\`, together | ${count(privacy.MAX_PATTERNS)} characters, ${count(privacy.MAX_INSTRUCTIONS)} instructions, ${privacy.MAX_UNICODE_CLASSES} Unicode classes | code 500 |
| message of a refusal | ${count(privacy.MAX_MESSAGE)} characters | none: it is truncated |
| message body | ${bytes(MAX_BODY)} | parked as \`body-too-large\` |
| message id | ${MAX_ID_LENGTH} visible ASCII characters | parked as \`message-id-invalid\` |

## Capacity

The largest answers are pages of lists (${bytes(PAGE_BYTES)}), lists of ${count(domain.KEYS_PER_ACCOUNT)} keys (1.4 MiB) and \`GET /api/admin/setting/get\` (7 MiB).
\`test/abuse/worst-answers.spec.ts\` fills the stores with random texts of the worst kinds and sends the worst known requests to every route; none may
take more than 400 ms of CPU. With its caches full of such accounts and keys, a standalone process with one thread has 229 MiB of resident memory.

In each iteration of the event loop, requests are started and bodies are read for at most ${BUDGET} ms; the rest waits for later iterations.
\`test/abuse/event-loop.spec.ts\` fails if iterations exceed 25 ms of CPU. The HTTP parser is not part of that budget, so what it receives is bounded in
count: \`test/abuse/floods.spec.ts\` floods the ports with chunks, requests, headers and idle connections.

When a port has all its connections, a new one closes the oldest connection without an accepted token, of the peer address that has most of these. If
all have shown a token, the oldest of the peer with most connections closes. For one peer, half of the connections count as such. The log then has the line "too many connections, ended the oldest".
`;

it('the page of the limits has the figures that the code enforces', () => expectPage('run/limits.md', page));
