import { absentAccount, accountDecider, sshKeyRingDecider, type AccountEvent } from '@keyfold/domain';
import type { Commit } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { keyLine } from '../../../../../test/support/key-line.js';
import {
  deleted,
  enrolmentStarted,
  passwordChanged,
  passwordResealed,
  permissionsChanged,
  registered,
  twoFactorEnabled,
} from '../../../../domain/testing/account.events.js';
import { named } from '../../../../domain/testing/account.commands.js';
import { keyAdded } from '../../../../domain/testing/ssh-key-ring.events.js';
import { stateAfter } from '../../../../domain/testing/decider-specification.js';
import { openlistAccount } from '../../../testing/openlist-account.js';
import { planImport, type Existing, type SentAccount } from './import-plan.js';

const SECRET = 'PYCIP4HQ7QVN7SND2JXR62LZYL4C3QLW';
const NOW = Date.UTC(2026, 10, 25);
const ann = openlistAccount(7, 'ann');
const { passwordTimestamp } = ann;

const commit = (version: number, actor: string, event: { type: string }): Commit => ({
  position: version,
  partition: '7',
  stream: 'account-7',
  version,
  command: { id: String(version), type: 'Change', hash: 'hash' },
  at: NOW,
  actor,
  correlation: 'test',
  events: [event as Commit['events'][number]],
});

/** Nothing is under the id, and the name is free. */
const nothing: Existing = {
  wasImported: false,
  account: absentAccount,
  accountCommits: [],
  passwordMark: undefined,
  secret: null,
  atImport: undefined,
  ring: sshKeyRingDecider.initialState,
  ringCommits: [],
  name: named('ann'),
};

/** An earlier run has imported `ann`; then these events were stored, by somebody else. */
function imported(actor = 'session:7', ...later: readonly AccountEvent[]): Existing {
  const events = [registered('ann', { passwordTimestamp }), ...later];
  return {
    ...nothing,
    wasImported: true,
    passwordMark: 'mark',
    account: stateAfter(accountDecider, ...events),
    accountCommits: events.map((event, index) => commit(index + 1, index === 0 ? 'import' : actor, event)),
    name: named('ann', 'taken'),
  };
}

const plan = (sent: SentAccount, existing: Existing = nothing) => planImport(sent, existing, NOW);

describe('an account that is not here', () => {
  it('is taken with its password and second factor', () => {
    expect(plan({ ...ann, secret: ` ${SECRET.toLowerCase()}== ` })).toMatchObject({
      outcome: 'taken',
      needsPassword: true,
      problems: [],
      account: { basePath: '/', secret: SECRET },
    });
  });

  it.each([
    ['username-taken', {}, { name: named('ann', 'taken') }],
    ['admin-or-guest-uncreatable', { role: 2 }, {}],
    ['base-path-too-long', { basePath: 'x'.repeat(5_000) }, {}],
    ['password-missing', { hasPassword: false }, {}],
    ['two-factor-secret-invalid', { secret: 'ABC' }, {}],
  ])('is refused with %s', (reason, differing, existing) => {
    expect(plan({ ...ann, ...differing }, { ...nothing, ...existing })).toMatchObject({
      outcome: 'refused',
      problems: [{ reason }],
    });
  });

  it('is taken with notes on what has no place here', () => {
    const { outcome, notes } = plan({ ...ann, notes: ['of AList'], hasPasskeys: true, permission: 1 << 20 });
    expect({ outcome, notes }).toEqual({
      outcome: 'taken',
      notes: ['of AList', 'passkeys are not taken', 'unknown permission bits'],
    });
  });
});

describe('an account that was imported', () => {
  it('is unchanged, also after a login that replaced its hash', () => {
    const { outcome, account, needsPassword } = plan(ann, imported('login:7', passwordResealed('sealed anew')));
    expect({ outcome, account, needsPassword }).toEqual({
      outcome: 'unchanged',
      account: undefined,
      needsPassword: false,
    });
  });

  it('is taken again if only OpenList has changed it, and needs its password only if that has changed', () => {
    expect(plan({ ...ann, permission: 256 }, imported())).toMatchObject({ outcome: 'taken', needsPassword: false });
    const changed = { ...ann, passwordMark: 'new', passwordTimestamp: passwordTimestamp + 1 };
    expect(plan(changed, imported())).toMatchObject({ outcome: 'taken', needsPassword: true });
    // As OpenList leaves it when an administrator edits the account.
    expect(plan({ ...ann, passwordTimestamp: 0 }, imported()).outcome).toBe('unchanged');
  });

  it('is taken without the problem reads-more-than-before if it has the base path already, whatever else has changed', () => {
    const widened = { ...ann, widened: 'only /a before, now all of /', passwordMark: 'new' };
    const problems = [{ reason: 'reads-more-than-before', cause: widened.widened }];
    expect(plan(widened, imported())).toMatchObject({ outcome: 'taken', problems: [] });
    expect(plan({ ...widened, basePath: '/b' }, imported())).toMatchObject({ outcome: 'taken', problems });
    expect(plan(widened)).toMatchObject({ outcome: 'taken', problems });
  });

  it('does not get an earlier password back from an old copy of the file', () => {
    const old = { ...ann, passwordMark: 'old', passwordTimestamp: passwordTimestamp - 1 };
    expect(plan(old, imported())).toMatchObject({ outcome: 'refused', problems: [{ reason: 'older-than-imported' }] });
  });

  it('loses its second factor if OpenList has turned it off', () => {
    const withCode = imported('import', enrolmentStarted(1), twoFactorEnabled(1));
    expect(plan({ ...ann, secret: SECRET }, { ...withCode, secret: SECRET }).outcome).toBe('unchanged');
    expect(plan(ann, { ...withCode, secret: SECRET })).toMatchObject({ outcome: 'taken', account: { secret: null } });
  });

  const atImport = { account: stateAfter(accountDecider, registered('ann', { passwordTimestamp })), secret: null };

  it.each([
    ['changed', passwordChanged('new', passwordTimestamp + 9)],
    ['deleted', deleted('ann')],
  ])('stays as it is if it was %s here and OpenList has changed it, too', (_, event) => {
    const existing = { ...imported('session:7', event), atImport };
    for (const there of [{ permission: 256 }, { passwordMark: 'new' }, { secret: SECRET }])
      expect(plan({ ...ann, ...there }, existing)).toMatchObject({ outcome: 'changed on both sides', problems: [] });
    expect(plan({ ...ann, username: 'bea' }, { ...existing, name: named('bea') }).outcome).toBe(
      'changed on both sides',
    );
  });

  it('stays as it is if it was only changed here', () => {
    const existing = { ...imported('session:7', permissionsChanged(256)), atImport };
    expect(plan(ann, existing)).toMatchObject({ outcome: 'changed here', problems: [] });
    expect(plan({ ...ann, permission: 256 }, existing).outcome).toBe('unchanged');
  });

  it('is refused if OpenList has another name for the id, which may be another person', () => {
    expect(plan({ ...ann, username: 'bea' }, { ...imported(), name: named('bea') })).toMatchObject({
      outcome: 'refused',
      problems: [{ reason: 'renamed-in-openlist' }],
    });
  });
});

describe('SSH keys', () => {
  const key = (seed: string, title = seed) => ({ title, line: keyLine(seed).line, addedAt: 1_000 });
  const withKeys = (...keys: SentAccount['keys']) => ({ ...ann, keys });

  it('are taken with the time of their addition', () => {
    const { keys } = plan(withKeys(key('laptop'), { ...key('phone'), addedAt: null }));
    expect(keys!.map(({ title, now }) => ({ title, now }))).toEqual([
      { title: 'laptop', now: 1_000 },
      { title: 'phone', now: NOW },
    ]);
  });

  it('are refused one by one, as the API refuses them', () => {
    const { outcome, keys, problems } = plan(
      withKeys(key('laptop'), key('laptop', 'again'), key('phone', 'laptop'), { ...key('weak'), line: 'ssh-rsa AAAA' }),
    );
    expect(outcome).toBe('taken');
    expect(keys).toHaveLength(1);
    expect(problems).toEqual([
      { reason: 'ssh-key-taken', key: 'again' },
      { reason: 'ssh-key-title-taken', key: 'laptop' },
      { reason: 'ssh-key-invalid', key: 'weak', cause: 'damaged' },
    ]);
  });

  it('are added to an unchanged account, unless somebody has changed its keys here', () => {
    const missing = withKeys(key('laptop'));
    expect(plan(missing, imported())).toMatchObject({
      outcome: 'taken',
      needsPassword: false,
      keys: [{ title: 'laptop' }],
    });
    const changed = { ...imported(), ringCommits: [commit(1, 'session:7', { type: 'SshKeyRemoved' })] };
    expect(plan(missing, changed)).toMatchObject({ outcome: 'unchanged', notes: ['keys were changed here'] });
  });

  it('stay if OpenList no longer has them, and are marked', () => {
    const ring = stateAfter(sshKeyRingDecider, keyAdded(1, 'laptop'));
    expect(plan(ann, { ...imported(), ring }).notes).toEqual(['has keys that OpenList has not']);
  });
});
