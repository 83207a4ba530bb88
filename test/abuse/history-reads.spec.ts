import { afterAll, beforeAll, expect, it } from 'vitest';
import { updateAccount } from '../support/account-changes.js';
import { adminOf, signedInAs } from '../support/accounts.js';
import { ApiClient } from '../support/api-client.js';
import { MeasuredService } from './measured-service.js';
import { inParallel, times } from './repeated.js';
import { accountCommit, sessionCommit } from './worst-commits.js';

/** The accounts of the first admin and of a member. */
const [ADMIN, MEMBER] = [1, 1_000_001];
/** A page reads 2,000 events. */
const SESSIONS = 2_500;
/** Connections of each account. */
const MANY = 32;
const RARE = 'type=account.enabled';

let service: MeasuredService;
let admin: ApiClient;
let member: ApiClient;

beforeAll(async () => {
  service = await MeasuredService.start([
    accountCommit(MEMBER, { any: () => 'member', plain: () => '/' }),
    ...times(2 * SESSIONS).map((n) => sessionCommit(n < SESSIONS ? ADMIN : MEMBER, n)),
  ]);
  const api = new ApiClient(service.app.baseUrl);
  admin = await adminOf(api);
  await updateAccount(admin, 'member', { password: 'pw-member' });
  member = await signedInAs(api, 'member');
});
afterAll(() => service?.dispose());

it('pages of the history for a rare type do not block the event loop, on many connections of two accounts', async () => {
  const page = (await member.get(`/api/me/activity?${RARE}`)).data<{ content: unknown[]; next_cursor: string }>();
  expect(page).toEqual({ content: [], next_cursor: expect.stringMatching(/./) });
  const paths = [`user/activity?id=${ADMIN}&`, 'activity?', 'activity/export?'];
  const requests = times(MANY).flatMap((n) => [
    () => member.get(`/api/me/activity?${RARE}`),
    () => admin.get(`/api/admin/${paths[n % paths.length]!}${RARE}`),
  ]);
  await service.expectShortIterations(inParallel(requests.length, (n) => requests[n]!()));
});
