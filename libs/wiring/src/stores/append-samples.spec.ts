import { AppendCounts } from '@keyfold/event-store';
import { describe, expect, it } from 'vitest';
import { appendSamples } from './append-samples.js';

describe('appends', () => {
  it('are told of every type of event, also of those that never happened', () => {
    const counts = new AppendCounts();
    counts.events.set('SshKeyAdded', 3);
    const told = appendSamples(counts).filter(({ name }) => name === 'keyfold_events_appended_total');
    const values = new Map(told.map(({ labels, value }) => [labels?.['type'], value]));
    expect(values.size).toBe(told.length);
    expect(values.get('SshKeyAdded')).toBe(3);
    for (const type of ['AccountRegistered', 'SessionEnded', 'SshKeyUsed', 'ApiTokenReset', 'TwoFactorLocked'])
      expect([type, values.get(type)]).toEqual([type, 0]);
  });
});
