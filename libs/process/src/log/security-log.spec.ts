import type { SecurityEvent } from '@keyfold/application';
import { beforeEach, describe, expect, it } from 'vitest';
import { LimitedSecurityLog } from './security-log.js';

type Line = Record<string, unknown>;

let lines: Line[];
let scheduled: { task: () => void; milliseconds: number }[];
let log: LimitedSecurityLog;

beforeEach(() => {
  lines = [];
  scheduled = [];
  log = new LimitedSecurityLog(
    (level, fields, message) => lines.push({ level, ...fields, message }),
    (task, milliseconds) => void scheduled.push({ task, milliseconds }),
  );
});

const refused = (address: string, correlation = 'request-1'): SecurityEvent => ({
  name: 'authn_login_fail',
  about: [7],
  account: 7,
  outcome: 'refused',
  fields: { factor: 'password' },
  origin: { correlation, address },
});
const reportFrom = (address: string, times: number) => {
  for (let n = 0; n < times; n++) log.report(refused(address));
};
const omittedIn = (some: readonly Line[]) => some.reduce((sum, { omitted }) => sum + Number(omitted ?? 0), 0);
const written = () => lines.filter(({ omitted }) => omitted === undefined);

describe('the security log', () => {
  it('writes an event with its account, outcome, network and correlation', () => {
    log.report(refused('192.0.2.77', 'request-9'));
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'login refused',
        event: 'authn_login_fail:7',
        account: 7,
        outcome: 'refused',
        factor: 'password',
        network: '192.0.2.0/24',
        correlation: 'request-9',
      },
    ]);
  });

  it('omits an unknown account', () => {
    log.report({ name: 'authn_login_fail', outcome: 'refused', origin: { correlation: 'request-1' } });
    expect(lines[0]).toMatchObject({ event: 'authn_login_fail', network: 'unknown' });
    expect(lines[0]).not.toHaveProperty('account');
  });

  it('writes five lines for a network in a minute, then the exact number of omitted events', () => {
    reportFrom('192.0.2.1', 1_250);
    reportFrom('192.0.2.254', 1_250);
    expect(lines).toHaveLength(5);
    expect(scheduled).toHaveLength(1);
    expect(scheduled[0]!.milliseconds).toBe(60_000);
    scheduled[0]!.task();
    expect(lines.slice(5)).toEqual([
      {
        level: 'warn',
        message: 'security events omitted',
        event: 'authn_login_fail',
        network: '192.0.2.0/24',
        omitted: 2_495,
      },
    ]);
    expect(log.counts.get('authn_login_fail')).toBe(2_500);
  });

  it('writes again in the next minute', () => {
    reportFrom('192.0.2.1', 6);
    scheduled[0]!.task();
    reportFrom('192.0.2.1', 1);
    expect(written()).toHaveLength(6);
    expect(scheduled).toHaveLength(2);
  });

  it('limits each network and event separately', () => {
    reportFrom('192.0.2.1', 50);
    reportFrom('198.51.100.1', 1);
    log.report({ ...refused('192.0.2.1'), name: 'authn_login_fail_max', outcome: 'throttled' });
    expect(written().slice(5)).toMatchObject([
      { event: 'authn_login_fail:7', network: '198.51.100.0/24' },
      { event: 'authn_login_fail_max:7', network: '192.0.2.0/24' },
    ]);
  });

  it('stays small and exact even if every event comes from another network', () => {
    for (let n = 0; n < 20_000; n++) reportFrom(`2001:db8:${n.toString(16)}::1`, 1);
    expect(lines).toHaveLength(100);
    log.flush();
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toMatchObject({ network: 'others', omitted: 19_900 });
  });

  it('counts every event, in any mix', () => {
    for (let n = 0; n < 3_000; n++) reportFrom(`203.0.${n % 150}.9`, 1 + (n % 3));
    log.flush();
    expect(written().length + omittedIn(lines)).toBe(log.counts.get('authn_login_fail'));
    expect(lines.length).toBeLessThanOrEqual(201);
  });

  it('writes nothing at the end of a minute without omitted events', () => {
    reportFrom('192.0.2.1', 5);
    log.flush();
    log.flush();
    expect(lines).toHaveLength(5);
  });
});
