import type { AccessTokenScope } from '@keyfold/domain';
import { Fault, parseQuery, UNKNOWN_PATH } from '@keyfold/http-envelope';
import { carelesslyRead, requestedPath } from './requested-path.js';

/**
 * The one for whom a forwarded request speaks:
 * - `caller`: the identified caller
 * - `caller or nobody`: the same, but OpenList decides about a request without a token while the guest is disabled
 * - `login`: the account of a Basic login
 * - `signature`: the maker of an AWS signature
 */
export type Speaker = 'caller' | 'caller or nobody' | 'login' | 'signature' | 'nobody';

/** The treatment of OpenList's static token on the way. */
export type TokenPart = 'replaced in the answer' | 'left out of the body';

/** The part of an exchange whose ids of users are ids of accounts for clients. */
export type UserPart = 'in the answer' | 'in the body';

/**
 * Requests that OpenList answers. `scope`: what an access token needs; without it, access tokens are refused. `reachesProviders`: OpenList may pass their
 * headers on to a storage provider. `isUpload`: OpenList decides who may PUT a body before it reads it.
 */
export type ForwardedRow = Readonly<{
  paths: readonly string[];
  speaker: Speaker;
  scope?: AccessTokenScope;
  token?: TokenPart;
  users?: UserPart;
  reachesProviders?: true;
  isUpload?: true;
  note: string;
}>;

/** Requests that Keyfold answers. */
export type OwnRow = Readonly<{ paths: readonly string[]; speaker?: undefined; note: string }>;
export type ForwardingRow = OwnRow | ForwardedRow;

const SETTING = '/api/admin/setting/';
const META = '/api/admin/meta/';

/** The first row that has the path of a request says who answers it. `/x/*` is every path below `/x/`. */
export const forwardingTable = [
  { paths: ['/api/auth/*', '/api/authn/*'], note: 'logins and two-factor' },
  { paths: ['/api/me', '/api/me/*'], note: "the caller's account" },
  { paths: ['/api/admin/user', '/api/admin/user/*'], note: 'accounts' },
  {
    paths: ['/docs', '/docs/events', '/docs/swagger-ui*', '/docs/favicon-*', '/schemas/*'],
    note: 'the documentation of these routes and of the events',
  },
  { paths: ['/docs/*'], speaker: 'nobody', note: 'the web page, for what is in a folder `docs`' },
  { paths: ['/@account', '/@account/*'], note: 'the console' },
  { paths: [`${SETTING}reset_token`], note: "Keyfold's static token; so is a request for the setting `token` alone" },
  {
    paths: [`${SETTING}get`, `${SETTING}list`, `${SETTING}default`],
    speaker: 'caller',
    token: 'replaced in the answer',
    note: "in the answer, the setting `token` is Keyfold's static token",
  },
  {
    paths: [`${SETTING}save`],
    speaker: 'caller',
    token: 'left out of the body',
    note: 'the setting `token` is left out, and `proxy_ignore_headers` keeps `authorization`',
  },
  { paths: [`${SETTING}*`, '/api/admin/message/*'], speaker: 'caller', note: 'other settings, and messages' },
  {
    paths: [`${META}get`, `${META}list`],
    speaker: 'caller',
    users: 'in the answer',
    note: 'the users of a meta are ids of accounts',
  },
  {
    paths: [`${META}create`, `${META}update`],
    speaker: 'caller',
    users: 'in the body',
    note: 'ids of accounts become those of their users; other users stay',
  },
  { paths: ['/api/public/*'], speaker: 'nobody', note: 'never refused: pages send dead tokens there' },
  {
    paths: ['/api/fs/list', '/api/fs/get', '/api/fs/archive/meta', '/api/fs/archive/list', '/mcp', '/mcp/*'],
    speaker: 'caller or nobody',
    scope: 'files',
    note: 'without a token, OpenList decides about shared links',
  },
  {
    paths: ['/api/fs/put', '/api/fs/form', '/api/fs/multipart/chunk'],
    speaker: 'caller',
    scope: 'files',
    isUpload: true,
    note: 'uploads',
  },
  { paths: ['/dav', '/dav/*'], speaker: 'login', reachesProviders: true, isUpload: true, note: 'WebDAV' },
  {
    paths: ['/s3', '/s3/*'],
    speaker: 'signature',
    reachesProviders: true,
    isUpload: true,
    note: "keys of OpenList's own",
  },
  {
    paths: ['/d/*', '/p/*', '/ad/*', '/ae/*', '/ap/*', '/sd/*', '/sad/*'],
    speaker: 'nobody',
    reachesProviders: true,
    note: 'downloads, with a `sign` in the address or of a share',
  },
  {
    paths: ['/', '/ping', '/robots.txt', '/favicon.ico', '/manifest.json'],
    speaker: 'nobody',
    note: 'the web page',
  },
] as const satisfies readonly ForwardingRow[];

/** The rows after the routes that only Keyfold has. */
export const remainingRows = [
  { paths: ['/api/admin/*'], speaker: 'caller', note: 'storages, metas, tasks, indexes' },
  { paths: ['/api', '/api/*'], speaker: 'caller', scope: 'files', note: 'files, shares, tasks' },
  { paths: ['/*'], speaker: 'nobody', note: 'the web page' },
] as const satisfies readonly ForwardedRow[];

export const OWN_ROUTES: OwnRow = { paths: [], note: 'routes that OpenList does not have' };

/** The rows in the order in which they are tried. */
export const forwardingRows: readonly ForwardingRow[] = [...forwardingTable, OWN_ROUTES, ...remainingRows];

/** Finds the first row that has a path. Each request tries most of the rows, so their patterns are read once. */
function finderIn<Row extends ForwardingRow>(rows: readonly Row[]): (path: string) => Row | undefined {
  const patterns = rows.map((row) => ({
    row,
    whole: new Set(row.paths.flatMap((each) => (each.endsWith('*') ? [] : [each, `${each}/`]))),
    prefixes: row.paths.filter((each) => each.endsWith('*')).map((each) => each.slice(0, -1)),
  }));
  return (path) =>
    patterns.find(({ whole, prefixes }) => whole.has(path) || prefixes.some((each) => path.startsWith(each)))?.row;
}

const inTable = finderIn<ForwardingRow>(forwardingTable);
const inRemaining = finderIn<ForwardedRow>(remainingRows);

const rowOf = (path: string, isRoute: (path: string) => boolean): ForwardingRow =>
  inTable(path) ?? (isRoute(path) ? OWN_ROUTES : inRemaining(path)!);

/**
 * Returns the row of a request that is forwarded, or undefined for one that this service answers. `isRoute`: whether it has a route with the path.
 *
 * @throws Fault 400 or 404 for an address that somebody could read as one of another row.
 */
export function forwardedRow(url: string, isRoute: (path: string) => boolean): ForwardedRow | undefined {
  if (isSurelyOwn(url)) return undefined;
  const { path, query } = requestedPath(url);
  const row = rowOf(path, isRoute);
  const careless = carelesslyRead(path);
  // Elsewhere, folders may have such names: `/Docs`.
  if (careless !== path && /^\/api(\/|$)/.test(careless) && rowOf(careless, isRoute) !== row)
    throw new Fault(404, UNKNOWN_PATH);
  if (row.speaker === undefined || (path.startsWith(SETTING) && isOwnSetting(path, query))) return undefined;
  return row;
}

/** The routes with most requests need no reading: nothing in them can be taken for something else, and Fastify reads them itself. */
const isSurelyOwn = (url: string) => url === '/api/me' || url === '*';

/**
 * Returns whether a request asks for the static token, or would delete it.
 *
 * @throws Fault 400 for a key that is given twice, because the readers could choose different ones.
 */
function isOwnSetting(path: string, query: string): boolean {
  const parameters = parseQuery(query);
  const names = query.split('&').map((pair) => [...parseQuery(pair).entries()][0]?.[0]);
  if (parameters.error !== undefined || names.filter((name) => name === 'key' || name === 'keys').length > 1)
    throw new Fault(400, 'the query must name the settings once');
  if (path !== `${SETTING}get` && path !== `${SETTING}delete`) return false;
  const asked = parameters.get('key') || parameters.get('keys') || '';
  return isSettingKey(asked, 'token');
}

/** Returns whether OpenList's database could take a key for that of a setting. Some compare without case and spaces. */
export const isSettingKey = (key: string, of: string): boolean => key.trim().toLowerCase() === of;
