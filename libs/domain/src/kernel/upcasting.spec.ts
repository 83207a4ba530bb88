import { describe, expect, it } from 'vitest';
import type { StoredEvent } from './event.js';
import { UnknownEvent, upcast, type Upcasters } from './upcasting.js';

/** An invented history: the title became a name, then the name became a list. */
const upcasters: Upcasters = {
  BoxLabelled: [
    ({ type, data }) => ({ type, v: 2, data: { name: data.title } }),
    (event) => ({ ...event, v: 3, data: { names: [event.data.name] } }),
  ],
  BoxTagged: [({ data }) => ({ type: 'BoxLabelled', v: 2, data: { name: data.tag } })],
};
const stored = (type: string, v: number, data: StoredEvent['data'] = {}): StoredEvent => ({ type, v, data });

describe('an upcast', () => {
  it('returns an event of the current version unchanged', () => {
    const event = stored('BoxLabelled', 3, { names: ['tools'] });
    expect(upcast(upcasters, event)).toBe(event);
  });

  it.each([
    ['one version', stored('BoxLabelled', 2, { name: 'tools' })],
    ['two versions', stored('BoxLabelled', 1, { title: 'tools' })],
    ['a change of type', stored('BoxTagged', 1, { tag: 'tools' })],
  ])('converts an event across %s', (_what, event) => {
    expect(upcast(upcasters, event)).toStrictEqual(stored('BoxLabelled', 3, { names: ['tools'] }));
  });

  it('does not modify the stored event', () => {
    const event = Object.freeze({ ...stored('BoxLabelled', 1), data: Object.freeze({ title: 'tools' }) });
    upcast(upcasters, event);
    expect(event).toStrictEqual(stored('BoxLabelled', 1, { title: 'tools' }));
  });

  it('keeps sealed secrets', () => {
    const event = { ...stored('BoxLabelled', 2, { name: 'tools' }), sealed: { code: 'sealed' } };
    expect(upcast(upcasters, event).sealed).toStrictEqual({ code: 'sealed' });
  });

  it.each([
    ['an unknown type', 'BoxPainted', 1],
    ['a later version', 'BoxLabelled', 4],
    ['version 0', 'BoxLabelled', 0],
    ['the name of an object member', 'constructor', 1],
  ])('refuses %s', (_what, type, v) => {
    expect(() => upcast(upcasters, stored(type, v))).toThrow(UnknownEvent);
    expect(() => upcast(upcasters, stored(type, v))).toThrow(`type ${type}, version ${v}:`);
  });
});
