import type { Cast } from './worst-requests.js';
import { FRAME, shown, SHOWN_QUERY, type WorstRoute } from './worst-route.js';

/** A page of the history. `ActivityHistory` counts more per entry than its frame. */
const ACTIVITY = 2 * 1024 * 1024 + FRAME;
const manyNames = Array.from({ length: 2_000 }, (_, n) => `f${n}=1`)
  .join('&')
  .slice(0, 16_000);

/** A hundred entries with their ids and reasons of a thousand characters, each of which may need an escape. */
const PARKED = FRAME + 100 * (6 * (1_000 + 255) + 200);
/** Parts and readers with their reasons, and 24 hours. */
const OVERVIEW = FRAME + 24 * 100 + 20 * 1_024;

/** Returns the worst known requests of the routes of the history and of what is going on. */
export function activityRequests(cast: Cast): Readonly<Record<string, WorstRoute>> {
  const { admin, many, manyId, busy } = cast;
  return {
    'GET /api/me/activity': {
      bytes: ACTIVITY,
      requests: [
        () => many.get('/api/me/activity?limit=200'),
        () => busy.get('/api/me/activity?limit=200'),
        () => busy.get('/api/me/activity?type=account.enabled'),
        () => many.get(`/api/me/activity?${shown('cursor')}`),
        () => many.get(`/api/me/activity?type=${'ssh-key.added,'.repeat(1_100)}ssh-key.added`),
      ],
    },
    'GET /api/admin/user/activity': {
      bytes: ACTIVITY,
      requests: [
        () => admin.get(`/api/admin/user/activity?limit=200&id=${cast.accountIds[10]}`),
        () => admin.get(`/api/admin/user/activity?limit=200&id=${manyId}`),
        () => admin.get(`/api/admin/user/activity?${shown('id')}`),
      ],
    },
    'GET /api/admin/activity': {
      bytes: ACTIVITY,
      requests: [
        () => admin.get('/api/admin/activity?limit=200'),
        () => admin.get('/api/admin/activity?limit=200&type=account.registered'),
        () => admin.get('/api/admin/activity?actor=message'),
        () => admin.get(`/api/admin/activity?${manyNames}`),
      ],
    },
    // It sends everything that is selected, however much, but only as fast as its client reads it.
    'GET /api/admin/activity/export': {
      bytes: SHOWN_QUERY,
      requests: [
        () => admin.get('/api/admin/activity/export?until=2000-01-01T00:00:00Z'),
        () => admin.get(`/api/admin/activity/export?${shown('type')}`),
      ],
    },
    'GET /api/admin/overview': { bytes: OVERVIEW, requests: [() => admin.get('/api/admin/overview')] },
    'GET /api/admin/parked': {
      bytes: PARKED,
      requests: [
        () => admin.get('/api/admin/parked?per_page=100'),
        () => admin.get('/api/admin/parked?page=9999999&per_page=100'),
        () => admin.get(`/api/admin/parked?${shown('kind')}`),
        () => admin.get(`/api/admin/parked?${manyNames}`),
      ],
    },
    'POST /api/admin/parked/retry': {
      bytes: FRAME,
      requests: [
        () => admin.post('/api/admin/parked/retry', { kind: 'projection', id: 'account-1' }),
        () => admin.post('/api/admin/parked/retry', { kind: 'event', id: '<'.repeat(255) }),
        () => admin.post('/api/admin/parked/retry', { kind: '<'.repeat(10_000), id: '<'.repeat(10_000) }),
      ],
    },
  };
}
