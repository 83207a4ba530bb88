import { describe, expect, it } from 'vitest';
import { failedScaledStart } from '../support/failed-start.js';

const settingsIn = (output: string) =>
  [...output.matchAll(/^- (\w+)/gm)].map(([, name]) => name ?? '').toSorted((a, b) => a.localeCompare(b));

describe('a process on MongoDB', () => {
  it.each([
    ['gateway', ['KEYFOLD_MONGODB_URI', 'KEYFOLD_SEALING_KEY', 'KEYFOLD_TOKEN_SECRET']],
    ['standalone', ['KEYFOLD_MONGODB_URI', 'KEYFOLD_SEALING_KEY', 'KEYFOLD_TOKEN_SECRET']],
    ['worker', ['KEYFOLD_MONGODB_URI']],
  ] as const)('that is a %s reports every missing setting and exits with 78', async (app, names) => {
    const { exitCode, output } = await failedScaledStart(app, {});
    expect(exitCode).toBe(78);
    expect(settingsIn(output)).toEqual(names);
    if (app !== 'worker') expect(output).toContain('openssl rand -base64 48');
  });

  it('refuses an invalid address without logging its password', async () => {
    const KEYFOLD_MONGODB_URI = 'mongodb://keyfold:s3cret/more@localhost:27017/keyfold';
    const { exitCode, output } = await failedScaledStart('worker', { KEYFOLD_MONGODB_URI });
    expect(exitCode).toBe(78);
    expect(settingsIn(output)).toEqual(['KEYFOLD_MONGODB_URI']);
    expect(output).not.toContain('s3cret');
  });

  it('that is a worker in front of OpenList needs the sealing key', async () => {
    const { exitCode, output } = await failedScaledStart('worker', {
      KEYFOLD_MONGODB_URI: 'mongodb://localhost:1/keyfold?replicaSet=rs0',
      KEYFOLD_OPENLIST_URL: 'http://localhost:5244',
      KEYFOLD_OPENLIST_TOKEN: 'openlist-token',
    });
    expect(exitCode).toBe(78);
    expect(settingsIn(output)).toEqual(['KEYFOLD_SEALING_KEY']);
    expect(output).not.toContain('openlist-token');
  });
});
