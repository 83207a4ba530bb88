import { CloudEvent } from 'cloudevents';
import { describe, expect, it } from 'vitest';
import { commitOf, goldenEvent, goldenEvents } from '../../testing/golden-commits.js';
import { UnsendableMessage } from '../publishing.js';
import { outgoingMessage } from './outgoing-message.js';
import { definitionOf, publicEventTypes, type PublicEvent } from './public-events.js';
import { publicEventsOf } from './translation.js';

const added = onlyEventOf('SshKeyAdded.v1');

function onlyEventOf(name: string): PublicEvent {
  const cause = { clientCorrelation: 'client-1', causation: 'message-1', traceparent: `00-${'a'.repeat(32)}-b7-01` };
  const commit = commitOf([goldenEvent(name)], cause);
  const [event] = publicEventsOf(commit);
  if (!event) throw new Error(`${name} is not public`);
  return event;
}

describe('the message of an event', () => {
  it('has the attributes of a CloudEvent as headers and only the data as body', () => {
    const { id, type, at, headers, body } = outgoingMessage(added);
    expect({ id, type, at }).toEqual({ id: 'ssh-keys-42:3:0', type: 'ssh-key.added', at: Date.UTC(2026, 0, 15, 12) });
    expect(headers).toStrictEqual({
      cloudEvents_specversion: '1.0',
      cloudEvents_id: 'ssh-keys-42:3:0',
      cloudEvents_source: 'keyfold',
      cloudEvents_type: 'ssh-key.added',
      cloudEvents_time: '2026-01-15T12:00:00.000Z',
      cloudEvents_subject: 'ssh-keys-42',
      cloudEvents_dataschema: 'keyfold:/schemas/ssh-key.added/1.0.0.json',
      cloudEvents_partitionkey: '42',
      cloudEvents_streamversion: '3',
      cloudEvents_correlationid: 'request-1',
      cloudEvents_clientcorrelationid: 'client-1',
      cloudEvents_causationid: 'message-1',
      cloudEvents_traceparent: `00-${'a'.repeat(32)}-b7-01`,
    });
    expect(JSON.parse(body.toString())).toStrictEqual(definitionOf('ssh-key.added').sample.data);
  });

  it('has no header for an absent attribute', () => {
    const { clientCorrelation: _, causation: __, traceparent: ___, ...event } = added;
    expect(Object.keys(outgoingMessage(event).headers)).toHaveLength(10);
  });

  it('is deterministic', () => {
    expect(outgoingMessage(added)).toEqual(outgoingMessage(onlyEventOf('SshKeyAdded.v1')));
  });

  it.each(publicEventTypes)('of type %s is a valid CloudEvent according to the CloudEvents SDK', (type) => {
    const events = [...goldenEvents.values()].flatMap((stored) => publicEventsOf(commitOf([stored])));
    const event = events.find((each) => each.type === type);
    if (!event) throw new Error(`no golden event is published as ${type}`);
    const { headers, body } = outgoingMessage(event);
    const attributes = Object.entries(headers).map(([name, value]) => [name.replace('cloudEvents_', ''), value]);
    const data = JSON.parse(body.toString()) as unknown;
    const fields = { ...(Object.fromEntries(attributes) as { type: string; source: string }), data };
    expect(new CloudEvent({ ...fields, datacontenttype: 'application/json' }).validate()).toBe(true);
  });
});

describe('a message is unsendable', () => {
  it('with more than 15 MiB of data', () => {
    const withKeys = (length: number): PublicEvent => ({
      ...onlyEventOf('SettingsChanged.v1'),
      type: 'site-settings.changed',
      data: { keys: ['k'.repeat(length)] },
    });
    expect(() => outgoingMessage(withKeys(15 * 1024 * 1024))).toThrow(UnsendableMessage);
    expect(() => outgoingMessage(withKeys(15 * 1024 * 1024 - 100))).not.toThrow();
  });
});
