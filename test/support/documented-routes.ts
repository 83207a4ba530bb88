import type { AccessTokenScope } from '@keyfold/domain';

/**
 * The answers of a route to one request: code and message, or code and media type if it has no envelope.
 * `caller-outcomes.spec.ts` derives those to every kind of caller.
 */
export type RouteAnswers = Readonly<
  /** The scope that access tokens need. A route without one takes no access tokens. */
  { scope?: AccessTokenScope } & (
    | { anybody: string }
    | { admin: string }
    /** `user` is every account but the guest, and the static token unless it has an answer of its own. */
    | { user: string; guest: string; staticToken?: string }
  )
>;

const NO_CODES = '403 Guest user can not generate 2FA code';
const NO_SESSIONS = '403 Guest user can not manage sessions';
const NO_TOKENS = '403 Guest user can not have access tokens';
const NO_KEYS = '401 user invalid';
const REFUSED_SETUP =
  '403 the setup code is wrong, or the setup is over: then log in, or run "keyfold account set-password admin"';
const NO_NEW_TOKENS = '403 the static token can not create access tokens, log in instead';
const OWN_APP_PASSWORDS = {
  guest: '403 Guest user can not have app passwords',
  staticToken: '403 the static token can not manage own app passwords, log in instead',
};

/** The answers of every route that the OpenAPI document describes, to a request with its example. */
export const ROUTE_ANSWERS: Readonly<Record<string, RouteAnswers>> = {
  'GET /ping': { anybody: '200 text/plain' },
  'GET /api/public/settings': { anybody: '200 success' },
  'GET /api/public/archive_extensions': { anybody: '200 success' },
  'GET /api/public/offline_download_tools': { anybody: '200 success' },
  'POST /api/auth/login': { anybody: '200 success' },
  'POST /api/auth/login/hash': { anybody: '200 success' },
  'POST /api/auth/login/ldap': { anybody: '403 ldap is not enabled' },
  'GET /api/auth/setup': { anybody: '200 success' },
  'POST /api/auth/setup': { anybody: REFUSED_SETUP },
  'GET /api/auth/logout': { user: '200 success', guest: '200 success' },
  'POST /api/auth/2fa/generate': { user: '200 success', guest: NO_CODES },
  'POST /api/auth/2fa/verify': { user: '400 Invalid 2FA code', guest: NO_CODES },
  'POST /api/auth/2fa/disable': { user: '200 success', guest: NO_CODES },
  'POST /api/auth/2fa/recovery_codes': { user: '400 two-factor login is off', guest: NO_CODES },
  'GET /api/me': { user: '200 success', guest: '200 success', scope: 'profile:read' },
  'POST /api/me/update': { user: '500 user name already exists', guest: '403 Guest user can not update profile' },
  'POST /api/me/revoke-everything': {
    user: '200 success',
    guest: NO_SESSIONS,
    staticToken: '403 the static token can not revoke everything of its own account, log in instead',
  },
  'GET /api/me/sessions': { user: '200 success', guest: NO_SESSIONS },
  'POST /api/me/sessions/evict': { user: '400 failed find session: record not found', guest: NO_SESSIONS },
  'GET /api/me/activity': { user: '200 success', guest: '403 Guest user can not see activity', scope: 'activity:read' },
  'GET /api/me/app_passwords': { user: '200 success', ...OWN_APP_PASSWORDS },
  'POST /api/me/app_passwords': { user: '200 success', ...OWN_APP_PASSWORDS },
  'POST /api/me/app_passwords/revoke': { user: '404 failed to find app password', ...OWN_APP_PASSWORDS },
  'GET /api/me/tokens': { user: '200 success', guest: NO_TOKENS },
  'POST /api/me/tokens': { user: '200 success', guest: NO_TOKENS, staticToken: NO_NEW_TOKENS },
  'POST /api/me/tokens/revoke': { user: '404 failed to find access token', guest: NO_TOKENS },
  'GET /api/me/sshkey/list': { user: '200 success', guest: NO_KEYS, scope: 'keys:manage' },
  'GET /api/me/sshkey/authorized_keys': { user: '200 text/plain', guest: NO_KEYS, scope: 'keys:manage' },
  'POST /api/me/sshkey/add': { user: '200 success', guest: NO_KEYS, scope: 'keys:manage' },
  'POST /api/me/sshkey/update': { user: '404 failed to get public key', guest: NO_KEYS, scope: 'keys:manage' },
  'POST /api/me/sshkey/delete': { user: '404 failed to get public key', guest: NO_KEYS, scope: 'keys:manage' },
  'GET /api/admin/session/list': { admin: '200 success', scope: 'accounts:audit' },
  'POST /api/admin/session/evict': { admin: '200 success', scope: 'accounts:manage' },
  'GET /api/admin/app_password/list': { admin: '200 success' },
  'POST /api/admin/app_password/revoke': { admin: '404 failed to find app password' },
  'GET /api/admin/token/list': { admin: '200 success' },
  'POST /api/admin/token/revoke': { admin: '404 failed to find access token' },
  'GET /api/admin/user/list': { admin: '200 success', scope: 'accounts:read' },
  'GET /api/admin/user/get': { admin: '500 failed get old user: record not found', scope: 'accounts:read' },
  'POST /api/admin/user/create': { admin: '500 user name already exists', scope: 'accounts:manage' },
  'POST /api/admin/user/update': { admin: '200 success', scope: 'accounts:manage' },
  'POST /api/admin/user/delete': { admin: '500 failed get old user: record not found', scope: 'accounts:manage' },
  'POST /api/admin/user/cancel_2fa': { admin: '500 failed get old user: record not found', scope: 'accounts:manage' },
  'POST /api/admin/user/revoke-everything': {
    admin: '500 failed get old user: record not found',
    scope: 'accounts:manage',
  },
  'POST /api/admin/user/del_cache': { admin: '500 failed find user: record not found', scope: 'accounts:read' },
  'GET /api/admin/user/sshkey/list': { admin: '404 user invalid', scope: 'accounts:read' },
  'POST /api/admin/user/sshkey/delete': { admin: '200 success', scope: 'accounts:manage' },
  'GET /api/admin/user/activity': { admin: '500 failed get old user: record not found', scope: 'accounts:audit' },
  'GET /api/admin/activity': { admin: '200 success', scope: 'accounts:audit' },
  'GET /api/admin/activity/export': { admin: '200 application/x-ndjson', scope: 'accounts:audit' },
  'GET /api/admin/overview': { admin: '200 success', scope: 'accounts:audit' },
  'GET /api/admin/parked': { admin: '200 success', scope: 'accounts:audit' },
  'POST /api/admin/parked/retry': { admin: '200 success' },
  'GET /api/admin/sshkey/find': {
    admin: '400 fingerprint must have the form SHA256:… or MD5:… that ssh-keygen -l prints',
    scope: 'keys:find',
  },
  'GET /api/admin/setting/list': { admin: '200 success', scope: 'settings:read' },
  'GET /api/admin/setting/get': { admin: '400 record not found', scope: 'settings:read' },
  'POST /api/admin/setting/save': { admin: '200 success' },
  'POST /api/admin/setting/delete': { admin: '500 failed to get settingItem: record not found' },
  'POST /api/admin/setting/default': { admin: '200 success', scope: 'settings:read' },
  'POST /api/admin/setting/reset_token': { admin: '200 success' },
};

export const ROUTES = Object.keys(ROUTE_ANSWERS);
