export * from './api/openlist-api.js';
export * from './api/openlist.errors.js';
export { AccountTurns, TURNS } from './mirror/account-turns.js';
export { compareKeys, type KeyDifference } from './mirror/mirrored-keys.js';
export { MirroredIds } from './mirror/mirrored-ids.js';
export * from './mirror/mirrored-user.js';
export { OpenListMirror } from './mirror/openlist-mirror.js';
export { UserMirror, type Mirror } from './mirror/user-mirror.js';
export { OpenListOutlet } from './outlet/openlist-outlet.js';
